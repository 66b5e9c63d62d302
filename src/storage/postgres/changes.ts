/**
 * Executes a change of tables. Adding a column blocks readers of the table until its transaction ends; building an
 * index may take long, but blocks only writers. So if a change has both, its columns are added first, in their own
 * transaction. They are used only once they are in the catalogue, which is changed with the indexes. Columns left by a
 * change that failed or was killed are removed, at the latest by the next change.
 */
import type { ChangeStep, DefinitionChange, NumberedTable, SpaceDefinition } from '../../schema/model.ts';
import { storedName } from '../../schema/names.ts';
import { changed, readDefinition } from '../catalogue.ts';
import { checkStep, performStep, stepContext } from '../change-steps.ts';
import { ExpectedValues } from '../expected-values.ts';
import { addColumn, audienceColumn, seqColumn, tableSql } from '../layout.ts';
import { lockShards } from './citus.ts';
import type { Connection, Transactions } from './connections.ts';
import { postgresLayout as layout, physicalName } from './dialect.ts';
import { serviceError, sqlState } from './failure.ts';
import { inStore, type StoreSql, sqlIn } from './schemas.ts';

/** How long a change waits for the locks of a table, because all others wait behind it, and how often it tries. */
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
 * Makes the change inside the caller's transaction and returns the definition after it; null when the change was
 * planned for another definition than the present one.
 * @throws ServiceError `malformed` if the present records contradict the change
 */
export async function applyChange(context: ChangeContext, change: DefinitionChange): Promise<SpaceDefinition | null> {
  const space = sqlIn(context.connection, context.spaceId);
  const before = await space.execute(readDefinition(layout));
  if (before.version !== change.fromVersion) return null;
  await space.run(`SET LOCAL lock_timeout = ${lockTimeMs}`);
  const { steps } = change;
  const isStored = new Set(before.catalogue.tables.map(({ id }) => id));
  const adding = steps.filter(addsColumn).filter(({ table }) => isStored.has(table.id));
  const early = mayLeaveColumns(change) ? adding : [];
  if (early.length > 0) {
    await refuseContradicted(space, change);
    await makeColumns(context, before, early);
  }
  // A statement that compares the definition's version must not begin before the version changes, and no record may be
  // added that a new index could not hold.
  const isDone = (step: ChangeStep) => step.kind === 'addColumn' && early.includes(step);
  await lock(
    context,
    tablesChanged(before, change),
    steps.filter((step) => !isDone(step)),
  );
  const inChange = stepContext(layout, change);
  for (const step of steps) {
    if (!isDone(step)) await space.execute(performStep(inChange, step));
  }
  return space.execute(changed(layout, before.catalogue, change));
}

/** Work for which PostgreSQL also blocks a table's readers; it takes no time. */
const exclusiveKinds: readonly ChangeStep['kind'][] = ['addColumn', 'dropColumn', 'dropIndex', 'loosen', 'dropTable'];

/** Work that takes long but does not block readers, unlike a new column. */
const longKinds: readonly ChangeStep['kind'][] = ['createIndex', 'fill', 'convert', 'requireValues', 'indexTerms'];

/** Whether a killed or failed change may leave columns behind that the catalogue does not know. */
export function mayLeaveColumns({ steps }: DefinitionChange): boolean {
  return steps.some(addsColumn) && steps.some(({ kind }) => longKinds.includes(kind));
}

function addsColumn(step: ChangeStep): step is ChangeStep & { readonly kind: 'addColumn' } {
  return step.kind === 'addColumn';
}

/** Inside a transaction that holds the lock of the data space. */
export async function removeUnknownColumns(connection: Connection, spaceId: number): Promise<void> {
  const space = sqlIn(connection, spaceId);
  const { catalogue } = await space.execute(readDefinition(layout));
  await space.run(`SET LOCAL lock_timeout = ${lockTimeMs}`);
  for (const table of catalogue.tables) await dropUnknown(space, spaceId, table);
}

/** Stored tables that the catalogue describes otherwise after the change. */
function tablesChanged({ catalogue }: SpaceDefinition, { after }: DefinitionChange): NumberedTable[] {
  const is = new Map(after.tables.map((table) => [table.id, JSON.stringify(table)]));
  return catalogue.tables.filter((table) => is.get(table.id) !== JSON.stringify(table));
}

/**
 * Refuses the change, if possible, before columns are added: even a removed column counts towards the 1 600 that
 * PostgreSQL allows in a table's lifetime. Leaves no lock on a table, which would block the new columns.
 */
async function refuseContradicted(space: StoreSql, change: DefinitionChange): Promise<void> {
  const context = stepContext(layout, change);
  const expected = new ExpectedValues(layout);
  await space.run('SAVEPOINT looked');
  for (const step of change.steps) {
    // The error names the first step that the records contradict, so the check stops at a step that it can't judge.
    if (!(await space.execute(checkStep(context, expected, step)))) break;
  }
  await space.run('ROLLBACK TO SAVEPOINT looked');
}

/** Adds and commits the columns; they are not in the catalogue yet. */
async function makeColumns(
  context: ChangeContext,
  before: SpaceDefinition,
  early: readonly (ChangeStep & { readonly kind: 'addColumn' })[],
): Promise<void> {
  const { spaceId, aside, connection } = context;
  const stored = before.catalogue.tables.filter(({ id }) => early.some(({ table }) => table.id === id));
  for (let attempt = 1; ; attempt++) {
    try {
      await aside.transaction('read committed', async (short) => {
        const space = sqlIn(short, spaceId);
        await space.run(`SET LOCAL lock_timeout = ${lockTimeMs}`);
        for (const table of stored) await dropUnknown(space, spaceId, table);
        for (const { table, column } of early) await space.run(addColumn(layout, table, column));
      });
      return;
    } catch (error) {
      if (sqlState(error) !== '55P03') throw error;
      if (attempt === lockAttemptsMax) throw serviceError(error, `adding columns in ${spaceId}`);
      // Keeps the transaction alive: the server ends one whose client is idle for too long.
      await connection.query({ text: 'SELECT 1' });
    }
  }
}

/**
 * Blocks writers of the tables until the end of the transaction, and readers if a step does; never holds some tables
 * while waiting for others. Strengthening a lock later would deadlock with writers, which take two locks as well.
 */
async function lock(
  { connection, spaceId }: ChangeContext,
  tables: readonly NumberedTable[],
  steps: readonly ChangeStep[],
): Promise<void> {
  if (tables.length === 0) return;
  const space = sqlIn(connection, spaceId);
  const exclusive = new Set(steps.flatMap(({ kind, table }) => (exclusiveKinds.includes(kind) ? [table.id] : [])));
  const [alone, shared] = [true, false].map((is) => tables.filter(({ id }) => exclusive.has(id) === is));
  for (let attempt = 1; ; attempt++) {
    await space.run('SAVEPOINT lock');
    try {
      await lockIn(space, 'ACCESS EXCLUSIVE', alone as NumberedTable[]);
      await lockIn(space, 'SHARE', shared as NumberedTable[]);
      await lockShards(connection, spaceId, (shared as NumberedTable[]).map(nameOf));
      await space.run('RELEASE SAVEPOINT lock');
      return;
    } catch (error) {
      if (sqlState(error) !== '55P03') throw error;
      if (attempt === lockAttemptsMax) throw serviceError(error, `locking ${tables.map(nameOf).join(', ')}`);
      await space.run('ROLLBACK TO SAVEPOINT lock');
    }
  }
}

async function lockIn(space: StoreSql, mode: string, tables: readonly NumberedTable[]): Promise<void> {
  if (tables.length === 0) return;
  await space.run(`LOCK TABLE ${tables.map((table) => tableSql(layout, table)).join(', ')} IN ${mode} MODE`);
}

function nameOf(table: NumberedTable): string {
  return physicalName(storedName(table));
}

async function dropUnknown(space: StoreSql, spaceId: number, table: NumberedTable): Promise<void> {
  const columns = table.columns.map((column) => layout.column(storedName(column)));
  const known = new Set([...columns, audienceColumn, seqColumn]);
  const stored = tableSql(layout, table);
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
