/** A database of PostgreSQL for a test, and connections to it that are closed after the test. */
import type { TestContext } from 'node:test';
import { withClient } from '../../../lab/machine/client.ts';
import { clusterOf } from '../../../lab/machine/cluster.ts';
import { defaults, type Settings } from '../../../src/config.ts';
import { lockShards } from '../../../src/storage/postgres/citus.ts';
import {
  type Connection,
  type ConnectionsOptions,
  openConnections,
} from '../../../src/storage/postgres/connections.ts';
import { scratchOf, type TestScratch } from '../../engines/scratch.ts';

export interface PoolOptions extends Partial<Omit<ConnectionsOptions, 'settings'>> {
  readonly settings?: Partial<Settings>;
}

type Place = Pick<TestScratch, 'settings'>;

export async function databaseOf(test: TestContext) {
  const scratch = await scratchOf(test);
  return { scratch, connect: (options: PoolOptions = {}) => connect(scratch, options) };
}

function connect(scratch: TestScratch, options: PoolOptions) {
  const connections = openConnections({
    url: scratch.settings.storage,
    max: 3,
    statementTimeMs: 10_000,
    waitingMax: 1_000,
    ...options,
    settings: { ...defaults, ...options.settings },
  });
  scratch.closeFirst(() => connections.close());
  return connections;
}

/** The first column of the first row. */
export async function one(connection: Connection, text: string, values: readonly (string | null)[] = []) {
  return (await connection.query({ text, values })).rows[0]?.[0];
}

export const processId = 'SELECT pg_backend_pid()';

/** Ends another connection, as an administrator or a stopping server does. */
export async function terminate(connection: Connection, pid: string | null | undefined): Promise<void> {
  await connection.query({ text: 'SELECT pg_terminate_backend($1::integer)', values: [pid ?? null] });
}

/** Addresses of the database: one, or on a cluster one for each node, the coordinator's first. */
export function databasesOf({ settings: { storage } }: Place): string[] {
  const nodes = clusterOf(storage)?.nodes ?? [storage];
  return nodes.map((node) => new URL(new URL(storage).pathname, node).href);
}

const waiting = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;

/** Whether a statement in the database, on any node, waits for a lock. */
export async function isSomebodyWaiting(scratch: Place): Promise<boolean> {
  return (await onEach(scratch, waiting)).length > 0;
}

export async function untilSomebodyWaits(scratch: Place): Promise<void> {
  while (!(await isSomebodyWaiting(scratch)));
}

/** Ends the connections on every node whose statement waits for a lock. */
export async function terminateWhoWaits(scratch: Place): Promise<void> {
  await onEach(scratch, `SELECT pg_terminate_backend(pid) FROM (${waiting}) AS waiting`);
}

/** Blocks writes to a table of data space 1 until the end of the transaction. */
export async function lockTable(connection: Connection, table: string): Promise<void> {
  await connection.query({ text: `LOCK TABLE rowhouse_space_1."${table}"` });
  await lockShards(connection, 1, [table]);
}

async function onEach(scratch: Place, text: string, values: readonly string[] = []) {
  const databases = databasesOf(scratch);
  const results = databases.map((database) => withClient(database, (client) => client.query(text, [...values])));
  return (await Promise.all(results)).flatMap(({ rows }) => rows);
}

/** The modes of the locks on a table of data space 1, under its own name and under that of its shard. */
export async function locksOf(scratch: Place, table: string): Promise<string[]> {
  const locks = `SELECT mode FROM pg_locks WHERE granted AND relation::regclass::text ~ $1`;
  const rows = await onEach(scratch, locks, [`^rowhouse_space_1\\.${table}(_\\d+)?$`]);
  return rows.map(({ mode }) => mode as string);
}
