/** The conflict screen: writes that were handed back, for the user to decide about. */
import { dropWrite, keepMine, type Note, useWaiting, versionsOf } from './data.ts';

export function Decisions() {
  const { held } = useWaiting();
  return held.map((entry) => {
    const { mine, theirs } = versionsOf(entry);
    return (
      <section key={entry.transactionId} aria-label={`Decide about ${mine.title}`}>
        <h2>{theirs === undefined ? 'This was not saved' : 'Somebody else changed this note'}</h2>
        {entry.held?.reason === 'refused' && <p>{entry.held.message}</p>}
        <div className="versions">
          <Version title="Yours" note={mine} />
          {theirs !== undefined && <Version title="Theirs" note={theirs} />}
        </div>
        {theirs != null && (
          <button type="button" onClick={() => void keepMine(entry, theirs)}>
            Keep mine
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
          <b>{note.title}</b> {note.place} {note.body}
        </p>
      )}
    </div>
  );
}
