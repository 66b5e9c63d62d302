/**
 * What every engine decides about the items of a batch in the same way
 * (docs/reference/writing.md#one-batch-all-or-nothing): whether and how an item fails, the time that moves forward, who
 * sees the record afterwards, and how the history stores the answer. Pure: finding records and writing is up to the
 * engine.
 */
import { audienceOf, groupIdsOf, groupIdsText, type Scope, scope } from '../schema/audience.ts';
import type { StoredValue } from '../schema/model.ts';
import { systemName } from '../schema/system.ts';
import type { AddItem, Change, DeleteItem, ItemFailure, UpdateItem, WriteBatch, WrittenItem } from './contract.ts';

/** The parts of a stored record used to judge and change it. */
export interface StoredRecord {
  readonly created: number;
  readonly updated: number;
  readonly scopeType: number | null;
  readonly groupIds: string | null;
  readonly createUserId: number;
  readonly audience: string;
}

/** One entry per item, null for items that do not fail. */
export type Failures = readonly (ItemFailure | null)[];

export function isFailing(failures: Failures): boolean {
  return failures.some((failure) => failure !== null);
}

/** The failures of one change among those of its batch. @param position of the change */
export function failuresAmong(changes: readonly Change[], position: number, failures: Failures): Failures {
  return changes.flatMap(({ items }, index) => (index === position ? failures : items.map(() => null)));
}

/** @param exists whether a record has this id, visible to the caller or not */
export function judgeAdds(items: readonly AddItem[], exists: (objectId: string) => boolean): Failures {
  const sent = new Set<string>();
  return items.map((item): ItemFailure | null => {
    if (item.generated) return null;
    const isTaken = sent.has(item.objectId) || exists(item.objectId);
    sent.add(item.objectId);
    return isTaken ? { reason: 'duplicateId' } : null;
  });
}

export type Judged<Item, Record> =
  | { readonly kind: 'sound'; readonly records: readonly { readonly item: Item; readonly record: Record }[] }
  | { readonly kind: 'failed'; readonly failures: Failures };

/**
 * Whether the record of every item is visible to the caller, unchanged since the base, and gets no new groups that the
 * caller is not in.
 * @param find the record with this id if the caller sees it
 */
export function judgeUpdates<Record extends StoredRecord>(
  items: readonly UpdateItem[],
  find: (objectId: string) => Record | null,
): Judged<UpdateItem, Record> {
  return judge(items, find, 'changed', foreignGroup);
}

/** The failure of an item that gives the record a new group that the caller is not in. */
export function foreignGroup(
  { foreignGroupIds }: Pick<UpdateItem, 'foreignGroupIds'>,
  record: Pick<StoredRecord, 'groupIds'>,
): ItemFailure | null {
  const stored = foreignGroupIds.length === 0 ? [] : groupIdsOf(record.groupIds);
  const groupId = foreignGroupIds.find((id) => !stored.includes(id));
  return groupId === undefined ? null : { reason: 'foreignGroup', groupId };
}

/** Whether the record of every item is visible to the caller and unchanged since the base. */
export function judgeDeletes<Record extends StoredRecord>(
  items: readonly DeleteItem[],
  find: (objectId: string) => Record | null,
): Judged<DeleteItem, Record> {
  return judge(items, find, 'noRecord', () => null);
}

/** @param repeated the failure of an item if an earlier one of the batch changes the same record */
function judge<Item extends UpdateItem | DeleteItem, Record extends StoredRecord>(
  items: readonly Item[],
  find: (objectId: string) => Record | null,
  repeated: 'changed' | 'noRecord',
  further: (item: Item, record: Record) => ItemFailure | null,
): Judged<Item, Record> {
  const seen = new Set<string>();
  const records: { item: Item; record: Record }[] = [];
  const failures = items.map((item): ItemFailure | null => {
    const record = find(item.objectId);
    if (record === null) return { reason: 'noRecord' };
    if (seen.has(item.objectId)) return { reason: repeated };
    seen.add(item.objectId);
    if (record.updated !== item.base) return { reason: 'changed' };
    records.push({ item, record });
    return further(item, record);
  });
  return isFailing(failures) ? { kind: 'failed', failures } : { kind: 'sound', records };
}

/** The clock's time in milliseconds, or, if later, one more than the record's last time. */
export function forward(now: number, previous: number | null): number {
  return previous === null ? now : Math.max(now, previous + 1);
}

/** The failure of a unique index. */
export function duplicate(columns: readonly string[]): ItemFailure {
  return columns.length === 1 && columns[0] === systemName.objectId
    ? { reason: 'duplicateId' }
    : { reason: 'duplicateValue', columns };
}

export interface Scoped {
  readonly columns: readonly string[];
  readonly values: readonly StoredValue[];
  readonly audience: string;
}

/** The audience that results from sent and stored values; scope 2 without groups means all the caller's groups. */
export function withAudience(
  batch: Pick<WriteBatch, 'groupIds'>,
  item: Pick<UpdateItem, 'columns' | 'values'>,
  record: Pick<StoredRecord, 'scopeType' | 'groupIds' | 'createUserId' | 'audience'>,
): Scoped {
  const { columns, values } = item;
  const sentScope = columns.indexOf(systemName.scopeType);
  const sentGroups = columns.indexOf(systemName.groupIds);
  if (sentScope < 0 && sentGroups < 0) return { columns, values, audience: record.audience };
  const scopeType = (sentScope < 0 ? record.scopeType : values[sentScope]) ?? scope.group;
  const groupsText = sentGroups < 0 ? record.groupIds : values[sentGroups];
  const groupIds = groupIdsOf((groupsText ?? null) as string | null);
  if (scopeType !== scope.group || groupIds.length > 0) {
    return { columns, values, audience: audienceOf(scopeType as Scope, groupIds, record.createUserId) };
  }
  const filled = groupIdsText(batch.groupIds);
  const audience = audienceOf(scope.group, batch.groupIds, record.createUserId);
  return sentGroups < 0
    ? { columns: [...columns, systemName.groupIds], values: [...values, filled], audience }
    : { columns, values: values.with(sentGroups, filled), audience };
}

/** The answer to a batch as the history stores it, so that a replay gets the same answer. */
export function answerText(items: readonly WrittenItem[]): string {
  return JSON.stringify(items.map(({ objectId, created, updated }) => [objectId, created, updated]));
}

/**
 * The changes of a batch as the history stores them: an array of [operation, number of the table]. Renaming a table
 * keeps its number.
 */
export function operationsText(operations: readonly (readonly [Change['operation'], number])[]): string {
  return JSON.stringify(operations);
}

/** @param text as `operationsText` made it */
export function operationsIn(text: string): { readonly operation: Change['operation']; readonly tableId: number }[] {
  const operations = JSON.parse(text) as [Change['operation'], number][];
  return operations.map(([operation, tableId]) => ({ operation, tableId }));
}

/** @param text made by `answerText`, or by an engine in SQL: an array of [objectId, created, updated] */
export function answeredItems(text: string): WrittenItem[] {
  const items = JSON.parse(text) as [string, number, number][];
  return items.map(([objectId, created, updated]) => ({ objectId, created, updated }));
}
