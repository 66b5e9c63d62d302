/** The catalogue of a data space, kept in its own file: reading the definition, and carrying a change of it out. */
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { ServiceError } from '../../errors.ts';
import type { Column, DefinitionChange, Index, SpaceDefinition, Table } from '../../schema/model.ts';
import { columnsAfter } from '../../schema/plan.ts';
import { isPresentTooLargeSql, recordsTooLarge } from '../index-size.ts';
import { isUnique } from './failure.ts';
import { addColumn, createAudienceIndex, createIndex, createTable, dropTable, entrySql, tableSql } from './layout.ts';

function definitionVersion(db: DatabaseSync): number {
  return db.prepare('SELECT definition_version FROM _space').get()?.definition_version as number;
}

/** Must run inside a transaction where another connection may change the definition meanwhile. */
export function readDefinition(db: DatabaseSync): SpaceDefinition {
  const columns = grouped(
    db.prepare('SELECT table_id, name, type, required, system FROM _column ORDER BY table_id, position'),
    (row): Column => ({
      name: row.name as string,
      type: JSON.parse(row.type as string),
      required: row.required === 1,
      system: row.system === 1,
    }),
  );
  const indexes = grouped(
    db.prepare('SELECT table_id, columns, is_unique FROM _index ORDER BY table_id, position'),
    (row): Index => ({ columns: JSON.parse(row.columns as string), unique: row.is_unique === 1 }),
  );
  const tables = db
    .prepare('SELECT id, name FROM _table ORDER BY id')
    .all()
    .map((row): Table => {
      const id = row.id as number;
      return { name: row.name as string, id, columns: columns.get(id) ?? [], indexes: indexes.get(id) ?? [] };
    });
  return { version: definitionVersion(db), tables: new Map(tables.map((table) => [table.name, table])) };
}

function grouped<Item>(
  statement: { all(): Record<string, SQLOutputValue>[] },
  itemOf: (row: Record<string, SQLOutputValue>) => Item,
): Map<number, Item[]> {
  const groups = new Map<number, Item[]>();
  for (const row of statement.all()) {
    const id = row.table_id as number;
    const group = groups.get(id);
    if (group === undefined) groups.set(id, [itemOf(row)]);
    else group.push(itemOf(row));
  }
  return groups;
}

/**
 * Carries the change out inside the caller's transaction, and answers the definition after it; null when the present
 * one is not the one that the change was made for. A reset drops every table, with tombstones and history; numbers of
 * tables and commits go on, so that nothing that was ever handed out comes again.
 * @throws ServiceError `malformed` for an index that the present records contradict
 */
export function applyChange(db: DatabaseSync, change: DefinitionChange): SpaceDefinition | null {
  const before = readDefinition(db);
  if (before.version !== change.fromVersion) return null;
  if (change.reset) reset(db, before);
  for (const table of change.newTables) addTable(db, table);
  for (const { table, columns } of change.newColumns) addColumns(db, table, columns);
  for (const { table, indexes } of change.newIndexes)
    addIndexes(db, table, indexes, columnsAfter(before, change, table));
  db.exec('UPDATE _space SET definition_version = definition_version + 1');
  return readDefinition(db);
}

function reset(db: DatabaseSync, before: SpaceDefinition): void {
  for (const name of before.tables.keys()) db.exec(dropTable(name));
  db.exec(`DELETE FROM _column; DELETE FROM _index; DELETE FROM _table;
    DELETE FROM _tombstone; DELETE FROM _audience_member; DELETE FROM _history`);
}

function addTable(db: DatabaseSync, table: Omit<Table, 'id'>): void {
  const space = db.prepare('UPDATE _space SET next_table_id = next_table_id + 1 RETURNING next_table_id - 1 AS id');
  const id = space.get()?.id as number;
  db.exec(createTable(table));
  db.exec(createAudienceIndex({ id, name: table.name }));
  db.prepare('INSERT INTO _table (id, name) VALUES (?, ?)').run(id, table.name);
  noteColumns(db, id, 0, table.columns);
  makeIndexes(db, { id, name: table.name }, 0, table.indexes);
}

function addColumns(db: DatabaseSync, table: string, columns: readonly Column[]): void {
  const id = idOf(db, table);
  for (const column of columns) db.exec(addColumn(table, column));
  noteColumns(db, id, countOf(db, '_column', id), columns);
}

/** @param columns of the table, the new ones too */
function addIndexes(db: DatabaseSync, table: string, indexes: readonly Index[], columns: readonly Column[]): void {
  const id = idOf(db, table);
  for (const index of indexes) {
    const where = isPresentTooLargeSql(index, columns, entrySql);
    if (db.prepare(`SELECT 1 FROM ${tableSql(table)} WHERE ${where} LIMIT 1`).get())
      throw recordsTooLarge(table, index);
  }
  makeIndexes(db, { id, name: table }, countOf(db, '_index', id), indexes);
}

export function noteColumns(db: DatabaseSync, tableId: number, position: number, columns: readonly Column[]): void {
  const insert = db.prepare('INSERT INTO _column VALUES (?, ?, ?, ?, ?, ?)');
  for (const [index, { name, type, required, system }] of columns.entries()) {
    insert.run(tableId, position + index, name, JSON.stringify(type), Number(required), Number(system));
  }
}

export function makeIndexes(
  db: DatabaseSync,
  table: Pick<Table, 'name' | 'id'>,
  position: number,
  indexes: readonly Index[],
): void {
  const insert = db.prepare('INSERT INTO _index VALUES (?, ?, ?, ?)');
  for (const [offset, index] of indexes.entries()) {
    try {
      db.exec(createIndex(table, index, position + offset));
      db.exec(createAudienceIndex(table, index, position + offset));
    } catch (error) {
      if (!isUnique(error)) throw error;
      throw new ServiceError(
        'malformed',
        `tables: the index of "${table.name}" on ${index.columns.join(', ')} can't be unique, because there are records with equal values.`,
        { cause: error },
      );
    }
    insert.run(table.id, position + offset, JSON.stringify(index.columns), Number(index.unique));
  }
}

function idOf(db: DatabaseSync, table: string): number {
  const id = db.prepare('SELECT id FROM _table WHERE name = ?').get(table)?.id;
  if (typeof id !== 'number') throw new Error(`The definition change names a table that is not there: ${table}.`);
  return id;
}

function countOf(db: DatabaseSync, table: '_column' | '_index', tableId: number): number {
  return db.prepare(`SELECT count(*) AS count FROM ${table} WHERE table_id = ?`).get(tableId)?.count as number;
}
