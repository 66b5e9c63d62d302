/** The whole soak: first restarts under load, then one long run under the same load, which is measured. */

import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type DemoProvider, startDemoProvider } from '../../src/demo/provider.ts';
import { seeded } from '../machine/random.ts';
import { type OpenOptions, type Running, startServer } from '../service/process.ts';
import type { Provider } from '../service/spaces.ts';
import { Client } from './client.ts';
import { clientId, providerName } from './requests.ts';
import type { Latency } from './tally.ts';
import type { Sample } from './watch.ts';
import { World } from './world.ts';

export interface SoakOptions {
  /** An existing, empty folder. */
  readonly folder: string;
  readonly minutes: number;
  readonly restarts: number;
  readonly clients: number;
  /** Requests per second, of all clients. */
  readonly rate: number;
  readonly seed: number;
  readonly progress?: (text: string) => void;
}

export interface TimedSample extends Sample {
  /** Seconds since the start of the soak. */
  readonly at: number;
}

export interface Soaked {
  readonly seconds: number;
  readonly requests: number;
  /** By `status/errCode`. */
  readonly answers: Readonly<Record<string, number>>;
  readonly misbehaviour: Readonly<Record<string, number>>;
  readonly latencies: Readonly<Record<string, Latency>>;
  readonly acknowledged: number;
  readonly restarts: number;
  /** Number of records compared with acknowledged ones, over all restarts. */
  readonly verified: number;
  readonly lostInRestarts: number;
  readonly unexpectedCount: number;
  readonly unexpected: readonly string[];
  readonly faults: readonly string[];
  /** Of the long life. */
  readonly samples: readonly TimedSample[];
  /** Seconds until the end of the long run's warm-up. */
  readonly warmAt: number;
  /** After the load, when all clients had ended. */
  readonly idle: Sample;
}

const companies = 3;
const versionsEach = 8;

const watch = join(import.meta.dirname, 'watch.ts');
const sampleOf = (server: Running) => server.ask<Sample>('sample');

/** Small enough that caches fill and files are exchanged during the warm-up. */
const settings = {
  openFilesMax: 16,
  pageCacheBytes: 32 * 1024 * 1024,
  sessionCacheMax: 200,
  shapesMax: 20,
  // Off, because all clients have one address and sign in repeatedly.
  attemptLimits: false,
} as const;

/** Shares of the time: for the restarts, and, of the rest, for the warm-up, during which caches fill. */
const restartsShare = 0.2;
const warmUpShare = 0.4;
const samplesWanted = 240;
const samplesMin = 3;
const sampleTimeMaxMs = 10_000;
const idleMs = 1_500;
/** How long clients may take to finish their last action. */
const lastDoingMs = 90_000;

export async function soak(options: SoakOptions): Promise<Soaked> {
  const redirectUri = 'http://127.0.0.1:9/signed-in';
  const clientSecret = 'a-secret-of-the-soak';
  const faults: string[] = [];
  const provider = await quietProvider(clientSecret, redirectUri, faults);
  try {
    const run = new Run(
      options,
      { providerName, issuer: provider.issuer, clientId, clientSecret, redirectUri },
      faults,
    );
    return await run.all();
  } finally {
    await provider.close();
  }
}

class Run {
  readonly #options: SoakOptions;
  readonly #provider: Provider;
  readonly #faults: string[];
  readonly #begun = performance.now();
  readonly #samples: TimedSample[] = [];
  #verified = 0;

  constructor(options: SoakOptions, provider: Provider, faults: string[]) {
    this.#options = options;
    this.#provider = provider;
    this.#faults = faults;
  }

  async all(): Promise<Soaked> {
    const { clients: count, rate, minutes, restarts, seed } = this.#options;
    let server = await this.#start({ spaces: companies * versionsEach, companies, provider: this.#provider });
    const world = new World(server.spaces);
    world.comesUp(server.url);
    const clients = Array.from({ length: count }, (_, number) => new Client(world, number, seeded(seed, number)));
    for (const client of clients) await client.begin();
    const running = Promise.all(clients.map((client) => client.run((count / rate) * 1_000)));
    try {
      const endAt = performance.now() + minutes * 60_000;
      for (let left = restarts; left > 0; left--) {
        await wait((minutes * 60_000 * restartsShare) / restarts);
        server = await this.#restart(server, world);
      }
      const longFrom = performance.now();
      const warmAt = this.#secondsAt(longFrom + Math.max(0, endAt - longFrom) * warmUpShare);
      await this.#sample(server, world, endAt, warmAt);
      world.isOver = true;
      await inTime(running);
      await wait(idleMs);
      const idle = await sampleOf(server);
      this.#faults.push(...idle.faults);
      server = await this.#restart(server, world);
      for (const client of clients) this.#verified += await client.verify();
      this.#faults.push(...(await sampleOf(server)).faults);
      await server.end();
      const seconds = this.#secondsAt(performance.now());
      return {
        ...told(world),
        seconds,
        restarts: restarts + 1,
        verified: this.#verified,
        ...this.#measured(warmAt, idle),
      };
    } catch (error) {
      world.isOver = true;
      // Only the first error is reported; clients still active may delay the server's end.
      await server.end().catch(() => {});
      throw error;
    }
  }

  #start(options: OpenOptions = {}): Promise<Running> {
    const stored = { storage: `sqlite:${join(this.#options.folder, 'data')}`, secretKey: '' };
    return startServer(stored, { ...options, settings }, { orders: watch, flags: ['--expose-gc'] });
  }

  #measured(warmAt: number, idle: Sample) {
    return { faults: this.#faults, samples: this.#samples, warmAt, idle };
  }

  async #restart(server: Running, world: World): Promise<Running> {
    const { faults } = await sampleOf(server);
    if (!world.isOver) this.#faults.push(...faults);
    world.goesDown();
    await server.end();
    const next = await this.#start();
    world.comesUp(next.url);
    this.#options.progress?.(`restart ${world.life - 1}`);
    return next;
  }

  /** Samples until the end, or a little longer on a busy machine, because fewer samples give no trend. */
  async #sample(server: Running, world: World, endAt: number, warmAt: number): Promise<void> {
    const { minutes, progress } = this.#options;
    const every = Math.min(sampleTimeMaxMs, Math.max(1_000, (minutes * 60_000) / samplesWanted));
    let toldAt = 0;
    const isTooShort = () => this.#samples.filter(({ at }) => at >= warmAt).length < samplesMin;
    while (performance.now() < endAt || isTooShort()) {
      await wait(performance.now() < endAt ? Math.min(every, endAt - performance.now()) : every);
      const at = this.#secondsAt(performance.now());
      const sample = { ...(await sampleOf(server)), at };
      this.#samples.push(sample);
      if (at - toldAt < 60 && toldAt > 0) continue;
      toldAt = at;
      const mib = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
      progress?.(
        `${Math.round(at)} s: ${world.tally.requests} requests, memory ${mib(sample.rss)}, heap ${mib(sample.heapUsed)}, ` +
          `${sample.descriptors} descriptors, ${world.tally.unexpectedCount} unexpected`,
      );
    }
  }

  #secondsAt(time: number): number {
    return (time - this.#begun) / 1_000;
  }
}

/** @throws Error when it takes too long, because something hangs */
async function inTime(running: Promise<unknown>): Promise<void> {
  const giveUp = new AbortController();
  const late = wait(lastDoingMs, 'late', { signal: giveUp.signal });
  const first = await Promise.race([running, late]);
  if (first === 'late') throw new Error(`A client did not end within ${lastDoingMs} ms.`);
  giveUp.abort();
  await late.catch(() => {});
}

function told({ tally, writes }: World) {
  const acknowledged = writes.accepted;
  const { requests, answers, misbehaviour, lostInRestarts, unexpectedCount, unexpected } = tally;
  const latencies = tally.latencies();
  return { requests, answers, misbehaviour, latencies, acknowledged, lostInRestarts, unexpectedCount, unexpected };
}

/**
 * The development provider, in this process, so that its memory is not the service's. It writes its advice to the
 * console.
 */
async function quietProvider(clientSecret: string, redirectUri: string, faults: string[]): Promise<DemoProvider> {
  const log = { error: (...entry: unknown[]) => void faults.push(`identity provider: ${JSON.stringify(entry)}`) };
  return startDemoProvider({ port: 0, clients: [{ clientId, clientSecret, redirectUris: [redirectUri] }], log });
}
