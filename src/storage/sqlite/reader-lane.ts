/**
 * The main thread's state of a reader thread: what it runs, which statements it knows, and whether a long query blocks
 * it.
 */
import type { BoundStatement, SelectResult } from '../contract.ts';
import { keptSqlMax, Lru } from '../lru.ts';
import type { Queued } from '../queue-line.ts';
import { Claims } from './claims.ts';
import { LargeTurn } from './large-turn.ts';
import type { OtherSql, ReadAnswer, ReadGroup, ReadJob, ReadStatement, Steps } from './messages.ts';
import type { ReaderData } from './reader-thread.ts';
import { Thread } from './thread.ts';

/** A query with a waiting caller. */
export interface Job extends Queued {
  readonly spaceId: number;
  readonly rows?: BoundStatement;
  readonly count?: BoundStatement;
  readonly took: (timeMs: number) => void;
  /** How long it ran before it had to run again in steps. */
  ranMs: number | null;
  readonly resolve: (result: SelectResult) => void;
  readonly reject: (error: Error) => void;
}

export interface Answered {
  readonly job: Job;
  readonly answer: ReadAnswer;
}

export interface LaneHandlers {
  answered(answers: readonly Answered[]): void;
  /** With the jobs that the thread will not answer. */
  failed(jobs: readonly Job[], error: Error): void;
}

/** Half of what the thread keeps, so that it rarely has to request a text again. */
const textsMax = 1_000;

/** Jobs sent ahead, so that the thread never waits for the main thread: many short ones, or one long one. */
const sentMax = 16;
const sentTimeMs = 5;

/** A lane counts as blocked when it runs the same query at this many checks. */
const looksAtSame = 2;

export class Lane {
  readonly #claims = new Claims();
  readonly #thread: Thread<ReadGroup, readonly ReadAnswer[]>;
  readonly #known = new Lru<number, true>(textsMax);
  readonly #queryTimeMs: number;
  readonly #failed: LaneHandlers['failed'];
  /** To be sent at the end of this turn of the event loop. */
  #added: Job[] = [];
  #running: Job[] = [];
  /** The number of the next job to be sent. */
  #number = 0;
  /** A moving average over the last few jobs. */
  #jobTimeMs = 1;
  #lastSeen = 0;
  #looks = 0;
  #heldUpBy: number | null = null;

  constructor(data: Omit<ReaderData, 'claims'>, handlers: LaneHandlers) {
    this.#queryTimeMs = data.limits.queryTimeMs;
    this.#failed = handlers.failed;
    this.#thread = new Thread(
      new URL('./reader-thread.ts', import.meta.url),
      { ...data, claims: this.#claims.memory } satisfies ReaderData,
      {
        answered: (answers) => {
          const jobs = this.#running.splice(0, answers.length);
          for (const answer of answers) {
            this.#jobTimeMs += (answer.timeMs - this.#jobTimeMs) / 5;
            if ('unknown' in answer) for (const id of answer.unknown) this.#known.delete(id);
          }
          if (this.#running.length === 0) this.#heldUpBy = null;
          handlers.answered(jobs.map((job, index) => ({ job, answer: answers[index] as ReadAnswer })));
        },
        crashed: (error) => {
          const jobs = this.#running;
          this.#running = [];
          this.#heldUpBy = null;
          this.#known.clear();
          this.#claims.jump(++this.#number);
          new LargeTurn(data.largeTurn, data.threadNumber).leave();
          handlers.failed(jobs, error);
        },
      },
    );
  }

  /** Number of jobs added and not yet answered. */
  get load(): number {
    return this.#running.length + this.#added.length;
  }

  /** How many more jobs the lane accepts now. */
  get freeSlots(): number {
    if (this.#heldUpBy !== null) return 0;
    return Math.max(1, Math.min(sentMax, Math.floor(sentTimeMs / this.#jobTimeMs))) - this.load;
  }

  /** The data space whose long query blocks the lane, or null. */
  get heldUpBy(): number | null {
    return this.#heldUpBy;
  }

  /** Jobs added in one turn go to the thread together. */
  add(job: Job): void {
    if (this.#added.push(job) === 1) queueMicrotask(() => this.#send());
  }

  /**
   * Must be called at a steady pace. When it finds the thread in the same query several times, the lane counts as
   * blocked until that query is answered.
   * @returns the jobs that the thread had not begun; the caller must run them elsewhere
   */
  look(): Job[] {
    const next = this.#claims.next;
    const firstUnanswered = (this.#number - this.#running.length) | 0;
    if (next !== this.#lastSeen || next === firstUnanswered) {
      this.#lastSeen = next;
      this.#looks = 0;
      return [];
    }
    if (++this.#looks !== looksAtSame) return [];
    this.#number = (this.#number + 1) | 0;
    const begun = (this.#claims.jump(this.#number) - firstUnanswered) | 0;
    const notBegun = this.#running.splice(begun);
    this.#heldUpBy = this.#running.at(-1)?.spaceId ?? null;
    this.#lastSeen = this.#number;
    return notBegun;
  }

  end(): Promise<void> {
    return this.#thread.end();
  }

  #send(): void {
    const jobs = this.#added;
    this.#added = [];
    try {
      this.#thread.post({ firstNumber: this.#number, jobs: jobs.map((job) => this.#message(job)) });
      this.#number = (this.#number + jobs.length) | 0;
      this.#running.push(...jobs);
    } catch (error) {
      this.#failed(jobs, error as Error);
    }
  }

  #message({ spaceId, rows, count, ranMs }: Job): ReadJob {
    const inSteps = ranMs !== null;
    return {
      spaceId,
      ...(rows === undefined ? {} : { rows: this.#statement(rows, inSteps) }),
      ...(count === undefined ? {} : { count: this.#statement(count, inSteps) }),
      ...(inSteps ? { timeMs: Math.max(1, this.#queryTimeMs - ranMs) } : {}),
    };
  }

  #statement(bound: BoundStatement, inSteps: boolean): ReadStatement {
    const { id, sql, outputs, rows } = bound.statement;
    const steps = inSteps ? stepsOf(bound) : null;
    const inOrder = inSteps ? null : otherSql(bound, 'inOrder');
    const withWideSums = inSteps ? null : otherSql(bound, 'withWideSums');
    const message = {
      id,
      values: bound.values,
      ...(steps === null ? {} : { steps }),
      ...(inOrder === null ? {} : { inOrder }),
      ...(withWideSums === null ? {} : { withWideSums }),
    };
    if (this.#known.get(id) === true) return message;
    if (sql.length <= keptSqlMax) this.#known.set(id, true);
    return { ...message, text: rows === undefined ? { sql, outputs } : { sql, outputs, rows } };
  }
}

/** Null if the statement has no such SQL. */
function otherSql({ statement, inputs }: BoundStatement, which: 'inOrder' | 'withWideSums'): OtherSql | null {
  const make = statement[which];
  if (make === undefined || inputs === undefined) return null;
  const { id, sql, bind } = make();
  return { id, sql, values: bind(inputs) };
}

/** Null if the statement calls no functions. */
function stepsOf({ statement, inputs }: BoundStatement): Steps | null {
  if (statement.inSteps === undefined || inputs === undefined) return null;
  const { fills, main } = statement.inSteps();
  return {
    fills: fills.map(({ table, sql, bind }) => ({ table, sql, values: bind(inputs) })),
    main: { sql: main.sql, values: main.bind(inputs) },
  };
}
