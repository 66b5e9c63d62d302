/**
 * Writes from two instances at once, and over connections that end in the middle of a commit: nothing is lost or
 * duplicated.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { withClient } from '../../../lab/machine/client.ts';
import { seeded } from '../../../lab/machine/random.ts';
import { ServiceError } from '../../../src/errors.ts';
import { forward } from '../../../src/storage/judge.ts';
import { takeNumbers } from '../../../src/storage/postgres/commit-counter.ts';
import { openConnections } from '../../../src/storage/postgres/connections.ts';
import * as merged from '../../../src/storage/postgres/merged-sql.ts';
import { inStore } from '../../../src/storage/postgres/schemas.ts';
import { writePlanner } from '../../../src/storage/postgres/writers.ts';
import {
  change,
  changeOf,
  column,
  defineTables,
  failuresOf,
  itemsOf,
  type OpenOptions,
  openScratch,
  start,
  taskScratch,
  tasksIn,
  taskTable,
} from '../scratch.ts';
import { storedRows } from '../stored.ts';
import { databaseOf, lockTable, one, terminateWhoWaits, untilSomebodyWaits } from './database.ts';

const seed = Number(process.env.ROWHOUSE_TEST_SEED ?? Date.now() % 1_000_000_000);

/** Two instances on one database, with the same table, and a connection past both. */
async function twoInstances(test: TestContext, options: OpenOptions = {}) {
  const first = await taskScratch(test, options);
  const second = await openScratch(test, { ...options, place: first.scratch });
  const { storage: url } = first.scratch.settings;
  const outside = openConnections({ url, max: 2, statementTimeMs: 60_000, waitingMax: 10, settings: first.settings });
  first.scratch.closeFirst(() => outside.close());
  return {
    first,
    outside,
    scratch: first.scratch,
    both: [first.tasks, await tasksIn(second.storage, 1)] as const,
    second,
  };
}

async function numberOf(place: Parameters<typeof storedRows>[0], table: string): Promise<number> {
  const [row] = await storedRows(place, `SELECT count(*) AS number FROM ${table}`);
  return row?.number as number;
}

const isBusy = (error: unknown) => error instanceof ServiceError && error.reason === 'busy';

test('of replays on two instances exactly one is processed, and the other gets its answer', async (t) => {
  const { both, scratch } = await twoInstances(t);
  const rounds = 40;
  for (let round = 0; round < rounds; round++) {
    const id = `x${round}`;
    const replays = async (...writes: Parameters<(typeof both)[0]['write']>) => {
      const outcomes = await Promise.all([...both, ...both].map((tasks) => tasks.write(...writes)));
      const done = outcomes.filter(({ kind }) => kind === 'done');
      assert.equal(done.length, 1, JSON.stringify(outcomes));
      const items = itemsOf(done[0]!);
      for (const outcome of outcomes) if (outcome.kind !== 'done') assert.deepEqual(outcome, { kind: 'replay', items });
      return items[0]!;
    };
    const system = [null, '1', '2', null, null, 1, 2, '{1,3}', 7n];
    const item = { objectId: id, generated: round % 2 === 0, audience: 'g1,3', values: [...system, 'new', round] };
    const added = await replays({ operation: 'add', items: [item] }, { transactionId: `add ${round}` });
    const items = [change(id, added.updated, { title: 'changed' })];
    const updated = await replays({ operation: 'update', items }, { transactionId: `update ${round}` });
    assert.equal(updated.updated, start + 1);
    const removal = [{ objectId: id, base: updated.updated }];
    await replays({ operation: 'delete', items: removal }, { transactionId: `delete ${round}` });
  }
  assert.deepEqual([await numberOf(scratch, 'task'), await numberOf(scratch, '_history')], [0, 3 * rounds]);
});

test('exactly one of several updates of the same version on two instances is accepted', async (t) => {
  const { both } = await twoInstances(t);
  await both[0].add([{ id: 'a' }, { id: 'b' }, { id: 'c' }]);
  for (let round = 0; round < 60; round++) {
    // In different orders, so that they would deadlock.
    const items = ['a', 'b', 'c'].map((id) => change(id, start + round, { title: `${round}` }));
    const rivals = [items, items.toReversed(), [items[1]!, items[2]!, items[0]!], items];
    const outcomes = await Promise.all(rivals.map((rival, index) => both[index % 2]!.update(rival)));
    assert.equal(outcomes.filter(({ kind }) => kind === 'done').length, 1);
    for (const outcome of outcomes) {
      if (outcome.kind === 'done') continue;
      assert.deepEqual(failuresOf(outcome), Array(3).fill({ reason: 'changed' }));
    }
  }
});

test('an id or a unique value that two instances add at once exists once', async (t) => {
  const { both, scratch } = await twoInstances(t);
  for (let round = 0; round < 30; round++) {
    const sameId = await Promise.all(both.map((tasks) => tasks.add([{ id: `x${round}` }, {}])));
    assert.deepEqual(sameId.map(({ kind }) => kind).sort(), ['done', 'failed']);
    const failed = sameId.find(({ kind }) => kind === 'failed')!;
    assert.deepEqual(failuresOf(failed), [{ reason: 'duplicateId' }, null]);
    const sameCode = await Promise.all(both.map((tasks) => tasks.add([{}, { code: round }])));
    const taken = sameCode.find(({ kind }) => kind === 'failed')!;
    assert.deepEqual(failuresOf(taken), [null, { reason: 'duplicateValue', columns: ['code'] }]);
  }
  assert.equal(await numberOf(scratch, 'task'), 30 * 4);
});

test('an id that was added and deleted by another instance meanwhile gets a later time', async (t) => {
  const { both, outside, scratch } = await twoInstances(t);
  const ahead = { now: start + 60_000 };
  let adding: ReturnType<(typeof both)[0]['add']> | undefined;
  await outside
    .transaction('read committed', async (connection) => {
      // A replay that never commits blocks the statement after it has checked the id.
      const text = `INSERT INTO "~"._history (transaction_id, request_hash, attempt, answer, time) VALUES ('T', '', '', '', 0)`;
      await connection.query({ text: inStore(text, 1) });
      adding = both[0].add([{ id: 'x' }], { transactionId: 'T' });
      await untilSomebodyWaits(scratch);
      const [added] = itemsOf(await both[1].add([{ id: 'x' }], ahead));
      await both[1].delete([{ objectId: 'x', base: added!.updated }], ahead);
      throw new Error('rolled back');
    })
    .catch(() => {});
  const deleted = forward(ahead.now, ahead.now);
  assert.deepEqual(itemsOf(await adding!), [{ objectId: 'x', created: deleted + 1, updated: deleted + 1 }]);
});

test('batches under way while tables change are written or stale, and none is partly written', async (t) => {
  const { first, second, scratch } = await twoInstances(t);
  let isOver = false;
  let done = 0;
  const write = async (storage: typeof first.storage, name: string) => {
    for (let round = 0; !isOver; round++) {
      const tasks = await tasksIn(storage, 1);
      const id = `${name}.${round}`;
      const outcome = await tasks
        .add([{ id, generated: round % 2 === 0 }, { id: `${id} too` }])
        .catch((error) => error);
      if (outcome.kind === 'done') done++;
      else assert.ok(outcome.kind === 'stale' || outcome.reason === 'noTable', String(outcome));
    }
  };
  const writing = [first, second].flatMap(({ storage }, instance) =>
    ['a', 'b', 'c'].map((name) => write(storage, `${name}${instance}`)),
  );
  for (let round = 0; round < 10; round++) {
    const definition = await first.storage.spaces.refresh(1);
    const columns = [{ table: 'task', columns: [column(`more${round}`, { kind: 'text' })] }];
    const changed = round === 5 ? { reset: true, newTables: [taskTable] } : { newColumns: columns };
    const before = done;
    assert.notEqual(await first.storage.spaces.define(1, changeOf(definition, changed)), null);
    while (done < before + 5) await sleep(5);
  }
  isOver = true;
  await Promise.all(writing);
  const rows = await storedRows(scratch, 'SELECT "objectId" AS id FROM task');
  const stored = new Set(rows.map(({ id }) => id as string));
  assert.ok(stored.size > 0);
  for (const id of stored) assert.ok(stored.has(id.endsWith(' too') ? id.slice(0, -4) : `${id} too`), id);
});

test('connections that end in the middle of commits lose and duplicate nothing', async (t) => {
  t.diagnostic(`ROWHOUSE_TEST_SEED=${seed}`);
  const { both, outside, scratch } = await twoInstances(t, { settings: { writeTimeMs: 60_000 } });
  const random = seeded(seed);
  let isOver = false;
  let batches = 0;
  const records = new Map<string, { updated: number; count: number }>();

  /** Adds records and increases the count of each, by the last known version; every batch must be written once. */
  async function client(number: number): Promise<void> {
    const tasks = both[number % 2]!;
    const draw = seeded(seed, number);
    for (let round = 0; !isOver; round++) {
      const id = `${number}.${round % 20}`;
      const known = records.get(id);
      const batch = draw.chance(0.5) ? {} : { transactionId: `${number} ${round}` };
      const outcome =
        known === undefined
          ? await tasks.add([{ id, title: '0', generated: draw.chance(0.5) }], batch)
          : await tasks.update([change(id, known.updated, { title: `${known.count + 1}` })], batch);
      batches++;
      const [item] = itemsOf(outcome);
      records.set(id, { updated: item!.updated, count: (known?.count ?? -1) + 1 });
    }
  }

  const working = Array.from({ length: 12 }, (_, number) => client(number));
  let killed = 0;
  const victim = `SELECT count(pg_terminate_backend(pid)) FROM (SELECT pid FROM pg_stat_activity WHERE datname = current_database()
    AND application_name = 'rowhouse' AND pid <> pg_backend_pid() AND state <> 'idle' ORDER BY random() LIMIT 1) AS victim`;
  while (killed < 150) {
    await sleep(random.below(8));
    killed += Number(await one(outside, victim));
  }
  isOver = true;
  await Promise.all(working);
  assert.equal(await numberOf(scratch, '_history'), batches);
  const rows = await storedRows(scratch, 'SELECT "objectId" AS id, title AS count FROM task');
  assert.deepEqual(
    new Map(rows.map(({ id, count }) => [id, Number(count)])),
    new Map([...records].map(([id, { count }]) => [id, count])),
  );
});

test('a write waits for a lock of another client up to its time limit, and no other write waits with it', async (t) => {
  const { both, outside, scratch } = await twoInstances(t, { settings: { writeTimeMs: 4_000 } });
  await both[0].add([{ id: 'x' }, { id: 'y' }]);
  await outside.transaction('read committed', async (connection) => {
    await connection.query({ text: inStore(`SELECT FROM "~".task WHERE "objectId" = 'x' FOR UPDATE`, 1) });
    const blocked = both[0].update([change('x', start, { title: 'X' })]);
    const blockedToo = both[0].update([change('x', start, { title: 'XX' })]);
    assert.equal((await both[0].update([change('y', start, { title: 'Y' })])).kind, 'done');
    assert.equal((await both[0].add([{ id: 'z' }])).kind, 'done');
    for (const write of [blocked, blockedToo]) {
      await assert.rejects(write, isBusy);
    }
  });
  assert.equal((await both[0].update([change('x', start, { title: 'free' })])).kind, 'done');
  assert.deepEqual(await storedRows(scratch, `SELECT title FROM task WHERE "objectId" = 'x'`), [{ title: 'free' }]);
});

test('writes to a table that stays locked are refused at their time limit, and can be sent again', async (t) => {
  const writeTimeMs = 2_500;
  const { both, outside, scratch } = await twoInstances(t, { settings: { writeTimeMs } });
  const [tasks] = both;
  await tasks.add([{ id: 'hot' }]);
  const tookMs = async (write: Promise<unknown>) => {
    const begun = performance.now();
    await assert.rejects(write, isBusy);
    return performance.now() - begun;
  };
  // Merged ones, ones that run alone (an id twice in a batch), and ones that wait for each other.
  const write = (number: number) => {
    const batch = { transactionId: `${number}` };
    if (number % 5 === 0) return tasks.update([change('hot', start, { title: `${number}` })], batch);
    const items = number % 5 === 1 ? [{ id: `${number}` }, { id: `${number}` }] : [{}];
    return tasks.add(items, batch);
  };
  const numbers = Array.from({ length: 60 }, (_, number) => number);
  await outside.transaction('read committed', async (connection) => {
    await lockTable(connection, 'task');
    const alone = await tookMs(write(60));
    assert.ok(alone >= writeTimeMs);
    const slowest = Math.max(...(await Promise.all(numbers.map((number) => tookMs(write(number))))));
    assert.ok(slowest < 5 * alone, `the last one was answered after ${slowest} ms, one alone after ${alone} ms`);
  });
  assert.equal(await numberOf(scratch, '_history'), 1, 'what was given up is not written');
  const kinds = new Map<string, number>();
  for (const { kind } of await Promise.all(numbers.map(write))) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  // Of the updates of one version one is accepted, and no id exists twice.
  assert.deepEqual(Object.fromEntries(kinds), { done: 37, failed: 23 });
  assert.equal(await numberOf(scratch, 'task'), 37);
});

test('a write abandoned after a commit of unknown outcome is reported as such', async (t) => {
  const { both, outside, scratch } = await twoInstances(t, { settings: { writeTimeMs: 3_000 } });
  const add = () => both[0].add([{ id: 'x' }], { transactionId: 'T' });
  await outside.transaction('read committed', async (connection) => {
    await lockTable(connection, 'task');
    const adding = add();
    await untilSomebodyWaits(scratch);
    await terminateWhoWaits(scratch);
    await assert.rejects(adding, (error) => isBusy(error) && /again with its transactionId/.test(`${error}`));
  });
  assert.deepEqual([(await add()).kind, (await add()).kind, await numberOf(scratch, 'task')], ['done', 'replay', 1]);
});

test('continuous writes to one data space do not delay another one', async (t) => {
  const { first, both } = await twoInstances(t);
  await first.storage.spaces.create(2);
  await defineTables(first.storage, 2, [taskTable]);
  const other = await tasksIn(first.storage, 2);
  let answered = 0;
  const flood = Array.from({ length: 3_000 }, () => both[0].add([{}]).then(() => answered++));
  await other.add([{}]);
  assert.ok(answered < 1_500, `${answered} of the others were answered before`);
  await Promise.all(flood);
});

test('merged statements look items up by indexes, whatever the planner knows about the tables', async (t) => {
  const { scratch, first } = await twoInstances(t);
  const table = first.tasks.definition.tables.get('task')!;
  const columns = table.columns.filter(({ name }) => ['title', 'code'].includes(name));
  const statements = {
    'adding made ids': merged.mergedAdd(table, false),
    'adding given ids': merged.mergedAdd(table, true),
    updating: merged.mergedUpdate(table, columns, 'kept'),
    'updating scopes': merged.mergedUpdate(table, columns, 'sent'),
    deleting: merged.mergedDelete(table),
  };
  await withClient(scratch.settings.storage, async (client) => {
    for (const [name, value] of Object.entries(writePlanner)) await client.query(`SET ${name} = '${value}'`);
    for (const [name, text] of Object.entries(statements)) {
      await client.query(`PREPARE planned AS ${inStore(text, 1)}`);
      // The settings require a generic plan; it is made without values here, because PostgreSQL 15 lacks GENERIC_PLAN.
      const values = Array.from({ length: Math.max(...placeholdersOf(text)) }, () => 'NULL').join(', ');
      const { rows } = await client.query(`EXPLAIN (FORMAT JSON) EXECUTE planned (${values})`);
      await client.query('DEALLOCATE planned');
      const scans = scansOf(rows[0]['QUERY PLAN'][0].Plan);
      assert.ok(scans.length > 0, name);
      for (const scan of scans) assert.ok('Index Cond' in scan, `${name}: ${JSON.stringify(scan)}`);
    }
  });
});

function placeholdersOf(text: string): number[] {
  return [...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number));
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly Plans?: readonly PlanNode[];
}

/** The nodes that read possibly large tables. */
function scansOf(node: PlanNode): PlanNode[] {
  const isScan = node['Node Type'].endsWith('Scan') && /^(task|_tombstone|_history)$/.test(node['Relation Name'] ?? '');
  return [...(isScan ? [node] : []), ...(node.Plans ?? []).flatMap(scansOf)];
}

test('the counter of commits is found quickly, however many versions of it an open transaction keeps', async (t) => {
  const { scratch, connect } = await databaseOf(t);
  const { tasks } = await taskScratch(t, { place: scratch });
  await tasks.add([{}]);
  const take = inStore(takeNumbers('1'), 1);
  await connect().transaction('read committed', async (connection) => {
    await connection.query({ text: 'SET LOCAL enable_seqscan = off' });
    // No version can be removed before this transaction ends.
    await connection.query({
      text: `DO $$ DECLARE taken bigint; BEGIN FOR n IN 1..20000 LOOP ${take} INTO taken; END LOOP; END $$`,
    });
    const { rows } = await connection.query({ text: `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${take}` });
    const [{ Plan: plan }] = JSON.parse(rows.map(([line]) => line).join('\n'));
    const pages = plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
    assert.ok(pages > 0 && pages < 40, `${pages} pages`);
    assert.equal(await one(connection, 'SELECT last FROM rowhouse_space_1._counter'), '20002');
  });
});
