/** The conflict screen: writes that were handed back, on which the user decides. */
import { dropWrite, type Note, sendAgain, useWaiting, versionsOf } from './data.ts';

const headings = {
  conflict: 'Somebody else changed this note',
  refused: 'This was not saved',
  expired: 'Nobody knows whether this was saved: look before you send it again',
  'base lost': 'This was not saved: an earlier change of the note is missing',
};

export function Decisions() {
  const { held } = useWaiting();
  return held.map((entry) => {
    const { title, mine, theirs } = versionsOf(entry);
    const reason = entry.held?.reason ?? 'refused';
    const canSend = reason === 'expired' || theirs != null;
    return (
      <section key={entry.transactionId} aria-label={`Decide about ${title}`}>
        <h2>{headings[reason]}</h2>
        {entry.held?.reason === 'refused' && <p>{entry.held.message}</p>}
        <div className="versions">
          <Version title="Yours" note={mine} />
          {theirs !== undefined && <Version title="Theirs" note={theirs} />}
        </div>
        {canSend && (
          <button type="button" className="main" onClick={() => void sendAgain(entry)}>
            {reason === 'expired' ? 'Send mine again' : 'Keep mine'}
          </button>
        )}
        <button type="button" onClick={() => void dropWrite(entry)}>
          {theirs === undefined ? 'Give mine up' : 'Keep theirs'}
        </button>
      </section>
    );
  });
}

function Version({ title, note }: { readonly title: string; readonly note: Note | null }) {
  return (
    <div>
      <h3>{title}</h3>
      {note === null ? (
        <p>deleted</p>
      ) : (
        <p>
          <b>{note.title}</b> {note.place !== null && <small>{note.place}</small>} {note.body}
        </p>
      )}
    </div>
  );
}
