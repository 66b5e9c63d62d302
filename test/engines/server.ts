/**
 * The PostgreSQL server of a test run: the one that `test/run.ts` started for all tests (`ROWHOUSE_TEST_POSTGRES`), or
 * one for this process alone if a file is run without it.
 */
import { type Postgres, startPostgres } from '../../lab/machine/postgres.ts';

let own: Promise<Postgres> | undefined;

/**
 * Address of a database from which others are created and dropped; its user is the superuser. Each caller gets a new
 * promise, because hooks registered after awaiting another file's promise would belong to that file.
 */
export async function serverUrl(): Promise<string> {
  const given = process.env.ROWHOUSE_TEST_POSTGRES;
  if (given !== undefined) return given;
  own ??= startPostgres();
  return (await own).url;
}
