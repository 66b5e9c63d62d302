/** An outbox in a file, for Node: each change is a line appended to it, which counts once it is synced. */
import { mkdir, open, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { type Change, OutboxState, type OutboxStore } from '../outbox/store.ts';
import { type FileLock, lockFile } from './file-lock.ts';

/** A file is rewritten when it has reached this size and several times the size of its content. */
const rewriteBytes = 1 << 20;
const rewriteTimes = 4;

/** A change to be written, with its waiting callers. */
interface Waiting {
  readonly change: Change;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

export interface FileStoreOptions {
  /**
   * After how many milliseconds of silence a program counts as ended that this one cannot see, in another container or on another
   * machine: 10 000 unless given. A program tells once a second that it lives.
   */
  readonly silentMs?: number | undefined;
}

/**
 * Opens or creates the file, which one program at a time may have open; a lock file beside it names the program. A last
 * line that was cut off when a program or machine stopped is ignored, since its write was not yet confirmed; other
 * unreadable lines are moved to a file beside it.
 * @throws Error if another program has it open
 */
export async function fileStore(path: string, { silentMs = 10_000 }: FileStoreOptions = {}): Promise<OutboxStore> {
  const named = resolve(path);
  await mkdir(dirname(named), { recursive: true, mode: 0o700 });
  await (await open(named, 'a', 0o600)).close();
  // A link to the file stays a link when the file is replaced, and both names have the same lock.
  const whole = await realpath(named);
  const lock = await lockFile(whole, silentMs);
  try {
    return await openStore(whole, lock);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function openStore(path: string, lock: FileLock): Promise<OutboxStore> {
  const state = new OutboxState();
  const bytes = await load(path, state);
  // A program that was taken for ended may still write to this file, and its last line may be cut off: the first write makes a new one.
  let isSound = false;
  let sizeBytes = bytes;
  let wholeBytes = bytes;
  let waiting: Waiting[] = [];
  let writing: Promise<void> | undefined;
  const appending = new Map<string, Promise<void>>();
  let file = await open(path, 'a', 0o600);
  await syncFolder(path);

  /** Writes the state to a new file that replaces the old one. */
  async function rewrite(): Promise<void> {
    const line = `${JSON.stringify(state.whole)}\n`;
    isSound = false;
    const made = await open(lock.newFile, 'w', 0o600);
    try {
      await made.writeFile(line);
      await made.sync();
      await lock.mustHold();
      await rename(lock.newFile, path);
    } catch (error) {
      await made.close();
      await rm(lock.newFile, { force: true });
      throw error;
    }
    const old = file;
    file = made;
    await old.close();
    await syncFolder(path);
    sizeBytes = Buffer.byteLength(line);
    wholeBytes = sizeBytes;
    isSound = true;
  }

  /** All waiting changes are written and synced together. */
  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
      try {
        if (!isSound || sizeBytes > Math.max(rewriteBytes, wholeBytes * rewriteTimes)) await rewrite();
        const text = group.map(({ change }) => `${JSON.stringify(change)}\n`).join('');
        isSound = false;
        await file.appendFile(text);
        await file.datasync();
        // A program that takes the file over from now on reads what has been written.
        await lock.mustHold();
        isSound = true;
        sizeBytes += Buffer.byteLength(text);
        for (const { change, done } of group) {
          state.apply(change);
          done();
        }
      } catch (error) {
        // It is unknown whether the file has the change, so the file is first rewritten without it.
        for (const { failed } of group) failed(error);
      }
    }
    writing = undefined;
  }

  /** The state gets the change once it is synced. */
  function keep(change: Change): Promise<void> {
    return new Promise((done, failed) => {
      waiting.push({ change, done, failed });
      writing ??= writeAll();
    });
  }

  return {
    sharedName: null,
    async append(entry) {
      const { transactionId } = entry;
      const placed = state.placed(entry);
      // Already kept, or being written: then this call resolves with that write.
      if (placed === null) return await appending.get(transactionId);
      const kept = keep({ put: [placed] });
      appending.set(transactionId, kept);
      try {
        await kept;
      } catch (error) {
        state.forget(entry);
        throw error;
      } finally {
        appending.delete(transactionId);
      }
    },
    entries: async (after) => state.entries(after),
    change: keep,
    settled: async (transactionId) => state.settled(transactionId),
    async exclusive(work) {
      await lock.mustHold();
      return await work();
    },
    async close() {
      await writing;
      await file.close();
      await lock.release();
    },
  };
}

/** Reads the file into the state. @returns its size in bytes */
async function load(path: string, state: OutboxState): Promise<number> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const lines = text.split('\n');
  // What comes after the last line was cut off.
  lines.pop();
  const bad: string[] = [];
  for (const line of lines) {
    try {
      state.apply(JSON.parse(line));
    } catch {
      bad.push(line);
    }
  }
  if (bad.length > 0) await writeFile(`${path}.unreadable-${Date.now()}`, bad.join('\n'), { mode: 0o600 });
  return Buffer.byteLength(text);
}

async function syncFolder(path: string): Promise<void> {
  // Windows cannot open a folder, and does not need it to keep names.
  if (process.platform === 'win32') return;
  const folder = await open(dirname(path), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
