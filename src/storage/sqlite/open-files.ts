/** The files that one thread has open: a bounded number, within what the system allows, sharing the thread's memory for pages. */
import type { DatabaseSync } from 'node:sqlite';
import { Lru } from '../lru.ts';
import { setPageCache } from './database.ts';

export interface Share {
  readonly filesMax: number;
  readonly pageCacheBytes: number;
}

export class OpenFiles<Name, File extends { readonly db: DatabaseSync }> {
  readonly #files: Lru<Name, File>;
  readonly #share: Share;
  readonly #open: (name: Name, pageCacheBytes: number, create: boolean) => File;
  /** How many files share the memory at present: a power of two, so that shares rarely change. */
  #parts = 1;

  constructor(share: Share, open: (name: Name, pageCacheBytes: number, create: boolean) => File) {
    this.#share = share;
    this.#open = open;
    this.#files = new Lru(share.filesMax, (file) => file.db.close());
  }

  /**
   * The open file; it stays open at least until the next call.
   * @param create whether to create a missing file
   */
  use(name: Name, create = false): File {
    const present = this.#files.get(name);
    if (present !== undefined) return present;
    const file = this.#open(name, this.#share.pageCacheBytes / this.#parts, create);
    this.#files.set(name, file);
    this.#divide();
    return file;
  }

  isOpen(name: Name): boolean {
    return this.#files.has(name);
  }

  /** Closes the file; the next use opens it again. */
  drop(name: Name): void {
    this.#files.delete(name);
  }

  close(): void {
    this.#files.clear();
  }

  #divide(): void {
    const parts = 2 ** Math.ceil(Math.log2(this.#files.size));
    if (parts === this.#parts) return;
    this.#parts = parts;
    for (const { db } of this.#files.values()) setPageCache(db, this.#share.pageCacheBytes / parts);
  }
}

/** The database, its log and the log's index. */
const descriptorsPerFile = 3;

/** Descriptors for sockets, our own files, and Node itself. */
const descriptorsKept = 1_024;

/** `openFilesMax`, or fewer if the system's limit on open files is lower; at least 8. */
export function filesWithin(openFilesMax: number, descriptorsMax = systemLimit()): number {
  const fitting = Math.floor((descriptorsMax - descriptorsKept) / descriptorsPerFile);
  return Math.max(8, Math.min(openFilesMax, fitting));
}

let knownLimit: number | undefined;

/** Node raises its limit to the hard one when it starts. Read once: a report takes milliseconds, and more with many threads. */
function systemLimit(): number {
  knownLimit ??= reportedLimit();
  return knownLimit;
}

function reportedLimit(): number {
  if (process.platform === 'win32') return Number.POSITIVE_INFINITY;
  const report = process.report as typeof process.report & { excludeNetwork: boolean };
  // Otherwise the report looks up the names of network peers, which can take seconds.
  report.excludeNetwork = true;
  const { userLimits } = report.getReport() as { userLimits?: { open_files?: { hard?: number | string } } };
  const hard = Number(userLimits?.open_files?.hard ?? Number.NaN);
  return Number.isFinite(hard) ? hard : Number.POSITIVE_INFINITY;
}
