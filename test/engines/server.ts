/**
 * The PostgreSQL server of a run of tests: the one that `test/run.ts` started for all of them (`ROWHOUSE_TEST_POSTGRES`),
 * or one of this process alone, when a file of tests is run without it.
 */
import { type Postgres, startPostgres } from '../../lab/machine/postgres.ts';

let own: Promise<Postgres> | undefined;

/**
 * Of a database from which others are made and dropped; its user is the superuser. The promise is a new one for each caller:
 * hooks that are registered after waiting for a promise of another file would become that file's.
 */
export async function serverUrl(): Promise<string> {
  const given = process.env.ROWHOUSE_TEST_POSTGRES;
  if (given !== undefined) return given;
  own ??= startPostgres();
  return (await own).url;
}
