/** Notes when tokens were last used: in the background, many in one transaction, so that no request waits. */
import type { Relational } from '../storage/contract.ts';
import type { DirectoryTables } from '../storage/tables.ts';
import type { AuthLog } from './log.ts';
import { noteUse } from './token-rows.ts';

/** A token's use is noted at most this often (docs/reference/sign-in.md#tokens). */
export const noteEveryMs = 60_000;

const gatherMs = 1_000;
const notesPerWriteMax = 500;

export interface LastUse {
  /** Held in memory until the next write, within about a second. */
  note(tokenHash: string, time: number): void;
  /** Writes the noted uses. A failed write is logged; the token's next use after a minute is noted again. */
  flush(): Promise<void>;
}

export function openLastUse(db: Relational<DirectoryTables>, log: AuthLog): LastUse {
  const notes = new Map<string, number>();
  let timer: NodeJS.Timeout | null = null;
  let writing = Promise.resolve();

  async function write(batch: readonly (readonly [string, number])[]): Promise<void> {
    try {
      await db.write(batch.map(([hash, time]) => noteUse(db, hash, time)));
    } catch (error) {
      log.warn({ err: error, tokens: batch.length }, 'The times at which tokens were last used could not be stored.');
    }
  }

  async function writeAll(): Promise<void> {
    while (notes.size > 0) {
      const batch = [...notes.entries().take(notesPerWriteMax)];
      for (const [hash] of batch) notes.delete(hash);
      await write(batch);
    }
  }

  function flush(): Promise<void> {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    writing = writing.then(writeAll);
    return writing;
  }

  return {
    flush,
    note(tokenHash, time) {
      notes.set(tokenHash, time);
      timer ??= setTimeout(() => void flush(), gatherMs).unref();
    },
  };
}
