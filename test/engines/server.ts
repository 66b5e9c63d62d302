/**
 * The PostgreSQL server of a run of tests: the one that `test/run.ts` started for all of them (`ROWHOUSE_TEST_POSTGRES`),
 * or one of this process alone, when a file of tests is run without it.
 */
import { startPostgres } from '../../lab/machine/postgres.ts';

let url: Promise<string> | undefined;

/** Of a database from which others are made and dropped; its user is the superuser. */
export function serverUrl(): Promise<string> {
  const given = process.env.ROWHOUSE_TEST_POSTGRES;
  url ??= given === undefined ? startPostgres().then((server) => server.url) : Promise.resolve(given);
  return url;
}
