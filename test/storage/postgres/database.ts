/** A database of PostgreSQL for a test, and connections to it that are closed after the test. */
import type { TestContext } from 'node:test';
import { defaults, type Settings } from '../../../src/config.ts';
import {
  type Connection,
  type ConnectionsOptions,
  openConnections,
} from '../../../src/storage/postgres/connections.ts';
import { scratchOf, type TestScratch } from '../../engines/scratch.ts';

export interface PoolOptions extends Partial<Omit<ConnectionsOptions, 'settings'>> {
  readonly settings?: Partial<Settings>;
}

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
