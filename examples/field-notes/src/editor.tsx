/** One note: added, changed or deleted. Changes are stored at once, and sent when possible. */
import { useMutation } from '@rowhouse/client/react';
import type { SyntheticEvent } from 'react';
import { addNote, changeNote, deleteNote, type Note } from './data.ts';
import { Problem } from './problem.tsx';

interface EditorProps {
  /** Null for a new one. */
  readonly note: Note | null;
  readonly onEnd: () => void;
}

export function Editor({ note, onEnd }: EditorProps) {
  const save = useMutation(async (form: FormData) => {
    const text = (name: string) => String(form.get(name) ?? '');
    const fields = { title: text('title'), body: text('body'), place: text('place') || null };
    await (note === null ? addNote(fields) : changeNote(note, fields));
    onEnd();
  });
  const remove = useMutation(async (removed: Note) => {
    await deleteNote(removed);
    onEnd();
  });
  function submit(event: SyntheticEvent<HTMLFormElement>) {
    event.preventDefault();
    save.run(new FormData(event.currentTarget)).catch(() => {});
  }
  return (
    <form onSubmit={submit}>
      <h2>{note === null ? 'New note' : 'Change the note'}</h2>
      <label>
        Title <input name="title" defaultValue={note?.title} maxLength={100} required />
      </label>
      <label>
        Place <input name="place" defaultValue={note?.place ?? ''} maxLength={100} />
      </label>
      <label>
        Text <textarea name="body" defaultValue={note?.body ?? ''} rows={6} />
      </label>
      <Problem error={save.error ?? remove.error} />
      <button type="submit" className="main" disabled={save.isRunning}>
        Save
      </button>
      {note !== null && (
        <button type="button" onClick={() => remove.run(note).catch(() => {})}>
          Delete
        </button>
      )}
      <button type="button" onClick={onEnd}>
        Back
      </button>
    </form>
  );
}
