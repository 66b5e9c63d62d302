/** For `node --test-global-setup`: one PostgreSQL server for all files of a run on it, which get its address. */
import { type Postgres, startPostgres } from '../../lab/machine/postgres.ts';
import { engine } from './engine.ts';

let server: Postgres | undefined;

export async function globalSetup(): Promise<void> {
  if (engine !== 'postgres' || process.env.ROWHOUSE_TEST_POSTGRES !== undefined) return;
  server = await startPostgres();
  process.env.ROWHOUSE_TEST_POSTGRES = server.url;
}

export async function globalTeardown(): Promise<void> {
  await server?.stop();
}
