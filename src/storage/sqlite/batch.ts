/**
 * Executes one batch inside an open transaction (docs/reference/writing.md#one-batch-all-or-nothing): history, then
 * structure, then every item is checked, then all are written. The caller rolls back a batch that did not succeed
 * (`group.ts`).
 */
import type { SQLInputValue } from 'node:sqlite';
import { membersOfShared } from '../../schema/audience.ts';
import type {
  AddItem,
  DeleteItem,
  ItemFailure,
  UpdateItem,
  WriteBatch,
  WriteOutcome,
  WrittenItem,
} from '../contract.ts';
import { sizeFailure, sizeFailuresOfAdds, sizesWanted } from '../index-size.ts';
import {
  duplicate,
  forward,
  isFailing,
  judgeAdds,
  judgeDeletes,
  judgeUpdates,
  operationsText,
  withAudience,
} from '../judge.ts';
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
  const table = file.table(batch.table);
  const outcome = applyChange(file, table, batch);
  if (outcome.kind === 'done') {
    file.takeSeq();
    file.see(batch);
    if (batch.transactionId !== null) {
      file.remember(batch, outcome.items, operationsText([[batch.change.operation, table.table.id]]));
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
  const failures = judgeAdds(items, (objectId) => table.exists(objectId));
  if (isFailing(failures)) return { kind: 'failed', failures };
  const tooLarge = sizeFailuresOfAdds(table.table, items);
  if (isFailing(tooLarge)) return { kind: 'failed', failures: tooLarge };
  return writeAll(table, items, (item) => {
    const deleted = item.generated ? null : file.tombstoneTime(table.table.id, item.objectId);
    const time = forward(batch.now, deleted);
    table.insert(item, time, file.nextSeq);
    noteAudience(file, item.audience);
    return { objectId: item.objectId, created: time, updated: time };
  });
}

function updateAll(file: SpaceFile, table: TableStatements, batch: WriteBatch, items: readonly UpdateItem[]): Outcome {
  const judged = judgeUpdates(items, finder(table, batch));
  if (judged.kind === 'failed') return judged;
  const changes = judged.records.map(({ item, record }) => ({ item, record, ...withAudience(batch, item, record) }));
  const tooLarge = changes.map(({ item, record, ...scoped }) => {
    const update = { objectId: item.objectId, audienceBefore: record.audience, ...scoped };
    const sizes = table.textSizes(record.rowid, sizesWanted(table.table, update));
    return sizeFailure(table.table, update, sizes);
  });
  if (isFailing(tooLarge)) return { kind: 'failed', failures: tooLarge };
  return writeAll(table, changes, ({ item, record, columns, values, audience }) => {
    const updated = forward(batch.now, record.updated);
    table.update(record.rowid, { columns, values, audience, updated }, file.nextSeq);
    if (audience !== record.audience) noteAudience(file, audience);
    return { objectId: item.objectId, created: record.created, updated };
  });
}

function deleteAll(file: SpaceFile, table: TableStatements, batch: WriteBatch, items: readonly DeleteItem[]): Outcome {
  const judged = judgeDeletes(items, finder(table, batch));
  if (judged.kind === 'failed') return judged;
  return writeAll(table, judged.records, ({ item: { objectId }, record }) => {
    const time = forward(batch.now, record.updated);
    table.delete(record.rowid);
    file.putTombstone(table.table.id, objectId, time, record.audience);
    return { objectId, created: record.created, updated: record.updated };
  });
}

function finder(table: TableStatements, batch: WriteBatch): (objectId: string) => FoundRecord | null {
  const members = sqliteDialect.boundMembers(batch.members) as SQLInputValue;
  return (objectId) => table.find(objectId, members);
}

/** Continues after an item whose value a unique index refuses, so that all such items are reported. */
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
