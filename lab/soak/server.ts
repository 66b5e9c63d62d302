/**
 * The service under soak, as a process of its own that measures itself: memory after a collection, open descriptors, the
 * delay of its event loop, and every error that nobody caught. At its first start in a folder it makes the companies.
 */
import { readdirSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Writable } from 'node:stream';
import type { Worker } from 'node:worker_threads';
import { pino } from 'pino';
import { openSeal } from '../../src/auth/seal.ts';
import { role } from '../../src/caller.ts';
import { defaults, type Settings } from '../../src/config.ts';
import { systemEnvironment } from '../../src/environment.ts';
import { type Rowhouse, startRowhouse } from '../../src/main.ts';
import { appId, appKey, clientId, login, providerName } from './names.ts';

export interface Provider {
  readonly issuer: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
}

export interface ServerOptions {
  readonly folder: string;
  readonly settings: Partial<Settings>;
  readonly provider: Provider;
  /** Null when the folder has its companies already. */
  readonly make: { readonly companies: number; readonly versionsEach: number } | null;
}

export interface Place {
  readonly companyId: number;
  readonly version: string;
  /** `/api/{companyId}/{appId}/{appVersion}` */
  readonly prefix: string;
}

export interface Sample {
  /** Bytes. */
  readonly rss: number;
  /** After a full collection where the process may ask for one. */
  readonly heapUsed: number;
  readonly external: number;
  /** Of all threads besides the main one, in sum, with what is not collected yet. */
  readonly threadsHeapUsed: number;
  readonly descriptors: number;
  /** Milliseconds over the whole life of the process, the collections for the samples left out. */
  readonly loopDelayP99: number;
  readonly loopDelayMax: number;
  /** Errors that nobody caught, and lines of the log at level error. */
  readonly faults: readonly string[];
}

export type FromServer =
  | { readonly started: { readonly url: string; readonly places: readonly Place[] } }
  | { readonly sample: Sample };

const resolutionMs = 10;
const faultsMax = 50;
const errorLevel = 50;

const options = JSON.parse(process.argv[2] as string) as ServerOptions;
const tell = (message: FromServer) => process.send?.(message);
const faults: string[] = [];
const note = (fault: string) => void (faults.length < faultsMax && faults.push(fault.slice(0, 2_000)));
process.on('uncaughtException', (error) => note(`not caught: ${error.stack}`));
process.on('unhandledRejection', (reason) => note(`rejection: ${reason instanceof Error ? reason.stack : reason}`));

const threads = new Set<Worker>();
process.on('worker', (worker) => {
  threads.add(worker);
  worker.once('exit', () => threads.delete(worker));
});

const lines = new Writable({
  write(chunk: Buffer, _encoding, done) {
    for (const line of chunk.toString().split('\n')) {
      if (line !== '' && (JSON.parse(line) as { level: number }).level >= errorLevel) note(`log: ${line}`);
    }
    done();
  },
});

const loop = monitorEventLoopDelay({ resolution: resolutionMs });
// All clients come from one address, and sign in again and again.
const limits = { attemptLimits: false };
const settings = { ...defaults, ...limits, port: 0, storage: `sqlite:${options.folder}`, ...options.settings };
const rowhouse = await startRowhouse(settings, { demo: false, log: pino({ level: 'error' }, lines) });
const places = options.make === null ? [] : await makeAll(rowhouse, options.make.companies, options.make.versionsEach);
loop.enable();
tell({ started: { url: rowhouse.url, places } });

process.on('message', (message) => {
  if (message === 'sample') void takeSample().then((sample) => tell({ sample }));
});
process.on('SIGTERM', () => {
  void rowhouse.close().then(() => {
    // Nothing else may keep the process alive.
    process.disconnect?.();
  });
});

async function takeSample(): Promise<Sample> {
  // A thread that is only starting, or has just ended, refuses to tell.
  const heaps = await Promise.allSettled([...threads].map((thread) => thread.getHeapStatistics()));
  const used = heaps.map((heap) => (heap.status === 'fulfilled' ? heap.value.used_heap_size : 0));
  const threadsHeapUsed = used.reduce((sum, bytes) => sum + bytes, 0);
  loop.disable();
  if (globalThis.gc !== undefined) globalThis.gc();
  const { rss, heapUsed, external } = process.memoryUsage();
  const descriptors = readdirSync('/proc/self/fd').length;
  const delay = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - resolutionMs);
  const sample = {
    rss,
    heapUsed,
    external,
    threadsHeapUsed,
    descriptors,
    loopDelayP99: delay(loop.percentile(99)),
    loopDelayMax: delay(loop.max),
    faults,
  };
  loop.enable();
  return sample;
}

async function makeAll(service: Rowhouse, companies: number, versionsEach: number): Promise<Place[]> {
  const made: Place[] = [];
  for (let id = 1; id <= companies; id++) made.push(...(await makeCompany(service, id, versionsEach)));
  return made;
}

async function makeCompany({ directory }: Rowhouse, companyId: number, versions: number): Promise<Place[]> {
  const { issuer, clientSecret, redirectUri } = options.provider;
  await directory.companies.create({ id: companyId, name: `Soak ${companyId}` });
  const group = await directory.groups.create({ companyId, name: 'All' });
  await directory.users.create({
    companyId,
    account: login,
    email: `${login}@example.com`,
    memberships: [{ groupId: group.id, roleId: role.developer }],
  });
  const application = { companyId, appId };
  await directory.applications.create({ ...application, name: 'Soak', appKey, groupIds: [group.id] });
  const seal = openSeal(settings, systemEnvironment);
  const secretSealed = seal.seal(clientSecret);
  await directory.clients.create({ ...application, providerName, issuer, clientId, secretSealed, redirectUri });
  const made: Place[] = [];
  for (let number = 1; number <= versions; number++) {
    const version = `${number}.0.0`;
    await directory.versions.create({ ...application, version });
    made.push({ companyId, version, prefix: `/api/${companyId}/${appId}/${version.replaceAll('.', '_')}` });
  }
  return made;
}
