/**
 * Executes one batch inside an open transaction (docs/reference/writing.md#one-batch-all-or-nothing): history, then
 * structure, then every item is checked, then all are written. The caller rolls back a batch that did not succeed
 * (`group.ts`).
 */
import type { SQLInputValue } from 'node:sqlite';
import { membersOfShared } from '../../schema/audience.ts';
import type {
  AddItem,
  Change,
  DeleteItem,
  ItemFailure,
  PutChange,
  PutItem,
  UpdateItem,
  WriteBatch,
  WriteOutcome,
  WrittenItem,
} from '../contract.ts';
import { sizeFailure, sizeFailureOfAdd, sizeFailuresOfAdds, sizesWanted } from '../index-size.ts';
import {
  duplicate,
  failuresAmong,
  forward,
  isFailing,
  judgeAdds,
  judgeDeletes,
  judgeUpdates,
  operationsText,
  type Scoped,
  withAudience,
} from '../judge.ts';
import { judgePuts, keyValues, Mentions, type PutTarget } from '../judge-puts.ts';
import { sqliteDialect } from './dialect.ts';
import { isUnique } from './failure.ts';
import type { SpaceFile } from './space-file.ts';
import type { FoundRecord, TableStatements } from './table-statements.ts';

/** After `failed` the batch may be half written; after every other outcome the data is consistent. */
export function applyBatch(file: SpaceFile, batch: WriteBatch): WriteOutcome {
  if (batch.transactionId !== null) {
    const known = file.history(batch.transactionId);
    if (known !== null) {
      return { kind: 'replay', items: known.requestHash === batch.requestHash ? known.items : null };
    }
  }
  if (batch.refused) return { kind: 'refused' };
  if (batch.definitionVersion !== file.definition.version) return { kind: 'stale' };
  const outcome = applyChanges(file, batch);
  if (outcome.kind === 'done') {
    file.takeSeq();
    file.see(batch);
    if (batch.transactionId !== null) {
      const operations = batch.changes.map(({ operation, table }) => [operation, file.table(table).table.id] as const);
      file.remember(batch, outcome.items, operationsText(operations));
    }
  }
  return outcome;
}

type Outcome = Extract<WriteOutcome, { kind: 'done' | 'failed' }>;

function applyChanges(file: SpaceFile, batch: WriteBatch): Outcome {
  const { changes } = batch;
  const mentions = new Mentions(changes);
  const items: WrittenItem[] = [];
  for (const [position, change] of changes.entries()) {
    const outcome = applyChange({ file, batch, mentions, table: file.table(change.table) }, change);
    if (outcome.kind === 'failed') {
      return { kind: 'failed', failures: failuresAmong(changes, position, outcome.failures) };
    }
    if (changes.length === 1) return outcome;
    items.push(...outcome.items);
  }
  return { kind: 'done', items };
}

/** The target of a change. */
interface Target {
  readonly file: SpaceFile;
  readonly table: TableStatements;
  readonly batch: WriteBatch;
  readonly mentions: Mentions;
}

function applyChange(target: Target, change: Change): Outcome {
  switch (change.operation) {
    case 'add':
      return addAll(target, change.items);
    case 'update':
      return updateAll(target, change.items);
    case 'delete':
      return deleteAll(target, change.items);
    case 'put':
      return putAll(target, change);
  }
}

function addAll(target: Target, items: readonly AddItem[]): Outcome {
  const { table } = target;
  const failures = judgeAdds(items, (objectId) => table.exists(objectId));
  if (isFailing(failures)) return { kind: 'failed', failures };
  const tooLarge = sizeFailuresOfAdds(table.table, items);
  if (isFailing(tooLarge)) return { kind: 'failed', failures: tooLarge };
  return writeAll(table, items, (item) => addOne(target, item));
}

function addOne({ file, table, batch }: Target, item: AddItem): WrittenItem {
  const deleted = item.generated ? null : file.tombstoneTime(table.table.id, item.objectId);
  const time = forward(batch.now, deleted);
  table.insert(item, time, file.nextSeq);
  noteAudience(file, item.audience);
  return { objectId: item.objectId, created: time, updated: time };
}

/** An update of a record, with the resulting audience. */
interface ScopedUpdate extends Scoped {
  readonly item: UpdateItem;
  readonly record: FoundRecord;
}

const scopedUpdate = (batch: WriteBatch, item: UpdateItem, record: FoundRecord): ScopedUpdate => ({
  item,
  record,
  ...withAudience(batch, item, record),
});

function updateAll(target: Target, items: readonly UpdateItem[]): Outcome {
  const { table, batch } = target;
  const judged = judgeUpdates(items, finder(table, batch));
  if (judged.kind === 'failed') return judged;
  const changes = judged.records.map(({ item, record }) => scopedUpdate(batch, item, record));
  const tooLarge = changes.map((change) => sizeFailureOf(table, change));
  if (isFailing(tooLarge)) return { kind: 'failed', failures: tooLarge };
  return writeAll(table, changes, (change) => updateOne(target, change));
}

function sizeFailureOf(table: TableStatements, { item, record, ...scoped }: ScopedUpdate): ItemFailure | null {
  const update = { objectId: item.objectId, audienceBefore: record.audience, ...scoped };
  const sizes = table.textSizes(record.rowid, sizesWanted(table.table, update));
  return sizeFailure(table.table, update, sizes);
}

function updateOne({ file, table, batch }: Target, change: ScopedUpdate): WrittenItem {
  const { item, record, columns, values, audience } = change;
  const updated = forward(batch.now, record.updated);
  table.update(record.rowid, { columns, values, audience, updated }, file.nextSeq);
  if (audience !== record.audience) noteAudience(file, audience);
  return { objectId: item.objectId, created: record.created, updated };
}

function deleteAll({ file, table, batch }: Target, items: readonly DeleteItem[]): Outcome {
  const judged = judgeDeletes(items, finder(table, batch));
  if (judged.kind === 'failed') return judged;
  return writeAll(table, judged.records, ({ item: { objectId }, record }) => {
    const time = forward(batch.now, record.updated);
    table.delete(record.rowid);
    file.putTombstone(table.table.id, objectId, time, record.audience);
    return { objectId, created: record.created, updated: record.updated };
  });
}

function putAll(target: Target, change: PutChange): Outcome {
  const { table, batch, mentions } = target;
  const judged = judgePuts(table.table, change, putFinder(table, batch, change), mentions);
  if (judged.kind === 'failed') return judged;
  const puts = judged.puts.map((put) => {
    return put.kind === 'add' ? put : { kind: put.kind, update: scopedUpdate(batch, put.item, put.record) };
  });
  const tooLarge = puts.map((put) => {
    return put.kind === 'add' ? sizeFailureOfAdd(table.table, put.item) : sizeFailureOf(table, put.update);
  });
  if (isFailing(tooLarge)) return { kind: 'failed', failures: tooLarge };
  return writeAll(table, puts, (put) => {
    return put.kind === 'add' ? addOne(target, put.item) : updateOne(target, put.update);
  });
}

function putFinder(table: TableStatements, batch: WriteBatch, { key }: PutChange) {
  const find = finder(table, batch);
  return (item: PutItem): PutTarget<FoundRecord> | null => {
    const objectId = key === null ? item.objectId : table.idOf(key, keyValues(key, item));
    if (objectId === null) return null;
    const record = find(objectId);
    return record === null && !table.exists(objectId) ? null : { objectId, record };
  };
}

function finder(table: TableStatements, batch: WriteBatch): (objectId: string) => FoundRecord | null {
  const members = sqliteDialect.boundMembers(batch.members) as SQLInputValue;
  return (objectId) => table.find(objectId, members);
}

/** Continues after an item refused by a unique index, so that all such items are reported. */
function writeAll<Item>(table: TableStatements, items: readonly Item[], write: (item: Item) => WrittenItem): Outcome {
  const written: WrittenItem[] = [];
  const failures = items.map((item): ItemFailure | null => {
    try {
      written.push(write(item));
      return null;
    } catch (error) {
      if (!isUnique(error)) throw error;
      return duplicate(table.columnsOf(error as Error));
    }
  });
  return isFailing(failures) ? { kind: 'failed', failures } : { kind: 'done', items: written };
}

function noteAudience(file: SpaceFile, audience: string): void {
  const members = membersOfShared(audience);
  if (members.length > 0) file.addMembers(audience, members);
}
