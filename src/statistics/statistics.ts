/**
 * How the service fares: each process counts what it answers, how long that takes and how busy it is, and writes it down
 * once a minute, never while a request waits. What all processes did is added up when it is read.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Logger } from 'pino';
import type { Settings } from '../config.ts';
import type { Environment } from '../environment.ts';
import { hourMs } from '../setting.ts';
import type { Storage } from '../storage/contract.ts';
import { TimeSlice } from '../time-slices.ts';
import { addCounts, type Counts, noCounts } from './counts.ts';
import { forgetSteps, putStep, readSteps, type Step } from './rows.ts';
import { beginOf, type Span, spanNames, stepAt } from './spans.ts';

export interface StatisticsDeps {
  readonly storage: Pick<Storage, 'logs' | 'takeActivity' | 'bytes'>;
  readonly settings: Pick<Settings, 'statisticsEveryMs' | 'statisticsRowsMax' | 'storageSizeEveryMs'>;
  readonly environment: Environment;
  readonly log: Pick<Logger, 'warn'>;
}

export interface Statistics {
  /** An answer that took so long, in milliseconds. */
  answered(ms: number): void;
  /** Something was wrong about the request, or it came at a time when the service was busy. */
  refused(): void;
  /** A fault of ours, or of what the service depends on. */
  failed(): void;
  /**
   * The steps of the span in which a process ran, oldest first, the one under way included. Of other processes the latest
   * counts are missing until they write them.
   * @throws ServiceError `busy`, `internal`
   */
  read(span: Span): Promise<readonly Pick<Step, 'time' | 'counts'>[]>;
  /** Writes down what was counted; a failure is logged, and the next time writes it. */
  write(): Promise<void>;
  /** Measures how much space the storage takes, if that was long ago. */
  measure(): Promise<void>;
  /** Resolves when what was counted is written down. */
  close(): Promise<void>;
}

export function openStatistics({ storage, settings, environment, log }: StatisticsDeps): Statistics {
  const { logs } = storage;
  /** Tells the rows of this process from those of all others, before and beside it. */
  const processId = environment.random(8).toString('hex');
  const delays = monitorEventLoopDelay({ resolution: 20 });
  delays.enable();
  /** Steps of this process that are not written yet, or not over. */
  let own: readonly Step[] = [];
  let current = noCounts();
  let begun = environment.now();
  let storageBytes: number | null = null;
  let measured = Number.NEGATIVE_INFINITY;
  let forgotten = Number.NEGATIVE_INFINITY;
  let writing = Promise.resolve();
  let isClosed = false;

  /** Brings the current counts up to date with what is not counted request by request. */
  function takeStock(): void {
    const load = { memoryBytes: process.memoryUsage.rss(), delayMs: delays.max / 1e6, storageBytes };
    addCounts(current, { ...noCounts(), ...load, ...storage.takeActivity() });
  }

  /** Adds the current counts to the step of each span in which they began. Steps that could not be written for a whole span are lost. */
  function endPortion(): void {
    takeStock();
    delays.reset();
    const steps = [...own];
    for (const span of spanNames) {
      const time = stepAt(span, begun);
      const step = steps.find((one) => one.span === span && one.time === time);
      if (step === undefined) steps.push({ span, time, counts: copyOf(current) });
      else addCounts(step.counts, current);
    }
    begun = environment.now();
    own = steps.filter(({ span, time }) => time >= beginOf(span, begun));
    current = noCounts();
  }

  async function writeDown(): Promise<void> {
    endPortion();
    const now = begun;
    const isTimeToForget = now - forgotten >= hourMs;
    const forgetting = isTimeToForget
      ? spanNames.flatMap((span) => forgetSteps(logs, span, now, settings.statisticsRowsMax))
      : [];
    try {
      await logs.write([...forgetting, ...own.map((step) => putStep(logs, processId, step))]);
      own = own.filter(({ span, time }) => time === stepAt(span, now));
      if (isTimeToForget) forgotten = now;
    } catch (error) {
      log.warn({ err: error }, 'The statistics of the service could not be written; it is tried again.');
    }
  }

  function write(): Promise<void> {
    writing = writing.then(writeDown);
    return writing;
  }

  async function measure(): Promise<void> {
    const now = environment.now();
    if (now - measured < settings.storageSizeEveryMs) return;
    measured = now;
    try {
      storageBytes = await storage.bytes();
    } catch (error) {
      if (!isClosed) log.warn({ err: error }, 'How much space the storage takes could not be measured.');
    }
  }

  const timer = setInterval(() => {
    void write();
    void measure();
  }, settings.statisticsEveryMs).unref();
  return {
    answered(ms) {
      current.answered++;
      current.answers.count(ms);
    },
    refused: () => void current.refused++,
    failed: () => void current.failed++,
    async read(span) {
      // Its first value is there the next time.
      void measure();
      takeStock();
      // Before the rows are read: a write meanwhile changes what is in memory.
      const inMemory = [
        ...own.filter((step) => step.span === span).map(({ time, counts }) => ({ time, counts: copyOf(counts) })),
        { time: stepAt(span, begun), counts: copyOf(current) },
      ];
      const times = new Set(inMemory.map(({ time }) => time));
      const rows = await readSteps(logs, span, environment.now());
      return together([...rows.filter((row) => row.processId !== processId || !times.has(row.time)), ...inMemory]);
    },
    write,
    measure,
    close() {
      isClosed = true;
      clearInterval(timer);
      delays.disable();
      return write();
    },
  };
}

function copyOf(counts: Counts): Counts {
  const copy = noCounts();
  addCounts(copy, counts);
  return copy;
}

/** One for each time, in their order. */
async function together(steps: readonly Pick<Step, 'time' | 'counts'>[]): Promise<Pick<Step, 'time' | 'counts'>[]> {
  const slice = new TimeSlice();
  const byTime = new Map<number, Counts>();
  for (const { time, counts } of steps) {
    if (slice.isOver) await slice.next();
    const sum = byTime.get(time) ?? noCounts();
    addCounts(sum, counts);
    byTime.set(time, sum);
  }
  return [...byTime].map(([time, counts]) => ({ time, counts })).sort((a, b) => a.time - b.time);
}
