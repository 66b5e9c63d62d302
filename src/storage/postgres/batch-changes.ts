/**
 * The changes of a batch that runs alone (`batch.ts`): each checks every item, and then writes all. They return what
 * was written, in the order of the items, and throw RolledBack if an item fails.
 */
import { inTimeSlices } from '../../time-slices.ts';
import type { AddItem, DeleteItem, ItemFailure, PutChange, PutItem, UpdateItem, WrittenItem } from '../contract.ts';
import { type SizedUpdate, sizeFailure, sizeFailureOfAdd, sizeFailuresOfAdds, sizesWanted } from '../index-size.ts';
import {
  duplicate,
  type Failures,
  forward,
  judgeAdds,
  judgeDeletes,
  judgeUpdates,
  type Scoped,
  withAudience,
} from '../judge.ts';
import { judgePuts, type Put, type PutTarget } from '../judge-puts.ts';
import { Conflict, type FoundForPut, type FoundRecord, type Target } from './batch-work.ts';
import type { Sql } from './connections.ts';
import type { Row, TableWrites } from './table-writes.ts';

/** A record to be added. */
interface NewRecord {
  readonly kind: 'add';
  readonly item: AddItem;
  readonly row: Row;
  readonly written: WrittenItem;
}

/** A record to be changed. */
interface ChangedRecord {
  readonly kind: 'update';
  readonly columns: ReturnType<TableWrites['columns']>;
  readonly row: Row;
  readonly written: WrittenItem;
}

const writtenOf = ({ written }: NewRecord | ChangedRecord) => written;

export async function addAll(target: Target, items: readonly AddItem[]): Promise<readonly WrittenItem[]> {
  const { work, writes } = target;
  const { present, deleted } = await findForAdd(target, items);
  await work.refuse(
    target,
    judgeAdds(items, (objectId) => present.has(objectId)),
  );
  await work.refuse(target, sizeFailuresOfAdds(writes.table, items));
  const added: NewRecord[] = [];
  await inTimeSlices(items.length, (index) => {
    added.push(newRecord(target, items[index] as AddItem, deleted));
  });
  const written = added.map(writtenOf);
  const seq = await work.begin(written);
  const isWritten = await work.attempt(() => work.run(insertion(writes, added, seq)));
  if (!isWritten) await writeInOrder(target, added, seq, null);
  await refuseOlder(target, added);
  return written;
}

export async function updateAll(target: Target, items: readonly UpdateItem[]): Promise<readonly WrittenItem[]> {
  const { work } = target;
  const judged = judgeUpdates(items, (objectId) => work.record(target, objectId));
  if (judged.kind === 'failed') return work.refuse(target, judged.failures);
  const scoped = judged.records.map(({ item, record }) => scopedUpdate(target, item, record));
  await work.refuse(target, await sizeFailures(target, scoped));
  const changed: ChangedRecord[] = [];
  await inTimeSlices(scoped.length, (index) => {
    changed.push(changedRecord(target, scoped[index] as ScopedUpdate));
  });
  const written = changed.map(writtenOf);
  const seq = await work.begin(written);
  if (touchUnique(target, changed)) await writeInOrder(target, changed, seq, null);
  else await updateTogether(target, changed, seq);
  return written;
}

export async function deleteAll(target: Target, items: readonly DeleteItem[]): Promise<readonly WrittenItem[]> {
  const { work, writes } = target;
  const judged = judgeDeletes(items, (objectId) => work.record(target, objectId));
  if (judged.kind === 'failed') return work.refuse(target, judged.failures);
  const written = judged.records.map(({ item: { objectId }, record: { created, updated } }) => {
    return { objectId, created, updated };
  });
  const seq = await work.begin(written);
  const rows = written.map(({ objectId, updated }) => [objectId, String(forward(work.batch.now, updated))]);
  await work.run(writes.bury(rows, seq));
  await work.run(writes.remove(rows));
  return written;
}

export async function putAll(target: Target, change: PutChange): Promise<readonly WrittenItem[]> {
  const { work, writes } = target;
  const found = await work.findForPut(target, change);
  const foundFor = new Map(change.items.map((item, index) => [item, found[index] as FoundForPut]));
  const find = (item: PutItem) => putTarget(target, change, foundFor.get(item) as FoundForPut);
  const judged = judgePuts(writes.table, change, find, work.mentions);
  if (judged.kind === 'failed') return work.refuse(target, judged.failures);
  const puts = judged.puts.map((put) => (put.kind === 'add' ? put : scopedUpdate(target, put.item, put.record)));
  await work.refuse(target, await sizeFailures(target, puts));

  const deleted = new Map<string, number>();
  for (const [{ objectId }, { deletedAt }] of foundFor) if (deletedAt !== null) deleted.set(objectId, deletedAt);
  const records: (NewRecord | ChangedRecord)[] = [];
  await inTimeSlices(puts.length, (index) => {
    const put = puts[index] as (typeof puts)[number];
    records.push('kind' in put ? newRecord(target, put.item, deleted) : changedRecord(target, put));
  });
  const written = records.map(writtenOf);
  const seq = await work.begin(written);
  await writePuts(target, change, records, seq);
  await refuseOlder(
    target,
    records.filter((record) => record.kind === 'add'),
  );
  return written;
}

/** @throws Conflict for a record that is not locked, because it was added after the locks were taken */
function putTarget(
  { work, writes, change: { table } }: Target,
  { key }: PutChange,
  { objectId, isVisible }: FoundForPut,
): PutTarget<FoundRecord> | null {
  if (objectId === null) return null;
  const record = isVisible ? work.record({ writes }, objectId) : null;
  // A record that the batch itself wrote is named in it, so the put is refused for that.
  const isOwn = key !== null && work.mentions.isNamed(table, objectId);
  if (isVisible && record === null && !isOwn) throw new Conflict(`${objectId} came meanwhile.`);
  return { objectId, record };
}

async function writePuts(
  target: Target,
  { key }: PutChange,
  records: readonly (NewRecord | ChangedRecord)[],
  seq: string,
): Promise<void> {
  const { work, writes } = target;
  const added = records.filter((record) => record.kind === 'add');
  const changed = records.filter((record) => record.kind === 'update');
  const areApart = !touchUnique(target, changed);
  const insert = () => work.run(insertion(writes, added, seq));
  if (areApart && (added.length === 0 || (await work.attempt(insert)))) return updateTogether(target, changed, seq);
  return writeInOrder(target, records, seq, key ?? ['objectId']);
}

// Adding

async function findForAdd({ work, writes }: Target, items: readonly AddItem[]) {
  const given = items.filter(({ generated }) => !generated).map(({ objectId }) => objectId);
  const present = new Set<string>();
  const deleted = new Map<string, number>();
  const { rows } = await work.connection.query(writes.findForAdd([...new Set(given)]));
  await work.refuseStale(rows[0]?.[0]);
  for (const [, objectId, isPresent, deletedAt] of rows) {
    if (isPresent === 't') present.add(objectId as string);
    if (deletedAt !== null) deleted.set(objectId as string, Number(deletedAt));
  }
  return { present, deleted };
}

function newRecord({ work, writes }: Target, item: AddItem, deleted: ReadonlyMap<string, number>): NewRecord {
  const { objectId, generated } = item;
  const time = forward(work.batch.now, generated ? null : (deleted.get(objectId) ?? null));
  const written = { objectId, created: time, updated: time };
  return { kind: 'add', item, row: writes.addRow(item, time), written };
}

function insertion(writes: TableWrites, records: readonly NewRecord[], seq: string): Promise<Sql> {
  return writes.insert(
    records.map(({ row }) => row),
    seq,
  );
}

/** An id may have been added and deleted since the lookup; now only this batch can use it. */
async function refuseOlder(target: Target, records: readonly NewRecord[]): Promise<void> {
  if (records.every(({ item: { generated } }) => generated)) return;
  const { deleted } = await findForAdd(
    target,
    records.map(({ item }) => item),
  );
  for (const { written } of records) {
    const { objectId, updated } = written;
    if ((deleted.get(objectId) ?? -Infinity) >= updated) throw new Conflict(`${objectId} was deleted meanwhile.`);
  }
}

// Changing

/** An update, with the resulting audience. */
interface ScopedUpdate extends Scoped {
  readonly item: UpdateItem;
  readonly record: FoundRecord;
}

function scopedUpdate({ work }: Target, item: UpdateItem, record: FoundRecord): ScopedUpdate {
  return { item, record, ...withAudience(work.batch, item, record) };
}

/** One entry for each item. */
async function sizeFailures(
  { work, writes }: Target,
  items: readonly (ScopedUpdate | Extract<Put<FoundRecord>, { kind: 'add' }>)[],
): Promise<Failures> {
  const { table } = writes;
  const updates = items.map((item): SizedUpdate | AddItem => {
    if ('kind' in item) return item.item;
    const { item: update, record, ...scoped } = item;
    return { objectId: update.objectId, audienceBefore: record.audience, ...scoped };
  });
  const isUpdate = (item: SizedUpdate | AddItem): item is SizedUpdate => 'audienceBefore' in item;
  const wanted = [...new Set(updates.filter(isUpdate).flatMap((update) => sizesWanted(table, update)))];
  const sizes = new Map<string, ReadonlyMap<string, number>>();
  if (wanted.length > 0) {
    const objectIds = updates.filter(isUpdate).map(({ objectId }) => objectId);
    const { rows } = await work.connection.query(writes.textSizes(objectIds, wanted));
    for (const [objectId, ...found] of rows) {
      sizes.set(objectId as string, new Map(wanted.map((name, index) => [name, Number(found[index])])));
    }
  }
  return updates.map((item): ItemFailure | null => {
    if (!isUpdate(item)) return sizeFailureOfAdd(table, item);
    return sizeFailure(table, item, sizes.get(item.objectId) ?? new Map());
  });
}

function changedRecord({ work, writes }: Target, update: ScopedUpdate): ChangedRecord {
  const { item, record, columns: names, values, audience } = update;
  const { objectId } = item;
  const updated = forward(work.batch.now, record.updated);
  const columns = writes.columns(names);
  const row = writes.updateRow(objectId, updated, audience, columns, values);
  return { kind: 'update', columns, row, written: { objectId, created: record.created, updated } };
}

function touchUnique({ writes }: Target, changed: readonly ChangedRecord[]): boolean {
  return changed.some(({ columns }) => writes.unique(columns).length > 0);
}

/** For updates in any order: one statement for each set of columns. */
async function updateTogether({ work, writes }: Target, changed: readonly ChangedRecord[], seq: string): Promise<void> {
  const alike = Map.groupBy(changed, ({ columns }) => columns.map(({ name }) => name).join(','));
  for (const records of alike.values()) {
    const [{ columns }] = records as [ChangedRecord];
    const rows = records.map(({ row }) => row);
    await work.run(writes.update(rows, columns, seq));
  }
}

// Items refused by unique indexes.

/**
 * One at a time, as a value may move from one record of the batch to another.
 * @param key of a put; if another batch has added a record with it meanwhile, this one must look again
 */
async function writeInOrder(
  target: Target,
  records: readonly (NewRecord | ChangedRecord)[],
  seq: string,
  key: readonly string[] | null,
): Promise<void> {
  const { work, writes } = target;
  const failures = await work.oneByOne(
    records,
    (record) => {
      return record.kind === 'add'
        ? writes.insert([record.row], seq)
        : writes.update([record.row], record.columns, seq);
    },
    (record) => whyRefused(target, record, key),
  );
  await work.refuse(target, failures);
}

async function whyRefused(
  { work, writes }: Target,
  record: NewRecord | ChangedRecord,
  key: readonly string[] | null,
): Promise<ItemFailure> {
  const isAdded = record.kind === 'add';
  const probe = isAdded ? writes.probeAdd(record.row) : writes.probeUpdate(record.row, record.columns);
  const indexes = isAdded ? writes.unique() : writes.unique(record.columns);
  const { rows } = await work.connection.query(await probe);
  const taken = indexes.filter((_, index) => rows[0]?.[index] === 't');
  const [first] = taken;
  if (first === undefined) throw new Conflict('The value that was in the way is gone.');
  const isKey = taken.some(({ columns }) => columns.join(',') === key?.join(','));
  if (isAdded && isKey) throw new Conflict('A record with the key of a put was added meanwhile.');
  return duplicate(first.columns);
}
