/** Readings for TanStack Query, in React or any other framework, without a dependency on it. */
import type { Reading } from './reading.ts';

/**
 * A reading as options of a query: `useQuery(queryOptions(db.task.reading({ … })))`. TanStack's cache does not know who is signed
 * in: clear it when the user changes, or another user sees the same answers.
 */
export function queryOptions<Data>(reading: Reading<Data>): {
  readonly queryKey: readonly ['rowhouse', string];
  readonly queryFn: (context: { readonly signal: AbortSignal }) => Promise<Data>;
  readonly meta: { readonly tables: readonly string[] };
} {
  return {
    queryKey: ['rowhouse', reading.key],
    queryFn: ({ signal }) => reading.read(signal),
    meta: { tables: reading.tables },
  };
}
