/**
 * Whether the indexes of a table can hold a record (`schema/index-entry.ts`), checked on every engine after its lock
 * and before its unique values. An update is never refused for an index it leaves unchanged.
 */
import { ServiceError } from '../errors.ts';
import { bytesOfText, declaredEntry, entryBytes, type IndexEntry, indexEntryBytesMax } from '../schema/index-entry.ts';
import type { Column, Index, StoredValue, Table } from '../schema/model.ts';
import type { AddItem, ItemFailure } from './contract.ts';
import type { Failures } from './judge.ts';

/** An update with the resulting audience (`judge.ts`, `withAudience`). */
export interface SizedUpdate {
  readonly objectId: string;
  readonly columns: readonly string[];
  readonly values: readonly StoredValue[];
  readonly audience: string;
  /** The stored audience. */
  readonly audienceBefore: string;
}

export function sizeFailuresOfAdds(table: Table, items: readonly AddItem[]): Failures {
  return items.map((item) => sizeFailureOfAdd(table, item));
}

export function sizeFailureOfAdd({ entries, texts }: Table, item: AddItem): ItemFailure | null {
  return firstTooLarge(entries, item, (name) => bytesOfText(item.values[texts.get(name)?.position as number]));
}

/** Text columns whose stored size is needed to judge the update: usually none, because any size fits. */
export function sizesWanted(table: Table, update: SizedUpdate): readonly string[] {
  const { texts } = table;
  const most = (name: string) => sentBytes(update, name) ?? texts.get(name)?.bytesMax ?? 0;
  const doubtful = touchedEntries(table, update).filter(
    (entry) => entryBytes(entry, update, most) > indexEntryBytesMax,
  );
  const wanted = new Set(doubtful.flatMap((entry) => entry.texts.filter((name) => !update.columns.includes(name))));
  return [...wanted];
}

/** @param stored bytes of the columns of `sizesWanted`; others cannot make an entry too large */
export function sizeFailure(
  table: Table,
  update: SizedUpdate,
  stored: ReadonlyMap<string, number>,
): ItemFailure | null {
  return firstTooLarge(
    touchedEntries(table, update),
    update,
    (name) => sentBytes(update, name) ?? stored.get(name) ?? 0,
  );
}

function sentBytes({ columns, values }: SizedUpdate, name: string): number | null {
  const position = columns.indexOf(name);
  return position < 0 ? null : bytesOfText(values[position]);
}

function touchedEntries(table: Table, { columns, audience, audienceBefore }: SizedUpdate): readonly IndexEntry[] {
  const { entries } = table;
  if (audience !== audienceBefore) return entries;
  return entries.filter(({ texts }) => texts.some((name) => columns.includes(name)));
}

function firstTooLarge(
  entries: readonly IndexEntry[],
  parts: { readonly objectId: string; readonly audience: string },
  bytesOf: (name: string) => number,
): ItemFailure | null {
  for (const entry of entries) {
    const bytes = entryBytes(entry, parts, bytesOf);
    if (bytes > indexEntryBytesMax) return { reason: 'indexTooLarge', columns: entry.columns, bytes };
  }
  return null;
}

/** SQL of the parts of an entry. */
export interface EntrySql {
  column(name: string): string;
  readonly audience: string;
  readonly objectId: string;
}

/** SQL condition that an entry would be too large; the same on every engine. */
export function isTooLargeSql(entry: IndexEntry, { column, audience, objectId }: EntrySql): string {
  const texts = entry.texts.map((name) => `coalesce(octet_length(${column(name)}), 0)`);
  const parts = [`octet_length(${audience})`, `octet_length(${objectId})`, ...texts];
  return `${entry.fixedBytes} + ${parts.join(' + ')} > ${indexEntryBytesMax}`;
}

/** The same for a new index on existing records. @param columns of the table, including new ones */
export function isPresentTooLargeSql(index: Index, columns: readonly Column[], sql: EntrySql): string {
  return isTooLargeSql(declaredEntry(index, new Map(columns.map(({ name, type }) => [name, type]))), sql);
}

export function recordsTooLarge(table: string, { columns }: Index, path: string): ServiceError {
  return new ServiceError(
    'malformed',
    `${path}: the index of "${table}" on ${columns.join(', ')} can't be made, because there are records whose values are too long for it: with objectId and groups, ${indexEntryBytesMax} bytes fit.`,
  );
}
