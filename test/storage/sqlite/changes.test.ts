/** A long change of tables delays only its own data space, and there only for a bounded time. */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { ServiceError } from '../../../src/errors.ts';
import type { Storage } from '../../../src/storage/contract.ts';
import { pathOf } from '../../../src/storage/sqlite/folder.ts';
import { changeOf, column, defineTables, openScratch, tasksIn, taskTable } from '../scratch.ts';
import { dataFolder } from '../stored.ts';

type Tasks = Awaited<ReturnType<typeof tasksIn>>;

/** Data spaces 1 and 2 with tasks, on one writer thread; the file of data space 1 is held by another process until `give`. */
async function heldSpace(test: TestContext, settings: { writeTimeMs?: number } = {}) {
  const { storage, scratch } = await openScratch(test, { settings: { writerThreads: 1, ...settings } });
  for (const spaceId of [1, 2]) {
    await storage.spaces.create(spaceId);
    await defineTables(storage, spaceId, [taskTable]);
  }
  const tasks = [await tasksIn(storage, 1), await tasksIn(storage, 2)] as const;
  const holder = new DatabaseSync(pathOf(dataFolder(scratch), 1));
  scratch.closeFirst(async () => holder.isOpen && holder.close());
  holder.exec('BEGIN IMMEDIATE');
  return { storage, tasks, give: () => holder.exec('COMMIT') };
}

/** A column and an index for the table of tasks. */
function beginChange(storage: Storage, { definition }: Tasks) {
  return storage.spaces.define(
    1,
    changeOf(definition, {
      newColumns: [{ table: 'task', columns: [column('due', { kind: 'datetime' })] }],
      newIndexes: [{ table: 'task', indexes: [{ columns: ['due'], unique: false }] }],
    }),
  );
}

test('while tables of one data space are changed, others of the same writer thread accept writes', async (t) => {
  const { storage, tasks, give } = await heldSpace(t);
  const changed = beginChange(storage, tasks[0]);
  const first = await Promise.race([
    changed.then(() => 'the change'),
    tasks[1].add([{ id: 'x' }]).then(() => 'the write'),
  ]);
  assert.equal(first, 'the write');
  give();
  assert.equal((await changed)?.tables.get('task')?.indexes.length, 3);
  assert.equal((await (await tasksIn(storage, 1)).add([{ id: 'y' }])).kind, 'done');
});

test('changes of several data spaces are made at the same time, as many as there are writer threads, and then in turn', async (t) => {
  const { storage, tasks, give } = await heldSpace(t);
  const changed = beginChange(storage, tasks[0]);
  const { definition } = tasks[1];
  const index = { table: 'task', indexes: [{ columns: ['code', 'title'], unique: false }] };
  const second = storage.spaces.define(2, changeOf(definition, { newIndexes: [index] }));
  assert.equal((await tasks[1].add([{ id: 'x' }])).kind, 'done', 'its own change has not begun');
  give();
  assert.ok((await changed) !== null);
  assert.equal((await second)?.tables.get('task')?.indexes.length, 3);
});

test('a write that waits for a change of its data space is refused after writeTimeMs, and does not happen', async (t) => {
  const { storage, tasks, give } = await heldSpace(t, { writeTimeMs: 500 });
  const changed = beginChange(storage, tasks[0]);
  const refused = await Promise.allSettled(['a', 'b'].map((id) => tasks[0].add([{ id }], { transactionId: id })));
  for (const result of refused) {
    assert.ok(result.status === 'rejected' && result.reason instanceof ServiceError);
    assert.equal(result.reason.reason, 'busy');
    assert.equal(result.reason.details.status, 503);
    assert.equal(result.reason.details.retryAfterSeconds, 1);
    assert.match(result.reason.message, /500 ms \(setting writeTimeMs\), and nothing was written/);
  }
  give();
  await changed;
  const after = await tasksIn(storage, 1);
  assert.equal(await after.get('a'), null);
  assert.equal((await after.add([{ id: 'a' }], { transactionId: 'a' })).kind, 'done', 'its transaction id is unused');
});
