/**
 * A worker has committed, but the coordinator does not learn of it: the service recognises its own write by the mark in
 * the history, and answers accordingly.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { withClient } from '../../../lab/machine/client.ts';
import { shardsOf } from '../../../src/storage/postgres/shards.ts';
import { type BatchOptions, itemsOf } from '../scratch.ts';
import { storedRows } from '../stored.ts';
import { type OnWorker, onWorker } from './on-worker.ts';
import { withholding } from './withheld.ts';

const writing = `FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'rowhouse' AND state = 'active'
  AND pid <> pg_backend_pid() AND query LIKE '%._run(%'`;

/** What happens to the unanswered statement. */
const ends = {
  'its connection to the worker is cut': (_: OnWorker, cut: () => void) => cut(),
  'the coordinator ends its process': ({ outside }: OnWorker) =>
    outside.query({ text: `SELECT pg_terminate_backend(pid) ${writing}` }),
  'its time is over': ({ outside }: OnWorker) => outside.query({ text: `SELECT pg_cancel_backend(pid) ${writing}` }),
};

/** Minimum size of a merged write's call; everything else sent to a worker meanwhile is shorter. */
const callBytes = 1_000;

async function lose(t: TestContext, end: (typeof ends)[keyof typeof ends], options: BatchOptions = {}): Promise<void> {
  const opened = await onWorker(t, { settings: { nodesEveryMs: 3_600_000 } });
  const { tasks, scratch, outside } = opened;
  const database = await opened.databaseThere();
  const withheld = await withholding(t, outside, new URL(database).host);
  // The write that first uses the node's new address runs alone. The next one uses the connection of a merged write.
  let before = 0;
  for (; withheld.bytesMost < callBytes; before++) itemsOf(await tasks.add([{ title: 'old' }]));
  const shard = (await shardsOf(outside, 1))!.named('_history');
  withheld.after(callBytes);
  let isAnswered = false;
  const write = tasks.add([{ id: 'second', title: 'new' }], options).finally(() => {
    isAnswered = true;
  });
  await withClient(database, async (client) => {
    while ((await client.query(`SELECT FROM ${shard}`)).rows.length === before);
  });
  assert.equal((await outside.query({ text: `SELECT pid ${writing}` })).rows.length, 1);
  assert.equal(isAnswered, false);
  await end(opened, withheld.cut);
  assert.deepEqual(
    itemsOf(await write).map(({ objectId }) => objectId),
    ['second'],
  );
  const [stored] = await storedRows(scratch, `SELECT count(*) AS number FROM task WHERE title = 'new'`);
  const [history] = await storedRows(scratch, 'SELECT count(*) AS number FROM _history');
  assert.deepEqual([stored?.number, history?.number], [1, before + 1]);
}

for (const [name, end] of Object.entries(ends)) {
  test(`a write whose answer was lost is answered as written, once: ${name}`, (t) => lose(t, end));
}

test('so is one with a transaction id from the client', (t) =>
  lose(t, ends['its connection to the worker is cut'], { transactionId: 'given' }));
