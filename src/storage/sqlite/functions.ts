/** The SQL functions that our statements call on SQLite; every connection that runs them has to register them. */
import type { DatabaseSync } from 'node:sqlite';
import { foldLower, foldUpper } from '../../schema/fold.ts';

/** Thrown out of a statement that runs past its time limit. */
export class DeadlinePassed extends Error {
  constructor() {
    super('The statement ran past its time limit.');
    this.name = 'DeadlinePassed';
  }
}

/** @param deadline asked for every row that a statement visits, so it has to be cheap */
export function registerFunctions(db: DatabaseSync, deadline: { passed(): boolean }): void {
  // Of a row number, which it ignores: see `withinDeadline` of the dialect.
  db.function('within_deadline', (_rowid: unknown) => {
    if (deadline.passed()) throw new DeadlinePassed();
    return 1;
  });
  db.function('fold_lower', { deterministic: true }, (text: unknown) =>
    typeof text === 'string' ? foldLower(text) : null,
  );
  db.function('fold_upper', { deterministic: true }, (text: unknown) =>
    typeof text === 'string' ? foldUpper(text) : null,
  );
  // SQLite turns a sum that overflows 64 bits into a REAL.
  db.function('int64', { deterministic: true, useBigIntArguments: true }, (value: unknown) =>
    typeof value === 'bigint' ? value : null,
  );
}
