/**
 * The fast path: batches of one kind on one table share one statement, which writes the valid ones and leaves the
 * others out (`merged-sql.ts`). Those run one by one (`batch.ts`), which also determines why they fail.
 */
import { scope } from '../../schema/audience.ts';
import type { Column, Index } from '../../schema/model.ts';
import { systemName } from '../../schema/system.ts';
import type { AddItem, DeleteItem, TableChange, UpdateItem, WriteBatch, WrittenItem } from '../contract.ts';
import { sizeFailuresOfAdds } from '../index-size.ts';
import { answeredItems, answerText, forward, isFailing, withAudience } from '../judge.ts';
import type { Route } from './citus.ts';
import type { Sql } from './connections.ts';
import type { Attempt } from './history.ts';
import { type Cell, cells, instant, type Row, type TableWrites } from './table-writes.ts';

/** A batch that may be merged with others of the same `kind`, and how. */
export interface Mergeable {
  /** Table, operation and columns: equal for batches that share a statement. */
  readonly kind: string;
  /**
   * The inputs of one item; the first one also has those of its batch.
   * @param after how many batches of the statement follow its batch
   */
  row(attempt: Attempt, index: number, after: number): Row;
  /** @param batches the number of batches */
  statement(route: Route, rows: readonly Row[], batches: number): Promise<Sql>;
  /** The result of the batch. @param answer from the statement, if it has one */
  items(answer: string | null | undefined): readonly WrittenItem[];
  /** The audiences of the items. */
  readonly audiences: readonly string[];
}

/** Null for a batch that must run alone. */
export function mergeable(writes: TableWrites, batch: WriteBatch): Mergeable | null {
  const [change, ...others] = batch.changes;
  if (change === undefined || others.length > 0 || change.items.length === 0 || repeats(change.items)) return null;
  switch (change.operation) {
    case 'add':
      return isFailing(sizeFailuresOfAdds(writes.table, change.items))
        ? null
        : mergeableAdd(writes, batch, change.items);
    case 'update':
      return mergeableUpdate(writes, batch, change.items);
    case 'delete':
      return mergeableDelete(writes, batch, change.items);
    case 'put':
      return null;
  }
}

function repeats(items: readonly { readonly objectId: string }[]): boolean {
  return items.length > 1 && new Set(items.map(({ objectId }) => objectId)).size < items.length;
}

const noBatch: Row = [null, null, null, null];

/** In the order of `batchInputs`. */
function batchCells({ transactionId, batch, mark }: Attempt, index: number, after: number): Row {
  const ofFirst = index === 0 ? [batch.requestHash, mark, String(batch.now), String(batch.userId)] : noBatch;
  return [transactionId, String(after), ...ofFirst];
}

/** All times are those of the batch, since the statement asserts that no tombstone is ahead of the clock. */
function mergeableAdd(writes: TableWrites, batch: WriteBatch, items: readonly AddItem[]): Mergeable {
  const isGiven = items.some(({ generated }) => !generated);
  const written = items.map(({ objectId }) => ({ objectId, created: batch.now, updated: batch.now }));
  return {
    kind: `add ${isGiven}`,
    audiences: items.map(({ audience }) => audience),
    row: (attempt, index, after) => [
      ...batchCells(attempt, index, after),
      index === 0 ? answerText(written) : null,
      ...writes.addRow(items[index] as AddItem, batch.now),
    ],
    statement: (route, rows, batches) =>
      writes.mergedAdd(route, { rows, version: batch.definitionVersion, batches }, isGiven),
    items: () => written,
  };
}

function mergeableUpdate(writes: TableWrites, batch: WriteBatch, items: readonly UpdateItem[]): Mergeable | null {
  const first = items[0] as UpdateItem;
  const names = first.columns.join(',');
  if (items.some((item) => item.foreignGroupIds.length > 0 || item.columns.join(',') !== names)) return null;
  const isSent = [systemName.scopeType, systemName.groupIds].map((name) => first.columns.includes(name));
  // With only one of them, the audience depends on what is stored.
  if (isSent[0] !== isSent[1]) return null;
  const audience = isSent[0] ? 'sent' : 'kept';
  const columns = writes.columns(first.columns);
  const scoped = items.map((item) => (audience === 'sent' ? sentAudience(batch, item) : { ...item, audience: '' }));
  return {
    kind: `update ${audience} ${names}`,
    audiences: scoped.map((item) => item.audience),
    row(attempt, index, after) {
      const { values, audience: sent } = scoped[index] as (typeof scoped)[number];
      const { base } = items[index] as UpdateItem;
      const position = { index, after };
      const row = changeRow(attempt, items, position, instant(forward(batch.now, base)));
      if (audience === 'sent') row.push(sent);
      row.push(...cells(columns, values));
      return row;
    },
    statement: (route, rows, batches) =>
      writes.mergedUpdate(route, { rows, version: batch.definitionVersion, batches }, { columns, audience }),
    items: (answer) => answeredItems(answer as string),
  };
}

/** The audience when scope and groups are both sent; `u` is the user who created the record, known to the statement. */
function sentAudience(batch: WriteBatch, item: UpdateItem) {
  const sent = item.values[item.columns.indexOf(systemName.scopeType)];
  const scoped = withAudience(batch, item, { scopeType: null, groupIds: null, createUserId: 0, audience: '' });
  return sent === scope.user ? { ...scoped, audience: 'u' } : scoped;
}

function mergeableDelete(writes: TableWrites, batch: WriteBatch, items: readonly DeleteItem[]): Mergeable {
  return {
    kind: 'delete',
    audiences: [],
    row: (attempt, index, after) =>
      changeRow(attempt, items, { index, after }, String(forward(batch.now, (items[index] as DeleteItem).base))),
    statement: (route, rows, batches) =>
      writes.mergedDelete(route, { rows, version: batch.definitionVersion, batches }),
    items: (answer) => answeredItems(answer as string),
  };
}

/** In the order of `changeFields`, and the time. */
function changeRow(
  attempt: Attempt,
  items: readonly (UpdateItem | DeleteItem)[],
  { index, after }: { readonly index: number; readonly after: number },
  time: string,
): Cell[] {
  const { objectId, base } = items[index] as UpdateItem | DeleteItem;
  const members = `{${attempt.batch.members.join(',')}}`;
  const size = index === 0 ? String(items.length) : null;
  return [...batchCells(attempt, index, after), size, objectId, instant(base), members, time];
}

/**
 * What two batches must not share to be sent at the same time: their transaction ids, records, and values of unique
 * indexes. This keeps them in order of arrival, and neither can fail a statement shared by both.
 */
export function keysOf(writes: readonly TableWrites[], { transactionId, batch }: Attempt): string[] {
  const keys = [`t${transactionId}`];
  for (const [position, change] of batch.changes.entries()) addKeys(keys, writes[position] as TableWrites, change);
  return keys;
}

function addKeys(keys: string[], writes: TableWrites, change: TableChange): void {
  const { table } = writes;
  for (const { objectId } of change.items) keys.push(`o${table.id}/${objectId}`);
  if (change.operation === 'delete') return;
  for (const [position, index] of table.indexes.entries()) {
    if (!index.unique) continue;
    for (const item of change.items) {
      const values = valuesOf(writes, index, item);
      if (values !== null) keys.push(`v${table.id}/${position}/${JSON.stringify(values)}`);
    }
  }
}

/** The values that the item sends for all columns of the index; null when one is omitted or has no value. */
function valuesOf(writes: TableWrites, index: Index, item: TableChange['items'][number]): string[] | null {
  const values: string[] = [];
  for (const name of index.columns) {
    const value =
      'columns' in item
        ? item.values[item.columns.indexOf(name)]
        : 'values' in item
          ? item.values[positionOf(writes, name)]
          : null;
    if (value === null || value === undefined) return null;
    values.push(String(value));
  }
  return values;
}

function positionOf({ table }: TableWrites, name: string): number {
  return table.columns.findIndex((column: Column) => column.name === name);
}
