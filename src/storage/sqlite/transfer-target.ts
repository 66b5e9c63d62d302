/** Writes a data folder for a move. Nothing else may use the folder until the move has ended. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { ColumnType, Table } from '../../schema/model.ts';
import { completeTable, readDefinition } from '../catalogue.ts';
import { createTable } from '../layout.ts';
import type { Sequences, SpaceState, Store, TransferRow } from '../transfer.ts';
import type { TransferTable } from '../transfer-tables.ts';
import { executeOn } from './database.ts';
import { physicalName, sqliteDialect, sqliteLayout } from './dialect.ts';
import { raiseSeen } from './identity.ts';
import { highestIdsIn } from './installation.ts';
import { lastKeyOf, openForMove } from './transfer-reader.ts';

export class FolderWriter {
  readonly #folder: string;
  readonly #pageCacheBytes: number;
  /** The one database that is open, and its statements for the table that is written. */
  #open: { readonly store: Store; readonly db: DatabaseSync } | null = null;
  #insert: { readonly table: TransferTable; readonly statement: StatementSync } | null = null;

  constructor(folder: string, pageCacheBytes: number) {
    this.#folder = folder;
    this.#pageCacheBytes = pageCacheBytes;
  }

  makeStore(store: Store): void {
    const db = this.#database(store, true);
    // Roles that every directory begins with come with the others.
    if (store === 'directory') db.exec('DELETE FROM role WHERE NOT EXISTS (SELECT 1 FROM company)');
    // The records that are to come have seen any of them.
    else raiseSeen(db, highestIdsIn(this.#folder));
  }

  makeTable(spaceId: number, table: Table): boolean {
    const db = this.#database(spaceId);
    if (executeOn(db, readDefinition(sqliteLayout)).tables.has(table.name)) return false;
    const begun = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?");
    if (begun.get(physicalName(table.name)) !== undefined) return true;
    db.exec(createTable(sqliteLayout, table));
    return true;
  }

  lastKey(store: Store, table: TransferTable): TransferRow | null {
    return lastKeyOf(this.#database(store), table);
  }

  write(store: Store, table: TransferTable, rows: readonly TransferRow[]): void {
    const db = this.#database(store);
    const statement = this.#insertInto(db, table);
    const cells = table.columns.map(({ type }) => cellOf(type));
    const values: SQLInputValue[] = new Array(cells.length);
    transact(db, () => {
      for (const row of rows) {
        for (let index = 0; index < cells.length; index++) {
          const text = row[index] as string | null;
          values[index] = text === null ? null : (cells[index] as Cell)(text);
        }
        statement.run(...values);
      }
    });
  }

  completeTable(spaceId: number, table: Table): void {
    const db = this.#database(spaceId);
    transact(db, () => executeOn(db, completeTable(sqliteLayout, table)));
  }

  completeSpace(spaceId: number, { definition, nextTableId }: SpaceState, lastCommit: number): void {
    this.#database(spaceId)
      .prepare('UPDATE _space SET definition_version = ?, next_table_id = ?, commit_seq = ?')
      .run(definition.version, nextTableId, lastCommit);
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
    // Building an index sorts as many rows as there are, which need not fit in memory.
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

function transact(db: DatabaseSync, work: () => void): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    work();
    db.exec('COMMIT');
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

type Cell = (text: string) => SQLInputValue;

/** From wire text, with times in UTC, to what SQLite stores. */
function cellOf(type: ColumnType): Cell {
  switch (type.kind) {
    case 'varchar':
    case 'text':
    case 'json':
      return (text) => text;
    case 'integer':
    case 'long':
      return (text) => BigInt(text);
    case 'double':
      return (text) => Number(text);
    case 'decimal':
      return (text) => BigInt(text.replace('.', ''));
    case 'bool':
      return (text) => (text === 'true' ? 1n : 0n);
    case 'datetime':
      return (text) => BigInt(Date.parse(text));
  }
}
