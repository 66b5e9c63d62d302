/** The service and the floor as processes: starts, queries and stops them. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../../src/config.ts';
import { spaceSchema } from '../../src/storage/postgres/schemas.ts';
import { type Child, startChild } from '../machine/child.ts';
import { secretKey } from '../machine/scratch.ts';
import { startServer } from '../service/process.ts';
import { type Space, serviceAsks, type Target } from './asks.ts';
import type { Places } from './floor/http.ts';
import { databaseConnections } from './pool.ts';

/** A server under test: ours or a peer. */
export interface Measurable extends Target {
  readonly name: string;
  readonly port: number;
  /** By work: the most connections that it can serve. */
  readonly connectionsMax?: Readonly<Record<string, number>>;
  /** Resident memory of its process, MiB. */
  residentMiB(): Promise<number>;
  stop(): Promise<void>;
}

export interface Server extends Measurable, Pick<Child, 'pid' | 'ask'> {}

/** @param profile folder for a CPU profile, or undefined */
export async function startService(
  folder: string,
  newSpaces: number,
  known: readonly Space[] = [],
  profile?: string,
): Promise<Server> {
  const flags = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  const running = await startServer({ storage: `sqlite:${folder}`, secretKey }, { spaces: newSpaces }, { flags });
  return ownServer('service', running, known.length > 0 ? known : withFiles(folder, running.spaces));
}

/** @param databaseUrl of a PostgreSQL database, which must be empty if data spaces are to be created */
export async function startServiceOnPostgres(
  databaseUrl: string,
  newSpaces = 1,
  known: readonly Space[] = [],
  further: Partial<Settings> = {},
): Promise<Server> {
  const settings = { databaseConnectionsMax: databaseConnections, ...further };
  const running = await startServer({ storage: databaseUrl, secretKey }, { spaces: newSpaces, settings });
  return ownServer('service on PostgreSQL', running, known.length > 0 ? known : running.spaces);
}

/**
 * A bare server on a copy of the service's files (`floor/server.ts`), in one thread or with threads, which only support
 * one data space.
 */
export function startFloor(
  name: string,
  folder: string,
  spaces: readonly Space[],
  way: 'one' | 'threads' = 'one',
): Promise<Server> {
  const args = ['floor/server.ts', way, String(spaces.length)];
  return startOwnFloor(name, args, spaces, ({ file = '' }) => join(folder, 'spaces', file));
}

/** @param way how it commits a write, see `floor/postgres.ts` */
export function startFloorOnPostgres(
  name: string,
  databaseUrl: string,
  way: 'transaction' | 'statement',
  spaces: readonly Space[],
): Promise<Server> {
  const args = ['floor/postgres.ts', databaseUrl, way];
  return startOwnFloor(name, args, spaces, ({ spaceId }) => spaceSchema(spaceId));
}

async function startOwnFloor(
  name: string,
  [file = '', ...args]: readonly string[],
  spaces: readonly Space[],
  placeOf: (space: Space) => string,
): Promise<Server> {
  const child = await startChild(join(import.meta.dirname, file), args);
  const places: Places = spaces.map((space) => ({ prefix: space.prefix, place: placeOf(space) }));
  const port = await child.ask<number>('listen', places);
  return ownServer(name, { ...child, port, stop: () => child.kill() }, spaces);
}

interface Process extends Pick<Child, 'pid' | 'ask'> {
  readonly port: number;
  stop(): Promise<void>;
}

function ownServer(name: string, { port, pid, ask, stop }: Process, spaces: readonly Space[]): Server {
  const residentMiB = async () => Math.round((await ask<number>('memory')) / 2 ** 20);
  return { name, port, pid, spaces, asks: serviceAsks, ask, residentMiB, stop };
}

function withFiles(folder: string, spaces: readonly Space[]): Space[] {
  const files = readdirSync(join(folder, 'spaces')).filter((name) => name.endsWith('.db'));
  const byNumber = new Map(files.map((name) => [Number.parseInt(name, 10), name]));
  return spaces.map((space) => ({ ...space, file: byNumber.get(space.spaceId) ?? '' }));
}
