/**
 * Large results are made one at a time (`AnswerArrays` says when one is large): by one reader thread on SQLite, out of one
 * connection on PostgreSQL. What waits longer than its time limit fails as any query does that ran out of time.
 */

/** A result that did not grow for so long passes its turn on: a slow query holds up no other. Milliseconds. */
export const largeTurnIdleMs = 250;
