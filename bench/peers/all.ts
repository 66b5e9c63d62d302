/** What can be measured beside the service, by the names that `--peers` takes. */
import { fill } from '../fill.ts';
import { type Measurable, startServiceOnPostgres } from '../servers.ts';
import { startDirectus } from './directus.ts';
import { startParseServer } from './parse-server.ts';

/** @param databaseUrl of an empty PostgreSQL database of its own */
export type StartPeer = (databaseUrl: string, rows: number) => Promise<Measurable>;

export const peers: ReadonlyMap<string, StartPeer> = new Map([
  ['parse-server', startParseServer],
  ['directus', startDirectus],
  ['postgres', ourselvesOnPostgres],
]);

/** The service itself on the database that the peers use. */
async function ourselvesOnPostgres(databaseUrl: string, rows: number): Promise<Measurable> {
  const server = await startServiceOnPostgres(databaseUrl);
  await fill(server.port, server.spaces, rows);
  return server;
}
