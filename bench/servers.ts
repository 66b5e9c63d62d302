/** The servers under test as processes of their own: started, asked, and stopped. */
import { type ChildProcess, fork } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Space, Started } from './server.ts';
import type { Target } from './works.ts';

export interface Server extends Target {
  readonly port: number;
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
  const { port, spaces, process } = await start('server.ts', [folder, String(newSpaces)], flags);
  return { isFloor: false, port, process, spaces: known.length > 0 ? known : withFiles(folder, spaces) };
}

export async function startFloor(folder: string, spaces: readonly Space[]): Promise<Server> {
  const { port, process } = await start('floor.ts', [folder], []);
  return { isFloor: true, port, process, spaces };
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

export async function stop(server: Server): Promise<void> {
  const ended = new Promise((resolve) => server.process.once('exit', resolve));
  server.process.send('stop');
  await ended;
}

/** Resident memory of the server, MiB. */
export async function residentMiB(server: Server): Promise<number> {
  return Math.round((await ask(server, 'memory')) / 2 ** 20);
}

/** How many files and sockets the server has open. */
export function openFiles(server: Server): Promise<number> {
  return ask(server, 'files');
}

function ask(server: Server, question: string): Promise<number> {
  const answered = new Promise<number>((resolve) =>
    server.process.once('message', (number) => resolve(Number(number))),
  );
  server.process.send(question);
  return answered;
}
