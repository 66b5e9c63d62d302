/**
 * Who has a file open: one process at a time, of all that share its folder, in whatever container or on whatever machine.
 *
 * Each owner makes the lock file of the next number, `….lock.7`, which only one can. It says which process that is, and its time of
 * change shows that the process lives. An owner is replaced when it has ended, as far as that can be seen from here, or else has been
 * silent; it notices by the next number, and must not promise anything any more.
 */
import { readdir, readFile, readlink, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface FileLock {
  /** A name for a file that is to replace the locked one: it is gone once somebody else owns the lock, so that a late renaming fails. */
  readonly newFile: string;
  /** Resolves if nobody had replaced this owner when it was called. @throws Error if somebody has */
  mustHold(): Promise<void>;
  release(): Promise<void>;
}

interface Owner {
  /** The scope of process ids; null if unknown. */
  readonly machine: string | null;
  readonly pid: number;
  /** The start of the process, by a clock of the machine; null if unknown. Another process with the same id differs in it. */
  readonly started: string | null;
}

const beatMs = 1_000;
const lookMs = 250;
/** The content of the lock file that an owner leaves behind. */
const free = 'null';

/**
 * @param path the locks are beside it; its folder must be there
 * @param silentMs how long an owner is silent before it counts as ended, where this process cannot see it
 * @throws Error if somebody has the file open
 */
export async function lockFile(path: string, silentMs: number): Promise<FileLock> {
  const own: Owner = { machine: await machineId(), pid: process.pid, started: await startOf(process.pid) };
  const nameOf = (number: number) => `${path}.lock.${number}`;
  for (;;) {
    const last = (await numbersOf(path)).at(-1) ?? 0;
    if (last > 0) await mustHaveEnded(nameOf(last), own, silentMs);
    const number = last + 1;
    if (!(await make(nameOf(number), JSON.stringify(own)))) continue;
    const numbers = await numbersOf(path);
    if (numbers.at(-1) === number) {
      // In ascending order, so that no lock outlives its successor: its owner would think that it still holds the lock.
      for (const old of numbers.slice(0, -1)) await removeLock(nameOf(old));
      return held(nameOf(number), nameOf(number + 1));
    }
    // Others have changed the locks meanwhile.
    await removeLock(nameOf(number));
  }
}

function held(file: string, next: string): FileLock {
  const beat = () => void utimes(file, new Date(), new Date()).catch(() => {});
  const beats = setInterval(beat, beatMs).unref();
  return {
    newFile: newFileOf(file),
    async mustHold() {
      // In this order, as locks are removed in theirs.
      if ((await changeOf(next)) === null && (await changeOf(file)) !== null) return;
      throw new Error('Another program has taken this outbox over, as this one seemed to have ended: open it again.');
    },
    async release() {
      clearInterval(beats);
      if (await make(next, free)) await removeLock(file);
    },
  };
}

const newFileOf = (lock: string): string => `${lock}.new`;

async function removeLock(lock: string): Promise<void> {
  await rm(newFileOf(lock), { force: true });
  await rm(lock, { force: true });
}

/** @returns whether it did not exist before */
async function make(file: string, text: string): Promise<boolean> {
  try {
    await writeFile(file, text, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** The numbers of the lock files beside the path, in ascending order. */
async function numbersOf(path: string): Promise<number[]> {
  const begin = `${basename(path)}.lock.`;
  const names = (await readdir(dirname(path))).filter((name) => name.startsWith(begin));
  const numbers = names.map((name) => name.slice(begin.length)).filter((rest) => /^\d+$/.test(rest));
  return numbers.map(Number).sort((one, other) => one - other);
}

/** @throws Error if the owner of the lock lives */
async function mustHaveEnded(lock: string, own: Owner, silentMs: number): Promise<void> {
  const text = await readFile(lock, 'utf8').catch(ifMissing(free));
  if (text === free) return;
  const owner = ownerIn(text);
  const isGone = owner && (await isProcessGone(owner, own));
  if (isGone ?? (await isSilent(lock, silentMs))) return;
  const who = owner ? `Process ${owner.pid}` : 'Another process';
  throw new Error(`${who}, here or where this folder is shared, has this outbox open, as ${lock} tells.`);
}

/** Null if the text is incomplete, or not from this module. */
function ownerIn(text: string): Owner | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Null where this process cannot see it: on another machine, in another container, or in another thread of this very process. */
async function isProcessGone({ machine, pid, started }: Owner, own: Owner): Promise<boolean | null> {
  if (machine === null || machine !== own.machine) return null;
  if (!isAlive(pid)) return true;
  const now = await startOf(pid);
  if (started === null || now === null) return null;
  if (started !== now) return true;
  return pid === own.pid ? null : false;
}

/** Whether nothing comes from the owner for so long. It is looked at so many times, because this machine may sleep meanwhile. */
async function isSilent(lock: string, silentMs: number): Promise<boolean> {
  const before = await changeOf(lock);
  for (let ms = 0; ms < silentMs; ms += lookMs) {
    await sleep(lookMs);
    if ((await changeOf(lock)) !== before) return false;
  }
  return true;
}

/** When the file was changed; null if it does not exist. */
async function changeOf(file: string): Promise<bigint | null> {
  return (await stat(file, { bigint: true }).catch(ifMissing(null)))?.mtimeNs ?? null;
}

const ifMissing =
  <Value>(value: Value) =>
  (error: NodeJS.ErrnoException): Value => {
    if (error.code === 'ENOENT') return value;
    throw error;
  };

/** Differs between starts of a machine and between containers. */
async function machineId(): Promise<string | null> {
  if (process.platform !== 'linux') return hostname();
  try {
    const start = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
    return `${start.trim()} ${await readlink('/proc/self/ns/pid')}`;
  } catch {
    return null;
  }
}

/** Field 22 of `/proc/<pid>/stat` (proc_pid_stat(5)), in ticks since the machine started. */
async function startOf(pid: number): Promise<string | null> {
  try {
    const text = await readFile(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
