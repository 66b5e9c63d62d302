/**
 * Work on a store, written once for both engines: a generator yields statements one by one and receives the rows of
 * each. An engine runs it, synchronously (SQLite) or waiting for each statement (PostgreSQL).
 */
import type { BoundValue } from '../query/statement.ts';
import type { ColumnType } from '../schema/model.ts';

export interface Step {
  readonly sql: string;
  /** In the bound form of the engine's dialect, in the order of their placeholders. */
  readonly values?: readonly BoundValue[];
  /** Types of the columns of its rows, if it may be run as a query (`rehearsal.ts`). */
  readonly types?: readonly ColumnType[];
}

/** Numbers come as numbers or as their text, depending on the engine. */
export type StepRow = readonly unknown[];

export type Work<Result> = Generator<Step, Result, readonly StepRow[]>;

/** @throws what the work throws; an error of a statement is thrown into the work first */
export function executeSync<Result>(work: Work<Result>, run: (step: Step) => readonly StepRow[]): Result {
  let next = work.next([]);
  while (next.done !== true) {
    let rows: readonly StepRow[];
    try {
      rows = run(next.value);
    } catch (error) {
      next = work.throw(error);
      continue;
    }
    next = work.next(rows);
  }
  return next.value;
}

/** As `executeSync`, waiting for each statement. */
export async function execute<Result>(
  work: Work<Result>,
  run: (step: Step) => Promise<readonly StepRow[]>,
): Promise<Result> {
  let next = work.next([]);
  while (next.done !== true) {
    let rows: readonly StepRow[];
    try {
      rows = await run(next.value);
    } catch (error) {
      next = work.throw(error);
      continue;
    }
    next = work.next(rows);
  }
  return next.value;
}
