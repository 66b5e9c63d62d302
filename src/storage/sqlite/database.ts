/** Opens one SQLite file and checks its identity, durability and layout, which is upgraded if necessary. */
import { accessSync, closeSync, constants, existsSync, openSync, readSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import {
  type HighestIds,
  highestIdsOf,
  type Identity,
  noIds,
  sameIdentity,
  seenColumns,
  seenIds,
  valuesOf,
  wrongIdentity,
} from '../identity.ts';
import { executeSync, type Work } from '../work.ts';
import { unusable } from './failure.ts';
import { syncFolder } from './folder.ts';
import { migrate } from './migrations.ts';

export interface OpenOptions {
  /** Creates the file when it is missing; otherwise a missing file is an error. */
  readonly create: boolean;
  /** `build`: for writes so large that sorting may not fit into memory. */
  readonly use: 'read' | 'write' | 'build';
  readonly pageCacheBytes: number;
  /** The file's required identity, which a new file gets. Absent for the directory, which is not checked. */
  readonly identity?: Identity;
}

/** How long a statement waits for another process (the command line) to end its transaction. */
const busyTimeMs = 5_000;

/** WAL pages after which a commit also moves them into the file: more than SQLite's 1 000, for steadier commits. */
const checkpointPages = 4_000;

/** A log that grew beyond this during a long read is truncated afterwards. */
const walBytesKept = 64 * 1024 * 1024;

/** @throws Error from SQLite, or one that names the guarantee that the file cannot give */
export function openDatabase(path: string, steps: readonly string[], options: OpenOptions): DatabaseSync {
  if (!options.create || existsSync(path)) assertWritable(path);
  if (!options.create) assertDatabase(path);
  const location = pathToFileURL(path);
  location.searchParams.set('mode', options.create ? 'rwc' : 'rw');
  const db = new DatabaseSync(location, { timeout: busyTimeMs });
  try {
    db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;
      PRAGMA wal_autocheckpoint = ${checkpointPages}; PRAGMA journal_size_limit = ${walBytesKept};
      PRAGMA trusted_schema = OFF`);
    setPageCache(db, options.pageCacheBytes);
    // Checked before any change to the file, which may be the wrong one.
    if (options.identity !== undefined) assertIdentity(db, options.identity, options.create);
    if (migrate(db, steps, options.create)) syncFolder(dirname(path));
    if (options.identity !== undefined && options.create) giveIdentity(db, options.identity);
    // Savepoints copy pages, which costs no system call in memory. A reader's sorting may be large, so it may use the
    // disk.
    if (options.use === 'write') db.exec('PRAGMA temp_store = MEMORY');
    else if (options.use === 'read') db.exec('PRAGMA query_only = ON');
    assertSafeServer(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * Like `openDatabase`, for files needed at the start.
 * @throws Error that names the file and says why it cannot be used
 */
export function openAtStart(...[path, ...more]: Parameters<typeof openDatabase>): DatabaseSync {
  try {
    return openDatabase(path, ...more);
  } catch (error) {
    throw unusable(path, error);
  }
}

/**
 * SQLite would open the file read-only for all connections of this process, and keep it so after the file becomes
 * writable again.
 */
function assertWritable(path: string): void {
  for (const needed of [path, dirname(path)]) accessSync(needed, constants.R_OK | constants.W_OK);
}

const magic = 'SQLite format 3\0';

/** SQLite would take an empty file for a new database, and wait for other connections before initializing it. */
function assertDatabase(path: string): void {
  const file = openSync(path, 'r');
  try {
    const begin = Buffer.alloc(magic.length);
    const length = readSync(file, begin, 0, magic.length, 0);
    if (length === 0) throw new Error('The file is empty: it is not a database of Rowhouse, or was damaged.');
    if (begin.toString('latin1') !== magic) throw new Error('The file is not a database, or was damaged.');
  } finally {
    closeSync(file);
  }
}

export function setPageCache(db: DatabaseSync, bytes: number): void {
  db.exec(`PRAGMA cache_size = -${Math.max(64, Math.floor(bytes / 1024))}`);
}

export function executeOn<Result>(db: DatabaseSync, work: Work<Result>): Result {
  return executeSync(work, ({ sql, values = [] }) => {
    return preparedFor(db, sql).all(...(values as SQLInputValue[])) as unknown as unknown[][];
  });
}

/** A statement whose rows are arrays of the columns' values. */
export function preparedFor(db: DatabaseSync, sql: string): StatementSync {
  const statement = db.prepare(sql);
  statement.setReturnArrays(true);
  return statement;
}

function numberOf(db: DatabaseSync, pragma: string): unknown {
  return Object.values(db.prepare(`PRAGMA ${pragma}`).get() ?? {})[0];
}

function assertSafeServer(db: DatabaseSync): void {
  const promised = { journal_mode: 'wal', synchronous: 2, foreign_keys: 1 } as const;
  for (const [pragma, value] of Object.entries(promised)) {
    const present = numberOf(db, pragma);
    if (present !== value) throw new Error(`SQLite has ${pragma} = ${present}; ${value} is required.`);
  }
}

/** The identity stored in a file; null without one. */
export function identityOf(db: DatabaseSync): Identity | null {
  if (!hasTable(db, '_identity')) return null;
  const row = db.prepare('SELECT installation, space_id FROM _identity').get();
  if (row === undefined || row.installation === null) return null;
  return { installation: String(row.installation), spaceId: row.space_id as number | null };
}

/**
 * @param mayBeEmpty whether an unused file may lack an identity, as a killed start leaves it
 * @throws Error that names both identities
 */
function assertIdentity(db: DatabaseSync, expected: Identity, mayBeEmpty: boolean): void {
  const found = identityOf(db);
  if (found !== null && sameIdentity(found, expected)) return;
  if (found === null && mayBeEmpty && isUnused(db)) return;
  throw wrongIdentity(found, expected);
}

/** Gives the file an identity, unless it has one. */
export function giveIdentity(db: DatabaseSync, { installation, spaceId }: Identity): void {
  if (identityOf(db) !== null) return;
  db.prepare('UPDATE _identity SET installation = ?, space_id = ? WHERE installation IS NULL').run(
    installation,
    spaceId,
  );
}

/** True for a file that never had a table or a log entry. */
export function isUnused(db: DatabaseSync): boolean {
  if (hasTable(db, '_space')) {
    return db.prepare('SELECT 1 FROM _space WHERE next_table_id > 1 OR commit_seq > 0').get() === undefined;
  }
  return !hasTable(db, 'entry') || db.prepare('SELECT 1 FROM entry LIMIT 1').get() === undefined;
}

export function seenIn(db: DatabaseSync): HighestIds {
  if (!hasTable(db, '_identity')) return noIds;
  const statement = db.prepare(`SELECT ${seenColumns} FROM _identity`);
  statement.setReturnArrays(true);
  return highestIdsOf((statement.get() ?? []) as unknown as unknown[]);
}

const raise = `UPDATE _identity SET ${seenIds.map(({ column }, index) => `${column} = max(${column}, ?${index + 1})`).join(', ')}`;

/** Runs in the open transaction. */
export function raiseSeen(db: DatabaseSync, ids: HighestIds): void {
  db.prepare(raise).run(...valuesOf(ids));
}

function hasTable(db: DatabaseSync, name: string): boolean {
  return db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(name) !== undefined;
}
