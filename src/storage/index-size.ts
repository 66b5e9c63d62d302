/**
 * Whether the indexes of a table can take a record (`schema/index-entry.ts`), asked on every engine after its lock and
 * before its unique values. An update that leaves an index alone is never refused for it.
 */
import { ServiceError } from '../errors.ts';
import {
  bytesOfText,
  declaredEntry,
  entryBytes,
  type IndexEntry,
  indexEntries,
  indexEntryBytesMax,
  textsOf,
} from '../schema/index-entry.ts';
import type { Column, Index, StoredValue, Table } from '../schema/model.ts';
import type { AddItem, ItemFailure } from './contract.ts';
import type { Failures } from './judge.ts';

/** An update with the audience that results from it (`judge.ts`, `withAudience`). */
export interface SizedUpdate {
  readonly objectId: string;
  readonly columns: readonly string[];
  readonly values: readonly StoredValue[];
  readonly audience: string;
  /** The audience that is stored. */
  readonly audienceBefore: string;
}

export function sizeFailuresOfAdds(table: Table, items: readonly AddItem[]): Failures {
  const entries = indexEntries(table);
  const texts = textsOf(table);
  return items.map((item) => {
    return firstTooLarge(entries, item, (name) => bytesOfText(item.values[texts.get(name)?.position as number]));
  });
}

/** The text columns of which the stored size has to be known to judge the update: mostly none, as it fits in any case. */
export function sizesWanted(table: Table, update: SizedUpdate): readonly string[] {
  const texts = textsOf(table);
  const most = (name: string) => sentBytes(update, name) ?? texts.get(name)?.bytesMax ?? 0;
  const doubtful = touchedEntries(table, update).filter(
    (entry) => entryBytes(entry, update, most) > indexEntryBytesMax,
  );
  const wanted = new Set(doubtful.flatMap((entry) => entry.texts.filter((name) => !update.columns.includes(name))));
  return [...wanted];
}

/** @param stored bytes of the columns of `sizesWanted`; the others can't make an entry too large */
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
  const entries = indexEntries(table);
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

/** SQL of what an entry is made of. */
export interface EntrySql {
  column(name: string): string;
  readonly audience: string;
  readonly objectId: string;
}

/** SQL of the condition, the same on every engine, that an entry would be too large. */
export function isTooLargeSql(entry: IndexEntry, { column, audience, objectId }: EntrySql): string {
  const texts = entry.texts.map((name) => `coalesce(octet_length(${column(name)}), 0)`);
  const parts = [`octet_length(${audience})`, `octet_length(${objectId})`, ...texts];
  return `${entry.fixedBytes} + ${parts.join(' + ')} > ${indexEntryBytesMax}`;
}

/** The same of a new index on the records that are there. @param columns of the table, the new ones too */
export function isPresentTooLargeSql(index: Index, columns: readonly Column[], sql: EntrySql): string {
  return isTooLargeSql(declaredEntry(index, new Map(columns.map(({ name, type }) => [name, type]))), sql);
}

export function recordsTooLarge(table: string, { columns }: Index): ServiceError {
  return new ServiceError(
    'malformed',
    `tables: the index of "${table}" on ${columns.join(', ')} can't be made, because there are records whose values are too long for it: with objectId and groups, ${indexEntryBytesMax} bytes fit.`,
  );
}
