/** All of the app's data handling: the service, who is signed in, what is shown, and what waits to be sent. */
import { createClient, createSession, resume, signInWithRedirect, type Write } from '@rowhouse/client';
import { createOutbox, type Entry, indexedDbStore } from '@rowhouse/client/outbox';
import { createAnswers, useOutbox, useQuery } from '@rowhouse/client/react';
import type { FieldNoteRow, FieldNoteUpdate, Tables } from './rowhouse.ts';

const application = {
  url: import.meta.env.VITE_SERVICE ?? 'http://127.0.0.1:8080',
  ...{ companyId: 1, appId: 'sampleApp', appVersion: '1.0.0' },
};
const session = createSession({ ...application, appKey: 'demo-app-key' });
const outbox = createOutbox({ session, store: await indexedDbStore('field-notes') });
const client = createClient<Tables>({ ...application, session, commit: outbox.connect });
const { db } = client;
export const answers = createAnswers(client, { session, outbox, storage: localStorage });

export type Note = FieldNoteRow;
export type NoteFields = Pick<Note, 'title' | 'body' | 'place'>;

/** Completes a sign-in that has just returned from the provider. */
export const start = () => resume(session);
export const signIn = () => signInWithRedirect(session, { clientId: 'local-app' });
export const signOut = () => session.signOut();

const notes = db.FieldNote.reading({ orderBy: (note) => note.seenAt.desc(), limit: 200, includes: () => true });

/** All notes, newest first, with waiting changes. */
export function useNotes() {
  const { data, ...state } = useQuery(notes);
  return { ...state, notes: data?.toSorted((one, other) => other.seenAt.localeCompare(one.seenAt)) };
}

/** Entries waiting to be sent, and those that were handed back. */
export function useWaiting() {
  const entries = useOutbox(outbox);
  const isWaiting = (note: Note) =>
    entries.some(({ writes }) => writes.some(({ values }) => values.objectId === note.objectId));
  const held = entries.filter((entry) => entry.held !== null);
  return { toSend: entries.length - held.length, isWaiting, held };
}

export const addNote = (fields: NoteFields) => db.FieldNote.add({ ...fields, seenAt: new Date().toISOString() });
export const changeNote = (note: Note, changes: FieldNoteUpdate) => db.FieldNote.update(note, changes);
export const deleteNote = (note: Note) => db.FieldNote.delete(note);

/** A note as one user wants it; null for a deleted one. */
type Version = Note | null;

/** The user's version and that of others, for a write that was handed back; `title` names the note. */
export function versionsOf({ writes, held }: Entry) {
  const [write] = writes;
  const note = { ...write?.base, ...write?.values } as unknown as Note;
  const mine: Version = write?.op === 'delete' ? null : note;
  const theirs = held?.reason === 'conflict' ? (held.conflict.theirs as unknown as Version) : undefined;
  return { title: note.title, mine, theirs };
}

export const dropWrite = ({ transactionId }: Entry) => outbox.drop(transactionId);

/** Sends the user's version again; after a conflict, it replaces the present one. */
export function sendAgain({ transactionId, writes, held }: Entry) {
  if (held?.reason !== 'conflict') return outbox.retry(transactionId);
  const { index, theirs } = held.conflict;
  return outbox.retry(transactionId, writes.with(index, { ...(writes[index] as Write), base: theirs }));
}
