/**
 * Brings a schema to the newest layout. Its `_version` says how many steps it has behind it; each step is a transaction,
 * under a lock, so that of several instances that start at once one does it, and one that dies half-way leaves nothing.
 */
import type { Connection, Connections } from '../connections.ts';
import { isUndefined } from '../failure.ts';
import { directorySchema, inSpace, logsSchema, spaceSchema } from '../schemas.ts';
import { directorySteps } from './directory.ts';
import { logsSteps } from './logs.ts';
import { spaceSteps } from './space.ts';

/** What has steps: the directory, the logs, or a data space by its id. */
export type Store = 'directory' | 'logs' | number;

/** How many steps there are for a data space. */
export const spaceLayout = spaceSteps.length;

/** Separates our advisory locks from those of others in the same database. */
const lockClass = 0x726f77;

export function schemaOf(store: Store): string {
  if (store === 'directory') return directorySchema;
  return store === 'logs' ? logsSchema : spaceSchema(store);
}

export function newestLayout(store: Store): number {
  return stepsOf(store).length;
}

function stepsOf(store: Store): readonly (readonly string[])[] {
  if (store === 'directory') return directorySteps;
  return store === 'logs' ? logsSteps : spaceSteps.map((step) => step.map((sql) => inSpace(sql, store)));
}

/** Until the end of the transaction nobody else holds it: for changes of the layout, and of tables of a data space. */
export async function lockStore(connection: Connection, store: Store): Promise<void> {
  const key = store === 'directory' ? 0 : store === 'logs' ? -1 : store;
  await connection.query({
    text: 'SELECT pg_advisory_xact_lock($1::integer, $2::integer)',
    values: [String(lockClass), String(key)],
  });
}

/**
 * Makes the schema when it is missing.
 * @param guard runs under the lock, before anything is made in an empty database
 * @throws Error when the schema is of a newer program
 */
export async function migrate(
  connections: Connections,
  store: Store,
  guard: (connection: Connection) => Promise<void> = async () => {},
): Promise<void> {
  if ((await layoutOf(connections, store)) === stepsOf(store).length) return;
  while (await connections.transaction('read committed', (connection) => step(connection, store, guard)));
}

/** One step, under the lock. @returns whether there may be more to do */
async function step(
  connection: Connection,
  store: Store,
  guard: (connection: Connection) => Promise<void>,
): Promise<boolean> {
  await lockStore(connection, store);
  const schema = schemaOf(store);
  const { rows } = await connection.query({
    text: 'SELECT 1 FROM pg_tables WHERE schemaname = $1 AND tablename = $2',
    values: [schema, '_version'],
  });
  if (rows.length === 0) {
    await guard(connection);
    await makeEmpty(connection, store);
  }
  return takeStep(connection, store);
}

/** A schema without any step behind it. */
export async function makeEmpty(connection: Connection, store: Store): Promise<void> {
  const schema = schemaOf(store);
  await connection.query({ text: `CREATE SCHEMA IF NOT EXISTS "${schema}"` });
  await connection.query({
    text: `CREATE TABLE "${schema}"._version (one smallint PRIMARY KEY CHECK (one = 1), layout integer NOT NULL)`,
  });
  await connection.query({ text: `INSERT INTO "${schema}"._version VALUES (1, 0)` });
}

/** @returns false when there was none to take */
export async function takeStep(connection: Connection, store: Store): Promise<boolean> {
  const steps = stepsOf(store);
  const present = (await layoutOf(connection, store)) ?? 0;
  if (present > steps.length) {
    throw new Error(
      `The schema ${schemaOf(store)} has layout ${present}, made by a newer Rowhouse; this one knows ${steps.length} at most.`,
    );
  }
  const next = steps[present];
  if (next === undefined) return false;
  for (const text of next) await connection.query({ text });
  await connection.query({ text: `UPDATE "${schemaOf(store)}"._version SET layout = ${present + 1}` });
  return true;
}

/** How many steps the schema has behind it, or null when it is not there. */
export async function layoutOf(connection: Connection, store: Store): Promise<number | null> {
  try {
    const { rows } = await connection.query({ text: `SELECT layout FROM "${schemaOf(store)}"._version` });
    const layout = rows[0]?.[0];
    if (layout === undefined) throw new Error(`The schema ${schemaOf(store)} was damaged: its _version is empty.`);
    return Number(layout);
  } catch (error) {
    if (isUndefined(error)) return null;
    throw error;
  }
}
