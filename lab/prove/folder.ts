/** The data of a proof: a temporary folder or storage, prepared once by a server. */
import type { Settings } from '../../src/config.ts';
import { Connection } from '../client/connection.ts';
import { startPostgres } from '../machine/postgres.ts';
import { makeStorage, type Scratch } from '../machine/scratch.ts';
import { type OpenOptions, type Stored, startServer } from '../service/process.ts';
import type { Space } from '../service/spaces.ts';
import { defineRequest } from './service.ts';

/** One thread is enough for one data space, and starts faster. */
export const proofSettings: Partial<Settings> = { writerThreads: 1, readerThreads: 1, stopIdleMs: 0 };

export function sqliteIn(folder: string): Stored {
  return { storage: `sqlite:${folder}`, secretKey: '' };
}

/** Creates the company, the data spaces and their table with a server, which is then stopped cleanly. */
export async function prepare(stored: Stored, spaceCount: number, more: OpenOptions = {}): Promise<readonly Space[]> {
  const server = await startServer(stored, { spaces: spaceCount, settings: proofSettings, ...more });
  await defineTables(server, 30_000);
  await server.stop();
  return server.spaces;
}

/** Creates the table in each data space of a server. @param timeMs for each */
export async function defineTables(
  { port, spaces }: { readonly port: number; readonly spaces: readonly Space[] },
  timeMs: number,
): Promise<void> {
  const connection = new Connection(port);
  for (const space of spaces) {
    const { status, body } = await connection.exchange(defineRequest(space), timeMs);
    if (status !== 200) throw new Error(`The table could not be defined: ${body}`);
  }
  connection.close();
}

/**
 * Runs the work with empty storage, and removes it afterwards.
 * @param server address of a PostgreSQL server; without it, the storage is SQLite
 */
export async function inStorage<T>(server: string | undefined, work: (scratch: Scratch) => Promise<T>): Promise<T> {
  const scratch = await makeStorage(server === undefined ? 'sqlite' : 'postgres', async () => server ?? '');
  try {
    return await work(scratch);
  } finally {
    await scratch.remove();
  }
}

/** The same for several instances, which use PostgreSQL: by default, a server that syncs every commit is started. */
export function inSharedStorage<T>(server: string | undefined, work: (scratch: Scratch) => Promise<T>): Promise<T> {
  return onPostgres(server, (url) => inStorage(url, work));
}

/** @param server address of a PostgreSQL server; without it, one that syncs every commit is started, and stopped afterwards */
export async function onPostgres<T>(server: string | undefined, work: (url: string) => Promise<T>): Promise<T> {
  if (server !== undefined) return work(server);
  const own = await startPostgres({ durable: true });
  try {
    return await work(own.url);
  } finally {
    await own.stop();
  }
}
