/** The catalogue of a data space, kept in its own schema: reading the definition, and noting columns and indexes in it. */
import { ServiceError } from '../../errors.ts';
import type { Column, Index, SpaceDefinition, Table } from '../../schema/model.ts';
import { type HighestIds, highestIdsOf, type Identity, seenColumns } from '../identity.ts';
import type { Connection, Sql, TextRow } from './connections.ts';
import { isUnique } from './failure.ts';
import { storedIdentity } from './installation.ts';
import { createAudienceIndex, createIndex } from './layout.ts';
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
      throw isUnique(error) ? notUnique(table.name, index, error) : error;
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

export function notUnique(table: string, { columns }: Index, cause?: unknown): ServiceError {
  return new ServiceError(
    'malformed',
    `tables: the index of "${table}" on ${columns.join(', ')} can't be unique, because there are records with equal values.`,
    { cause },
  );
}
