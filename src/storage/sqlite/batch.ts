/**
 * Carrying out one batch inside an open transaction (decisions.md §6): history, then structure, then every item is
 * judged, then all are written. What has to be undone when it did not succeed is the caller's (`group.ts`).
 */
import type { SQLInputValue } from 'node:sqlite';
import { audienceOf, groupIdsOf, groupIdsText, membersOfShared, type Scope, scope } from '../../schema/audience.ts';
import type { StoredValue } from '../../schema/model.ts';
import { systemName } from '../../schema/system.ts';
import type {
  AddItem,
  DeleteItem,
  ItemFailure,
  UpdateItem,
  WriteBatch,
  WriteOutcome,
  WrittenItem,
} from '../contract.ts';
import { sqliteDialect } from './dialect.ts';
import { isUnique } from './failure.ts';
import type { SpaceFile } from './space-file.ts';
import type { StoredRecord, TableStatements } from './table-statements.ts';

/** After `failed` something may be half written; after every other outcome it is as it should be. */
export function applyBatch(file: SpaceFile, batch: WriteBatch): WriteOutcome {
  if (batch.transactionId !== null) {
    const known = file.history(batch.transactionId);
    if (known !== null) {
      return { kind: 'known', items: known.requestHash === batch.requestHash ? known.items : null };
    }
  }
  if (batch.refused) return { kind: 'refused' };
  if (batch.definitionVersion !== file.definition.version) return { kind: 'stale' };
  const outcome = applyChange(file, file.table(batch.table), batch);
  if (outcome.kind === 'done') {
    file.takeSeq();
    if (batch.transactionId !== null) {
      file.remember(batch.transactionId, batch.requestHash, outcome.items, batch.now);
    }
  }
  return outcome;
}

type Outcome = Extract<WriteOutcome, { kind: 'done' | 'failed' }>;

function applyChange(file: SpaceFile, table: TableStatements, batch: WriteBatch): Outcome {
  const { change } = batch;
  switch (change.operation) {
    case 'add':
      return addAll(file, table, batch, change.items);
    case 'update':
      return updateAll(file, table, batch, change.items);
    case 'delete':
      return deleteAll(file, table, batch, change.items);
  }
}

function addAll(file: SpaceFile, table: TableStatements, batch: WriteBatch, items: readonly AddItem[]): Outcome {
  const sent = new Set<string>();
  const failures = items.map((item): ItemFailure | null => {
    if (item.generated) return null;
    const isTaken = sent.has(item.objectId) || table.exists(item.objectId);
    sent.add(item.objectId);
    return isTaken ? { reason: 'duplicateId' } : null;
  });
  if (failures.some((failure) => failure !== null)) return { kind: 'failed', failures };
  return writeAll(table, items, (item) => {
    const deleted = item.generated ? null : file.tombstoneTime(table.table.id, item.objectId);
    const time = deleted === null ? batch.now : Math.max(batch.now, deleted + 1);
    table.insert(item, time, file.nextSeq);
    noteAudience(file, item.audience);
    return { objectId: item.objectId, created: time, updated: time };
  });
}

function updateAll(file: SpaceFile, table: TableStatements, batch: WriteBatch, items: readonly UpdateItem[]): Outcome {
  const judged = judge(table, batch, items, 'changed', (item, record) => {
    const stored = item.foreignGroupIds.length === 0 ? [] : groupIdsOf(record.groupIds);
    const groupId = item.foreignGroupIds.find((id) => !stored.includes(id));
    return groupId === undefined ? null : { reason: 'foreignGroup', groupId };
  });
  if (judged.kind === 'failed') return judged;
  return writeAll(table, judged.records, ({ item, record }) => {
    const { columns, values, audience } = withAudience(batch, item, record);
    const updated = Math.max(batch.now, record.updated + 1);
    table.update(record.rowid, { columns, values, audience, updated }, file.nextSeq);
    if (audience !== record.audience) noteAudience(file, audience);
    return { objectId: item.objectId, created: record.created, updated };
  });
}

function deleteAll(file: SpaceFile, table: TableStatements, batch: WriteBatch, items: readonly DeleteItem[]): Outcome {
  const judged = judge(table, batch, items, 'noRecord', () => null);
  if (judged.kind === 'failed') return judged;
  return writeAll(table, judged.records, ({ item: { objectId }, record }) => {
    const time = Math.max(batch.now, record.updated + 1);
    table.delete(record.rowid);
    file.putTombstone(table.table.id, objectId, time, record.audience);
    return { objectId, created: record.created, updated: record.updated };
  });
}

type Judged<Item> =
  | { readonly kind: 'sound'; readonly records: readonly { readonly item: Item; readonly record: StoredRecord }[] }
  | { readonly kind: 'failed'; readonly failures: readonly (ItemFailure | null)[] };

/**
 * Finds the record of every item, visible to the caller and unchanged since the base.
 * @param repeated the reason why an item fails whose record an earlier one of the batch changes
 */
function judge<Item extends UpdateItem | DeleteItem>(
  table: TableStatements,
  batch: WriteBatch,
  items: readonly Item[],
  repeated: 'changed' | 'noRecord',
  further: (item: Item, record: StoredRecord) => ItemFailure | null,
): Judged<Item> {
  const members = sqliteDialect.boundMembers(batch.members) as SQLInputValue;
  const seen = new Set<string>();
  const records: { item: Item; record: StoredRecord }[] = [];
  const failures = items.map((item): ItemFailure | null => {
    const record = table.find(item.objectId, members);
    if (record === null) return { reason: 'noRecord' };
    if (seen.has(item.objectId)) return { reason: repeated };
    seen.add(item.objectId);
    if (record.updated !== item.base) return { reason: 'changed' };
    records.push({ item, record });
    return further(item, record);
  });
  return failures.every((failure) => failure === null) ? { kind: 'sound', records } : { kind: 'failed', failures };
}

/** Goes on after an item whose value a unique index refuses, so that every such item is told. */
function writeAll<Item>(table: TableStatements, items: readonly Item[], write: (item: Item) => WrittenItem): Outcome {
  const written: WrittenItem[] = [];
  const failures = items.map((item): ItemFailure | null => {
    try {
      written.push(write(item));
      return null;
    } catch (error) {
      if (!isUnique(error)) throw error;
      const columns = table.columnsOf(error as Error);
      return columns.length === 1 && columns[0] === systemName.objectId
        ? { reason: 'duplicateId' }
        : { reason: 'duplicateValue', columns };
    }
  });
  return failures.every((failure) => failure === null)
    ? { kind: 'done', items: written }
    : { kind: 'failed', failures };
}

interface Scoped {
  readonly columns: readonly string[];
  readonly values: readonly StoredValue[];
  readonly audience: string;
}

/** The audience that results from what is sent and what is stored; scope 2 without groups means all of the caller's. */
function withAudience(batch: WriteBatch, item: UpdateItem, record: StoredRecord): Scoped {
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

function noteAudience(file: SpaceFile, audience: string): void {
  const members = membersOfShared(audience);
  if (members.length > 0) file.addMembers(audience, members);
}
