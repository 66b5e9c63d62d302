/** Which process has the lock of a data folder, and whether it still lives. */
import { readFileSync, readlinkSync, statSync } from 'node:fs';
import { pathOf } from './folder.ts';

/** What is not known here is an empty text. */
export interface Owner {
  /** Device and inode of the lock file. */
  readonly lock: string;
  /** Of `directory.db`: a copy of it says nothing about the folder that it came to. */
  readonly directory: string;
  /** Made anew by every start of the machine. */
  readonly boot: string;
  /** The processes that can be seen from a container are those of its namespace. */
  readonly namespace: string;
  readonly pid: number;
  /** When the process started, in ticks since the boot: numbers of processes are used again. */
  readonly started: string;
}

/** This process, as the owner of the lock file that is there now. */
export function self(folder: string, lockPath: string): Owner {
  return {
    lock: fileAt(lockPath),
    directory: fileAt(pathOf(folder, 'directory')),
    boot: orEmpty(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    namespace: orEmpty(() => readlinkSync('/proc/self/ns/pid')),
    pid: process.pid,
    started: startOf(process.pid),
  };
}

/**
 * Whether the last owner still works on the folder, asked by a process that has locked the lock file that is there now.
 * `unknown`: its lock file was another one, and its process can't be seen from here.
 */
export function judge(last: Owner | null, present: Owner): 'gone' | 'alive' | 'unknown' {
  if (last === null || last.directory !== present.directory) return 'gone';
  // It would have kept this very file locked.
  if (last.lock === present.lock) return 'gone';
  if (present.boot === '' || last.boot !== present.boot || last.namespace !== present.namespace) return 'unknown';
  return last.started !== '' && startOf(last.pid) === last.started ? 'alive' : 'gone';
}

function fileAt(path: string): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? '' : `${found.dev}:${found.ino}`;
}

/** proc_pid_stat(5): field 22; the name in parentheses before it may hold anything. */
function startOf(pid: number): string {
  return orEmpty(() => {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  });
}

function orEmpty(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
