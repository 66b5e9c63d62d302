/**
 * Queries on reader threads, shared fairly: data spaces take turns (`fair-queue.ts`). A long query blocks its thread,
 * because SQLite cannot be interrupted from outside; another thread then replaces it, so that nobody waits for someone
 * else's query.
 */
import type { Logger } from 'pino';
import type { Settings } from '../../config.ts';
import { ServiceError } from '../../errors.ts';
import { lateQuery } from '../busy.ts';
import type { SelectRequest, SelectResult } from '../contract.ts';
import { FairQueue } from '../fair-queue.ts';
import { alone } from '../turns.ts';
import { errorOf } from './failure.ts';
import { newLargeTurn } from './large-turn.ts';
import type { Share } from './open-files.ts';
import { type Answered, type Job, Lane } from './reader-lane.ts';
import type { SelectLimits } from './select.ts';

const lookEveryMs = 25;

export interface ReaderOptions {
  readonly folder: string;
  readonly installation: string;
  /** Of each lane. */
  readonly share: Share;
  readonly settings: SelectLimits & Pick<Settings, 'readerThreads' | 'functionBytesMax' | 'readsQueuedMax' | 'zone'>;
  readonly deadlineFactor: number;
  readonly log: Pick<Logger, 'error'>;
}

/** The maximum number of threads: the working ones, and as many plus two as replacements for blocked ones. */
export function lanesMax(readerThreads: number): number {
  return 2 * readerThreads + 2;
}

export class Readers {
  readonly #options: ReaderOptions;
  readonly #lanes: readonly Lane[];
  readonly #queue: FairQueue<Job>;
  #looking: NodeJS.Timeout | null = null;

  constructor(options: ReaderOptions) {
    this.#options = options;
    const { folder, installation, share, settings, deadlineFactor } = options;
    const { queryTimeMs, resultRowsMax, resultBytesMax, functionBytesMax, zone } = settings;
    const data = {
      folder,
      installation,
      share,
      limits: { queryTimeMs, resultRowsMax, resultBytesMax },
      functionBytesMax,
      zone,
      deadlineFactor,
      largeTurn: newLargeTurn(),
    };
    this.#lanes = Array.from(
      { length: lanesMax(settings.readerThreads) },
      (_, index) =>
        new Lane(
          { ...data, threadNumber: index + 1 },
          {
            answered: (answers) => this.#answered(answers),
            failed: (jobs, error) => this.#failed(jobs, error),
          },
        ),
    );
    this.#queue = new FairQueue<Job>({
      slots: {
        hasFree: () => this.#leastLoaded() !== null,
        isOpenTo: (spaceId) => !this.#mustWait(spaceId),
      },
      limit: { what: 'queries', max: settings.readsQueuedMax },
      start: (_, [job]) => this.#start(job as Job),
      late(_, jobs) {
        for (const { reject } of jobs) reject(lateQuery(queryTimeMs));
      },
    });
  }

  /**
   * @param took called with its run time
   * @throws ServiceError `busy` when too many queries wait, or this one has waited as long as a query may run; see
   * `select`
   */
  select(
    spaceId: number,
    { rows, count }: SelectRequest,
    took: (timeMs: number) => void = () => {},
  ): Promise<SelectResult> {
    return new Promise((resolve, reject) => {
      const statements = { ...(rows === undefined ? {} : { rows }), ...(count === undefined ? {} : { count }) };
      const deadline = performance.now() + this.#options.settings.queryTimeMs;
      this.#queue.push(spaceId, { ...alone, spaceId, ...statements, deadline, took, ranMs: null, resolve, reject });
    });
  }

  /** See `FairQueue.takeMostWaiting`. */
  takeMostWaiting(): number {
    return this.#queue.takeMostWaiting();
  }

  /** Resolves when everything is answered and the threads have ended. */
  async close(): Promise<void> {
    await this.#queue.close();
    if (this.#looking !== null) clearInterval(this.#looking);
    await Promise.all(this.#lanes.map((lane) => lane.end()));
  }

  #start(job: Job): void {
    (this.#leastLoaded() as Lane).add(job);
    this.#looking ??= setInterval(() => this.#look(), lookEveryMs).unref();
  }

  /**
   * The least loaded of the working lanes, which are the first `readerThreads` that are not blocked; null when all are
   * full.
   */
  #leastLoaded(): Lane | null {
    let working = 0;
    let least: Lane | null = null;
    for (const lane of this.#lanes) {
      if (lane.heldUpBy !== null) continue;
      if (lane.freeSlots > 0 && (least === null || lane.load < least.load)) least = lane;
      if (++working === this.#options.settings.readerThreads) break;
    }
    return least;
  }

  /** A data space that blocks lanes gets no more lanes than its share, and never the last one. */
  #mustWait(spaceId: number): boolean {
    let own = 0;
    let all = 0;
    for (const { heldUpBy } of this.#lanes) {
      if (heldUpBy === spaceId) own++;
      if (heldUpBy !== null) all++;
    }
    return own > 0 && (own > this.#options.settings.readerThreads || all >= this.#lanes.length - 1);
  }

  #answered(answers: readonly Answered[]): void {
    for (const { job, answer } of answers) {
      if ('needsSteps' in answer) job.ranMs = answer.timeMs;
      this.#queue.done(job.spaceId, [job], 'unknown' in answer || 'needsSteps' in answer ? [job] : []);
    }
    for (const { job, answer } of answers) {
      if ('value' in answer) {
        job.took(answer.timeMs);
        job.resolve(answer.value);
      }
      if ('failure' in answer) job.reject(errorOf(answer.failure));
    }
  }

  #failed(jobs: readonly Job[], error: Error): void {
    this.#options.log.error({ err: error }, 'A reader thread crashed; its queries failed.');
    for (const job of jobs) {
      this.#queue.done(job.spaceId, [job]);
      job.reject(new ServiceError('internal', 'The database failed.', { cause: error }));
    }
  }

  #look(): void {
    for (const lane of this.#lanes) {
      for (const job of lane.look()) this.#queue.done(job.spaceId, [job], [job]);
    }
    // Another lane replaces a blocked one.
    this.#queue.startNext();
    if (this.#looking === null || this.#lanes.some(({ load }) => load > 0)) return;
    clearInterval(this.#looking);
    this.#looking = null;
  }
}
