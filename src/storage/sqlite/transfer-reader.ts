/** Reads a data folder for a move: rows in the order of their key, as wire text, and what is no table's row. */
import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite';
import type { ColumnType } from '../../schema/model.ts';
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
import { directoryTables, fromSql, logTable, type TransferSql, type TransferTable } from '../transfer-tables.ts';
import { executeOn, openDatabase } from './database.ts';
import { sqliteDialect, sqliteLayout } from './dialect.ts';
import { identityAt, pathOf } from './folder.ts';
import { installationIn } from './installation.ts';
import { stepsOf } from './migrations.ts';
import { wireTextOf } from './rows.ts';

const utc = zoneOf('UTC');

export class FolderReader implements TransferReader {
  readonly #folder: string;
  readonly #pageCacheBytes: number;
  /** Directory and logs from the first use on, and one data space. Each shows one state. */
  readonly #open = new Map<Store, DatabaseSync>();

  constructor(folder: string, pageCacheBytes: number) {
    this.#folder = folder;
    this.#pageCacheBytes = pageCacheBytes;
  }

  async *rows({ store, table, filter, after }: RowsRequest): AsyncGenerator<readonly TransferRow[]> {
    const { sql, values } = written();
    const columns = table.columns.map(({ name, type }) => sqliteDialect.selected(sql.column(name), type));
    const order = table.key.map((name) => sql.column(name)).join(', ');
    const statement = this.#database(store).prepare(
      `SELECT ${columns.join(', ')} ${fromSql(sql, table, filter, after)} ORDER BY ${order}`,
    );
    statement.setReturnArrays(true);
    const cells = table.columns.map(({ type }) => wireTextOf(type, utc));
    let batch: TransferRow[] = [];
    let length = 0;
    for (const raw of statement.iterate(...values) as Iterable<unknown>) {
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

  async count({ store, table, filter, after }: RowsRequest): Promise<number> {
    const { sql, values } = written();
    const statement = this.#database(store).prepare(`SELECT count(*) AS rows ${fromSql(sql, table, filter, after)}`);
    return statement.get(...values)?.rows as number;
  }

  async sequences(store: 'directory' | 'logs'): Promise<Sequences> {
    const statement = this.#database(store).prepare('SELECT seq FROM sqlite_sequence WHERE name = ?');
    const numbered = (store === 'logs' ? [logTable] : directoryTables).filter(({ isNumbered }) => isNumbered);
    return new Map(numbered.map(({ name }) => [name, (statement.get(name)?.seq as number | undefined) ?? 0]));
  }

  async space(spaceId: number): Promise<SpaceState> {
    const db = this.#database(spaceId);
    const nextTableId = db.prepare('SELECT next_table_id AS next FROM _space').get()?.next as number;
    return { definition: executeOn(db, readDefinition(sqliteLayout)), nextTableId };
  }

  async lastCommit(spaceIds: readonly number[]): Promise<number> {
    const commits = spaceIds.map(
      (id) => this.#database(id).prepare('SELECT commit_seq FROM _space').get()?.commit_seq as number,
    );
    return commits.reduce((last, commit) => Math.max(last, commit), 0);
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
    // The first look fixes the state that is shown from now on.
    db.exec('BEGIN');
    db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get();
    return db;
  }

  #close(store: Store): void {
    this.#open.get(store)?.close();
    this.#open.delete(store);
  }
}

/** @throws Error that says which file it is about */
export function openForMove(folder: string, store: Store, options: Parameters<typeof openDatabase>[2]): DatabaseSync {
  const path = pathOf(folder, store);
  try {
    const identity = store === 'directory' ? {} : identityAt(installationIn(folder), store);
    return openDatabase(path, stepsOf(store), { ...options, ...identity });
  } catch (error) {
    throw new Error(`${path}: ${(error as Error).message}`, { cause: error });
  }
}

/** How SQL is written for `fromSql`, and the values that it is given, in their order. */
function written(): { sql: TransferSql; values: SQLInputValue[] } {
  const values: SQLInputValue[] = [];
  const bind = (value: string, type: ColumnType) => {
    values.push(type.kind === 'long' ? BigInt(value) : value);
    return '?';
  };
  return { sql: { table: sqliteDialect.table, column: sqliteDialect.column, bind }, values };
}

/** The key of the last row. */
export function lastKeyOf(db: DatabaseSync, table: TransferTable): TransferRow | null {
  const columns = table.key.map((name) => sqliteDialect.column(name));
  const statement = db.prepare(
    `SELECT ${columns.map((column) => `CAST(${column} AS TEXT)`).join(', ')} FROM ${sqliteDialect.table(table.name)}
     ORDER BY ${columns.map((column) => `${column} DESC`).join(', ')} LIMIT 1`,
  );
  statement.setReturnArrays(true);
  return (statement.get() as unknown as TransferRow | undefined) ?? null;
}
