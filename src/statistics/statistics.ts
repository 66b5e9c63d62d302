/**
 * Statistics: each process counts its answers, their durations and its load, and stores the counts once a minute, never
 * while a request waits. The counts of all processes are added up when read.
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
  /** Counts an answer. @param ms its duration */
  answered(ms: number): void;
  /** Counts a refusal: the request was wrong, or the service was busy. */
  refused(): void;
  /** Counts a failure of the service or of a dependency. */
  failed(): void;
  /**
   * The steps of the span in which any process ran, oldest first, including the current one. The latest counts of other
   * processes are missing until they store them.
   * @throws ServiceError `busy`, `internal`
   */
  read(span: Span): Promise<readonly Pick<Step, 'time' | 'counts'>[]>;
  /** Stores the counts; a failure is logged, and the next call tries again. */
  write(): Promise<void>;
  /** Measures the size of the storage, if the last measurement is old. */
  measure(): Promise<void>;
  /** Resolves when the counts are stored. */
  close(): Promise<void>;
}

export function openStatistics({ storage, settings, environment, log }: StatisticsDeps): Statistics {
  const { logs } = storage;
  /** Distinguishes the rows of this process from those of all other processes, past and present. */
  const processId = environment.random(8).toString('hex');
  const delays = monitorEventLoopDelay({ resolution: 20 });
  delays.enable();
  /** Steps of this process that are not stored yet, or not over. */
  let own: readonly Step[] = [];
  let current = noCounts();
  let begun = environment.now();
  let storageBytes: number | null = null;
  let measured = Number.NEGATIVE_INFINITY;
  let forgotten = Number.NEGATIVE_INFINITY;
  let writing = Promise.resolve();
  let isClosed = false;

  /** Updates the current counts that are not counted request by request. */
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
      log.warn({ err: error }, 'The statistics of the service could not be stored; the service will try again.');
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
      if (!isClosed) log.warn({ err: error }, 'The size of the storage could not be measured.');
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
      // Its first value is available at the next call.
      void measure();
      takeStock();
      // Taken before the rows are read, because a write meanwhile changes the counts in memory.
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

/** Merges steps with the same start, in order. */
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
