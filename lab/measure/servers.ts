/** The service and the floor as processes of their own: started, asked, and stopped. */
import { type ChildProcess, fork } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Target } from './asks.ts';
import { floorAsks, serviceAsks } from './own-asks.ts';
import type { Space, Started } from './server.ts';

/** A server under test, of ours or a peer. */
export interface Measurable extends Target {
  readonly name: string;
  readonly port: number;
  /** By work: more connections than these it can't serve. */
  readonly connectionsMax?: Readonly<Record<string, number>>;
  /** Resident memory of its process, MiB. */
  residentMiB(): Promise<number>;
  stop(): Promise<void>;
}

export interface Server extends Measurable {
  readonly process: ChildProcess;
}

/** @param profile folder for a CPU profile, or undefined */
export async function startService(
  folder: string,
  newSpaces: number,
  known: readonly Space[] = [],
  profile?: string,
): Promise<Server> {
  const flags = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  const { port, spaces, process } = await start('server.ts', [`sqlite:${folder}`, String(newSpaces)], flags);
  return ownServer('service', port, process, known.length > 0 ? known : withFiles(folder, spaces));
}

/** @param databaseUrl of a PostgreSQL database, an empty one where data spaces are to be made */
export async function startServiceOnPostgres(
  databaseUrl: string,
  newSpaces = 1,
  known: readonly Space[] = [],
): Promise<Server> {
  const { port, spaces, process } = await start('server.ts', [databaseUrl, String(newSpaces)], []);
  return ownServer('service on PostgreSQL', port, process, known.length > 0 ? known : spaces);
}

export async function startFloor(folder: string, spaces: readonly Space[]): Promise<Server> {
  const { port, process } = await start('floor.ts', [folder, String(spaces.length)], []);
  return ownServer('floor', port, process, spaces);
}

/** @param way how it commits a write, see `floor-postgres.ts` */
export async function startFloorOnPostgres(
  name: string,
  databaseUrl: string,
  way: 'transaction' | 'statement',
  spaces: readonly Space[],
): Promise<Server> {
  const { port, process } = await start('floor-postgres.ts', [databaseUrl, way], []);
  const named = spaces.map((space) => ({ ...space, file: String(space.spaceId) }));
  return { ...ownServer(name, port, process, named), asks: floorAsks };
}

function ownServer(name: string, port: number, process: ChildProcess, spaces: readonly Space[]): Server {
  return {
    name,
    port,
    process,
    spaces,
    asks: name === 'floor' ? floorAsks : serviceAsks,
    residentMiB: async () => Math.round((await ask(process, 'memory')) / 2 ** 20),
    async stop() {
      const ended = new Promise((resolve) => process.once('exit', resolve));
      process.send('stop');
      await ended;
    },
  };
}

async function start(file: string, args: string[], execArgv: string[]): Promise<Started & { process: ChildProcess }> {
  const child = fork(join(import.meta.dirname, file), args, { stdio: 'inherit', execArgv });
  const started = await new Promise<Started>((resolve, reject) => {
    child.once('message', (message) => resolve(message as Started));
    child.once('exit', (code) => reject(new Error(`${file} ended with status ${code}.`)));
  });
  return { ...started, process: child };
}

function withFiles(folder: string, spaces: readonly Space[]): Space[] {
  const files = readdirSync(join(folder, 'spaces')).filter((name) => name.endsWith('.db'));
  const byNumber = new Map(files.map((name) => [Number.parseInt(name, 10), name]));
  return spaces.map((space) => ({ ...space, file: byNumber.get(space.spaceId) ?? '' }));
}

/** How many files and sockets the server has open. */
export function openFiles({ process }: Server): Promise<number> {
  return ask(process, 'files');
}

function ask(process: ChildProcess, question: string): Promise<number> {
  const answered = new Promise<number>((resolve) => process.once('message', (number) => resolve(Number(number))));
  process.send(question);
  return answered;
}
