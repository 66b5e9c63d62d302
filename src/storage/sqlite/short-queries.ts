/**
 * Queries that are short are run on the main thread: a thread would have the answer later, and asking it costs more than
 * they do. A query is taken for short once the same statement was short in a reader thread. It is stopped when it is not,
 * within a millisecond or the one row that takes longer, and then runs in a reader thread, as do all others of its
 * data space for a while. So nobody can hold up the main thread for long, nor often.
 */
import type { Statement } from '../../query/statement.ts';
import type { SelectRequest, SelectResult } from '../contract.ts';
import { Lru } from '../lru.ts';
import type { Readers } from './readers.ts';
import type { Records } from './records.ts';

/** A statement that takes no longer costs less than asking a thread for it, milliseconds. */
const tinyMs = 0.05;
/**
 * One that takes no longer is answered sooner on the main thread where nothing else is to be done, and where there is a
 * single reader thread: there are too few processors then for that thread to work beside the main one.
 */
const shortMs = 0.5;
/** When a query on the main thread is stopped. */
const stopMs = 1;
/** For so long the main thread may run queries in one turn of the event loop. */
const turnMs = 5;
/** What a statement is taken to need after it was stopped: it has to be short in a reader thread a few times. */
const doubtMs = 2;
/** Of processor time, from which on a stopped query is one that somebody means to be long. */
const heavyMs = 0.5;
/** For so long a data space's queries go to the reader threads after one was stopped that was heavy. */
const restMs = 1_000;
/** Of how many data spaces that is known. */
const restingMax = 1_000;
/** What an answer from the main thread may be: a large one is best put together by a thread. */
const resultBytesMax = 64 * 1024;
const resultRowsMax = 500;

interface Asked {
  readonly spaceId: number;
  readonly request: SelectRequest;
  readonly resolve: (result: SelectResult) => void;
  readonly reject: (error: unknown) => void;
}

/** A turn of the event loop: when its queries began, and the thread's processor time then. */
interface Turn {
  readonly begin: number;
  readonly cpu: NodeJS.CpuUsage;
}

export class ShortQueries {
  readonly #records: Pick<Records, 'select'>;
  readonly #readers: Pick<Readers, 'select' | 'isIdle'>;
  readonly #manyAtMostMs: number;
  /** By the statement: about the median of what it took, milliseconds. A statement belongs to one data space. */
  readonly #times = new WeakMap<Statement, number>();
  /** Until when a data space rests. */
  readonly #resting = new Lru<number, number>(restingMax);
  /** Those of this turn of the event loop. */
  #asked: Asked[] = [];

  constructor(records: Pick<Records, 'select'>, readers: Pick<Readers, 'select' | 'isIdle'>, readerThreads: number) {
    this.#records = records;
    this.#readers = readers;
    this.#manyAtMostMs = readerThreads === 1 ? shortMs : tinyMs;
  }

  /** @throws ServiceError as `Readers.select` */
  select(spaceId: number, request: SelectRequest): Promise<SelectResult> {
    return new Promise((resolve, reject) => {
      // As with records: the first of a turn has all of them run after it.
      if (this.#asked.push({ spaceId, request, resolve, reject }) === 1) setImmediate(() => this.#runAsked());
    });
  }

  /** Runs what was asked for before, or gives it to the reader threads; to be called before those are closed. */
  close(): void {
    this.#runAsked();
  }

  #runAsked(): void {
    const asked = this.#asked;
    this.#asked = [];
    const turn: Turn = { begin: performance.now(), cpu: process.threadCpuUsage() };
    const atMostMs = asked.length === 1 && this.#readers.isIdle ? shortMs : this.#manyAtMostMs;
    for (const one of asked) {
      const now = performance.now();
      const isTried = now - turn.begin < turnMs && this.#isShort(one, atMostMs, now);
      if (!isTried || !this.#run(one, now, turn)) this.#pass(one);
    }
  }

  #isShort({ spaceId, request }: Asked, atMostMs: number, now: number): boolean {
    for (const bound of [request.rows, request.count]) {
      if (bound !== undefined && bound.statement.isLight !== true) return false;
    }
    const time = this.#times.get(keyOf(request));
    return time !== undefined && time <= atMostMs && now >= (this.#resting.get(spaceId) ?? 0);
  }

  /** @returns whether it is answered */
  #run({ spaceId, request, resolve, reject }: Asked, begun: number, turn: Turn): boolean {
    const limits = { queryTimeMs: stopMs, resultBytesMax, resultRowsMax };
    try {
      const result = this.#records.select(spaceId, request, limits);
      const ended = performance.now();
      if (result === null) {
        this.#times.set(keyOf(request), doubtMs);
        if (wasHeavy(begun, turn)) this.#resting.set(spaceId, ended + restMs);
        return false;
      }
      this.#note(request, ended - begun);
      resolve(result);
      return true;
    } catch (error) {
      reject(error);
      return true;
    }
  }

  #pass({ spaceId, request, resolve, reject }: Asked): void {
    this.#readers.select(spaceId, request, (tookMs) => this.#note(request, tookMs)).then(resolve, reject);
  }

  /** In small steps towards each time that comes, so that a first run, or one that the system held up, is soon forgotten. */
  #note(request: SelectRequest, tookMs: number): void {
    const statement = keyOf(request);
    const known = this.#times.get(statement);
    this.#times.set(statement, known === undefined ? tookMs : known * (tookMs > known ? 1.1 : 0.8));
  }
}

function keyOf({ rows, count }: SelectRequest): Statement {
  return ((rows ?? count) as NonNullable<typeof rows>).statement;
}

/** Whether it was the stopped query that used the processor, and not the system or a disk that held up the thread. */
function wasHeavy(begun: number, turn: Turn): boolean {
  const { user, system } = process.threadCpuUsage(turn.cpu);
  return (user + system) / 1_000 - (begun - turn.begin) > heavyMs;
}
