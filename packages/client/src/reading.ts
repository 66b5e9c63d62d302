/** What is read, described: so that hooks and caches can tell answers apart, keep them, and bring them up to date. */
import type { Change } from './changes.ts';

/** Something to read. Those with equal keys have equal answers. */
export interface Reading<Data> {
  readonly key: string;
  /** A change of one of these tables may change the answer. */
  readonly tables: readonly string[];
  /** Whether the answer is the same after it was JSON. */
  readonly isJson: boolean;
  /** @throws RowhouseError */
  read(signal?: AbortSignal): Promise<Data>;
  /** The answer after a change, as far as the change tells. */
  apply(data: Data, change: Change): Data;
}

/** Names of the tables in a query, those of sub-queries among them. A word of a text counts too, and does no harm. */
export function tablesIn(query: string): string[] {
  const names = [...query.matchAll(/\bFROM (\w+)|"(?:phyName|entity)":"(\w+)"/gi)].map(
    ([, one, other]) => one ?? other,
  );
  return [...new Set(names as string[])];
}

/**
 * Whole records after a change of one: the record with its new values in its place, or at the end where it is new, if it belongs to them.
 * @param includes without it, changed records stay and new ones stay away
 */
export function applied<Row extends { readonly objectId: string }>(
  rows: readonly Row[],
  { objectId, record }: Change,
  includes: ((row: Row) => boolean) | undefined,
): Row[] {
  const before = rows.find((row) => row.objectId === objectId);
  const others = () => rows.filter((row) => row !== before);
  if (record === null) return others();
  const after = { ...before, ...record } as unknown as Row;
  const isIn = includes === undefined ? before !== undefined : includes(after);
  if (!isIn) return others();
  return before === undefined ? [...rows, after] : rows.map((row) => (row === before ? after : row));
}
