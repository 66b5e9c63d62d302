/** The catalogue of a data space, kept in its own schema: reading the definition, and carrying a change of it out. */
import { ServiceError } from '../../errors.ts';
import type { Column, DefinitionChange, Index, SpaceDefinition, Table } from '../../schema/model.ts';
import { columnsAfter } from '../../schema/plan.ts';
import { type HighestIds, highestIdsOf, type Identity, seenColumns } from '../identity.ts';
import { isPresentTooLargeSql, recordsTooLarge } from '../index-size.ts';
import type { Connection, Sql, TextRow } from './connections.ts';
import { isUnique } from './failure.ts';
import { storedIdentity } from './installation.ts';
import { addColumn, createAudienceIndex, createIndex, createTable, dropTable, entrySql, tableSql } from './layout.ts';
import { inSpace } from './schemas.ts';

/** SQL of one data space. */
export type Run = (text: string, values?: readonly (string | null)[]) => Promise<readonly TextRow[]>;

export function runIn(connection: Connection, spaceId: number): Run {
  return async (text, values = []) => (await connection.query({ text: inSpace(text, spaceId), values })).rows;
}

export interface StoredDefinition {
  /** How many steps of `migrations/space.ts` the schema has behind it. */
  readonly layout: number;
  readonly definition: SpaceDefinition;
  readonly identity: Identity | null;
  readonly seen: HighestIds;
}

/** One statement, so that it reads one state. */
const definitionSql = `SELECT (SELECT definition_version FROM "~"._space), (SELECT layout FROM "~"._version),
  (SELECT json_agg(json_build_array(id, name) ORDER BY id) FROM "~"._table),
  (SELECT json_agg(json_build_array(table_id, name, type, required, system) ORDER BY table_id, position)
    FROM "~"._column),
  (SELECT json_agg(json_build_array(table_id, columns, is_unique) ORDER BY table_id, position) FROM "~"._index),
  (SELECT json_build_array(installation, space_id, ${seenColumns}) FROM "~"._identity)`;

export async function readDefinition(connection: Connection, spaceId: number): Promise<StoredDefinition> {
  const [row] = await runIn(connection, spaceId)(definitionSql);
  const [version, layout, tables, columns, indexes, told] = row ?? [];
  if (typeof version !== 'string') throw new Error(`Data space ${spaceId} was damaged: its _space is empty.`);
  const columnsOf = grouped<[string, string, boolean, boolean], Column>(
    columns,
    ([name, type, required, system]): Column => ({ name, type: JSON.parse(type), required, system }),
  );
  const indexesOf = grouped<[string, boolean], Index>(
    indexes,
    ([names, unique]): Index => ({ columns: JSON.parse(names), unique }),
  );
  const found = list<[number, string]>(tables).map(
    ([id, name]): Table => ({ name, id, columns: columnsOf.get(id) ?? [], indexes: indexesOf.get(id) ?? [] }),
  );
  const definition = { version: Number(version), tables: new Map(found.map((table) => [table.name, table])) };
  const [installation, ownId, ...seen] = list<string | number | null>(told);
  const identity = storedIdentity(installation as string | null | undefined, ownId);
  return { layout: Number(layout), definition, identity, seen: highestIdsOf(seen) };
}

/** And whose it is, as `identityText` writes it. */
export function definitionVersionSql(spaceId: number): Sql {
  const identity = `(SELECT installation || ' ' || space_id FROM "~"._identity)`;
  return { text: inSpace(`SELECT definition_version, ${identity} FROM "~"._space`, spaceId) };
}

export function identityText({ installation, spaceId }: Identity): string {
  return `${installation} ${spaceId}`;
}

function list<Row>(json: string | null | undefined): Row[] {
  return typeof json === 'string' ? JSON.parse(json) : [];
}

function grouped<Row extends readonly unknown[], Item>(
  json: string | null | undefined,
  itemOf: (row: Row) => Item,
): Map<number, Item[]> {
  const groups = new Map<number, Item[]>();
  for (const [id, ...row] of list<[number, ...Row]>(json)) {
    const group = groups.get(id);
    const item = itemOf(row as unknown as Row);
    if (group === undefined) groups.set(id, [item]);
    else group.push(item);
  }
  return groups;
}

/**
 * Carries the change out inside the caller's transaction, which holds the lock of the data space, and answers the
 * definition after it; null when the present one is not the one that the change was made for. A reset drops every table,
 * with tombstones and history; numbers of tables go on, so that nothing that was ever handed out comes again.
 * @throws ServiceError `malformed` for an index that the present records contradict
 */
export async function applyChange(
  connection: Connection,
  spaceId: number,
  change: DefinitionChange,
): Promise<SpaceDefinition | null> {
  const before = (await readDefinition(connection, spaceId)).definition;
  if (before.version !== change.fromVersion) return null;
  const run = runIn(connection, spaceId);
  if (change.reset) await reset(run, before);
  for (const table of change.newTables) await addTable(run, table);
  for (const { table, columns } of change.newColumns) await addColumns(run, table, columns);
  for (const { table, indexes } of change.newIndexes)
    await addIndexes(run, table, indexes, columnsAfter(before, change, table));
  await run('UPDATE "~"._space SET definition_version = definition_version + 1');
  return (await readDefinition(connection, spaceId)).definition;
}

async function reset(run: Run, before: SpaceDefinition): Promise<void> {
  for (const name of before.tables.keys()) await run(dropTable(name));
  for (const name of ['_column', '_index', '_table', '_tombstone', '_audience_member', '_history']) {
    await run(`DELETE FROM "~".${name}`);
  }
}

async function addTable(run: Run, table: Omit<Table, 'id'>): Promise<void> {
  const [row] = await run('UPDATE "~"._space SET next_table_id = next_table_id + 1 RETURNING next_table_id - 1');
  const id = Number(row?.[0]);
  await run(createTable(table));
  await run(createAudienceIndex({ id, name: table.name }));
  await run('INSERT INTO "~"._table (id, name) VALUES ($1, $2)', [String(id), table.name]);
  await noteColumns(run, id, 0, table.columns);
  await makeIndexes(run, { id, name: table.name }, 0, table.indexes);
}

async function addColumns(run: Run, table: string, columns: readonly Column[]): Promise<void> {
  const id = await idOf(run, table);
  for (const column of columns) await run(addColumn(table, column));
  await noteColumns(run, id, await countOf(run, '_column', id), columns);
}

/** @param columns of the table, the new ones too */
async function addIndexes(
  run: Run,
  table: string,
  indexes: readonly Index[],
  columns: readonly Column[],
): Promise<void> {
  const id = await idOf(run, table);
  // As making an index does; from here on, nobody adds a record that it could not take.
  await run(`LOCK TABLE ${tableSql(table)} IN SHARE MODE`);
  for (const index of indexes) {
    const where = isPresentTooLargeSql(index, columns, entrySql);
    const found = await run(`SELECT 1 FROM ${tableSql(table)} WHERE ${where} LIMIT 1`);
    if (found.length > 0) throw recordsTooLarge(table, index);
  }
  await makeIndexes(run, { id, name: table }, await countOf(run, '_index', id), indexes);
}

export async function noteColumns(
  run: Run,
  tableId: number,
  position: number,
  columns: readonly Column[],
): Promise<void> {
  const rows = columns.map(({ name, type, required, system }, index) => ({
    table_id: tableId,
    position: position + index,
    name,
    type: JSON.stringify(type),
    required,
    system,
  }));
  const insert = 'INSERT INTO "~"._column SELECT * FROM json_populate_recordset(NULL::"~"._column, $1)';
  await run(insert, [JSON.stringify(rows)]);
}

export async function makeIndexes(
  run: Run,
  table: Pick<Table, 'name' | 'id'>,
  position: number,
  indexes: readonly Index[],
): Promise<void> {
  for (const [offset, index] of indexes.entries()) {
    try {
      await run(createIndex(table, index, position + offset));
    } catch (error) {
      if (!isUnique(error)) throw error;
      throw new ServiceError(
        'malformed',
        `tables: the index of "${table.name}" on ${index.columns.join(', ')} can't be unique, because there are records with equal values.`,
        { cause: error },
      );
    }
    await run(createAudienceIndex(table, index, position + offset));
    await run('INSERT INTO "~"._index VALUES ($1, $2, $3, $4)', [
      String(table.id),
      String(position + offset),
      JSON.stringify(index.columns),
      String(index.unique),
    ]);
  }
}

async function idOf(run: Run, table: string): Promise<number> {
  const [row] = await run('SELECT id FROM "~"._table WHERE name = $1', [table]);
  if (row === undefined) throw new Error(`The definition change names a table that is not there: ${table}.`);
  return Number(row[0]);
}

async function countOf(run: Run, table: '_column' | '_index', tableId: number): Promise<number> {
  const [row] = await run(`SELECT count(*) FROM "~".${table} WHERE table_id = $1`, [String(tableId)]);
  return Number(row?.[0]);
}
