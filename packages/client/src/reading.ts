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
  /** The table of which the answer has whole records, so that it can be brought up to date by changes; null otherwise. */
  readonly recordsOf: string | null;
  /** Whether a record that this client added or changed belongs to the answer; without it, changed ones stay and new ones stay away. */
  readonly includes: ((row: never) => boolean) | undefined;
}

/** Names of the tables in a query, those of sub-queries among them. A word of a text counts too, and does no harm. */
export function tablesIn(query: string): string[] {
  const names = [...query.matchAll(/\bFROM (\w+)|"(?:phyName|entity)":"(\w+)"/gi)].map(
    ([, one, other]) => one ?? other,
  );
  return [...new Set(names as string[])];
}

interface Row {
  readonly objectId: string;
}

/** The answer after a change of one record, with its new values in its place, or at the end where it is new, if it belongs there. */
export function applied<Data>({ recordsOf, includes }: Reading<Data>, data: Data, change: Change): Data {
  const { table, objectId, record } = change;
  if (recordsOf !== table) return data;
  const rows = data as readonly Row[];
  const before = rows.find((row) => row.objectId === objectId);
  const after = { ...before, ...record } as Row;
  const isIn = record !== null && (includes === undefined ? before !== undefined : includes(after as never));
  const next = isIn ? [after] : [];
  const others = before === undefined ? [...rows, ...next] : rows.flatMap((row) => (row === before ? next : [row]));
  return others as Data;
}
