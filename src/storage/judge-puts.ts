/**
 * What every engine decides about the items of a put in the same way (docs/reference/writing.md#putting): whether each
 * adds its record, updates it, or fails. Pure: finding records and writing is up to the engine.
 */
import type { StoredValue, Table } from '../schema/model.ts';
import type { AddItem, Addition, ItemFailure, PutChange, PutItem, TableChange, UpdateItem } from './contract.ts';
import { duplicate, type Failures, foreignGroup, isFailing, type StoredRecord } from './judge.ts';

/** The record that a put is about. */
export interface PutTarget<Record> {
  readonly objectId: string;
  /** Null where the caller does not see it. */
  readonly record: Record | null;
}

/** What an item does. */
export type Put<Record> =
  | { readonly kind: 'add'; readonly item: AddItem }
  | { readonly kind: 'update'; readonly item: UpdateItem; readonly record: Record };

export type JudgedPuts<Record> =
  | { readonly kind: 'sound'; readonly puts: readonly Put<Record>[] }
  | { readonly kind: 'failed'; readonly failures: Failures };

/** @param find the record with the item's id or key, after the batch's earlier changes */
export function judgePuts<Record extends StoredRecord>(
  table: Table,
  change: PutChange,
  find: (item: PutItem) => PutTarget<Record> | null,
  mentions: Mentions,
): JudgedPuts<Record> {
  const puts: Put<Record>[] = [];
  const failures = change.items.map((item): ItemFailure | null => {
    const target = find(item);
    const failure = target === null ? whyNotAdded(item) : whyNotUpdated(table, change, item, target, mentions);
    if (failure !== null) return failure;
    if (target === null) {
      puts.push({ kind: 'add', item: addItemOf(table, change, item) });
      mentions.note(table.name, item.objectId);
    } else {
      puts.push({ kind: 'update', ...updateOf(change, item, target as PutTarget<Record> & { record: Record }) });
    }
    return null;
  });
  return isFailing(failures) ? { kind: 'failed', failures } : { kind: 'sound', puts };
}

function whyNotAdded({ base, addition }: PutItem): ItemFailure | null {
  if (base !== null) return { reason: 'noRecord' };
  return 'message' in addition ? { reason: 'unfit', ...addition } : null;
}

function whyNotUpdated<Record extends StoredRecord>(
  table: Table,
  { key }: PutChange,
  item: PutItem,
  { objectId, record }: PutTarget<Record>,
  mentions: Mentions,
): ItemFailure | null {
  if (key !== null && mentions.isRepeated(table.name, objectId)) return { reason: 'repeated' };
  if (record === null) return duplicate(key ?? ['objectId']);
  if (item.base === null && !table.lockFree) return { reason: 'noBase' };
  if (item.base !== null && item.base !== record.updated) return { reason: 'changed' };
  return foreignGroup(item, record);
}

function addItemOf(table: Table, { key }: PutChange, item: PutItem): AddItem {
  const values: StoredValue[] = new Array(table.written.length).fill(null);
  const addition = item.addition as Addition;
  for (const part of [item, addition]) {
    for (const [index, name] of part.columns.entries()) {
      const position = table.slots.get(name)?.index ?? table.written.findIndex((column) => column.name === name);
      values[position] = part.values[index] as StoredValue;
    }
  }
  return { objectId: item.objectId, generated: key !== null, audience: addition.audience, values };
}

/** Without the key's columns, which the record has already. */
function updateOf<Record extends StoredRecord>(
  { key }: PutChange,
  item: PutItem,
  { objectId, record }: { readonly objectId: string; readonly record: Record },
) {
  const isKept = (index: number) => key?.includes(item.columns[index] as string) !== true;
  const columns = item.columns.filter((_, index) => isKept(index));
  const values = item.values.filter((_, index) => isKept(index));
  return { item: { ...item, objectId, base: record.updated, columns, values }, record };
}

/** The values of the key, in the order of its columns. */
export function keyValues(key: readonly string[], { columns, values }: PutItem): StoredValue[] {
  return key.map((name) => values[columns.indexOf(name)] as StoredValue);
}

/** Which records a batch names: by their id, or by a key under which a put found or added one. */
export class Mentions {
  readonly #changes: readonly TableChange[];
  readonly #byTable = new Map<string, Set<string>>();

  constructor(changes: readonly TableChange[]) {
    this.#changes = changes;
  }

  isNamed(table: string, objectId: string): boolean {
    return this.#namedIn(table).has(objectId);
  }

  /** Whether the batch names the record already; from now on it does. */
  isRepeated(table: string, objectId: string): boolean {
    if (this.isNamed(table, objectId)) return true;
    this.note(table, objectId);
    return false;
  }

  /** From now on the batch names the record. */
  note(table: string, objectId: string): void {
    this.#namedIn(table).add(objectId);
  }

  #namedIn(table: string): Set<string> {
    const present = this.#byTable.get(table);
    if (present !== undefined) return present;
    const named = this.#changes.filter((change) => change.table === table && !('key' in change && change.key !== null));
    const ids = new Set(named.flatMap(({ items }) => items.map(({ objectId }) => objectId)));
    this.#byTable.set(table, ids);
    return ids;
  }
}
