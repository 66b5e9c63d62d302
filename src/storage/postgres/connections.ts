/** Connections to PostgreSQL, limited in number, age and cached state; lent for one statement or transaction each. */
import type { Settings } from '../../config.ts';
import { busyError, stopping } from '../busy.ts';
import { ConnectionLost, isOfStatement, isTimeout, OutOfTime } from './failure.ts';
import { addresses, openSession, type Session, type SessionOptions } from './session.ts';
import type { OnRow, Result, Sql } from './statement-run.ts';

export type { Field, OnRow, Result, Row, RowFlow, SentValue, Sql, TextRow } from './statement-run.ts';

export interface Connection {
  /**
   * @param onRow receives rows one by one; they are not kept; if it throws, the connection is destroyed and the promise
   * rejects with what it threw
   * @throws DatabaseError when the statement failed; ConnectionLost
   */
  query(sql: Sql, onRow?: OnRow): Promise<Result>;
}

export type Isolation = 'read committed' | 'repeatable read' | 'serializable';

/** Its own `query` runs a statement in its own transaction, on any free connection. */
export interface Transactions extends Connection {
  /**
   * Commits when `work` resolves, rolls back when it rejects.
   * @throws what `work` threw; ConnectionLost, whose `mayHaveRun` is true only when COMMIT was sent
   */
  transaction<R>(isolation: Isolation, work: (connection: Connection) => Promise<R>): Promise<R>;
}

export interface Connections extends Transactions {
  /**
   * The same, with a deadline (of `performance.now()`): the server stops a statement at that time, or up to a quarter
   * of the usual limit later; a statement that would begin after it throws OutOfTime.
   */
  until(deadline: number): Transactions;
  /** The maximum number of connections. */
  readonly max: number;
  /** How many callers wait for a free connection. */
  readonly waiting: number;
  /** Accepts no further work, completes what runs and waits, then ends the connections. */
  close(): Promise<void>;
}

export interface ConnectionsOptions {
  readonly url: string;
  readonly max: number;
  readonly statementTimeMs: number;
  /** How long a statement waits for another transaction's locks; by default as long as it may run. */
  readonly lockTimeMs?: number;
  /** Further server settings for these connections, such as planner options. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** How many callers may wait for a connection; the next one is refused as busy. */
  readonly waitingMax: number;
  readonly settings: Pick<
    Settings,
    'databaseConnectTimeMs' | 'databaseConnectionLifeMs' | 'databasePreparedMax' | 'databaseSpacesMax'
  >;
}

/** Delay before the next attempt after a failed one, while no connection is open. */
const reconnectDelayMs = 100;

interface Waiter {
  readonly resolve: (session: Session) => void;
  readonly reject: (error: unknown) => void;
}

/** Opens none before it is needed. @throws Error when the URL is invalid */
export function openConnections(options: ConnectionsOptions): Connections {
  const pool = new Pool(options);
  const until = (deadline: number): Transactions => ({
    async query(sql, onRow) {
      const session = pool.idle() ?? (await pool.wait());
      try {
        await session.limit(timeUntil(deadline, options));
        return await session.run(sql, onRow);
      } finally {
        pool.release(session);
      }
    },
    async transaction(isolation, work) {
      const session = pool.idle() ?? (await pool.wait());
      try {
        await session.limit(timeUntil(deadline, options));
        return await transact(session, isolation, work, () => timeUntil(deadline, options));
      } finally {
        pool.release(session);
      }
    },
  });
  return {
    ...until(Infinity),
    until,
    max: options.max,
    get waiting() {
      return pool.waiting;
    },
    close: () => pool.close(),
  };
}

/**
 * How long a statement that begins now may run. Rounded to quarters, so that the server's limit rarely changes, and
 * never so short that it stops a normal statement.
 * @throws OutOfTime
 */
function timeUntil(deadline: number, { statementTimeMs }: Pick<ConnectionsOptions, 'statementTimeMs'>): number {
  if (deadline === Infinity) return statementTimeMs;
  const quarters = Math.ceil((4 * (deadline - performance.now())) / statementTimeMs);
  if (quarters <= 0) throw new OutOfTime();
  return quarters >= 4 ? statementTimeMs : Math.ceil((quarters * statementTimeMs) / 4);
}

/** @param leftMs how long the next statement of `work` may run; the statement fails with what it throws */
async function transact<R>(
  session: Session,
  isolation: Isolation,
  work: (connection: Connection) => Promise<R>,
  leftMs: () => number,
): Promise<R> {
  let isCommitting = false;
  let limitMs = session.statementTimeMs;
  try {
    await session.run({ text: `BEGIN ISOLATION LEVEL ${isolation.toUpperCase()}` });
    const result = await work({
      async query(sql, onRow) {
        const timeMs = leftMs();
        if (timeMs < limitMs) {
          await session.run({ text: `SELECT set_config('statement_timeout', $1, true)`, values: [String(timeMs)] });
          limitMs = timeMs;
        }
        return session.run(sql, onRow);
      },
    });
    isCommitting = true;
    const { command } = await session.run({ text: 'COMMIT' });
    if (command === 'COMMIT') return result;
  } catch (error) {
    // Also after a COMMIT: one that was cancelled before it was carried out leaves its transaction open.
    if (!session.isBroken) await session.run({ text: 'ROLLBACK' }).catch(() => session.end());
    if (isCommitting) throw outcomeOf(error);
    // Without a commit nothing happened, whatever the result of the statement.
    if (error instanceof ConnectionLost) throw new ConnectionLost(error.message, false, error);
    throw error;
  }
  // COMMIT rolls back a transaction in which a statement failed, and reports no error.
  throw new Error('The transaction was rolled back, because a statement in it failed.');
}

/** @param error of COMMIT; the coordinator of a cluster may lose the node that has already committed */
function outcomeOf(error: unknown): unknown {
  if (error instanceof ConnectionLost || (isOfStatement(error) && !isTimeout(error))) return error;
  return new ConnectionLost('The outcome of COMMIT is not known.', true, error);
}

class Pool {
  readonly #options: ConnectionsOptions;
  readonly #sessionOptions: SessionOptions;
  readonly #idle: Session[] = [];
  readonly #waiters: Waiter[] = [];
  /** All open sessions, with the moment at which each is to end (of `performance.now()`). */
  readonly #open = new Map<Session, number>();
  #opening = 0;
  #opened = 0;
  #lastFailure: { readonly error: unknown; readonly at: number } | null = null;
  #closing: { readonly promise: Promise<void>; readonly resolve: () => void } | null = null;
  readonly #sweep: NodeJS.Timeout;

  constructor(options: ConnectionsOptions) {
    const { url, settings, statementTimeMs, lockTimeMs = statementTimeMs, parameters = {} } = options;
    this.#options = options;
    this.#sessionOptions = {
      servers: { addresses: addresses(url) },
      connectTimeMs: settings.databaseConnectTimeMs,
      statementTimeMs,
      lockTimeMs,
      parameters,
      ended: (session) => this.#forgetIdle(session),
    };
    this.#sweep = setInterval(() => this.#endExpired(), Math.min(settings.databaseConnectionLifeMs, 10_000)).unref();
  }

  get waiting(): number {
    return this.#waiters.length;
  }

  /** The session used last, so that surplus ones grow old; undefined when `wait` has to be called. */
  idle(): Session | undefined {
    return this.#closing === null ? this.#idle.pop() : undefined;
  }

  wait(): Promise<Session> {
    if (this.#closing !== null) return Promise.reject(stopping());
    const { waitingMax } = this.#options;
    if (this.#waiters.length >= waitingMax) {
      return Promise.reject(
        busyError(`More than ${waitingMax} requests wait for the database; try again in a second.`),
      );
    }
    const failure = this.#lastFailure;
    if (failure !== null && this.#open.size === 0 && performance.now() - failure.at < reconnectDelayMs) {
      return Promise.reject(failure.error);
    }
    const { promise, resolve, reject } = Promise.withResolvers<Session>();
    this.#waiters.push({ resolve, reject });
    this.#openMore();
    return promise;
  }

  release(session: Session): void {
    const { databasePreparedMax, databaseSpacesMax } = this.#options.settings;
    const isFull = session.names >= databasePreparedMax || session.spaces >= databaseSpacesMax;
    const isSpent = isFull || this.#isExpired(session);
    if (session.isBroken || isSpent) this.#drop(session);
    else this.#handOut(session);
  }

  close(): Promise<void> {
    if (this.#closing === null) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#closing = { promise, resolve };
      clearInterval(this.#sweep);
      for (const session of this.#idle.splice(0)) this.#drop(session);
      this.#endIfDone();
    }
    return this.#closing.promise;
  }

  #handOut(session: Session): void {
    const waiter = this.#waiters.shift();
    if (waiter !== undefined) waiter.resolve(session);
    else if (this.#closing !== null) this.#drop(session);
    else this.#idle.push(session);
  }

  #openMore(): void {
    const { max } = this.#options;
    while (this.#opening < this.#waiters.length && this.#open.size + this.#opening < max) {
      this.#opening++;
      openSession(this.#sessionOptions).then(
        (session) => this.#welcome(session),
        (error) => this.#failed(error),
      );
    }
  }

  #welcome(session: Session): void {
    this.#opening--;
    this.#lastFailure = null;
    // Varied, so that connections opened together do not all end together.
    const share = 0.75 + 0.25 * ((this.#opened++ * 0.618) % 1);
    this.#open.set(session, performance.now() + share * this.#options.settings.databaseConnectionLifeMs);
    this.#handOut(session);
  }

  /** Waiters are served by the open connections; without any open connection, they must be rejected. */
  #failed(error: unknown): void {
    this.#opening--;
    this.#lastFailure = { error, at: performance.now() };
    if (this.#open.size === 0) for (const { reject } of this.#waiters.splice(0)) reject(error);
    this.#endIfDone();
  }

  #drop(session: Session): void {
    session.end();
    this.#open.delete(session);
    this.#openMore();
    this.#endIfDone();
  }

  #isExpired(session: Session): boolean {
    return performance.now() >= (this.#open.get(session) ?? 0);
  }

  #endExpired(): void {
    for (const session of this.#idle.filter((idle) => this.#isExpired(idle))) this.#forgetIdle(session);
  }

  /** One that is in use is dropped when it is released. */
  #forgetIdle(session: Session): void {
    const position = this.#idle.indexOf(session);
    if (position === -1) return;
    this.#idle.splice(position, 1);
    this.#drop(session);
  }

  #endIfDone(): void {
    if (this.#closing !== null && this.#open.size === 0 && this.#opening === 0) this.#closing.resolve();
  }
}
