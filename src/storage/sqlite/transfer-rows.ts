/**
 * Reads and writes a data folder for a move: rows in the order of their key, as wire text, and data outside tables.
 * Nothing else may use the target folder until the move has ended.
 */
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import { zoneOf } from '../../schema/time.ts';
import { readDefinition } from '../catalogue.ts';
import {
  batchLengthMax,
  batchRowsMax,
  type RowsRequest,
  type Sequences,
  type SpaceState,
  type Store,
  type TransferReader,
  type TransferRow,
} from '../transfer.ts';
import { directoryTables, logTable, type TransferTable } from '../transfer-tables.ts';
import { countRows, removeBuiltInRoles, rowsStep } from '../transfer-work.ts';
import type { Work } from '../work.ts';
import { sqliteTypeOf, wireTextOf } from './column-types.ts';
import { executeOn, openDatabase, preparedFor, raiseSeen } from './database.ts';
import { sqliteDialect, sqliteLayout } from './dialect.ts';
import { identityAt, pathOf } from './folder.ts';
import { highestIdsIn, installationIn } from './installation.ts';
import { stepsOf } from './migrations.ts';

const utc = zoneOf('UTC');

export class FolderReader implements TransferReader {
  readonly #folder: string;
  readonly #pageCacheBytes: number;
  /** Directory and logs, once used, and one data space. Each shows one state. */
  readonly #open = new Map<Store, DatabaseSync>();

  constructor(folder: string, pageCacheBytes: number) {
    this.#folder = folder;
    this.#pageCacheBytes = pageCacheBytes;
  }

  async *rows(request: RowsRequest): AsyncGenerator<readonly TransferRow[]> {
    const { sql, values } = rowsStep(sqliteLayout, request);
    const statement = preparedFor(this.#database(request.store), sql);
    const cells = request.table.columns.map(({ type }) => wireTextOf(type, utc));
    let batch: TransferRow[] = [];
    let length = 0;
    for (const raw of statement.iterate(...(values as SQLInputValue[])) as Iterable<unknown>) {
      const row = raw as readonly SQLOutputValue[];
      const wire = cells.map((cell, index) => {
        const value = row[index] as SQLOutputValue;
        const text = value === null ? null : cell(value);
        length += text?.length ?? 0;
        return text;
      });
      batch.push(wire);
      if (batch.length < batchRowsMax && length < batchLengthMax) continue;
      yield batch;
      batch = [];
      length = 0;
    }
    if (batch.length > 0) yield batch;
  }

  async count(request: RowsRequest): Promise<number> {
    return executeOn(this.#database(request.store), countRows(sqliteLayout, request));
  }

  async sequences(store: 'directory' | 'logs'): Promise<Sequences> {
    const statement = this.#database(store).prepare('SELECT seq FROM sqlite_sequence WHERE name = ?');
    const numbered = (store === 'logs' ? [logTable] : directoryTables).filter(({ isNumbered }) => isNumbered);
    return new Map(numbered.map(({ name }) => [name, (statement.get(name)?.seq as number | undefined) ?? 0]));
  }

  async space(spaceId: number): Promise<SpaceState> {
    const db = this.#database(spaceId);
    const [lastCommit] = preparedFor(db, 'SELECT commit_seq FROM _space').get() as unknown as [number];
    return { definition: executeOn(db, readDefinition(sqliteLayout)), lastCommit };
  }

  close(): void {
    for (const store of [...this.#open.keys()]) this.#close(store);
  }

  #database(store: Store): DatabaseSync {
    const present = this.#open.get(store);
    if (present !== undefined) return present;
    if (typeof store === 'number') {
      for (const other of this.#open.keys()) if (typeof other === 'number') this.#close(other);
    }
    const db = openForMove(this.#folder, store, { create: false, use: 'read', pageCacheBytes: this.#pageCacheBytes });
    this.#open.set(store, db);
    // The first read fixes the state shown from now on.
    db.exec('BEGIN');
    db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get();
    return db;
  }

  #close(store: Store): void {
    this.#open.get(store)?.close();
    this.#open.delete(store);
  }
}

export class FolderWriter {
  readonly #folder: string;
  readonly #pageCacheBytes: number;
  /** The one open database, and its statements for the table being written. */
  #open: { readonly store: Store; readonly db: DatabaseSync } | null = null;
  #insert: { readonly table: TransferTable; readonly statement: StatementSync } | null = null;

  constructor(folder: string, pageCacheBytes: number) {
    this.#folder = folder;
    this.#pageCacheBytes = pageCacheBytes;
  }

  makeStore(store: Store): void {
    const db = this.#database(store, true);
    if (store === 'directory') executeOn(db, removeBuiltInRoles(sqliteLayout));
    // The records to be copied may refer to any of the ids.
    else raiseSeen(db, highestIdsIn(this.#folder));
  }

  execute<Result>(store: Store, work: Work<Result>): Result {
    return executeOn(this.#database(store), work);
  }

  transact<Result>(store: Store, work: Work<Result>): Result {
    const db = this.#database(store);
    return transact(db, () => executeOn(db, work));
  }

  write(store: Store, table: TransferTable, rows: readonly TransferRow[]): void {
    const db = this.#database(store);
    const statement = this.#insertInto(db, table);
    const cells = table.columns.map(({ type }) => sqliteTypeOf(type).stored);
    const values: SQLInputValue[] = new Array(cells.length);
    transact(db, () => {
      for (const row of rows) {
        for (let index = 0; index < cells.length; index++) {
          const text = row[index] as string | null;
          values[index] = text === null ? null : cells[index]!(text);
        }
        statement.run(...values);
      }
    });
  }

  /** The counter of a data space continues from the source's last number. */
  setLastCommit(spaceId: number, lastCommit: number): void {
    this.#database(spaceId).prepare('UPDATE _space SET commit_seq = ?').run(lastCommit);
  }

  setSequences(store: 'directory' | 'logs', sequences: Sequences): void {
    const db = this.#database(store);
    const drop = db.prepare('DELETE FROM sqlite_sequence WHERE name = ?');
    const set = db.prepare('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)');
    transact(db, () => {
      for (const [name, last] of sequences) {
        drop.run(name);
        if (last > 0) set.run(name, BigInt(last));
      }
    });
  }

  close(): void {
    this.#insert = null;
    this.#open?.db.close();
    this.#open = null;
  }

  #database(store: Store, create = false): DatabaseSync {
    if (this.#open?.store === store) return this.#open.db;
    this.close();
    const db = openForMove(this.#folder, store, { create, use: 'write', pageCacheBytes: this.#pageCacheBytes });
    // Building an index sorts all rows, which need not fit in memory.
    db.exec('PRAGMA temp_store = FILE');
    this.#open = { store, db };
    return db;
  }

  #insertInto(db: DatabaseSync, table: TransferTable): StatementSync {
    if (this.#insert?.table === table) return this.#insert.statement;
    const columns = table.columns.map(({ name }) => sqliteDialect.column(name));
    const placeholders = columns.map(() => '?').join(', ');
    const statement = db.prepare(
      `INSERT INTO ${sqliteDialect.table(table.name)} (${columns.join(', ')}) VALUES (${placeholders})`,
    );
    this.#insert = { table, statement };
    return statement;
  }
}

function transact<Result>(db: DatabaseSync, work: () => Result): Result {
  db.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

/** @throws Error that names the file */
function openForMove(folder: string, store: Store, options: Parameters<typeof openDatabase>[2]): DatabaseSync {
  const path = pathOf(folder, store);
  try {
    const identity = store === 'directory' ? {} : identityAt(installationIn(folder), store);
    return openDatabase(path, stepsOf(store), { ...options, ...identity });
  } catch (error) {
    throw new Error(`${path}: ${(error as Error).message}`, { cause: error });
  }
}
