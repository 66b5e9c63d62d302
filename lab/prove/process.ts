/** Starting, stepping and killing server processes, from the outside. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Settings } from '../../src/config.ts';
import type { Stored } from './installation.ts';
import type { FromServer, Space, ToServer } from './server.ts';

export interface OpenOptions {
  /** How many data spaces are made. */
  readonly spaces?: number;
  /** Each of a company of its own. */
  readonly apart?: boolean;
  /** The settings are the defaults for so much memory. */
  readonly memoryBytes?: number;
  readonly settings?: Partial<Settings>;
}

/** A process that has loaded the program and waits to be told which storage to open. */
export interface StandBy {
  /** @throws Error with what the server says when it refuses to start */
  open(stored: Stored, options?: OpenOptions): Promise<Running>;
  /** Begins to open the storage, and does not wait for it. */
  begin(stored: Stored): void;
  kill(): Promise<void>;
}

export interface Running {
  readonly port: number;
  /** Made by this start; empty unless it was asked for. */
  readonly spaces: readonly Space[];
  readonly pid: number;
  isAlive(): boolean;
  stepClock(offsetMs: number): void;
  /** The longest turn of its main thread since this was asked before, in ms of processor time. */
  longestTurn(): Promise<number>;
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
  /** Resolves when the service has closed itself. */
  stop(): Promise<void>;
}

/** Loading the program takes most of a start, so what Node compiled is kept for the next one. */
const compileCache = join(import.meta.dirname, '../../node_modules/.cache/rowhouse-proof');

/**
 * @param command is given the program and its arguments, and becomes it
 * @param variables of its environment
 */
export async function standBy(
  command: readonly string[] = [],
  variables: Readonly<Record<string, string>> = {},
): Promise<StandBy> {
  const [file, ...args] = [...command, process.execPath, join(import.meta.dirname, 'server.ts')];
  const child = spawn(file as string, args, {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, ...variables, NODE_COMPILE_CACHE: compileCache },
    // In a group of its own, so that Ctrl-C reaches the proof alone. It ends when its parent is gone.
    detached: true,
  });
  const exited = once(child, 'exit').then(() => undefined);
  await answerOf(child, exited);
  const send = (message: ToServer) => child.send(message);
  const kill = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  return {
    kill,
    begin: (stored) => void send({ open: { stored, spaces: 0, settings: {} } }),
    async open(stored, { spaces = 0, settings = {}, ...options } = {}) {
      send({ open: { stored, spaces, settings, ...options } });
      const answer = await answerOf(child, exited);
      if (!('opened' in answer)) {
        await kill();
        throw new Error('refused' in answer ? answer.refused : 'The server stood by twice.');
      }
      return {
        ...answer.opened,
        pid: child.pid as number,
        isAlive: () => child.exitCode === null && child.signalCode === null,
        stepClock: (clockOffsetMs) => void (child.connected && send({ clockOffsetMs })),
        async longestTurn() {
          send({ longestTurn: true });
          const answer = await answerOf(child, exited);
          if (!('longestTurnMs' in answer)) throw new Error('The server did not tell its longest turn.');
          return answer.longestTurnMs;
        },
        kill,
        async stop() {
          send({ stop: true });
          await exited;
        },
      };
    },
  };
}

export async function startServer(...options: Parameters<StandBy['open']>): Promise<Running> {
  return (await standBy()).open(...options);
}

async function answerOf(child: ChildProcess, exited: Promise<void>): Promise<FromServer> {
  const gone = exited.then(() => {
    throw new Error(`The server ended with ${child.exitCode ?? child.signalCode}.`);
  });
  return Promise.race([once(child, 'message').then(([message]) => message as FromServer), gone]);
}
