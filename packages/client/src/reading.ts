/** Descriptions of what is read, by which hooks and caches distinguish, store and update answers. */
import type { Change } from './changes.ts';

/** Something to read. Readings with equal keys have equal answers. */
export interface Reading<Data> {
  readonly key: string;
  /** A change of one of these tables may change the answer. */
  readonly tables: readonly string[];
  /** Whether the answer survives a conversion to JSON and back unchanged. */
  readonly isJson: boolean;
  /** @throws RowhouseError */
  read(signal?: AbortSignal): Promise<Data>;
  /** The table whose complete records the answer has, so that changes can update it; null otherwise. */
  readonly recordsOf: string | null;
  /**
   * Whether a record that this client added or changed belongs to the answer; if absent, changed ones stay and new ones
   * are not added.
   */
  readonly includes: ((row: never) => boolean) | undefined;
}

/** Names of the tables in a query, including sub-queries. Words in literals may be included, which is harmless. */
export function tablesIn(query: string): string[] {
  const names = [...query.matchAll(/\bFROM (\w+)|"(?:phyName|entity)":"(\w+)"/gi)].map(
    ([, one, other]) => one ?? other,
  );
  return [...new Set(names as string[])];
}

interface Row {
  readonly objectId: string;
}

/**
 * The answer after a change of one record: its new values replace the old ones, or are appended for a new record, if it
 * belongs to the answer.
 */
export function applied<Data>({ recordsOf, includes }: Reading<Data>, data: Data, change: Change): Data {
  const { table, objectId, record } = change;
  if (recordsOf !== table) return data;
  const rows = data as readonly Row[];
  const before = rows.find((row) => row.objectId === objectId);
  const after = { ...before, ...record } as Row;
  // A put by other columns has no id while it waits, and may change a record that is already shown.
  const isIn =
    record !== null &&
    after.objectId !== undefined &&
    (includes === undefined ? before !== undefined : includes(after as never));
  const next = isIn ? [after] : [];
  const others = before === undefined ? [...rows, ...next] : rows.flatMap((row) => (row === before ? next : [row]));
  return others as Data;
}
