/** The peers that can be compared with the service. */
import { fill } from '../fill.ts';
import { type Measurable, startServiceOnPostgres } from '../servers.ts';
import { startDirectus } from './directus.ts';
import { startParseServer } from './parse-server.ts';
import { startPocketBase } from './pocketbase.ts';
import { startTrailBase } from './trailbase.ts';

/** @param databaseUrl of an empty, private PostgreSQL database */
export type StartOnPostgres = (databaseUrl: string, rows: number) => Promise<Measurable>;

/** By the names for `--peers`. */
export const peersOnPostgres: ReadonlyMap<string, StartOnPostgres> = new Map([
  ['parse-server', startParseServer],
  ['directus', startDirectus],
  ['postgres', ourselvesOnPostgres],
]);

/**
 * @param binary path of the peer's program
 * @param folder for its data, created here and removed by the caller
 */
export type StartBinary = (binary: string, folder: string, rows: number) => Promise<Measurable>;

/** By the flags for the path of the program. */
export const peersFromBinaries = { pocketbase: startPocketBase, trailbase: startTrailBase } as const satisfies Readonly<
  Record<string, StartBinary>
>;

/** The service itself on the database that the peers use. */
async function ourselvesOnPostgres(databaseUrl: string, rows: number): Promise<Measurable> {
  const server = await startServiceOnPostgres(databaseUrl);
  await fill(server.port, server.spaces, rows);
  return server;
}
