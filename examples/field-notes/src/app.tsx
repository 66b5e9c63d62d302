/** The frame: who is signed in, whether there is a connection, the notes, and what needs a decision. */
import { useSession } from '@rowhouse/client/react';
import { useState, useSyncExternalStore } from 'react';
import { type Note, signIn, signOut, useNotes, useWaiting } from './data.ts';
import { Decisions } from './decisions.tsx';
import { Editor } from './editor.tsx';

export function App({ signInError }: { readonly signInError: string | null }) {
  const { user, mustSignIn } = useSession();
  if (user === undefined) return null;
  return (
    <main>
      <h1>Field notes</h1>
      {mustSignIn && (
        <>
          {signInError !== null && <p role="alert">{signInError}</p>}
          <button type="button" onClick={() => void signIn()}>
            {user === null ? 'Sign in' : 'Sign in again'}
          </button>
        </>
      )}
      {user !== null && (
        <>
          <header>
            {user.firstName} <Connection />
            <button type="button" onClick={() => void signOut()}>
              Sign out
            </button>
          </header>
          <Decisions />
          <Notes />
        </>
      )}
    </main>
  );
}

function Connection() {
  const isOnline = useSyncExternalStore(listenToConnection, () => navigator.onLine);
  const { count } = useWaiting();
  return (
    <output>
      {isOnline ? 'online' : 'offline'}
      {count > 0 && `, ${count} to send`}
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
  const { notes, error, isReading } = useNotes();
  const { isWaiting } = useWaiting();
  const [edited, setEdited] = useState<Note | 'new' | null>(null);
  if (edited !== null) return <Editor note={edited === 'new' ? null : edited} onEnd={() => setEdited(null)} />;
  return (
    <>
      <button type="button" onClick={() => setEdited('new')}>
        New note
      </button>
      {notes === undefined && (isReading ? <p>Reading …</p> : <p role="alert">{error?.message}</p>)}
      <ul>
        {notes?.map((note) => (
          <li key={note.objectId}>
            <button type="button" onClick={() => setEdited(note)}>
              {note.title}
            </button>
            {note.place !== null && <span> in {note.place}</span>}
            {isWaiting(note) && <em> waits</em>}
          </li>
        ))}
      </ul>
    </>
  );
}
