/**
 * The lock of a data folder's one server. A second server is refused, because both would cache the tables. The lock is
 * an operating-system lock on a small SQLite file, so it always ends with the process. Removing or replacing that file
 * admits no second server: the directory records the owner of the lock, and the owner's process is checked. The command
 * line works without the lock while a server runs.
 */
import { readFileSync, readlinkSync, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { ServiceError } from '../../errors.ts';
import { stopping } from '../busy.ts';
import { sqliteCode, unusable } from './failure.ts';
import { pathOf } from './folder.ts';

const busyCode = 5;

/** How often a server checks that its lock file still exists. */
const lookMs = 2_000;

/**
 * How long a start waits for an owner that it cannot inspect to take its lock again, which a running owner does within
 * `lookMs`.
 */
const ownerTimeMs = 5 * lookMs;

export interface LockOptions {
  readonly ownerTimeMs?: number;
  /** False for a reader of the folder, which writes nothing to its directory. */
  readonly isOwner?: boolean;
}

interface Held {
  readonly db: DatabaseSync;
  readonly owner: Owner;
}

export class ServerLock {
  readonly #folder: string;
  readonly #path: string;
  readonly #log: Pick<Logger, 'error' | 'warn'>;
  readonly #ownerTimeMs: number;
  readonly #isOwner: boolean;
  #held: Held | null = null;
  #taking: Promise<void> | null = null;
  #looking: NodeJS.Timeout | undefined;
  #isOvertaken = false;
  #isReleased = false;

  constructor(folder: string, log: Pick<Logger, 'error' | 'warn'>, options: LockOptions = {}) {
    this.#folder = folder;
    this.#path = join(folder, 'server.lock');
    this.#log = log;
    this.#ownerTimeMs = options.ownerTimeMs ?? ownerTimeMs;
    this.#isOwner = options.isOwner ?? true;
  }

  get isHeld(): boolean {
    return this.#held !== null && !this.#isOvertaken;
  }

  /**
   * Takes the lock unless this process holds it.
   * @throws ServiceError `internal` when another server holds it, `busy` after the release
   */
  async take(): Promise<void> {
    if (this.#isOvertaken) throw taken(this.#path, new Error('Another server has taken over the folder.'));
    if (this.#held !== null) return;
    this.#taking ??= this.#take().finally(() => {
      this.#taking = null;
    });
    await this.#taking;
  }

  release(): void {
    clearInterval(this.#looking);
    if (this.#held !== null) {
      if (!this.#isOvertaken) this.#forgetOwner();
      this.#held.db.close();
    }
    this.#held = null;
    this.#isReleased = true;
  }

  /** Takes the lock again when its file was removed or replaced. Called regularly. */
  async look(): Promise<void> {
    const present = await stat(this.#path, { bigint: true }).catch(() => null);
    const held = this.#held;
    if (held === null || this.#isOvertaken) return;
    if (present !== null && `${present.dev}:${present.ino}` === held.owner.lock) return;
    this.#log.error(
      { file: this.#path },
      'The lock file of the data folder was removed or replaced. It is taken again.',
    );
    if (!isSame(this.#owner(), held.owner)) return this.#overtaken();
    try {
      const db = this.#exclusive();
      this.#held = { db, owner: self(this.#folder, this.#path) };
      held.db.close();
      this.#write(this.#held.owner);
    } catch (error) {
      // A starting process holds the lock for a moment, until it has identified the owner.
      this.#log.warn({ err: error }, 'The lock file could not be taken again yet.');
    }
  }

  async #take(): Promise<void> {
    if (this.#isReleased) throw stopping();
    let db = this.#exclusive();
    try {
      let verdict = judge(this.#lastOwner(), self(this.#folder, this.#path));
      if (verdict === 'unknown') {
        this.#log.warn(
          { waitMs: this.#ownerTimeMs },
          'The lock file differs from that of the last server, whose process cannot be inspected from here. That server gets time to take the lock again.',
        );
        db.close();
        await pause(this.#ownerTimeMs);
        if (this.#isReleased) throw stopping();
        db = this.#exclusive();
        verdict = 'gone';
      }
      if (verdict === 'alive') throw taken(this.#path, new Error('The lock file was removed or replaced under it.'));
      this.#held = { db, owner: self(this.#folder, this.#path) };
      this.#write(this.#held.owner);
    } catch (error) {
      this.#held = null;
      if (db.isOpen) db.close();
      throw error;
    }
    if (this.#isOwner) this.#looking = setInterval(() => void this.look(), lookMs).unref();
  }

  /** The lock file, locked by the operating system. */
  #exclusive(): DatabaseSync {
    const db = new DatabaseSync(this.#path, { timeout: 0 });
    try {
      db.exec('BEGIN EXCLUSIVE');
      return db;
    } catch (error) {
      db.close();
      throw taken(this.#path, error);
    }
  }

  #overtaken(): void {
    this.#isOvertaken = true;
    this.#log.error(
      { file: this.#path },
      'Another server is using the data folder. This one has stopped writing: stop one of the two.',
    );
  }

  /** A reader may also read a damaged directory. */
  #lastOwner(): Owner | null {
    try {
      return this.#owner();
    } catch (error) {
      if (this.#isOwner) throw error;
      return null;
    }
  }

  /** The owner in the directory; null if there is none, or no directory yet. */
  #owner(): Owner | null {
    return this.#inDirectory((db) => {
      const text = db.prepare('SELECT server FROM installation').get()?.server;
      return typeof text === 'string' ? (JSON.parse(text) as Owner) : null;
    });
  }

  #write(owner: Owner | null): void {
    if (!this.#isOwner) return;
    this.#inDirectory((db) => {
      db.prepare('UPDATE installation SET server = ?').run(owner === null ? null : JSON.stringify(owner));
      return null;
    });
  }

  /** On a full disk the row stays; the next start sees that its process is gone. */
  #forgetOwner(): void {
    try {
      this.#write(null);
    } catch (error) {
      this.#log.warn({ err: error }, 'The directory still names this server as the owner of the data folder.');
    }
  }

  #inDirectory<Result>(work: (db: DatabaseSync) => Result | null): Result | null {
    const path = pathOf(this.#folder, 'directory');
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return null;
    const db = new DatabaseSync(path, { timeout: 5_000 });
    try {
      const isThere = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'installation'").get() !== undefined;
      return isThere ? work(db) : null;
    } catch (error) {
      throw unusable(path, error);
    } finally {
      db.close();
    }
  }
}

function isSame(one: Owner | null, other: Owner): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function taken(path: string, error: unknown): ServiceError {
  const isTaken = sqliteCode(error) === 0 || (sqliteCode(error) & 0xff) === busyCode;
  return new ServiceError(
    'internal',
    isTaken
      ? 'Another Rowhouse server is using this data folder. Stop it first, or give this one a folder of its own.'
      : 'The lock file of the data folder could not be opened.',
    { cause: new Error(`locking ${path}`, { cause: error }) },
  );
}

/** Unknown values are empty text. */
export interface Owner {
  /** Device and inode of the lock file. */
  readonly lock: string;
  /**
   * Device and inode of `directory.db`: a copied directory says nothing about the lock of the folder it was copied to.
   */
  readonly directory: string;
  /** New at every boot of the machine. */
  readonly boot: string;
  /** A container sees only the processes of its own namespace. */
  readonly namespace: string;
  readonly pid: number;
  /** When the process started, in ticks since the boot: process ids are reused. */
  readonly started: string;
}

/** Describes this process as the owner of the current lock file. */
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
 * Whether the last owner still uses the folder; called by a process that has locked the current lock file. `unknown`:
 * the owner had a different lock file, and its process cannot be inspected from here.
 */
export function judge(last: Owner | null, present: Owner): 'gone' | 'alive' | 'unknown' {
  if (last === null || last.directory !== present.directory) return 'gone';
  // A running owner would have kept this file locked.
  if (last.lock === present.lock) return 'gone';
  if (present.boot === '' || last.boot !== present.boot || last.namespace !== present.namespace) return 'unknown';
  return last.started !== '' && startOf(last.pid) === last.started ? 'alive' : 'gone';
}

function fileAt(path: string): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? '' : `${found.dev}:${found.ino}`;
}

/** proc_pid_stat(5): field 22; the name in parentheses before it may contain anything. */
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
