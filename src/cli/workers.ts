/**
 * Runs several processes that answer on one port. The primary, here, does what is needed once, distributes connections
 * to the workers in turn, restarts one that ended by itself, and stops them all.
 */
import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Settings } from '../config.ts';
import type { SettingOrigins } from '../load-settings.ts';
import { type Prepared, prepareRowhouse, urlOf } from '../main.ts';

export interface ToWorker {
  /** From 1; a replacement worker keeps the number. */
  readonly number: number;
  readonly settings: Settings;
  readonly origins: SettingOrigins;
  readonly demo: boolean;
  readonly readable: boolean;
}

export type FromWorker = { readonly ready: true } | { readonly failed: string };

export interface Workers {
  readonly url: string;
  readonly settings: Settings;
  readonly demo: Prepared['demo'];
  /** Several processes require a configured key. */
  readonly keyFileMade: null;
  setUpLink(): Promise<string | null>;
  /** Resolves when every worker has finished its requests and ended. */
  close(): Promise<void>;
}

export interface WorkersOptions {
  readonly origins: SettingOrigins;
  readonly demo: boolean;
  readonly newKey: boolean;
  readonly readable: boolean;
  readonly log: Logger;
}

/** A worker that ends by itself is restarted after a delay that doubles, until one has lived for a while. */
const restartDelayMs = { first: 100, longest: 10_000 };
const soundAfterMs = 30_000;

/** Resolves when all of them answer. @throws Error when one can't start, with its reason; all others are ended then */
export async function startWorkers(given: Settings, options: WorkersOptions): Promise<Workers> {
  const { log, demo, newKey } = options;
  const { host, port } = await settledAddress(given);
  const settings = { ...given, port };
  const url = urlOf(settings, `http://${host.includes(':') ? `[${host}]` : host}:${port}`);
  const prepared = await prepareRowhouse(settings, { demo, newKey, log, url });
  cluster.setupPrimary({ exec: join(import.meta.dirname, 'worker.ts'), args: [] });
  const posts = Array.from({ length: settings.workers }, (_, index) => new Post(index + 1, settings, options));
  // No worker outlives the primary, however it ends.
  process.once('exit', () => {
    for (const post of posts) post.kill();
  });
  const close = async () => {
    await Promise.all(posts.map((post) => post.close()));
    await prepared.close();
  };
  try {
    await Promise.all(posts.map((post) => post.start()));
  } catch (error) {
    await close();
    throw error;
  }
  const setUpLink = async () => prepared.setUpLink;
  return { url, settings, demo: prepared.demo, keyFileMade: null, setUpLink, close };
}

/** Checks now whether the address is free, and finds a port if any will do: all workers need the same. */
async function settledAddress({ host, port }: Settings): Promise<{ host: string; port: number }> {
  const server = createServer().listen({ host, port, exclusive: true });
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return { host, port: typeof address === 'object' && address !== null ? address.port : port };
}

/** A worker slot, whichever process fills it. */
class Post {
  readonly #message: ToWorker;
  readonly #log: Logger;
  #worker: Worker | null = null;
  #gone: Promise<unknown> = Promise.resolve();
  #restartDelayMs = restartDelayMs.first;
  #restart: NodeJS.Timeout | undefined;
  #isClosing = false;

  constructor(number: number, settings: Settings, { origins, demo, readable, log }: WorkersOptions) {
    this.#message = { number, settings, origins, demo, readable };
    this.#log = log;
  }

  /** Resolves when the worker answers; from then on, replaces it when it ends. */
  async start(): Promise<void> {
    await this.#fill();
    const worker = this.#worker;
    if (worker?.isDead() === false) this.#watch(worker);
    else this.#fillAgain('It ended as soon as it had started.');
  }

  kill(): void {
    this.#worker?.process.kill('SIGKILL');
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#restart);
    this.#worker?.process.kill('SIGTERM');
    await this.#gone;
  }

  async #fill(): Promise<void> {
    const worker = cluster.fork();
    this.#worker = worker;
    this.#gone = once(worker, 'exit');
    worker.send(this.#message);
    const ended = this.#gone.then((): FromWorker => ({ failed: `It ended at its start (${endOf(worker)}).` }));
    const told = await Promise.race([once(worker, 'message').then(([message]) => message as FromWorker), ended]);
    if ('ready' in told) {
      this.#log.info({ worker: this.#message.number, process: worker.process.pid }, 'A worker answers.');
      return;
    }
    worker.process.kill('SIGKILL');
    await this.#gone;
    throw new Error(told.failed);
  }

  #watch(worker: Worker): void {
    const since = performance.now();
    void this.#gone.then(() => {
      if (performance.now() - since >= soundAfterMs) this.#restartDelayMs = restartDelayMs.first;
      this.#fillAgain(`It ended (${endOf(worker)}).`);
    });
  }

  #fillAgain(why: string): void {
    if (this.#isClosing) return;
    const inMs = this.#restartDelayMs;
    this.#restartDelayMs = Math.min(inMs * 2, restartDelayMs.longest);
    this.#log.error({ worker: this.#message.number, inMs }, `A worker is restarted. ${why}`);
    this.#restart = setTimeout(() => {
      this.start().catch((error: unknown) => this.#fillAgain(error instanceof Error ? error.message : String(error)));
    }, inMs);
  }
}

function endOf({ process: { exitCode, signalCode } }: Worker): string {
  return signalCode === null ? `exit status ${exitCode}` : `signal ${signalCode}`;
}
