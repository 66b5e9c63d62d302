/** A thread that dies: requests sent to it get an error, waiting ones continue in the thread that replaces it. */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { ServiceError } from '../../../src/errors.ts';
import { pathOf } from '../../../src/storage/sqlite/folder.ts';
import { bound, defineTables, openScratch, statementOf, tasksIn, taskTable } from '../scratch.ts';
import { dataFolder } from '../stored.ts';

/**
 * Data spaces 1 and 2 with tasks, on one writer thread and one reader thread, and the last started thread of each kind.
 */
async function twoSpaces(test: TestContext) {
  const threads: Worker[] = [];
  const note = (worker: Worker) => threads.push(worker);
  process.on('worker', note);
  test.after(() => process.off('worker', note));
  const opened = await openScratch(test, { settings: { writerThreads: 1, readerThreads: 1 } });
  const { spaces } = opened.storage;
  await spaces.create(1);
  const writer = threads.at(-1) as Worker;
  await spaces.create(2);
  for (const spaceId of [1, 2]) await defineTables(opened.storage, spaceId, [taskTable]);
  await spaces.select(1, { count: bound(statementOf('SELECT count(*) FROM task')) });
  const reader = threads.at(-1) as Worker;
  assert.notEqual(reader, writer);
  const tasks = [await tasksIn(opened.storage, 1), await tasksIn(opened.storage, 2)] as const;
  return { ...opened, tasks, writer, reader };
}

/** How each of them ended: "done", or the error for the client. */
async function endsOf(calls: readonly Promise<unknown>[]): Promise<string[]> {
  const ends = await Promise.allSettled(calls);
  return ends.map((end) => {
    if (end.status === 'fulfilled') return 'done';
    assert.ok(end.reason instanceof ServiceError, String(end.reason));
    return `${end.reason.reason}: ${end.reason.message}`;
  });
}

const failed = 'internal: The database failed.';

test('requests being committed by a writer thread fail when it dies, and waiting ones are committed by the next one', async (t) => {
  const { tasks, writer, scratch, close } = await twoSpaces(t);
  const holder = new DatabaseSync(pathOf(dataFolder(scratch), 1));
  scratch.closeFirst(() => holder.close());
  holder.exec('BEGIN IMMEDIATE');
  // The thread waits for the file of the first; that of the second is in its queue; the third is not sent yet.
  const under = [tasks[0].add([{ id: 'a' }], { transactionId: 'a' }), tasks[1].add([{ id: 'a' }])];
  const waiting = tasks[0].add([{ id: 'b' }]);
  const died = writer.terminate();
  holder.exec('COMMIT');
  assert.deepEqual(await endsOf([...under, waiting]), [failed, failed, 'done']);
  await died;
  assert.deepEqual(await endsOf([tasks[0].add([{ id: 'a' }], { transactionId: 'a' }), tasks[1].add([{}])]), [
    'done',
    'done',
  ]);
  assert.equal((await tasks[0].get('b'))?.objectId, 'b');
  await close();
});

test('requests sent to a reader thread fail when it dies, and waiting ones are answered by the next one', async (t) => {
  const { storage, tasks, reader, close } = await twoSpaces(t);
  const counting = (rows: number) =>
    bound(
      statementOf(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows}) SELECT count(*) FROM n`,
      ),
    );
  const select = (spaceId: number, rows: number) => storage.spaces.select(spaceId, { count: counting(rows) });
  const calls = [select(1, 1_000_000), ...Array.from({ length: 40 }, (_, index) => select(1 + (index % 2), 10))];
  const died = reader.terminate();
  const ends = await endsOf(calls);
  assert.equal(ends[0], failed);
  assert.ok(
    ends.every((end) => end === failed || end === 'done'),
    ends.join(', '),
  );
  assert.equal(ends.at(-1), 'done', 'the last one was not sent yet');
  await died;
  assert.equal((await select(2, 10)).count, 10);
  assert.equal((await tasks[0].add([{}])).kind, 'done');
  await close();
});
