/**
 * Carrying a change of tables out. Whoever reads a table waits for a column that is being added to it, and for all that its
 * transaction does afterwards; making an index may take long, and only keeps writers waiting. So where a change has both,
 * its columns are made first, in a transaction of their own. They are in use only once they stand in the catalogue, which is
 * changed with the indexes; columns left by a change that failed or was killed are removed, at the latest by the next one.
 */
import type { DefinitionChange, Index, SpaceDefinition, Table } from '../../schema/model.ts';
import { columnsAfter } from '../../schema/plan.ts';
import {
  addColumns,
  addTable,
  changed,
  makeIndexes,
  makeLockFree,
  noteColumns,
  notUnique,
  readDefinition,
  refuseTooLarge,
  reset,
  tableIn,
} from '../catalogue.ts';
import { addColumn, audienceColumn, seqColumn } from '../layout.ts';
import { lockShards } from './citus.ts';
import type { Connection, Transactions } from './connections.ts';
import { postgresLayout as layout } from './dialect.ts';
import { serviceError, sqlState } from './failure.ts';
import { inStore, type StoreSql, sqlIn } from './schemas.ts';

/** How long a change waits for the locks of a table, since all others wait behind it, and how often it tries. */
const lockTimeMs = 1_000;
export const lockAttemptsMax = 30;

export interface ChangeContext {
  readonly spaceId: number;
  /** In a transaction that holds the lock of the data space. */
  readonly connection: Connection;
  /** Connections for statements that commit before the change. */
  readonly aside: Transactions;
}

/**
 * Makes the change inside the caller's transaction and returns the definition after it; null when the change was made
 * for another definition than the present one. A reset drops every table, with tombstones and history; table numbers
 * continue, so that no number is ever used again.
 * @throws ServiceError `malformed` for an index that the present records contradict
 */
export async function applyChange(context: ChangeContext, change: DefinitionChange): Promise<SpaceDefinition | null> {
  const space = sqlIn(context.connection, context.spaceId);
  const before = await space.execute(readDefinition(layout));
  if (before.version !== change.fromVersion) return null;
  await space.run(`SET LOCAL lock_timeout = ${lockTimeMs}`);
  if (change.reset) await space.execute(reset(layout, before));
  if (change.newIndexes.length > 0) await addIndexes(context, before, change);
  else
    for (const { table, columns } of change.newColumns)
      await space.execute(addColumns(layout, tableIn(before, table), columns));
  for (const table of change.newLockFree) await space.execute(makeLockFree(layout, tableIn(before, table)));
  for (const table of change.newTables) await space.execute(addTable(layout, table));
  return space.execute(changed(layout));
}

/** Whether a killed or failed change may leave columns behind that the catalogue does not know. */
export function mayLeaveColumns({ newColumns, newIndexes }: DefinitionChange): boolean {
  return newColumns.length > 0 && newIndexes.length > 0;
}

/** Inside a transaction that holds the lock of the data space. */
export async function removeUnknownColumns(connection: Connection, spaceId: number): Promise<void> {
  const space = sqlIn(connection, spaceId);
  const definition = await space.execute(readDefinition(layout));
  await space.run(`SET LOCAL lock_timeout = ${lockTimeMs}`);
  for (const table of definition.tables.values()) await dropUnknown(space, spaceId, table);
}

/** The new indexes, and the new columns of these and other tables. */
async function addIndexes(context: ChangeContext, before: SpaceDefinition, change: DefinitionChange): Promise<void> {
  const space = sqlIn(context.connection, context.spaceId);
  if (change.newColumns.length > 0) {
    await refuseContradicted(space, before, change);
    await makeColumns(context, before, change);
  }
  // As building an index does; from here on, no record can be added that the index could not take.
  await lock(
    context,
    change.newIndexes.map(({ table }) => table),
  );
  for (const { table, indexes } of change.newIndexes) {
    const columns = columnsAfter(before, change, table);
    for (const index of indexes) await space.execute(refuseTooLarge(layout, table, index, columns));
    await space.execute(makeIndexes(layout, tableIn(before, table), indexes));
  }
  // A statement that compares the definition's version must not begin before it has changed.
  await lock(
    context,
    change.newColumns.map(({ table }) => table),
  );
  for (const { table, columns } of change.newColumns) {
    await space.execute(noteColumns(layout, tableIn(before, table), columns));
  }
}

/**
 * Refuses what it can before columns are made: even a removed column counts among the 1 600 that PostgreSQL allows a
 * table in its lifetime. Leaves no lock on a table, which would block the new columns.
 */
async function refuseContradicted(space: StoreSql, before: SpaceDefinition, change: DefinitionChange): Promise<void> {
  await space.run('SAVEPOINT looked');
  for (const { table, indexes } of change.newIndexes) {
    const columns = before.tables.get(table)?.columns ?? [];
    const known = new Set(columns.map(({ name }) => name));
    for (const index of indexes.filter((one) => one.columns.every((name) => known.has(name)))) {
      await space.execute(refuseTooLarge(layout, table, index, columns));
      if (index.unique) await refuseRepeated(space, table, index);
    }
  }
  await space.run('ROLLBACK TO SAVEPOINT looked');
}

async function refuseRepeated(space: StoreSql, table: string, index: Index): Promise<void> {
  const columns = index.columns.map(layout.column);
  const where = columns.map((column) => `${column} IS NOT NULL`).join(' AND ');
  const found = await space.run(
    `SELECT 1 FROM ${layout.table(table)} WHERE ${where} GROUP BY ${columns.join(', ')} HAVING count(*) > 1 LIMIT 1`,
  );
  if (found.length > 0) throw notUnique(table, index);
}

/** Makes the columns permanent; only the catalogue does not know them yet. */
async function makeColumns(context: ChangeContext, before: SpaceDefinition, change: DefinitionChange): Promise<void> {
  const { spaceId, aside, connection } = context;
  for (let attempt = 1; ; attempt++) {
    try {
      await aside.transaction('read committed', async (short) => {
        const space = sqlIn(short, spaceId);
        await space.run(`SET LOCAL lock_timeout = ${lockTimeMs}`);
        for (const { table, columns } of change.newColumns) {
          await dropUnknown(space, spaceId, tableIn(before, table));
          for (const column of columns) await space.run(addColumn(layout, table, column));
        }
      });
      return;
    } catch (error) {
      if (sqlState(error) !== '55P03') throw error;
      if (attempt === lockAttemptsMax) throw serviceError(error, `adding columns in ${spaceId}`);
      // The server ends a transaction whose client is silent for too long.
      await connection.query({ text: 'SELECT 1' });
    }
  }
}

/** Blocks writers of the tables until the end of the transaction; never holds some tables while it waits for others. */
async function lock({ connection, spaceId }: ChangeContext, tables: readonly string[]): Promise<void> {
  if (tables.length === 0) return;
  const space = sqlIn(connection, spaceId);
  for (let attempt = 1; ; attempt++) {
    await space.run('SAVEPOINT lock');
    try {
      await space.run(`LOCK TABLE ${tables.map(layout.table).join(', ')} IN SHARE MODE`);
      await lockShards(connection, spaceId, tables);
      await space.run('RELEASE SAVEPOINT lock');
      return;
    } catch (error) {
      if (sqlState(error) !== '55P03') throw error;
      if (attempt === lockAttemptsMax) throw serviceError(error, `locking ${tables.join(', ')}`);
      await space.run('ROLLBACK TO SAVEPOINT lock');
    }
  }
}

async function dropUnknown(space: StoreSql, spaceId: number, table: Table): Promise<void> {
  const known = new Set([...table.columns.map(({ name }) => layout.column(name)), audienceColumn, seqColumn]);
  const stored = layout.table(table.name);
  const [row] = await space.run(
    `SELECT json_agg(attname) FROM pg_attribute
      WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped`,
    [inStore(stored, spaceId)],
  );
  const names: string[] = JSON.parse(row?.[0] ?? '[]');
  for (const column of names.map((name) => `"${name}"`)) {
    if (!known.has(column)) await space.run(`ALTER TABLE ${stored} DROP COLUMN ${column}`);
  }
}
