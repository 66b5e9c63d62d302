/**
 * Batches as specified in docs/reference/writing.md#one-batch-all-or-nothing: history, structure, lock, write; all or
 * nothing.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Table } from '../../src/schema/model.ts';
import type { WrittenItem } from '../../src/storage/contract.ts';
import { change, failuresOf, itemsOf, openScratch, someone, start, taskScratch, tasksIn } from './scratch.ts';
import { storedRows } from './stored.ts';

test('an added record has the server times, and is visible only to its audience', async (t) => {
  const { tasks } = await taskScratch(t);
  const outcome = await tasks.add([
    { id: 'own', scopeType: 1, title: 'mine' },
    { id: 'one', groupIds: [3] },
    { id: 'both', groupIds: [1, 3] },
    { id: 'all', scopeType: 3 },
  ]);
  assert.deepEqual(
    itemsOf(outcome),
    ['own', 'one', 'both', 'all'].map((objectId) => ({ objectId, created: start, updated: start })),
  );
  const seenBy = async (members: string[]) => {
    const records = await Promise.all(['own', 'one', 'both', 'all'].map((id) => tasks.get(id, members)));
    return records.filter((record) => record !== null).map((record) => record.objectId);
  };
  assert.deepEqual(await seenBy(['u7', 'g1', 'g3', 'a']), ['own', 'one', 'both', 'all']);
  assert.deepEqual(await seenBy(['u8', 'g1', 'a']), ['both', 'all']);
  assert.deepEqual(await seenBy(['u8', 'g3', 'a']), ['one', 'both', 'all']);
  assert.deepEqual(await seenBy(['u8', 'g13', 'g31', 'a']), ['all']);
  assert.deepEqual(await seenBy(['u8', 'g4']), []);
  assert.deepEqual(await tasks.get('own'), {
    objectId: 'own',
    CreateTime: '1',
    UpdateTime: '2',
    serverCreateTime: '2026-01-01T00:00:00.000+00:00',
    serverUpdateTime: '2026-01-01T00:00:00.000+00:00',
    serverRecordStatus: '1',
    scopeType: '1',
    groupIds: '{1,3}',
    createUserId: '7',
    title: 'mine',
    code: null,
  });
});

test('an id in use is refused, whether its record is visible or not, and also within the batch', async (t) => {
  const { tasks } = await taskScratch(t);
  await tasks.add([{ id: 'x', scopeType: 1 }], { userId: 8 });
  const outcome = await tasks.add([{ id: 'y' }, { id: 'x' }, { id: 'z' }, { id: 'y' }]);
  assert.deepEqual(failuresOf(outcome), [null, { reason: 'duplicateId' }, null, { reason: 'duplicateId' }]);
  assert.equal(await tasks.get('y'), null);
  assert.deepEqual(failuresOf(await tasks.add([{ id: 'x' }])), [{ reason: 'duplicateId' }]);
  const generated = await tasks.add([{ id: 'x', generated: true }]);
  assert.deepEqual(failuresOf(generated), [{ reason: 'duplicateId' }], 'even when it was not looked up before');
});

test('every item with a taken value of a unique index is reported', async (t) => {
  const { tasks } = await taskScratch(t);
  await tasks.add([{ id: 'first', code: 1 }]);
  const taken = { reason: 'duplicateValue', columns: ['code'] };
  const outcome = await tasks.add([{ code: 2 }, { code: 1 }, { id: 'c', code: 3 }, { code: 2 }, { code: null }]);
  assert.deepEqual(failuresOf(outcome), [null, taken, null, taken, null]);
  assert.equal(await tasks.get('c'), null);
  assert.deepEqual(failuresOf(await tasks.add([{ code: 1 }])), [taken]);

  const [second, third] = itemsOf(await tasks.add([{ code: 2 }, { code: 3 }]));
  const update = await tasks.update([
    change(second!.objectId, start, { code: 1 }),
    change(third!.objectId, start, { code: 4 }),
  ]);
  assert.deepEqual(failuresOf(update), [taken, null]);
  assert.equal((await tasks.get(third!.objectId))?.code, '3', 'the sound item of the batch was undone with it');
});

test('an update changes the columns sent, clears nulls, and moves the time forward', async (t) => {
  const { tasks } = await taskScratch(t);
  await tasks.add([{ id: 'x', title: 'old', code: 1 }]);
  const [first] = itemsOf(await tasks.update([change('x', start, { title: 'new' })]));
  assert.deepEqual(first, { objectId: 'x', created: start, updated: start + 1 }, 'also within one millisecond');
  assert.deepEqual([(await tasks.get('x'))?.title, (await tasks.get('x'))?.code], ['new', '1']);
  const [second] = itemsOf(await tasks.update([change('x', start + 1, { code: null })], { now: start - 60_000 }));
  assert.equal(second?.updated, start + 2, 'also when the clock was set back');
  const [third] = itemsOf(await tasks.update([change('x', start + 2, {})], { now: start + 60_000 }));
  assert.equal(third?.updated, start + 60_000);
  const record = await tasks.get('x');
  assert.deepEqual([record?.title, record?.code], ['new', null]);
  assert.equal(record?.serverCreateTime, '2026-01-01T00:00:00.000+00:00');
  assert.equal(record?.serverUpdateTime, '2026-01-01T00:01:00.000+00:00');
});

test('the lock is checked for every item before anything is written', async (t) => {
  const { tasks } = await taskScratch(t);
  await tasks.add([{ id: 'a' }, { id: 'b' }, { id: 'c' }]);
  await tasks.add([{ id: 'hidden', scopeType: 1 }], { userId: 8 });
  const outcome = await tasks.update([
    change('a', start, { title: 'A' }),
    change('hidden', start, { title: 'H' }),
    change('b', start - 1, { title: 'B' }),
    change('missing', start, { title: 'M' }),
    change('a', start, { title: 'AA' }),
  ]);
  assert.deepEqual(failuresOf(outcome), [
    null,
    { reason: 'noRecord' },
    { reason: 'changed' },
    { reason: 'noRecord' },
    { reason: 'changed' },
  ]);
  assert.equal((await tasks.get('a'))?.title, null);
  const removal = await tasks.delete([
    { objectId: 'a', base: start },
    { objectId: 'c', base: start + 1 },
    { objectId: 'a', base: start },
    { objectId: 'hidden', base: start },
  ]);
  assert.deepEqual(failuresOf(removal), [null, { reason: 'changed' }, { reason: 'noRecord' }, { reason: 'noRecord' }]);
  assert.notEqual(await tasks.get('a'), null);
});

test('the visibility of a record follows from the sent and stored values', async (t) => {
  const { tasks } = await taskScratch(t);
  await tasks.add([{ id: 'x', groupIds: [1] }]);
  const seenBy = async (...members: string[]) => (await tasks.get('x', members)) !== null;
  let base = start;
  const update = async (values: Parameters<typeof change>[2], options = {}) => {
    const [item] = itemsOf(await tasks.update([change('x', base, values)], options));
    base = item!.updated;
  };

  await update({ groupIds: '{1,3}' });
  assert.deepEqual([await seenBy('g1'), await seenBy('g3'), await seenBy('g2')], [true, true, false]);
  await update({ groupIds: '{3}' });
  assert.deepEqual([await seenBy('g1'), await seenBy('g3')], [false, true]);
  await update({ scopeType: 1 });
  assert.deepEqual([await seenBy('g3'), await seenBy('u7')], [false, true]);
  await update({ scopeType: 3 });
  assert.equal(await seenBy('a'), true);
  await update({ scopeType: 2 }, { groupIds: [5, 6] });
  assert.deepEqual([await seenBy('g3'), await seenBy('g5'), (await tasks.get('x'))?.groupIds], [true, false, '{3}']);

  await update({ groupIds: null });
  assert.deepEqual([(await tasks.get('x'))?.groupIds, await seenBy('g1')], ['{1,3}', true], 'all groups of the caller');
  await update({ scopeType: 1, groupIds: null });
  assert.deepEqual([(await tasks.get('x'))?.groupIds, await seenBy('g1')], [null, false]);
  await update({ scopeType: 2, title: 'filled in' });
  const record = await tasks.get('x', ['g3']);
  assert.deepEqual([record?.groupIds, record?.title, record?.scopeType], ['{1,3}', 'filled in', '2']);
});

test('a group that the caller is not in may stay on a record, but cannot be added to one', async (t) => {
  const { tasks } = await taskScratch(t);
  await tasks.add([
    { id: 'x', groupIds: [1, 9] },
    { id: 'y', groupIds: [1] },
  ]);
  const outcome = await tasks.update([
    change('x', start, { groupIds: '{1,9}' }, [9]),
    change('y', start, { groupIds: '{1,9}' }, [9]),
  ]);
  assert.deepEqual(failuresOf(outcome), [null, { reason: 'foreignGroup', groupId: 9 }]);
  assert.equal((await tasks.update([change('x', start, { groupIds: '{1,9}' }, [9])])).kind, 'done');
});

test('a deletion returns the times of the record, and its id can be reused only with a later time', async (t) => {
  const { tasks, scratch } = await taskScratch(t);
  await tasks.add([{ id: 'x', groupIds: [1] }]);
  await tasks.update([change('x', start, { title: 'changed' })], { now: start + 5 });
  const removal = await tasks.delete([{ objectId: 'x', base: start + 5 }], { now: start - 10 });
  assert.deepEqual(itemsOf(removal), [{ objectId: 'x', created: start, updated: start + 5 }]);
  assert.equal(await tasks.get('x'), null);
  assert.deepEqual(failuresOf(await tasks.delete([{ objectId: 'x', base: start + 5 }])), [{ reason: 'noRecord' }]);

  const [again] = itemsOf(await tasks.add([{ id: 'x', groupIds: [3] }], { now: start - 10 }));
  assert.deepEqual(again, { objectId: 'x', created: start + 7, updated: start + 7 });
  const stale = await tasks.update([change('x', start + 5, { title: 'late' })]);
  assert.deepEqual(failuresOf(stale), [{ reason: 'changed' }]);
  await tasks.delete([{ objectId: 'x', base: start + 7 }], { now: start + 100 });
  const tombstones = await storedRows(scratch, 'SELECT object_id, time, audience FROM _tombstone');
  assert.deepEqual(tombstones, [{ object_id: 'x', time: start + 100, audience: 'g3' }], 'the last deletion');
});

test('a transaction id is processed once; the same request gets the first answer again', async (t) => {
  const { tasks } = await taskScratch(t);
  const once = { transactionId: 'T1', requestHash: 'h1' };
  const first = itemsOf(await tasks.add([{ id: 'x', code: 1 }], once));
  assert.deepEqual(await tasks.add([{ id: 'x', code: 1 }], once), { kind: 'replay', items: first });
  const other = { ...once, requestHash: 'h2' };
  assert.deepEqual(await tasks.add([{ id: 'y' }], other), { kind: 'replay', items: null });
  assert.deepEqual(await tasks.update([change('x', start, { code: 2 })], other), { kind: 'replay', items: null });
  assert.deepEqual(await tasks.add([], { ...once, refused: true }), { kind: 'replay', items: first });
  const stale = { ...once, definitionVersion: -1 };
  assert.deepEqual(await tasks.add([{ id: 'x' }], stale), { kind: 'replay', items: first }, 'history comes first');
});

test('the history stores who did what in which table', async (t) => {
  const { tasks, scratch } = await taskScratch(t);
  const { id } = tasks.definition.tables.get('task') as Table;
  const [added] = itemsOf(await tasks.add([{ id: 'x' }], { transactionId: 'T1' })) as [WrittenItem];
  const update = [change('x', added.updated, { code: 2 })];
  const [updated] = itemsOf(await tasks.update(update, { transactionId: 'T2', userId: 8 })) as [WrittenItem];
  await tasks.delete([{ objectId: 'x', base: updated.updated }], { transactionId: 'T3' });
  // On PostgreSQL, a batch that runs alone.
  await tasks.add([{ id: 'y' }, { id: 'y' }], { transactionId: 'T4' });
  await tasks.add([{ id: 'y', code: 1 }], { transactionId: 'T5' });
  await tasks.update([change('y', start, { scopeType: 3 })], { transactionId: 'T6', userId: 9 });
  const select = 'SELECT transaction_id AS id, user_id, operations FROM _history ORDER BY transaction_id';
  assert.deepEqual(await storedRows(scratch, select), [
    { id: 'T1', user_id: 7, operations: `[["add",${id}]]` },
    { id: 'T2', user_id: 8, operations: `[["update",${id}]]` },
    { id: 'T3', user_id: 7, operations: `[["delete",${id}]]` },
    { id: 'T5', user_id: 7, operations: `[["add",${id}]]` },
    { id: 'T6', user_id: 9, operations: `[["update",${id}]]` },
  ]);
});

test('a batch that failed or was refused leaves no trace of its transaction id', async (t) => {
  const { tasks } = await taskScratch(t);
  await tasks.add([{ id: 'x', code: 1 }]);
  const once = { transactionId: 'T1' };
  assert.equal((await tasks.add([{ code: 2 }, { code: 1 }], once)).kind, 'failed');
  assert.equal((await tasks.add([{ code: 1 }], once)).kind, 'failed');
  assert.deepEqual(await tasks.add([], { ...once, refused: true }), { kind: 'refused' });
  const stale = { ...once, definitionVersion: tasks.definition.version - 1 };
  assert.deepEqual(await tasks.add([{ code: 3 }], stale), { kind: 'stale' });
  assert.deepEqual(await tasks.add([], { ...stale, refused: true }), { kind: 'refused' });
  assert.equal((await tasks.add([{ code: 2 }], once)).kind, 'done');
});

test('of concurrent replays exactly one is processed', async (t) => {
  const { tasks } = await taskScratch(t);
  const replays = await Promise.all(
    Array.from({ length: 20 }, (_, code) => tasks.add([{ code }], { transactionId: 'T', requestHash: `h${code % 2}` })),
  );
  const done = replays.filter(({ kind }) => kind === 'done');
  assert.equal(done.length, 1);
  assert.equal(replays.filter(({ kind }) => kind === 'replay').length, 19);
  const repeated = replays.flatMap((replay) =>
    replay.kind === 'replay' && replay.items !== null ? [replay.items] : [],
  );
  assert.equal(repeated.length, 9);
  for (const items of repeated) assert.deepEqual(items, itemsOf(done[0]!));
});

test('commits are numbered in order, and a record has the number of its last one', async (t) => {
  const { tasks, scratch } = await taskScratch(t);
  await tasks.add([{ id: 'a' }, { id: 'b' }, { id: 'd' }]);
  await tasks.add([{ id: 'c' }]);
  await tasks.add([{ id: 'c' }]);
  await tasks.delete([{ objectId: 'd', base: start }]);
  await tasks.update([change('a', start, { title: 'A' })]);
  const rows = await storedRows(
    scratch,
    'SELECT "objectId" AS id, _seq FROM task UNION SELECT object_id, seq FROM _tombstone ORDER BY 2',
  );
  assert.deepEqual(
    rows.map(({ id }) => id),
    ['b', 'c', 'd', 'a'],
  );
  assert.equal(new Set(rows.map(({ _seq }) => _seq)).size, 4);
});

test('columns and tables with names reserved by an engine work normally', async (t) => {
  const { storage } = await taskScratch(t);
  const { column, defineTables, tableOf } = await import('./scratch.ts');
  const names = ['rowid', 'oid', 'order', 'limit', 'sqlite_x', 'ctid', 'xmin', 'tableoid'];
  const columns = names.map((name) => column(name, { kind: 'integer' as const }));
  const table = tableOf('sqlite_master', columns, [{ columns: ['rowid', 'ctid'], unique: true }]);
  const definition = await defineTables(storage, 1, [table]);
  const item = (objectId: string, values: number[]) => ({
    objectId,
    generated: false,
    audience: 'a',
    values: [null, null, null, null, null, 1, 3, null, 7n, ...values],
  });
  const write = (...items: ReturnType<typeof item>[]) =>
    storage.spaces.write(1, {
      ...someone,
      definitionVersion: definition.version,
      members: ['a'],
      refused: false,
      changes: [{ table: 'sqlite_master', operation: 'add', items }],
    });
  assert.equal((await write(item('x', [1, 2, 3, 4, 5, 6, 7, 8]))).kind, 'done');
  assert.deepEqual(failuresOf(await write(item('y', [1, 0, 0, 0, 0, 6, 0, 0]))), [
    { reason: 'duplicateValue', columns: ['rowid', 'ctid'] },
  ]);
});

test('data are kept after closing and reopening', async (t) => {
  const { tasks, scratch, close } = await taskScratch(t);
  await tasks.add([{ id: 'x', title: 'kept' }]);
  await close();
  const again = await openScratch(t, { place: scratch });
  const reopened = await tasksIn(again.storage, 1);
  assert.equal((await reopened.get('x'))?.title, 'kept');
  assert.deepEqual(reopened.definition.tables, tasks.definition.tables);
  assert.equal(reopened.definition.version, tasks.definition.version);
  assert.equal((await reopened.update([change('x', start, { title: 'new' })])).kind, 'done');
});
