/** An outbox in a file of Node: each change is a line at its end, synced before it counts. */
import { link, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { type Change, OutboxState, type OutboxStore } from '../outbox/store.ts';

/** A file is written anew when it has grown to this size, and to several times of what it has to hold. */
const rewriteBytes = 1 << 20;
const rewriteTimes = 4;

/** What waits to be written, with what waits for that. */
interface Waiting {
  readonly change: Change;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Opens or makes the file, which one program at a time has open; a file beside it says which. What was written at the moment when
 * a program or machine ended is left out, as it had not been promised; whatever else cannot be read is set aside, in a file beside it.
 * @throws Error if another program has it open
 */
export async function fileStore(path: string): Promise<OutboxStore> {
  const whole = resolve(path);
  await mkdir(dirname(whole), { recursive: true, mode: 0o700 });
  const unlock = await lock(`${whole}.lock`);
  try {
    return await openStore(whole, unlock);
  } catch (error) {
    await unlock();
    throw error;
  }
}

async function openStore(path: string, unlock: () => Promise<void>): Promise<OutboxStore> {
  const state = new OutboxState();
  const { isWhole, bytes } = await load(path, state);
  let isSound = isWhole;
  let sizeBytes = bytes;
  let wholeBytes = bytes;
  let waiting: Waiting[] = [];
  let writing: Promise<void> | undefined;
  const appending = new Map<string, Promise<void>>();
  let file = await open(path, 'a', 0o600);
  await syncFolder(path);

  /** Puts the state into a new file, in place of the old one. */
  async function rewrite(): Promise<void> {
    const line = `${JSON.stringify(state.whole)}\n`;
    isSound = false;
    const made = await open(`${path}.new`, 'w', 0o600);
    try {
      await made.writeFile(line);
      await made.sync();
      await rename(`${path}.new`, path);
    } catch (error) {
      await made.close();
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

  /** All that waits at the moment is written and synced together. */
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
        isSound = true;
        sizeBytes += Buffer.byteLength(text);
        for (const { change, done } of group) {
          state.apply(change);
          done();
        }
      } catch (error) {
        // Whether the file has it, nobody knows: before anything else is written, it is written anew without it.
        for (const { failed } of group) failed(error);
      }
    }
    writing = undefined;
  }

  /** The state has the change when it is synced. */
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
      // Kept already, or on its way: then it is kept when that one is.
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
    exclusive: (work) => work(),
    async close() {
      await writing;
      await file.close();
      await unlock();
    },
  };
}

/** Reads the file into the state. It is not whole if a line of it cannot be read. */
async function load(path: string, state: OutboxState): Promise<{ isWhole: boolean; bytes: number }> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const lines = text.split('\n');
  const unfinished = lines.pop();
  const bad: string[] = [];
  for (const line of lines) {
    try {
      state.apply(JSON.parse(line));
    } catch {
      bad.push(line);
    }
  }
  if (bad.length > 0) await writeFile(`${path}.unreadable-${Date.now()}`, bad.join('\n'), { mode: 0o600 });
  return { isWhole: bad.length === 0 && unfinished === '', bytes: Buffer.byteLength(text) };
}

async function syncFolder(path: string): Promise<void> {
  // Windows cannot open a folder, and keeps names without it.
  if (process.platform === 'win32') return;
  const folder = await open(dirname(path), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Files that this process has open. */
const ours = new Set<string>();

/** @returns what gives it back @throws Error if a process that is alive has it */
async function lock(path: string): Promise<() => Promise<void>> {
  const own = `${path}.${process.pid}`;
  for (;;) {
    try {
      // The file has its text from the beginning.
      await writeFile(own, String(process.pid), { mode: 0o600 });
      await link(own, path);
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      await rm(own, { force: true });
    }
    const text = await readFile(path, 'utf8').catch(() => '');
    const pid = Number(text);
    if (ours.has(path) || (pid !== process.pid && isAlive(pid))) {
      throw new Error(`Process ${pid} has this outbox open. If that is not so, remove ${path}.`);
    }
    await takeAway(path, text);
  }
  ours.add(path);
  return async () => {
    ours.delete(path);
    await rm(path, { force: true });
  };
}

/** Removes the file of a process that is gone, and no other one that came into its place meanwhile. */
async function takeAway(path: string, text: string): Promise<void> {
  const aside = `${path}.${process.pid}`;
  try {
    await rename(path, aside);
    if ((await readFile(aside, 'utf8')) !== text) await rename(aside, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  await rm(aside, { force: true });
}

function isAlive(pid: number): boolean {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
