/**
 * The relevant events of a trace: bytes written to the files of the data folder, syncs of these files, and bytes
 * received from and sent to sockets. An unknown way of writing to a file is an error, so that nothing is overlooked.
 */
import { dirname } from 'node:path';
import { type Call, lastNumberOf, stringsOf, TraceText, targetOf } from './trace-text.ts';

export type FileChange =
  | { readonly kind: 'write'; readonly offset: number; readonly bytes: Buffer }
  | { readonly kind: 'truncate'; readonly length: number };

interface Happened {
  /** Numbers of the trace's lines. */
  readonly began: number;
  readonly ended: number;
}

export type FileEvent = Happened &
  (
    | { readonly kind: 'change'; readonly path: string; readonly change: FileChange }
    | { readonly kind: 'create' | 'unlink'; readonly path: string }
    /** The sync of a file or a folder. */
    | { readonly kind: 'sync'; readonly path: string }
  );

interface Passed extends Happened {
  readonly socket: string;
  readonly bytes: Buffer;
}

export type SocketEvent = (Passed & { readonly kind: 'received' }) | (Passed & { readonly kind: 'sent' });

export type TraceEvent = FileEvent | SocketEvent;

/** The calls to trace; a question mark marks calls that not every machine has. */
export const tracedCalls = [
  ...[
    '?open',
    'openat',
    '?openat2',
    '?creat',
    '?unlink',
    'unlinkat',
    '?rename',
    '?renameat',
    'renameat2',
    '?link',
    'linkat',
  ],
  ...['read', 'readv', 'recvfrom', 'recvmsg', 'write', 'writev', 'sendto', 'sendmsg', 'sendfile', 'splice'],
  ...['pwrite64', 'pwritev', 'pwritev2', 'copy_file_range', 'truncate', 'ftruncate', 'fallocate'],
  ...['fsync', 'fdatasync', 'sync_file_range', 'mmap'],
] as const;

const named = new Set(['open', 'openat', 'openat2', 'creat', 'unlink', 'unlinkat', 'truncate']);
const receiving = new Set(['read', 'readv', 'recvfrom', 'recvmsg']);
const sending = new Set(['write', 'writev', 'sendto', 'sendmsg']);
const moving = new Set(['rename', 'renameat', 'renameat2', 'link', 'linkat']);
const syncing = new Set(['fsync', 'fdatasync']);

export class EventReader {
  readonly #text = new TraceText();
  readonly #isWatched: (path: string) => boolean;
  readonly #folders: (path: string) => boolean;

  /** @param folder whose database files are watched, including sub-folders */
  constructor(folder: string) {
    const inside = (path: string) => path.startsWith(`${folder}/`);
    // The index beside a log is rebuilt after a crash; the lock and the key are not databases.
    this.#isWatched = (path) => inside(path) && /\.db(-wal|-journal)?$/.test(path);
    this.#folders = (path) => path === folder || path === dirname(folder) || inside(path);
  }

  /** @returns the event that ended with this line, or null */
  read(line: string): TraceEvent | null {
    const call = this.#text.read(line);
    if (call === null || call.result === null || call.result < 0) return null;
    return named.has(call.name) || moving.has(call.name) ? this.#named(call) : this.#onDescriptor(call);
  }

  #named(call: Call): FileEvent | null {
    const paths = stringsOf(call).map(String);
    if (!paths.some((path) => this.#isWatched(path))) return null;
    const { began, ended } = call;
    const path = paths[0] as string;
    if (call.name.startsWith('unlink')) return { kind: 'unlink', path, began, ended };
    if (call.name.startsWith('open') && !call.arguments.includes('O_TRUNC')) {
      return call.arguments.includes('O_CREAT') ? { kind: 'create', path, began, ended } : null;
    }
    throw unknownWay(call, path);
  }

  #onDescriptor(call: Call): TraceEvent | null {
    const target = targetOf(call);
    if (target === null) return null;
    const { name, began, ended } = call;
    if (target.startsWith('socket:')) {
      if (!receiving.has(name) && !sending.has(name)) return null;
      const bytes = Buffer.concat(stringsOf(call)).subarray(0, call.result ?? 0);
      return { kind: receiving.has(name) ? 'received' : 'sent', socket: target, bytes, began, ended };
    }
    if (syncing.has(name)) {
      return this.#isWatched(target) || this.#folders(target) ? { kind: 'sync', path: target, began, ended } : null;
    }
    if (!this.#isWatched(target) || receiving.has(name)) return null;
    const change = changeOf(call);
    if (change === null) throw unknownWay(call, target);
    return { kind: 'change', path: target, change, began, ended };
  }
}

function changeOf(call: Call): FileChange | null {
  if (call.name === 'ftruncate') return { kind: 'truncate', length: lastNumberOf(call) };
  if (call.name !== 'pwrite64') return null;
  const bytes = Buffer.concat(stringsOf(call)).subarray(0, call.result ?? 0);
  return { kind: 'write', offset: lastNumberOf(call), bytes };
}

function unknownWay(call: Call, path: string): Error {
  return new Error(`Line ${call.ended} of the trace: ${path} is changed by ${call.name}, which is not replayed here.`);
}
