/** The statements with which the writer reads and changes the records of one table, prepared on first use. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { ColumnType, FullText, StoredValue, Table } from '../../schema/model.ts';
import { storedName } from '../../schema/names.ts';
import { systemName } from '../../schema/system.ts';
import type { AddItem } from '../contract.ts';
import type { StoredRecord } from '../judge.ts';
import { audienceColumn, columnSql, seqColumn, termsIndexName } from '../layout.ts';
import { StatementCache } from '../lru.ts';
import { preparedFor } from './database.ts';
import { physicalName, sqliteDialect } from './dialect.ts';
import { TermEntries } from './terms.ts';

/** A stored record, found by its id. */
export interface FoundRecord extends StoredRecord {
  readonly rowid: number;
}

/** New content of a record; `columns` excludes those that the service sets. */
export interface RecordChange {
  readonly columns: readonly string[];
  readonly values: readonly StoredValue[];
  readonly updated: number;
  readonly audience: string;
}

/** Number of sets of updated columns whose statements are kept prepared, per table. */
const columnSetsMax = 16;

const column = (name: string) => sqliteDialect.column(name);

const noSizes: ReadonlyMap<string, number> = new Map();

export class TableStatements {
  readonly table: Table;
  readonly #db: DatabaseSync;
  readonly #name: string;
  /** SQL of a column. */
  readonly #column: (name: string) => string;
  readonly #types: readonly ColumnType[];
  readonly #typeOf: ReadonlyMap<string, ColumnType>;
  readonly #positions: { readonly objectId: number; readonly created: number; readonly updated: number };
  readonly #updates: StatementCache<string, StatementSync>;
  readonly #sizes: StatementCache<string, StatementSync>;
  readonly #byKey: StatementCache<string, StatementSync>;
  #find: StatementSync | undefined;
  #exists: StatementSync | undefined;
  #insert: StatementSync | undefined;
  #delete: StatementSync | undefined;
  #findTerms: StatementSync | undefined;
  #entries: readonly TermEntries[] | undefined;

  constructor(db: DatabaseSync, table: Table) {
    this.table = table;
    this.#db = db;
    this.#updates = new StatementCache(columnSetsMax, (sql) => db.prepare(sql));
    this.#byKey = new StatementCache(columnSetsMax, (sql) => preparedFor(db, sql));
    this.#sizes = new StatementCache(columnSetsMax, (sql) => preparedFor(db, sql));
    this.#name = sqliteDialect.table(storedName(table));
    this.#column = columnSql(sqliteDialect, { columns: table.written });
    this.#types = table.written.map(({ type }) => type);
    this.#typeOf = new Map(table.written.map(({ name, type }) => [name, type]));
    const position = (name: string) => table.columns.findIndex((candidate) => candidate.name === name);
    this.#positions = {
      objectId: position(systemName.objectId),
      created: position(systemName.serverCreateTime),
      updated: position(systemName.serverUpdateTime),
    };
  }

  /** The record if a caller with these members may see it. */
  find(objectId: string, boundMembers: SQLInputValue): FoundRecord | null {
    this.#find ??= this.#prepareFind();
    const row = this.#find.get(objectId, boundMembers) as unknown as FoundRow | undefined;
    if (row === undefined) return null;
    const [rowid, created, updated, scopeType, groupIds, createUserId, audience] = row;
    return { rowid, created, updated, scopeType, groupIds, createUserId, audience };
  }

  /** Number of bytes of a record's texts, 0 for null. */
  textSizes(rowid: number, names: readonly string[]): ReadonlyMap<string, number> {
    if (names.length === 0) return noSizes;
    const row = this.#sizesOf(names).get(rowid) as unknown as number[];
    return new Map(names.map((name, index) => [name, row[index] as number]));
  }

  /** Whether a record has this id, visible to the caller or not. */
  exists(objectId: string): boolean {
    this.#exists ??= this.#db.prepare(`SELECT 1 FROM ${this.#name} WHERE ${column(systemName.objectId)} = ?1`);
    return this.#exists.get(objectId) !== undefined;
  }

  /** The objectId of the record with these values in the columns of a unique index, none of them null. */
  idOf(key: readonly string[], values: readonly StoredValue[]): string | null {
    const name = key.join(',');
    const statement = this.#byKey.get(name) ?? this.#byKey.add(name, this.#findByKey(key));
    const bound = values.map((value, index) => sqliteDialect.bound(value, this.#type(key[index] as string)));
    const row = statement.get(...bound) as unknown as [string] | undefined;
    return row === undefined ? null : row[0];
  }

  insert(item: AddItem, time: number, seq: number): void {
    this.#insert ??= this.#prepareInsert();
    const types = this.#types;
    const values: SQLInputValue[] = new Array(types.length + 2);
    for (let index = 0; index < types.length; index++) {
      values[index] = sqliteDialect.bound(item.values[index] ?? null, types[index] as ColumnType);
    }
    values[this.#positions.objectId] = item.objectId;
    values[this.#positions.created] = time;
    values[this.#positions.updated] = time;
    values[types.length] = item.audience;
    values[types.length + 1] = seq;
    this.#insert.run(...values);
    for (const [index, entries] of this.#terms().entries()) {
      entries.change(item.objectId, null, item.values[this.table.columns.length + index] as string | null);
    }
  }

  update(rowid: number, change: RecordChange, seq: number): void {
    const statement = this.#updateOf(change.columns);
    const values = change.values.map((value, index) =>
      sqliteDialect.bound(value, this.#type(change.columns[index] as string)),
    );
    if (this.table.fullText.some(({ terms }) => change.columns.includes(terms.name))) this.#changeTerms(rowid, change);
    statement.run(...values, change.updated, change.audience, seq, rowid);
  }

  delete(rowid: number): void {
    if (this.table.fullText.length > 0) this.#changeTerms(rowid, null);
    this.#delete ??= this.#db.prepare(`DELETE FROM ${this.#name} WHERE rowid = ?1`);
    this.#delete.run(rowid);
  }

  /** The columns of the unique index in an error of SQLite. */
  columnsOf(violation: Error): readonly string[] {
    const named = violation.message.split(': ')[1]?.split(', ') ?? [];
    const physical = named.map((name) => name.slice(name.lastIndexOf('.') + 1));
    const byPhysicalName = new Map(this.table.columns.map((column) => [physicalName(storedName(column)), column.name]));
    return physical.map((name) => byPhysicalName.get(name) ?? name);
  }

  /** @param change null if the record is removed */
  #changeTerms(rowid: number, change: RecordChange | null): void {
    const [objectId, ...before] = this.#storedTerms(rowid);
    for (const [index, entries] of this.#terms().entries()) {
      const at = change?.columns.indexOf((this.table.fullText[index] as FullText).terms.name) ?? -1;
      if (change !== null && at < 0) continue;
      entries.change(objectId as string, before[index] ?? null, (change?.values[at] ?? null) as string | null);
    }
  }

  /** The objectId, and the content of each column of terms. */
  #storedTerms(rowid: number): readonly (string | null)[] {
    const columns = [systemName.objectId, ...this.table.fullText.map(({ terms }) => terms.name)].map(this.#column);
    this.#findTerms ??= preparedFor(this.#db, `SELECT ${columns.join(', ')} FROM ${this.#name} WHERE rowid = ?1`);
    return this.#findTerms.get(rowid) as unknown as (string | null)[];
  }

  /** The entries of terms, in the order of the table's `fullText`. */
  #terms(): readonly TermEntries[] {
    this.#entries ??= this.table.fullText.map(
      ({ terms }) => new TermEntries(this.#db, termsIndexName(this.table, terms)),
    );
    return this.#entries;
  }

  #type(name: string): ColumnType {
    const type = this.#typeOf.get(name);
    if (type === undefined) throw new Error(`The batch names a column that the table does not have: ${name}.`);
    return type;
  }

  #prepareFind(): StatementSync {
    const selected = [
      systemName.serverCreateTime,
      systemName.serverUpdateTime,
      systemName.scopeType,
      systemName.groupIds,
      systemName.createUserId,
    ].map(column);
    const visible = sqliteDialect.visibleRecord(audienceColumn, sqliteDialect.placeholder(2, false, 'members'));
    return preparedFor(
      this.#db,
      `SELECT rowid, ${selected.join(', ')}, ${audienceColumn} FROM ${this.#name}
       WHERE ${column(systemName.objectId)} = ?1 AND ${visible}`,
    );
  }

  #findByKey(key: readonly string[]): string {
    const equal = key.map((name, index) => `${this.#column(name)} = ?${index + 1}`);
    return `SELECT ${this.#column(systemName.objectId)} FROM ${this.#name} WHERE ${equal.join(' AND ')}`;
  }

  #prepareInsert(): StatementSync {
    const names = [...this.table.written.map(({ name }) => this.#column(name)), audienceColumn, seqColumn];
    const placeholders = names.map((_, index) => `?${index + 1}`);
    return this.#db.prepare(`INSERT INTO ${this.#name} (${names.join(', ')}) VALUES (${placeholders.join(', ')})`);
  }

  #sizesOf(names: readonly string[]): StatementSync {
    const key = names.join(',');
    const present = this.#sizes.get(key);
    if (present !== undefined) return present;
    const sizes = names.map((name) => `coalesce(octet_length(${this.#column(name)}), 0)`);
    return this.#sizes.add(key, `SELECT ${sizes.join(', ')} FROM ${this.#name} WHERE rowid = ?1`);
  }

  #updateOf(columns: readonly string[]): StatementSync {
    const key = columns.join(',');
    const present = this.#updates.get(key);
    if (present !== undefined) return present;
    const changed = [...columns.map(this.#column), column(systemName.serverUpdateTime), audienceColumn, seqColumn];
    const assignments = changed.map((name, index) => `${name} = ?${index + 1}`);
    return this.#updates.add(
      key,
      `UPDATE ${this.#name} SET ${assignments.join(', ')} WHERE rowid = ?${changed.length + 1}`,
    );
  }
}

type FoundRow = [number, number, number, number | null, string | null, number, string];
