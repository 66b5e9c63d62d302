/** Group commit: requests collected for a file are committed together, yet each succeeds or fails alone. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { membersOf } from '../../../src/schema/audience.ts';
import { definitionFrom, emptyCatalogue } from '../../../src/schema/catalogue.ts';
import type { AddItem } from '../../../src/storage/contract.ts';
import { openDatabase } from '../../../src/storage/sqlite/database.ts';
import { failureOf } from '../../../src/storage/sqlite/failure.ts';
import { pathOf } from '../../../src/storage/sqlite/folder.ts';
import { WriteFile } from '../../../src/storage/sqlite/group.ts';
import type { WriteRequest } from '../../../src/storage/sqlite/messages.ts';
import { stepsOf } from '../../../src/storage/sqlite/migrations.ts';
import { Thread } from '../../../src/storage/sqlite/thread.ts';
import { folderOf } from '../../engines/scratch.ts';
import { change, changeOf, itemsOf, someone, start, taskScratch, taskTable } from '../scratch.ts';
import { dataFolder, storedRows } from '../stored.ts';

/** A data space's file as in a writer thread, but in the test's own thread. */
function taskFile(test: TestContext) {
  const path = join(folderOf(test), 'space.db');
  const db = openDatabase(path, stepsOf(1), { create: true, use: 'write', pageCacheBytes: 1e6 });
  test.after(() => db.isOpen && db.close());
  const file = new WriteFile(db, true);
  const [answer] = file.commit([
    { kind: 'define', change: changeOf(definitionFrom(emptyCatalogue), { newTables: [taskTable] }) },
  ]);
  assert.ok(answer !== undefined && 'value' in answer);
  const ids = () =>
    db
      .prepare('SELECT objectId FROM task ORDER BY objectId')
      .all()
      .map((row) => row.objectId);
  return { path, db, file, ids };
}

function adding(...tasks: { id: string; code?: number; title?: string; table?: string }[]): WriteRequest {
  const items = tasks.map(({ id, code, title }): AddItem => {
    const system = [null, null, null, null, null, 1, 2, '{1}', 7n];
    return { objectId: id, generated: true, audience: 'g1', values: [...system, title ?? null, code ?? null] };
  });
  const batch = {
    ...someone,
    definitionVersion: 2,
    members: membersOf(7, [1]),
    refused: false,
    changes: [{ table: tasks[0]?.table ?? 'task', operation: 'add', items }],
  } as const;
  return { kind: 'batch', batch: { ...batch, transactionId: `of ${tasks[0]?.id}` } };
}

test('a failed request is rolled back alone, and the others are committed', (t) => {
  const { file, ids, db } = taskFile(t);
  const answers = file.commit([
    adding({ id: 'a', code: 1 }),
    adding({ id: 'b', code: 1 }),
    adding({ id: 'c', code: 2 }, { id: 'd', code: 1 }),
    adding({ id: 'e', table: 'unheard_of' }, { id: 'f' }),
    adding({ id: 'g', code: 3 }, { id: 'h', code: 4 }),
    {
      kind: 'sql',
      queries: [
        { sql: 'DELETE FROM task', parameters: [] },
        { sql: 'DELETE FROM unheard_of', parameters: [] },
      ],
    },
    adding({ id: 'i', code: 1 }),
  ]);
  const kinds = answers.map((answer) =>
    'failure' in answer ? answer.failure.reason : (answer.value as { kind: string }).kind,
  );
  assert.deepEqual(kinds, ['done', 'failed', 'failed', 'internal', 'done', 'noTable', 'failed']);
  assert.deepEqual(ids(), ['a', 'g', 'h']);
  const history = db.prepare('SELECT transaction_id AS id FROM _history ORDER BY id').all();
  assert.deepEqual(
    history.map(({ id }) => id),
    ['of a', 'of g'],
  );
});

test('a request of one item that fails in an unusual way is also rolled back alone', (t) => {
  const { file, ids } = taskFile(t);
  file.commit([adding({ id: 'before' })]);
  const answers = file.commit([
    adding({ id: 'a', code: 1 }),
    adding({ id: 'b', table: 'unheard_of' }),
    adding({ id: 'c', code: 1 }),
    adding({ id: 'd', code: 2 }),
  ]);
  const kinds = answers.map((answer) =>
    'failure' in answer ? answer.failure.reason : (answer.value as { kind: string }).kind,
  );
  assert.deepEqual(kinds, ['done', 'internal', 'failed', 'done']);
  assert.deepEqual(ids(), ['a', 'before', 'd']);
});

test('when the disk is full, nothing of the group is stored and all requests are refused as busy', (t) => {
  const { file, ids, db } = taskFile(t);
  file.commit([adding({ id: 'before' })]);
  const pages = db.prepare('PRAGMA page_count').get()?.page_count as number;
  db.exec(`PRAGMA max_page_count = ${pages}`);
  const title = 'x'.repeat(100);
  const many = Array.from({ length: 300 }, (_, index) => ({ id: `many${index}`, title }));
  assert.throws(
    () => file.commit([adding({ id: 'a' }), adding(...many), adding({ id: 'z' })]),
    (error) => {
      assert.equal(failureOf(error, 'here').reason, 'busy');
      return true;
    },
  );
  assert.equal(db.isTransaction, false);
  assert.deepEqual(ids(), ['before']);
  db.exec(`PRAGMA max_page_count = ${pages + 10_000}`);
  file.commit([adding(...many)]);
  assert.equal(ids().length, 301);
});

test('a commit waits for another process that holds the file', async (t) => {
  const { tasks, scratch } = await taskScratch(t);
  const other = new DatabaseSync(pathOf(dataFolder(scratch), 1));
  t.after(() => other.close());
  other.exec('BEGIN IMMEDIATE');
  let isDone = false;
  const adding = tasks.add([{ id: 'x' }]).then((outcome) => {
    isDone = true;
    return outcome;
  });
  assert.equal(await tasks.get('x'), null, 'reading goes on meanwhile');
  assert.equal(isDone, false);
  other.exec('COMMIT');
  assert.equal((await adding).kind, 'done');
});

test('requests that arrive together are committed in few transactions, in order', async (t) => {
  const { tasks, scratch } = await taskScratch(t);
  await tasks.add([{ id: 'x' }]);
  const other = new DatabaseSync(pathOf(dataFolder(scratch), 1));
  t.after(() => other.close());
  const frames = () => other.prepare('PRAGMA wal_checkpoint').get()?.log as number;
  const before = frames();
  const updates = await Promise.all(
    Array.from({ length: 200 }, (_, index) => tasks.update([change('x', start + index, { title: `${index}` })])),
  );
  for (const [index, outcome] of updates.entries()) assert.equal(itemsOf(outcome)[0]?.updated, start + index + 1);
  assert.equal((await tasks.get('x'))?.title, '199');
  // 200 separate transactions would write the page of the record and that of the commit number 200 times.
  assert.ok(frames() - before < 100, `${frames() - before} pages were written`);
});

test('a crashed thread is reported, and the next message starts another one', async (t) => {
  const code = `
    import { parentPort } from 'node:worker_threads';
    parentPort.on('message', (message) => {
      if (message === 'crash') throw new Error('crashed on purpose');
      if (message.end) parentPort.close();
      else parentPort.postMessage('answer to ' + message);
    });`;
  const events: string[] = [];
  let happened = () => {};
  const next = () =>
    new Promise<void>((resolve) => {
      happened = resolve;
    });
  const note = (event: string) => {
    events.push(event);
    happened();
  };
  const thread = new Thread<string, string>(new URL(`data:text/javascript,${encodeURIComponent(code)}`), null, {
    answered: note,
    crashed: (error) => note(error.message),
  });
  t.after(() => thread.end());
  for (const message of ['one', 'crash', 'two']) {
    const event = next();
    thread.post(message);
    await event;
  }
  assert.deepEqual(events, ['answer to one', 'crashed on purpose', 'answer to two']);
});

test('every batch that changes something takes the next commit number', async (t) => {
  const { tasks, scratch } = await taskScratch(t);
  await Promise.all([tasks.add([{ id: 'a' }, { id: 'b' }]), tasks.add([{ id: 'c' }])]);
  await tasks.add([{ id: 'c' }]);
  await tasks.update([change('a', start, { title: 'A' })]);
  const rows = await storedRows(scratch, 'SELECT objectId, _seq FROM task ORDER BY objectId');
  assert.deepEqual(
    rows.map((row) => [row.objectId, row._seq]),
    [
      ['a', 3],
      ['b', 1],
      ['c', 2],
    ],
  );
  assert.deepEqual(await storedRows(scratch, 'SELECT commit_seq FROM _space'), [{ commit_seq: 3 }]);
});
