/**
 * Queries on reader threads, shared fairly: one queue per data space, served in turn. A query that takes long holds up
 * its thread, because SQLite can't be interrupted from outside; another thread then stands in for it, so that nobody
 * waits for a query of somebody else.
 */
import type { Logger } from 'pino';
import type { Settings } from '../../config.ts';
import { ServiceError } from '../../errors.ts';
import type { SelectRequest, SelectResult } from '../contract.ts';
import { waitingRefusal } from '../waiting.ts';
import { busyError, errorOf, stopping } from './failure.ts';
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

/** How many threads there can be: those that work, and as many and two that stand in for the ones held up. */
export function lanesMax(readerThreads: number): number {
  return 2 * readerThreads + 2;
}

export class Readers {
  readonly #options: ReaderOptions;
  readonly #lanes: readonly Lane[];
  /** By data space; the one whose turn is next comes first. */
  readonly #queues = new Map<number, Job[]>();
  readonly #idle: (() => void)[] = [];
  #waiting = 0;
  #looking: NodeJS.Timeout | null = null;
  #isClosing = false;

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
            crashed: (jobs, error) => this.#crashed(jobs, error),
          },
        ),
    );
  }

  /**
   * @param took called with how long it ran
   * @throws ServiceError `busy` when too many wait, or this one waited as long as a query may run; see `select`
   */
  select(
    spaceId: number,
    { rows, count }: SelectRequest,
    took: (timeMs: number) => void = () => {},
  ): Promise<SelectResult> {
    if (this.#isClosing) return Promise.reject(stopping());
    const { readsQueuedMax } = this.#options.settings;
    const own = this.#queues.get(spaceId)?.length ?? 0;
    const refusal = waitingRefusal('queries', readsQueuedMax, this.#waiting, own);
    if (refusal !== null) return Promise.reject(refusal);
    const { promise, resolve, reject } = Promise.withResolvers<SelectResult>();
    const statements = { ...(rows === undefined ? {} : { rows }), ...(count === undefined ? {} : { count }) };
    this.#enqueue({ spaceId, ...statements, since: performance.now(), took, resolve, reject }, 'last');
    this.#dispatch();
    return promise;
  }

  /** Resolves when everything is answered and the threads have ended. */
  async close(): Promise<void> {
    this.#isClosing = true;
    if (!this.isIdle) await new Promise<void>((resolve) => this.#idle.push(resolve));
    if (this.#looking !== null) clearInterval(this.#looking);
    await Promise.all(this.#lanes.map((lane) => lane.end()));
  }

  get isIdle(): boolean {
    return this.#waiting === 0 && this.#lanes.every((lane) => lane.load === 0);
  }

  #enqueue(job: Job, position: 'first' | 'last'): void {
    this.#waiting++;
    const queue = this.#queues.get(job.spaceId);
    if (queue === undefined) this.#queues.set(job.spaceId, [job]);
    else if (position === 'first') queue.unshift(job);
    else queue.push(job);
  }

  #dispatch(): void {
    while (this.#waiting > 0) {
      const lane = this.#leastLoaded();
      if (lane === null) return;
      const jobs = this.#take(
        Math.min(lane.freeSlots, Math.ceil(this.#waiting / this.#options.settings.readerThreads)),
      );
      if (jobs.length === 0) return;
      try {
        lane.send(jobs);
        this.#looking ??= setInterval(() => this.#look(), lookEveryMs).unref();
      } catch (error) {
        this.#fail(jobs, error as Error);
      }
    }
  }

  /** Of the lanes at work, which are the first `readerThreads` that are not held up; null when none has room. */
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

  /** One job from each data space in turn, at most `wanted` of them. */
  #take(wanted: number): Job[] {
    const jobs: Job[] = [];
    while (jobs.length < wanted) {
      const next = this.#nextQueue();
      if (next === null) break;
      const [spaceId, queue] = next;
      jobs.push(queue.shift() as Job);
      this.#waiting--;
      // Put in anew, it comes last.
      this.#queues.delete(spaceId);
      if (queue.length > 0) this.#queues.set(spaceId, queue);
    }
    return jobs;
  }

  #nextQueue(): [number, Job[]] | null {
    for (const entry of this.#queues) if (!this.#mustWait(entry[0])) return entry;
    return null;
  }

  /** A data space that holds lanes up gets no more of them than its share, and never the last one. */
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
    for (const { job, answer } of answers.toReversed()) {
      if ('unknown' in answer) this.#enqueue(job, 'first');
      if ('needsSteps' in answer) this.#enqueue({ ...job, ranMs: answer.timeMs }, 'first');
    }
    this.#dispatch();
    for (const { job, answer } of answers) {
      if ('value' in answer) {
        job.took(answer.timeMs);
        job.resolve(answer.value);
      }
      if ('failure' in answer) job.reject(errorOf(answer.failure));
    }
    this.#tellIdle();
  }

  #crashed(jobs: readonly Job[], error: Error): void {
    this.#options.log.error({ err: error }, 'A reader thread crashed; its queries failed.');
    this.#fail(jobs, error);
    this.#dispatch();
    this.#tellIdle();
  }

  #fail(jobs: readonly Job[], cause: Error): void {
    for (const { reject } of jobs) reject(new ServiceError('internal', 'The database failed.', { cause }));
  }

  #look(): void {
    for (const lane of this.#lanes) {
      for (const job of lane.look().reverse()) this.#enqueue(job, 'first');
    }
    this.#refuseOverdue();
    this.#dispatch();
    this.#tellIdle();
    if (this.isIdle && this.#looking !== null) {
      clearInterval(this.#looking);
      this.#looking = null;
    }
  }

  #refuseOverdue(): void {
    const { queryTimeMs } = this.#options.settings;
    const overdue = performance.now() - queryTimeMs;
    for (const [spaceId, queue] of this.#queues) {
      while (queue[0] !== undefined && queue[0].since < overdue) {
        this.#waiting--;
        const message = `The query waited for its turn for ${queryTimeMs} ms (setting queryTimeMs); try again in a second.`;
        queue.shift()?.reject(busyError(message));
      }
      if (queue.length === 0) this.#queues.delete(spaceId);
    }
  }

  #tellIdle(): void {
    if (this.#idle.length > 0 && this.isIdle) for (const resolve of this.#idle.splice(0)) resolve();
  }
}
