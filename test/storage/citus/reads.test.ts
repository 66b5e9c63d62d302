/**
 * Direct reads on the workers of a cluster: their answers while their data space is moved, and when they go through the
 * coordinator.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { pino } from 'pino';
import { withClient } from '../../../lab/machine/client.ts';
import type { Storage } from '../../../src/storage/contract.ts';
import { shardsOf } from '../../../src/storage/postgres/shards.ts';
import { bound, itemsOf, openScratch, statementOf, tasksIn } from '../scratch.ts';
import { type OnWorker, onWorker } from './on-worker.ts';

/** Direct connections of the service whose last statement checked that the data space is there. */
const ours = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'rowhouse'
  AND query LIKE '%._here(%'`;

const anyTask = statementOf('SELECT count(*) FROM "~".task WHERE title = $1');

async function countOf(storage: Storage, title: string): Promise<number> {
  return (await storage.spaces.select(1, { count: bound(anyTask, [title]) })).count;
}

/** Reads single records and queries until both are read on the worker. */
async function untilDirect({ tasks, storage, databaseThere }: OnWorker): Promise<void> {
  const database = await databaseThere();
  await withClient(database, async (client) => {
    for (let found = 0; found < 2; ) {
      await Promise.all([tasks.get('none'), countOf(storage, 'none')]);
      found = (await client.query(ours)).rows.length;
    }
  });
}

function logTo(lines: string[]) {
  return pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line).msg) });
}

/** Reads until the log has a line of the kind. */
async function untilLogged({ tasks }: OnWorker, lines: readonly string[], kind: RegExp): Promise<void> {
  while (!lines.some((line) => kind.test(line))) await tasks.get('none');
}

const cantBeAsked = /^The node \S+ can't be asked directly/;

test('records and queries are read on the worker', async (t) => {
  const opened = await onWorker(t);
  await opened.tasks.add([{ id: 'one', title: 'first' }]);
  await untilDirect(opened);
  assert.equal((await opened.tasks.get('one'))?.title, 'first');
  assert.equal(await opened.tasks.get('one', ['u8']), null);
  assert.equal(await countOf(opened.storage, 'first'), 1);
});

test('after a move, the tables that the old worker still has are not read', async (t) => {
  const opened = await onWorker(t);
  const { tasks, storage, scratch, moveAway, databases } = opened;
  const other = await openScratch(t, { place: scratch });
  const elsewhere = await tasksIn(other.storage, 1);
  await tasks.add([{ id: 'one', title: 'before' }]);
  await untilDirect(opened);
  const old = await opened.databaseThere();
  await moveAway();
  await elsewhere.add([{ id: 'two', title: 'before' }]);
  await elsewhere.add([{ id: 'three', title: 'after' }]);
  const shards = (await shardsOf(opened.outside, 1))!;
  for (const database of databases) {
    const here = withClient(database, (client) => client.query(`SELECT rowhouse_space_1._here(${shards.first})`));
    if (database === old) await assert.rejects(here, { code: '40001', message: /moved to another node/ });
    else await here;
  }
  assert.equal(await countOf(storage, 'before'), 2);
  assert.equal((await tasks.get('three'))?.title, 'after');
});

test('a worker with an unsettled move is not used', async (t) => {
  const opened = await onWorker(t);
  await opened.tasks.add([{ id: 'one', title: 'first' }]);
  await untilDirect(opened);
  const shards = (await shardsOf(opened.outside, 1))!;
  await withClient(await opened.databaseThere(), async (client) => {
    // The lock that a move holds until its commit has arrived.
    await client.query(`BEGIN; SELECT lock_shard_metadata(7, ARRAY[${shards.first}])`);
    assert.equal((await opened.tasks.get('one'))?.title, 'first');
    assert.equal(await countOf(opened.storage, 'first'), 1);
    const asked = withClient(await opened.databaseThere(), (second) =>
      second.query(`SET lock_timeout = 20; SELECT rowhouse_space_1._here(${shards.first})`),
    );
    await assert.rejects(asked, { code: '55P03' });
    await client.query('ROLLBACK');
  });
});

test('while a data space is moved back and forth, the next read of any instance shows what was written', async (t) => {
  const opened = await onWorker(t);
  const { tasks, storage, scratch, moveAway } = opened;
  const other = await openScratch(t, { place: scratch });
  const elsewhere = await tasksIn(other.storage, 1);
  await untilDirect(opened);
  let isOver = false;
  let reads = 0;
  const line = async (name: number) => {
    for (let round = 0; !isOver; round++) {
      const id = `${name}.${round}`;
      // Some batches run alone, through the coordinator.
      const writer = name % 2 === 0 ? tasks : elsewhere;
      itemsOf(await writer.add([{ id, title: id, generated: round % 2 === 0 }]));
      assert.equal((await tasks.get(id))?.title, id);
      assert.equal((await elsewhere.get(id))?.title, id);
      const counts = await Promise.all([countOf(storage, id), countOf(other.storage, id)]);
      assert.deepEqual(counts, [1, 1]);
      reads += 4;
    }
  };
  const lines = [1, 2, 3, 4].map(line);
  try {
    for (let move = 0; move < 2; move++) await moveAway();
  } finally {
    isOver = true;
  }
  await Promise.all(lines);
  t.diagnostic(`${reads} reads`);
  await untilDirect(opened);
});

test('reads whose connections to the worker end are answered', async (t) => {
  const opened = await onWorker(t, { settings: { nodesEveryMs: 1 } });
  await opened.tasks.add([{ id: 'one', title: 'first' }]);
  await untilDirect(opened);
  await withClient(await opened.databaseThere(), async (client) => {
    for (let ended = 0; ended < 20; ) {
      const read = Promise.all([opened.tasks.get('one'), countOf(opened.storage, 'first')]);
      const end = client.query(`SELECT count(pg_terminate_backend(pid))::int AS number FROM (${ours}) AS one`);
      const [[task, count], { rows }] = await Promise.all([read, end]);
      assert.deepEqual([task?.title, count], ['first', 1]);
      ended += rows[0].number;
    }
  });
});

test('an unreachable worker is logged once, and its data are read through the coordinator', async (t) => {
  const lines: string[] = [];
  const opened = await onWorker(t, { settings: { nodesEveryMs: 50 }, log: logTo(lines) });
  await opened.tasks.add([{ id: 'one', title: 'first' }]);
  const database = await opened.databaseThere();
  const name = new URL(database).pathname.slice(1);
  // The service refuses such a server like one that it may not connect to.
  await withClient(new URL('/postgres', database).href, (client) =>
    client.query(`ALTER DATABASE ${name} SET synchronous_commit = off`),
  );
  await untilLogged(opened, lines, cantBeAsked);
  const until = performance.now() + 300;
  while (performance.now() < until) assert.equal((await opened.tasks.get('one'))?.title, 'first');
  assert.equal(lines.filter((line) => cantBeAsked.test(line)).length, 1);
  await withClient(new URL('/postgres', database).href, (client) =>
    client.query(`ALTER DATABASE ${name} RESET synchronous_commit`),
  );
  await untilLogged(opened, lines, /^The node \S+ is asked directly again\.$/);
  await untilDirect(opened);
});

test('a server at the address of a worker that has another installation is not read', async (t: TestContext) => {
  const lines: string[] = [];
  const opened = await onWorker(t, { settings: { definitionCacheMs: 60_000 }, log: logTo(lines) });
  await opened.tasks.add([{ id: 'one', title: 'first' }]);
  await opened.outside.query({ text: `UPDATE rowhouse_space_1._identity SET installation = 'another'` });
  await untilLogged(opened, lines, /another installation/);
  assert.equal((await opened.tasks.get('one'))?.title, 'first');
});
