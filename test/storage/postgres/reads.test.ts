/** Queries on PostgreSQL: their answers, their bounds, and that a long one does not block others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../../src/errors.ts';
import type { Output } from '../../../src/query/statement.ts';
import { wholeOf } from '../../engines/json-text.ts';
import { answeredMeanwhile } from '../../harness/work.ts';
import { bound, changeOf, defineTables, statementOf, taskScratch, tasksIn, taskTable } from '../scratch.ts';

const text = { kind: 'text' } as const;
const output = (key: string, ...names: string[]): Output => ({
  key,
  columns: names.map((name) => ({ name, type: text })),
});
const allIds = statementOf('SELECT "objectId" FROM "~"."task" ORDER BY "objectId"', [output('t', 'objectId')]);
const allCount = statementOf('SELECT count(*) FROM "~"."task"');
/** Longer than any time limit of these tests. */
const long = statementOf('SELECT count(*) FROM "~"."task" WHERE pg_sleep(100) IS NULL');

/** Data spaces 1 and 2, with that many tasks each. */
async function filled(test: Parameters<typeof taskScratch>[0], tasks: number, settings = {}) {
  const opened = await taskScratch(test, { settings });
  await opened.storage.spaces.create(2);
  await defineTables(opened.storage, 2, [taskTable]);
  for (const spaceId of [1, 2]) {
    const { add } = await tasksIn(opened.storage, spaceId);
    await add(Array.from({ length: tasks }, (_, index) => ({ id: `t${index}` })));
  }
  return opened;
}

async function isRefused(
  call: Promise<unknown>,
  reason: ServiceError['reason'],
  status: number | undefined,
  message: RegExp,
) {
  await assert.rejects(call, (error) => {
    assert.ok(error instanceof ServiceError, String(error));
    assert.deepEqual([error.reason, error.details.status], [reason, status]);
    assert.match(error.message, message);
    return true;
  });
}

test('rows are one array per output, all of the same length, with null for a missing match', async (t) => {
  const { storage } = await filled(t, 3);
  const sql = `SELECT a."objectId", b."objectId", b."groupIds" FROM "~"."task" a
    LEFT JOIN "~"."task" b ON b."objectId" = a."objectId" AND b."objectId" <> $1 ORDER BY 1`;
  const statement = statementOf(sql, [output('a', 'objectId'), output('b', 'objectId', 'groupIds')]);
  const { arrays, count } = await storage.spaces.select(1, { rows: bound(statement, ['t1']), count: bound(allCount) });
  assert.equal(count, 3);
  assert.deepEqual(
    arrays.map((array) => JSON.parse(wholeOf(array))),
    [
      [{ objectId: 't0' }, { objectId: 't1' }, { objectId: 't2' }],
      [
        { objectId: 't0', groupIds: '{1,3}' },
        { objectId: null, groupIds: null },
        { objectId: 't2', groupIds: '{1,3}' },
      ],
    ],
  );
  const nothing = statementOf('SELECT "objectId" FROM "~"."task" WHERE false', [output('t', 'objectId')]);
  assert.deepEqual(await storage.spaces.select(1, { rows: bound(nothing) }), { arrays: ['[]'], count: 0 });
});

test('rows and count are of one state while records are added', async (t) => {
  const { storage, tasks } = await filled(t, 10);
  let isOver = false;
  const adding = (async () => {
    while (!isOver) await tasks.add([{}, {}]);
  })();
  for (let round = 0; round < 60; round++) {
    const { arrays, count } = await storage.spaces.select(1, { rows: bound(allIds), count: bound(allCount) });
    assert.equal(JSON.parse(wholeOf(arrays[0])).length, count);
    assert.equal(count % 2, 0);
  }
  isOver = true;
  await adding;
});

test('a result that is too large is refused with the advice to use a range', async (t) => {
  const { storage } = await filled(t, 20, { resultRowsMax: 20, resultBytesMax: 500 });
  const rows = (limit: number, width: number) => {
    const sql = `SELECT repeat('x', ${width}) FROM "~"."task" UNION ALL SELECT 'more' LIMIT ${limit}`;
    return storage.spaces.select(1, { rows: bound(statementOf(sql, [output('t', 'x')])) });
  };
  assert.equal(JSON.parse(wholeOf((await rows(20, 5)).arrays[0])).length, 20);
  await isRefused(rows(21, 5), 212, 413, /20 rows \(setting resultRowsMax\).*range/);
  await isRefused(rows(20, 99), 212, 413, /500 bytes \(setting resultBytesMax\).*range/);
  assert.equal((await storage.spaces.select(1, { count: bound(allCount) })).count, 20, 'and the next query goes on');
});

test('a query past its time is stopped, and neither its data space nor another waits for it', async (t) => {
  const queryTimeMs = 1_500;
  const { storage } = await filled(t, 30, { queryTimeMs, databaseConnectionsMax: 12 });
  const longOne = async () => {
    const begin = performance.now();
    await isRefused(storage.spaces.select(1, { count: bound(long) }), 212, 503, /1500 ms \(setting queryTimeMs\)/);
    assert.ok(performance.now() - begin >= queryTimeMs);
  };
  await answeredMeanwhile(longOne, async () => {
    for (let call = 0; call < 10; call++) {
      const { count } = await storage.spaces.select(1 + (call % 2), { count: bound(allCount) });
      assert.equal(count, 30);
    }
  });
});

test('a data space that blocks connections leaves one to the others, and its queries wait for a bounded time', async (t) => {
  const { storage } = await filled(t, 3, { queryTimeMs: 2_000, databaseConnectionsMax: 12 });
  const select = (spaceId: number, statement = allCount) => storage.spaces.select(spaceId, { count: bound(statement) });
  const late = /stopped after 2000 ms|waited for its turn for 2000 ms/;
  const calls = Array.from({ length: 6 }, () => select(1, long));
  const ends = Promise.allSettled(calls);
  for (let call = 0; call < 20; call++) assert.equal((await select(2)).count, 3);
  for (const end of await ends) {
    assert.ok(end.status === 'rejected' && late.test((end.reason as Error).message), JSON.stringify(end));
  }
  assert.equal((await select(1)).count, 3);
});

test('more than the bounded number of waiting queries is refused as busy, and accepted ones are answered', async (t) => {
  const { storage } = await filled(t, 3, { readsQueuedMax: 3 });
  const calls = Array.from({ length: 40 }, () => storage.spaces.select(1, { count: bound(allCount) }));
  const refused = (await Promise.allSettled(calls)).filter(({ status }) => status === 'rejected');
  assert.ok(refused.length >= 20 && refused.length < 40, `${refused.length} were refused`);
  await isRefused(
    calls[39] as Promise<unknown>,
    'busy',
    503,
    /^2 queries of this data space are waiting, .* of 3 \(setting readsQueuedMax\)/,
  );
});

test('a statement on tables removed by a reset requires a new plan, and the definition is new', async (t) => {
  const { storage, tasks } = await filled(t, 3);
  const { spaces } = storage;
  for (let call = 0; call < 5; call++) {
    await tasks.get('t0');
    await spaces.select(1, { rows: bound(allIds) });
  }
  await spaces.define(1, changeOf(tasks.definition, { reset: true }));
  await isRefused(spaces.select(1, { rows: bound(allIds) }), 'noTable', undefined, /changed meanwhile/);
  await isRefused(tasks.get('t0'), 'noTable', undefined, /changed meanwhile/);
  const definition = await spaces.definition(1);
  assert.equal(definition.tables.size, 0);
  const bare = { ...taskTable, columns: taskTable.columns.slice(0, 9), indexes: [] };
  await spaces.define(1, changeOf(definition, { reset: true, newTables: [bare] }));
  await isRefused(tasks.get('t0'), 'noTable', undefined, /changed meanwhile/);
  assert.deepEqual(await spaces.select(1, { rows: bound(allIds) }), { arrays: ['[]'], count: 0 });
});
