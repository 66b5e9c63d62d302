/**
 * Measurements inside the service under soak: memory after a garbage collection, open descriptors, the delay of its
 * event loop, and every uncaught error.
 */
import { readdirSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Writable } from 'node:stream';
import type { Worker } from 'node:worker_threads';
import { pino } from 'pino';
import type { Orders } from '../machine/child.ts';

export interface Sample {
  /** Bytes. */
  readonly rss: number;
  /** After a full garbage collection, if the process may request one. */
  readonly heapUsed: number;
  readonly external: number;
  /** The sum over all threads except the main one, including garbage. */
  readonly threadsHeapUsed: number;
  readonly descriptors: number;
  /** Milliseconds over the whole life of the process, without the garbage collections for samples. */
  readonly loopDelayP99: number;
  readonly loopDelayMax: number;
  /** Uncaught errors, and lines of the log at level error. */
  readonly faults: readonly string[];
}

const resolutionMs = 10;
const faultsMax = 50;
const errorLevel = 50;

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

/** Only unhandled or reported errors count here. */
export const log = pino({ level: 'error' }, lines);

const loop = monitorEventLoopDelay({ resolution: resolutionMs });
loop.enable();

export const ordersOf = (): Orders => ({ sample: takeSample });

async function takeSample(): Promise<Sample> {
  // A thread that is starting, or has just ended, gives no figures.
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
