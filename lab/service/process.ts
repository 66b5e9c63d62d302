/** Starts, steps and kills processes of the service. */
import { join } from 'node:path';
import { heapFlags } from '../../bin/allocator.js';
import type { Settings } from '../../src/config.ts';
import { type Child, type ChildOptions, startChild } from '../machine/child.ts';
import type { MadeSpace, Wanted } from './spaces.ts';
import type { Turns } from './turn-meter.ts';

/** Where a service keeps its data. */
export type Stored = Pick<Settings, 'storage' | 'secretKey'>;

/** Creates data spaces if requested. */
export interface OpenOptions extends Partial<Wanted> {
  /** Use the default settings for this much memory. */
  readonly memoryBytes?: number;
  readonly settings?: Partial<Settings>;
}

export interface Opened {
  readonly url: string;
  readonly port: number;
  /** Data spaces created by this start; empty unless requested. */
  readonly spaces: readonly MadeSpace[];
}

/** A process that has loaded the program and waits for the order to open a storage. */
export interface StandBy {
  /** @throws Error with the server's message when it refuses to start */
  open(stored: Stored, options?: OpenOptions): Promise<Running>;
  /** Begins to open the storage, and does not wait for it. */
  begin(stored: Stored): void;
  kill(): Promise<void>;
}

export interface Running extends Opened, Pick<Child, 'pid' | 'isAlive' | 'ask' | 'kill'> {
  stepClock(offsetMs: number): void;
  /** The long turns of its main thread since the last call. */
  turns(): Promise<Turns>;
  /** Stops the service; resolves when it is closed. */
  stop(): Promise<void>;
  /**
   * The same, and checks that nothing else keeps the process alive.
   * @throws Error when it does not end by itself with status 0
   */
  end(): Promise<void>;
}

export interface ProcessOptions extends ChildOptions {
  /** Path of a module of further orders (`OrdersModule`). */
  readonly orders?: string;
}

/** Loading the program takes most of a start, so Node's compiled code is cached for the next one. */
const compileCache = join(import.meta.dirname, '../../node_modules/.cache/rowhouse-lab');
const endTimeMs = 60_000;

export async function standBy({ orders, variables, flags = [], ...options }: ProcessOptions = {}): Promise<StandBy> {
  const child = await startChild(join(import.meta.dirname, 'server.ts'), orders === undefined ? [] : [orders], {
    ...options,
    flags: [...heapFlags, ...flags],
    variables: { NODE_COMPILE_CACHE: compileCache, ...variables },
  });
  const { pid, isAlive, ask, kill } = child;
  const open = (stored: Stored, opening: OpenOptions) => ask<Opened>('open', { stored, options: opening });
  return {
    kill,
    begin: (stored) => void open(stored, {}).catch(() => {}),
    async open(stored, opening = {}) {
      const opened = await open(stored, opening).catch(async (error) => {
        await kill();
        throw error;
      });
      return {
        ...opened,
        ...{ pid, isAlive, ask, kill },
        stepClock: (offsetMs) => void ask('clock', offsetMs).catch(() => {}),
        turns: () => ask('turns'),
        async stop() {
          void ask('stop').catch(() => {});
          await child.ended;
        },
        end: () => endOf(child),
      };
    },
  };
}

async function endOf(child: Child): Promise<void> {
  const late = setTimeout(child.kill, endTimeMs);
  await child.ask('close').catch(() => {});
  if (child.isAlive()) child.disconnect();
  const status = await child.ended;
  clearTimeout(late);
  if (status !== 0) throw new Error(`Told to stop, the server ended with ${status}.`);
}

/** @throws Error with the server's message when it refuses to start */
export async function startServer(stored: Stored, options?: OpenOptions, how?: ProcessOptions): Promise<Running> {
  return (await standBy(how)).open(stored, options);
}
