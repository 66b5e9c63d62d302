/** The frame: who is signed in, whether there is a connection, the notes, and what needs a decision. */
import { useMutation, useSession } from '@rowhouse/client/react';
import { useState, useSyncExternalStore } from 'react';
import { type Note, signIn, signOut, useNotes, useWaiting } from './data.ts';
import { Decisions } from './decisions.tsx';
import { Editor } from './editor.tsx';
import { Problem } from './problem.tsx';

export function App({ signInError }: { readonly signInError: Error | null }) {
  const { user, mustSignIn } = useSession();
  if (user === undefined) return null;
  return (
    <main>
      <header>
        <h1>Field notes</h1>
        {user !== null && (
          <>
            <span>
              {user.firstName} <Connection />
            </span>
            <button type="button" onClick={() => void signOut()}>
              Sign out
            </button>
          </>
        )}
      </header>
      {mustSignIn && <SignIn isAgain={user !== null} lastError={signInError} />}
      {user !== null && (
        <>
          <Decisions />
          <Notes />
        </>
      )}
    </main>
  );
}

function SignIn({ isAgain, lastError }: { readonly isAgain: boolean; readonly lastError: Error | null }) {
  const leave = useMutation(signIn);
  return (
    <div className="notice">
      <p>{isAgain ? 'Your session has ended. Your notes are still here.' : 'Sign in to see your notes.'}</p>
      {!leave.isRunning && <Problem error={leave.error ?? lastError} />}
      <button
        type="button"
        className="main"
        disabled={leave.isRunning}
        onClick={() => void leave.run().catch(() => {})}
      >
        {leave.isRunning ? 'Signing in …' : isAgain ? 'Sign in again' : 'Sign in'}
      </button>
    </div>
  );
}

function Connection() {
  const isOnline = useSyncExternalStore(listenToConnection, () => navigator.onLine);
  const { toSend, held } = useWaiting();
  return (
    <output className={isOnline ? 'online' : 'offline'}>
      {isOnline ? 'online' : 'offline'}
      {toSend > 0 && `, ${toSend} to send`}
      {held.length > 0 && `, ${held.length} to decide`}
    </output>
  );
}

function listenToConnection(listener: () => void) {
  const events = ['online', 'offline'];
  for (const name of events) addEventListener(name, listener);
  return () => {
    for (const name of events) removeEventListener(name, listener);
  };
}

function Notes() {
  const { notes, error, isReading, refresh } = useNotes();
  const [edited, setEdited] = useState<Note | 'new' | null>(null);
  if (edited !== null) return <Editor note={edited === 'new' ? null : edited} onEnd={() => setEdited(null)} />;
  return (
    <>
      <button type="button" className="main" onClick={() => setEdited('new')}>
        New note
      </button>
      {notes === undefined && isReading && <p>Loading your notes …</p>}
      {notes === undefined && !isReading && (
        <div className="notice">
          <Problem error={error} />
          <button type="button" onClick={refresh}>
            Try again
          </button>
        </div>
      )}
      {notes?.length === 0 && (
        <p className="notice">There are no notes yet. What you write is kept in this browser until it is sent.</p>
      )}
      <ul>
        {notes?.map((note) => (
          <NoteItem key={note.objectId} note={note} onOpen={() => setEdited(note)} />
        ))}
      </ul>
    </>
  );
}

function NoteItem({ note, onOpen }: { readonly note: Note; readonly onOpen: () => void }) {
  const { isWaiting } = useWaiting();
  const seen = new Date(note.seenAt).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });
  return (
    <li>
      <button type="button" onClick={onOpen}>
        <b>{note.title}</b>
        {isWaiting(note) && <em> waiting</em>}
        <small>{note.place === null ? seen : `${note.place}, ${seen}`}</small>
      </button>
    </li>
  );
}
