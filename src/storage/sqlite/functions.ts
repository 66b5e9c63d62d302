/** The SQL functions that our statements call on SQLite; every connection that runs them has to register them. */
import type { DatabaseSync } from 'node:sqlite';
import { foldLower, foldUpper } from '../../schema/fold.ts';
import { matchesGlob } from './long-glob.ts';

/** Thrown out of a statement that runs past its time limit. */
export class DeadlinePassed extends Error {
  constructor() {
    super('The statement ran past its time limit.');
    this.name = 'DeadlinePassed';
  }
}

/** Characters from which work on a single text takes longer than a look at the clock. */
const longText = 2_000;

export interface DeadlineChecks {
  /** Asked for every row that a statement visits, so it is cheap, and late by a few rows. */
  passed(): boolean;
  /** Asked in the middle of long work on one row, and for a row in sixteen (`deadline-gate.ts`). */
  hasPassedNow(): boolean;
}

/** @param deadlineFactor tells which rows of the statement that begins ask for the time (`deadline-gate.ts`) */
export function registerFunctions(db: DatabaseSync, deadline: DeadlineChecks, deadlineFactor: () => number): void {
  const look = () => {
    if (deadline.hasPassedNow()) throw new DeadlinePassed();
  };
  // Of a row number, which it ignores: see `withinDeadline` of the dialect.
  db.function('within_deadline', (_rowid: unknown) => {
    if (deadline.passed()) throw new DeadlinePassed();
    return 1;
  });
  db.function('within_deadline_now', (_rowid: unknown) => {
    look();
    return 1;
  });
  db.function('deadline_factor', { deterministic: true }, deadlineFactor);
  const folding = (fold: (text: string) => string) => (text: unknown) => {
    if (typeof text !== 'string') return null;
    if (text.length > longText) look();
    return fold(text);
  };
  db.function('fold_lower', { deterministic: true }, folding(foldLower));
  db.function('fold_upper', { deterministic: true }, folding(foldUpper));
  db.function('long_glob', (pattern: unknown, text: unknown) =>
    typeof text === 'string' && typeof pattern === 'string' ? Number(matchesGlob(text, pattern, look)) : null,
  );
  // SQLite turns a sum that overflows 64 bits into a REAL.
  db.function('int64', { deterministic: true, useBigIntArguments: true }, (value: unknown) =>
    typeof value === 'bigint' ? value : null,
  );
}
