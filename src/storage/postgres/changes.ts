/**
 * Carrying a change of tables out. Whoever reads a table waits for a column that is being added to it, and for all that its
 * transaction does afterwards; making an index may take long, and only keeps writers waiting. So where a change has both,
 * its columns are made first, in a transaction of their own. Nobody knows of them until the catalogue does, which is
 * changed with the indexes; those of a change that failed or was killed are removed, at the latest by the next one.
 */
import type { Column, DefinitionChange, Index, SpaceDefinition, Table } from '../../schema/model.ts';
import { columnsAfter } from '../../schema/plan.ts';
import { isPresentTooLargeSql, recordsTooLarge } from '../index-size.ts';
import { makeIndexes, noteColumns, notUnique, type Run, readDefinition, runIn } from './catalogue.ts';
import type { Connection, Transactions } from './connections.ts';
import { serviceError, sqlState } from './failure.ts';
import {
  addColumn,
  audienceColumn,
  columnSql,
  createAudienceIndex,
  createTable,
  dropColumn,
  dropTable,
  entrySql,
  seqColumn,
  tableSql,
} from './layout.ts';
import { spaceSchema } from './schemas.ts';

/** A change waits for the locks of a table only so long, because everyone else waits behind it; and so often. */
const lockTimeMs = 1_000;
export const lockAttemptsMax = 30;

export interface ChangeContext {
  readonly spaceId: number;
  /** In a transaction that holds the lock of the data space. */
  readonly connection: Connection;
  /** For what is committed before the change is. */
  readonly aside: Transactions;
}

/**
 * Carries the change out inside the caller's transaction, and answers the definition after it; null when the present one
 * is not the one that the change was made for. A reset drops every table, with tombstones and history; numbers of tables
 * go on, so that nothing that was ever handed out comes again.
 * @throws ServiceError `malformed` for an index that the present records contradict
 */
export async function applyChange(context: ChangeContext, change: DefinitionChange): Promise<SpaceDefinition | null> {
  const { connection, spaceId } = context;
  const before = (await readDefinition(connection, spaceId)).definition;
  if (before.version !== change.fromVersion) return null;
  const run = runIn(connection, spaceId);
  await run(`SET LOCAL lock_timeout = ${lockTimeMs}`);
  if (change.reset) await reset(run, before);
  if (change.newIndexes.length > 0) await addIndexes(context, before, change);
  else for (const { table, columns } of change.newColumns) await addColumns(run, table, columns);
  for (const table of change.newTables) await addTable(run, table);
  await run('UPDATE "~"._space SET definition_version = definition_version + 1');
  return (await readDefinition(connection, spaceId)).definition;
}

/** Whether it may leave columns behind that the catalogue does not know, when it is killed or fails. */
export function mayLeaveColumns({ newColumns, newIndexes }: DefinitionChange): boolean {
  return newColumns.length > 0 && newIndexes.length > 0;
}

/** Inside a transaction that holds the lock of the data space. */
export async function removeUnknownColumns(connection: Connection, spaceId: number): Promise<void> {
  const { definition } = await readDefinition(connection, spaceId);
  const run = runIn(connection, spaceId);
  await run(`SET LOCAL lock_timeout = ${lockTimeMs}`);
  for (const table of definition.tables.values()) await dropUnknown(run, spaceId, table);
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
  for (const column of columns) await run(addColumn(table, column));
  await noteNewColumns(run, table, columns);
}

async function noteNewColumns(run: Run, table: string, columns: readonly Column[]): Promise<void> {
  const id = await idOf(run, table);
  await noteColumns(run, id, await countOf(run, '_column', id), columns);
}

/** The new indexes, and the new columns of these and other tables. */
async function addIndexes(context: ChangeContext, before: SpaceDefinition, change: DefinitionChange): Promise<void> {
  const run = runIn(context.connection, context.spaceId);
  if (change.newColumns.length > 0) {
    await refuseContradicted(run, before, change);
    await makeColumns(context, before, change);
  }
  // As making an index does; from here on, nobody adds a record that it could not take.
  await lock(
    run,
    change.newIndexes.map(({ table }) => table),
  );
  for (const { table, indexes } of change.newIndexes) {
    const columns = columnsAfter(before, change, table);
    for (const index of indexes) await refuseTooLarge(run, table, index, columns);
    const id = await idOf(run, table);
    await makeIndexes(run, { id, name: table }, await countOf(run, '_index', id), indexes);
  }
  // What writes compare the version of the definition in must not begin before it has changed.
  await lock(
    run,
    change.newColumns.map(({ table }) => table),
  );
  for (const { table, columns } of change.newColumns) await noteNewColumns(run, table, columns);
}

/**
 * What can be refused before columns are made is: a column that is removed again counts among the 1 600 that PostgreSQL
 * gives a table in all its life. Leaves no lock on a table, for which the columns would wait.
 */
async function refuseContradicted(run: Run, before: SpaceDefinition, change: DefinitionChange): Promise<void> {
  await run('SAVEPOINT looked');
  for (const { table, indexes } of change.newIndexes) {
    const columns = before.tables.get(table)?.columns ?? [];
    const known = new Set(columns.map(({ name }) => name));
    for (const index of indexes.filter((one) => one.columns.every((name) => known.has(name)))) {
      await refuseTooLarge(run, table, index, columns);
      if (index.unique) await refuseRepeated(run, table, index);
    }
  }
  await run('ROLLBACK TO SAVEPOINT looked');
}

async function refuseTooLarge(run: Run, table: string, index: Index, columns: readonly Column[]): Promise<void> {
  const where = isPresentTooLargeSql(index, columns, entrySql);
  const found = await run(`SELECT 1 FROM ${tableSql(table)} WHERE ${where} LIMIT 1`);
  if (found.length > 0) throw recordsTooLarge(table, index);
}

async function refuseRepeated(run: Run, table: string, index: Index): Promise<void> {
  const columns = index.columns.map(columnSql);
  const where = columns.map((column) => `${column} IS NOT NULL`).join(' AND ');
  const found = await run(
    `SELECT 1 FROM ${tableSql(table)} WHERE ${where} GROUP BY ${columns.join(', ')} HAVING count(*) > 1 LIMIT 1`,
  );
  if (found.length > 0) throw notUnique(table, index);
}

/** Makes the columns for good; only the catalogue does not know them yet. */
async function makeColumns(context: ChangeContext, before: SpaceDefinition, change: DefinitionChange): Promise<void> {
  const { spaceId, aside, connection } = context;
  for (let attempt = 1; ; attempt++) {
    try {
      await aside.transaction('read committed', async (short) => {
        const run = runIn(short, spaceId);
        await run(`SET LOCAL lock_timeout = ${lockTimeMs}`);
        for (const { table, columns } of change.newColumns) {
          const present = before.tables.get(table);
          if (present === undefined) throw new Error(`The change names a table that is not there: ${table}.`);
          await dropUnknown(run, spaceId, present);
          for (const column of columns) await run(addColumn(table, column));
        }
      });
      return;
    } catch (error) {
      if (sqlState(error) !== '55P03') throw error;
      if (attempt === lockAttemptsMax) throw serviceError(error, `adding columns in ${spaceId}`);
      // The server ends a transaction whose owner is silent for too long.
      await connection.query({ text: 'SELECT 1' });
    }
  }
}

/** Keeps writers from the tables until the end of the transaction; without holding some of them while it waits for others. */
async function lock(run: Run, tables: readonly string[]): Promise<void> {
  if (tables.length === 0) return;
  for (let attempt = 1; ; attempt++) {
    await run('SAVEPOINT lock');
    try {
      await run(`LOCK TABLE ${tables.map(tableSql).join(', ')} IN SHARE MODE`);
      await run('RELEASE SAVEPOINT lock');
      return;
    } catch (error) {
      if (sqlState(error) !== '55P03') throw error;
      if (attempt === lockAttemptsMax) throw serviceError(error, `locking ${tables.join(', ')}`);
      await run('ROLLBACK TO SAVEPOINT lock');
    }
  }
}

async function dropUnknown(run: Run, spaceId: number, table: Table): Promise<void> {
  const known = new Set([...table.columns.map(({ name }) => columnSql(name)), audienceColumn, seqColumn]);
  const [row] = await run(
    `SELECT json_agg(attname) FROM pg_attribute
      WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped`,
    [tableSql(table.name).replace('"~"', `"${spaceSchema(spaceId)}"`)],
  );
  const names: string[] = JSON.parse(row?.[0] ?? '[]');
  for (const column of names.map((name) => `"${name}"`)) {
    if (!known.has(column)) await run(dropColumn(table.name, column));
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
