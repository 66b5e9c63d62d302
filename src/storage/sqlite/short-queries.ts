/**
 * Runs short queries on the main thread if that is faster than a reader thread. A statement counts as short after it
 * was short in a reader thread. A query that takes longer than a millisecond is stopped, at the latest after the
 * current row, and runs in a reader thread instead; until it is answered, so do all other queries of the data space. If
 * it was long there too, and not just delayed by the system or by garbage collection, the data space's queries stay in
 * the reader threads for a while, twice as long each time. So nobody can block the main thread for long or often.
 */
import type { Settings } from '../../config.ts';
import type { Statement } from '../../query/statement.ts';
import type { SelectRequest, SelectResult } from '../contract.ts';
import { Lru } from '../lru.ts';
import type { Readers } from './readers.ts';
import type { Records } from './records.ts';
import type { SelectLimits } from './select.ts';

/**
 * A statement that takes no longer than this, milliseconds, always runs on the main thread: a request to a reader
 * thread costs as much, even if sent together with others.
 */
const tinyMs = 0.02;
/**
 * A statement that takes no longer than this, milliseconds, runs on the main thread when the reader threads are busier.
 */
const shortMs = 0.5;
/** Estimated main-thread time for a request to a reader thread and its answer, milliseconds. */
const askingMs = 0.03;
/** Estimated main-thread time to read a request and send its answer, milliseconds. */
const requestMs = 0.05;
/** Time after which a query on the main thread is stopped. */
const stopMs = 1;
/** Time for queries on the main thread in one turn of the event loop. */
const turnMs = 5;
/**
 * Assumed time of a statement after it was stopped, so that it must first be short in a reader thread several times.
 */
const doubtMs = 2;
/**
 * How long a data space's queries stay in the reader threads after a long one was stopped: the first time, and at most.
 */
const restMs = { first: 20, max: 1_000 } as const;
/** Number of data spaces whose rest (`restMs`) is remembered. */
const restingMax = 1_000;
/** Size limits of an answer from the main thread; larger ones are built in a thread. */
const shortBytesMax = 64 * 1024;
const shortRowsMax = 500;

interface Asked {
  readonly spaceId: number;
  readonly request: SelectRequest;
  readonly resolve: (result: SelectResult) => void;
  readonly reject: (error: unknown) => void;
}

/** Why and until when the queries of a data space stay in the reader threads. */
interface Rest {
  /** Queries that were stopped and are not answered yet. */
  stopped: number;
  until: number;
  lengthMs: number;
}

export class ShortQueries {
  readonly #records: Pick<Records, 'select'>;
  readonly #readers: Pick<Readers, 'select'>;
  readonly #readerThreads: number;
  readonly #limits: SelectLimits;
  /** By statement: its approximate median time, milliseconds. A statement belongs to one data space. */
  readonly #times = new WeakMap<Statement, number>();
  readonly #rests = new Lru<number, Rest>(restingMax);
  /** Queries to run in this turn of the event loop. */
  #asked: Asked[] = [];
  /** How many arrived in this turn. */
  #inTurn = 0;
  /** Whether only one arrived in the last turn with any. */
  #wasAlone = true;
  /** Estimated time for the queue of the reader threads, milliseconds, summed over the threads. */
  #askedOfReadersMs = 0;

  /** A reader thread refuses results that are larger than the settings allow. */
  constructor(
    records: Pick<Records, 'select'>,
    readers: Pick<Readers, 'select'>,
    {
      readerThreads,
      resultBytesMax,
      resultRowsMax,
    }: Pick<Settings, 'readerThreads' | 'resultBytesMax' | 'resultRowsMax'>,
  ) {
    this.#records = records;
    this.#readers = readers;
    this.#readerThreads = readerThreads;
    this.#limits = {
      queryTimeMs: stopMs,
      resultBytesMax: Math.min(shortBytesMax, resultBytesMax),
      resultRowsMax: Math.min(shortRowsMax, resultRowsMax),
    };
  }

  /** @throws ServiceError as `Readers.select` */
  select(spaceId: number, request: SelectRequest): Promise<SelectResult> {
    return new Promise((resolve, reject) => {
      const one = { spaceId, request, resolve, reject };
      // Like records, the queries of a turn run after it, one right after the other; a single query runs at once.
      const isFirst = this.#inTurn++ === 0;
      if (isFirst) setImmediate(() => this.#endTurn());
      if (isFirst && this.#wasAlone) this.#runAll([one]);
      else this.#asked.push(one);
    });
  }

  /** Runs everything requested before, or gives it to the reader threads; must be called before those are closed. */
  close(): void {
    this.#endTurn();
  }

  #endTurn(): void {
    const asked = this.#asked;
    this.#asked = [];
    this.#wasAlone = this.#inTurn === 1;
    this.#inTurn = 0;
    this.#runAll(asked);
  }

  #runAll(asked: readonly Asked[]): void {
    if (asked.length === 0) return;
    const begin = performance.now();
    // The reader threads begin while the main thread runs its queries.
    for (const one of this.#shareOut(asked, begin)) {
      if (performance.now() - begin >= turnMs || this.#isResting(one.spaceId, begin)) this.#pass(one);
      else this.#run(one);
    }
  }

  /** Gives the reader threads the queries that they answer sooner. @returns the queries for the main thread */
  #shareOut(asked: readonly Asked[], now: number): Asked[] {
    const own: Asked[] = [];
    // With several requests in a turn, the main thread must also serve the others.
    let ownMs = (asked.length - 1) * requestMs;
    for (const one of asked) {
      const time = this.#shortTime(one, now);
      const passedMs = this.#askedOfReadersMs / this.#readerThreads;
      if (time <= tinyMs || (time <= shortMs && ownMs < passedMs + askingMs)) {
        own.push(one);
        ownMs += time;
      } else this.#pass(one);
    }
    return own;
  }

  /** Estimated time of the query, milliseconds; infinite for one that may not run on the main thread. */
  #shortTime({ spaceId, request }: Asked, now: number): number {
    for (const bound of [request.rows, request.count]) {
      if (bound !== undefined && bound.statement.isLight !== true) return Number.POSITIVE_INFINITY;
    }
    return this.#isResting(spaceId, now)
      ? Number.POSITIVE_INFINITY
      : (this.#times.get(keyOf(request)) ?? Number.POSITIVE_INFINITY);
  }

  #isResting(spaceId: number, now: number): boolean {
    const rest = this.#rests.get(spaceId);
    return rest !== undefined && (rest.stopped > 0 || now < rest.until);
  }

  #run(one: Asked): void {
    const { spaceId, request, resolve, reject } = one;
    const begin = performance.now();
    try {
      const result = this.#records.select(spaceId, request, this.#limits);
      if (result === null) {
        this.#passStopped(one);
        return;
      }
      this.#note(request, performance.now() - begin);
      resolve(result);
    } catch (error) {
      reject(error);
    }
  }

  #passStopped(one: Asked): void {
    const rest = this.#rests.get(one.spaceId) ?? { stopped: 0, until: Number.NEGATIVE_INFINITY, lengthMs: 0 };
    this.#rests.set(one.spaceId, rest);
    rest.stopped++;
    this.#times.set(keyOf(one.request), doubtMs);
    let tookMs = Number.POSITIVE_INFINITY;
    this.#pass(one, (timeMs) => {
      tookMs = timeMs;
    }).then(() => {
      rest.stopped--;
      if (tookMs <= stopMs) return;
      const now = performance.now();
      const isAgain = now < rest.until + restMs.max;
      rest.lengthMs = isAgain ? Math.min(2 * rest.lengthMs, restMs.max) : restMs.first;
      rest.until = now + rest.lengthMs;
    });
  }

  /** Resolves when it is answered. @param took called with its run time, unless it failed */
  async #pass({ spaceId, request, resolve, reject }: Asked, took: (timeMs: number) => void = () => {}): Promise<void> {
    const expectedMs = this.#times.get(keyOf(request)) ?? shortMs;
    this.#askedOfReadersMs += expectedMs;
    const note = (tookMs: number) => {
      this.#note(request, tookMs);
      took(tookMs);
    };
    try {
      resolve(await this.#readers.select(spaceId, request, note));
    } catch (error) {
      reject(error);
    }
    this.#askedOfReadersMs -= expectedMs;
  }

  /** Moves in small steps towards each measured time, so that a first or delayed run soon loses its weight. */
  #note(request: SelectRequest, tookMs: number): void {
    const statement = keyOf(request);
    const known = this.#times.get(statement);
    this.#times.set(statement, known === undefined ? tookMs : known * (tookMs > known ? 1.1 : 0.8));
  }
}

function keyOf({ rows, count }: SelectRequest): Statement {
  return ((rows ?? count) as NonNullable<typeof rows>).statement;
}
