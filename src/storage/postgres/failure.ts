/**
 * Failures of PostgreSQL and of connections to it, and the errors that features get: their messages never contain the
 * driver's text, which may quote values and is for the log. Also the delay before another attempt.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseError } from 'pg';
import { ServiceError } from '../../errors.ts';
import { busyError } from '../busy.ts';

/** The connection ended, or could not be opened. */
export class ConnectionLost extends Error {
  /** True when the statement was sent: it may or may not have been executed and committed. */
  readonly mayHaveRun: boolean;

  constructor(message: string, mayHaveRun: boolean, cause?: unknown) {
    super(message, { cause });
    this.name = 'ConnectionLost';
    this.mayHaveRun = mayHaveRun;
  }
}

/** No time was left for the statement, so it was not sent. */
export class OutOfTime extends Error {
  constructor() {
    super('The time limit passed before the statement could be sent.');
    this.name = 'OutOfTime';
  }
}

/** The five characters of https://www.postgresql.org/docs/current/errcodes-appendix.html, or null for another error. */
export function sqlState(error: unknown): string | null {
  return error instanceof DatabaseError && error.code !== undefined ? error.code : null;
}

export function isUnique(error: unknown): boolean {
  return sqlState(error) === '23505';
}

export function isForeignKey(error: unknown): boolean {
  const state = sqlState(error);
  return state === '23503' || state === '23001';
}

/** Serialization failure and deadlock: the same transaction may succeed when it is tried again. */
export function isRetryable(error: unknown): boolean {
  const state = sqlState(error);
  return state === '40001' || state === '40P01';
}

/**
 * The database can't be reached, is starting, stopping, out of connections, or a standby that accepts no writes: the
 * statement is not at fault.
 */
export function isAway(error: unknown): boolean {
  if (error instanceof ConnectionLost) return true;
  return /^(?:08...|57P0[1-5]|53300|25006)$/.test(sqlState(error) ?? '');
}

/** The statement names a missing table, column or schema, or a type changed after it was prepared. */
export function isUndefined(error: unknown): boolean {
  return /^(?:42P01|42703|3F000|42883)$/.test(sqlState(error) ?? '') || isOutdatedPlan(error);
}

/** The server could not reach another node of its cluster, or lost it; the connection to the server is intact. */
export function isOfOtherServer(error: unknown): error is DatabaseError {
  return isAway(error) && error instanceof DatabaseError && error.severity === 'ERROR' && error.code !== '25006';
}

/**
 * A prepared statement would now return other columns. Citus uses the same SQLSTATE for every statement that it
 * refuses.
 */
export function isOutdatedPlan(error: unknown): boolean {
  return sqlState(error) === '0A000' && (error as DatabaseError).routine === 'RevalidateCachedQuery';
}

/** Stopped by `statement_timeout`. */
export function isTimeout(error: unknown): boolean {
  return sqlState(error) === '57014';
}

/** The failure caused by `Dialect.withinGroups`. */
export function isTooManyGroups(error: unknown): boolean {
  return sqlState(error) === '22012';
}

/** An error that leaves the connection intact: the statement or its data are at fault. */
export function isOfStatement(error: unknown): boolean {
  return /^(?:0A|2[0-35-8BDF]|3[489BDF]|4[024]|54|55|57014|P0)/.test(sqlState(error) ?? '');
}

/** @param doing what the service was doing, for the log: "reading the directory" */
export function serviceError(error: unknown, doing: string): Error {
  if (error instanceof ServiceError) return error;
  const cause = new Error(`${doing}: ${told(error)}`, { cause: error });
  if (isAway(error)) return busyError('The database is unavailable at the moment; try again soon.', cause);
  if (isUndefined(error)) {
    return new ServiceError('noTable', 'The tables were changed meanwhile; send the request again.', { cause });
  }
  if (
    error instanceof OutOfTime ||
    isTimeout(error) ||
    isRetryable(error) ||
    /^(?:53|55P03)/.test(sqlState(error) ?? '')
  ) {
    return busyError('The database is busy at the moment; try again.', cause);
  }
  return new ServiceError('internal', 'The database failed.', { cause });
}

function told(error: unknown): string {
  const state = sqlState(error);
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return state === null ? text : `${text} (SQLSTATE ${state})`;
}

/** Delay while the database is unreachable or a lock is held: the first one and the longest. */
const delayMs = { first: 10, longest: 500 };

/** Doubles the delay each time; never waits past the deadline. */
export class Backoff {
  readonly #deadline: number;
  #delayMs = delayMs.first;

  constructor(deadline: number) {
    this.#deadline = deadline;
  }

  /** @returns whether time is left for another attempt */
  async wait(): Promise<boolean> {
    const left = this.#deadline - performance.now();
    if (left <= 0) return false;
    await sleep(Math.min(this.#delayMs, left));
    this.#delayMs = Math.min(this.#delayMs * 2, delayMs.longest);
    return performance.now() < this.#deadline;
  }
}
