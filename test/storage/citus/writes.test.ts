/**
 * Merged writes on the shards of a cluster: what delays them, moves them elsewhere, or leaves their outcome unknown.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withClient } from '../../../lab/machine/client.ts';
import { deploymentOf, lockShards } from '../../../src/storage/postgres/citus.ts';
import { untilSomebodyWaits } from '../postgres/database.ts';
import { storedRows } from '../stored.ts';
import { type OnWorker, onWorker } from './on-worker.ts';

/** Adds single records in several lanes until the work is done; each must be stored once. */
async function addDuring({ tasks, scratch }: OnWorker, work: () => Promise<void>): Promise<void> {
  let isOver = false;
  const added: string[] = [];
  const line = async (name: number) => {
    for (let round = 0; !isOver; round++) {
      const item = { id: `${name}.${round}`, generated: round % 2 === 0 };
      const batch = round % 3 === 0 ? { transactionId: item.id } : {};
      assert.equal((await tasks.add([item], batch)).kind, 'done');
      added.push(item.id);
    }
  };
  const lines = [1, 2, 3, 4, 5, 6].map(line);
  await work().finally(() => {
    isOver = true;
  });
  await Promise.all(lines);
  const stored = await storedRows(scratch, 'SELECT "objectId" AS id FROM task');
  assert.deepEqual(stored.map(({ id }) => String(id)).sort(), added.sort());
  const [history] = await storedRows(scratch, 'SELECT count(*) AS number FROM _history');
  assert.equal(history?.number, added.length);
}

test('a merged write waits for a change of its table', async (t) => {
  const { tasks, outside, scratch } = await onWorker(t);
  let adding: ReturnType<typeof tasks.add> | undefined;
  await outside.transaction('read committed', async (connection) => {
    await lockShards(connection, 1, ['task']);
    adding = tasks.add([{ id: 'x' }]);
    const first = await Promise.race([adding.then(() => 'written'), untilSomebodyWaits(scratch).then(() => 'waiting')]);
    assert.equal(first, 'waiting');
  });
  assert.equal((await adding)?.kind, 'done');
});

test('nothing is written on a node without the data space', async (t) => {
  const { outside, databases, nodeOf } = await onWorker(t);
  const route = await (await deploymentOf(outside)).route(outside, 1);
  const { text, values } = route.sent({ text: `SELECT 'ran', ''`, values: [] }, '"~".task');
  const here = await nodeOf();
  for (const database of databases) {
    const sent = withClient(database, async (client) => {
      // In a transaction, the node runs the function itself instead of forwarding it.
      await client.query('BEGIN; SET LOCAL citus.enable_manual_changes_to_shards = on');
      return client.query(text, values as string[]);
    });
    if (new URL(database).host === here) assert.equal((await sent).rows[0]?.transaction_id, 'ran');
    else await assert.rejects(sent, { code: '40001', message: /moved to another node/ });
  }
});

test('while a data space is moved back and forth, each write is made once', async (t) => {
  const opened = await onWorker(t);
  await addDuring(opened, async () => {
    for (let move = 0; move < 2; move++) await opened.moveAway();
  });
});

test('writes take effect once if the connections to their worker end meanwhile', async (t) => {
  const opened = await onWorker(t);
  const victims = `SELECT count(pg_terminate_backend(pid)) AS number FROM (SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND application_name LIKE 'citus_internal%' AND state <> 'idle' ORDER BY random() LIMIT 1) AS one`;
  const here = await opened.nodeOf();
  const database = opened.databases.find((one) => new URL(one).host === here)!;
  await addDuring(opened, () =>
    withClient(database, async (client) => {
      for (let killed = 0; killed < 60; ) killed += Number((await client.query(victims)).rows[0].number);
    }),
  );
});
