/** The text of a query compiled for one definition of a data space: requests with the same text only bind values. */
import type { Query } from './ast.ts';
import type { CheckedQuery } from './checked.ts';
import type { RowPlan } from './compile.ts';
import type { JoinedColumns } from './joined-columns.ts';
import type { Statement } from './statement.ts';

/** It is checked, and each of its statements compiled, on first use; both take long for a long query. */
export interface Shape {
  readonly query: Query;
  /** Empty where the values come with the query (docs/reference/older-query.md). */
  readonly parameterCounts: readonly number[];
  /** @throws ServiceError 132 */
  check(): CheckedQuery;
  /** @throws ServiceError 132 */
  joins(): readonly JoinedColumns[];
  readonly rows: Readonly<Record<RowPlan, () => Statement>>;
  count(): Statement;
}

/** Returns a function that calls `make` once and then returns its result. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
