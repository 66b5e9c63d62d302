/** Queries in reader threads: their answers, their bounds, and that a long one does not block others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../../src/errors.ts';
import type { Output, Statement } from '../../../src/query/statement.ts';
import type { Storage } from '../../../src/storage/contract.ts';
import { Claims } from '../../../src/storage/sqlite/claims.ts';
import { wholeOf } from '../../engines/json-text.ts';
import { answeredMeanwhile } from '../../harness/work.ts';
import { bound, changeOf, defineTables, statementOf, taskScratch, tasksIn, taskTable } from '../scratch.ts';

const text = { kind: 'text' } as const;
const output = (key: string, ...names: string[]): Output => ({
  key,
  columns: names.map((name) => ({ name, type: text })),
});
const allIds = statementOf('SELECT objectId FROM task ORDER BY objectId', [output('t', 'objectId')]);
const allCount = statementOf('SELECT count(*) FROM task');

const counted = (name: string) => `(SELECT * FROM task WHERE within_deadline(task.rowid)) AS ${name}`;
/** As many rows as there are tasks, to the power of four. */
const long = statementOf(
  `SELECT count(*) FROM ${['a', 'b', 'c', 'd'].map(counted).join(' CROSS JOIN ')} WHERE a._seq + b._seq + c._seq + d._seq < 0`,
);

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
  const sql = `SELECT a.objectId, b.objectId, b.groupIds FROM task a
    LEFT JOIN task b ON b.objectId = a.objectId AND b.objectId <> ?1 ORDER BY 1`;
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
  const nothing = statementOf('SELECT objectId FROM task WHERE 0', [output('t', 'objectId')]);
  assert.deepEqual(await storage.spaces.select(1, { rows: bound(nothing) }), { arrays: ['[]'], count: 0 });
});

test('rows and count are of one state while records are added', async (t) => {
  const { storage, tasks } = await filled(t, 10);
  let isOver = false;
  const adding = (async () => {
    while (!isOver) await tasks.add([{}, {}]);
  })();
  for (let round = 0; round < 100; round++) {
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
    const sql = `SELECT substr('${'x'.repeat(99)}', 1, ${width}) FROM task UNION ALL SELECT 'more' LIMIT ${limit}`;
    return storage.spaces.select(1, { rows: bound(statementOf(sql, [output('t', 'x')])) });
  };
  assert.equal(JSON.parse(wholeOf((await rows(20, 5)).arrays[0])).length, 20);
  await isRefused(rows(21, 5), 212, 413, /20 rows \(setting resultRowsMax\).*range/);
  await isRefused(rows(20, 99), 212, 413, /500 bytes \(setting resultBytesMax\).*range/);
  assert.equal((await storage.spaces.select(1, { count: bound(allCount) })).count, 20, 'and the next query goes on');
});

for (const readerThreads of [1, 2]) {
  test(`a query past its time is stopped, and nobody waits for it (readerThreads ${readerThreads})`, async (t) => {
    const queryTimeMs = 1_500;
    const { storage } = await filled(t, 300, { queryTimeMs, readerThreads });
    // Starting a thread takes a while, and must not be measured.
    await everyLaneAnswers(storage, [allCount]);
    const longOne = async () => {
      const begin = performance.now();
      await isRefused(storage.spaces.select(1, { count: bound(long) }), 212, 503, /1500 ms \(setting queryTimeMs\)/);
      assert.ok(performance.now() - begin >= queryTimeMs, 'stopped before its time');
    };
    const quick = Array.from({ length: 7 }, () => statementOf('SELECT count(*) FROM task'));
    await answeredMeanwhile(
      () => Promise.all(Array.from({ length: readerThreads }, longOne)),
      async () => {
        let answered = 0;
        for (const [index, statement] of quick.entries()) {
          answered += (await storage.spaces.select(1 + (index % 2), { count: bound(statement) })).count;
        }
        assert.equal(answered, 7 * 300);
      },
    );
    await everyLaneAnswers(storage, quick);
  });
}

/** Includes statements that were sent to a lane but not registered. */
async function everyLaneAnswers(storage: Storage, statements: readonly Statement[]) {
  const calls = Array.from({ length: 100 }, (_, index) => statements[index % statements.length] as Statement);
  const counts = await Promise.all(calls.map((statement) => storage.spaces.select(1, { count: bound(statement) })));
  for (const { count } of counts) assert.equal(count, 300);
}

test('the time that a query waits for its turn is bounded', async (t) => {
  const { storage } = await filled(t, 3, { queryTimeMs: 350, readerThreads: 1 });
  await storage.spaces.select(1, { count: bound(allCount) });
  // Without the function that checks the time, so that they block two lanes for longer than allowed.
  const endless = statementOf(
    'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12000000) SELECT count(*) FROM n',
  );
  const select = (statement = endless) => storage.spaces.select(1, { count: bound(statement) });
  const longOnes = [select(), select()];
  const waiting = [select(allCount), select(allCount)];
  for (const call of waiting) await isRefused(call, 'busy', 503, /waited for its turn for 350 ms/);
  assert.equal((await storage.spaces.select(2, { count: bound(allCount) })).count, 3, 'other data spaces go on');
  for (const { count } of await Promise.all(longOnes)) assert.equal(count, 12_000_000);
});

test('more than the bounded number of waiting queries is refused as busy, and other data spaces find free slots', async (t) => {
  const { storage } = await filled(t, 3, { readerThreads: 1, readsQueuedMax: 8 });
  const calls = Array.from({ length: 60 }, () => storage.spaces.select(1, { count: bound(allCount) }));
  const others = Array.from({ length: 2 }, () => storage.spaces.select(2, { count: bound(allCount) }));
  const refused = (await Promise.allSettled(calls)).filter(({ status }) => status === 'rejected');
  assert.ok(refused.length >= 20 && refused.length < 60, `${refused.length} were refused`);
  await isRefused(
    calls[59] as Promise<unknown>,
    'busy',
    503,
    /^4 queries of this data .* of 8 \(setting readsQueuedMax\)/,
  );
  for (const { count } of await Promise.all(others)) assert.equal(count, 3);
});

test('records requested at once are all answered, even if one fails', async (t) => {
  const { storage, close } = await filled(t, 3);
  const byId = statementOf('SELECT objectId FROM task WHERE objectId = ?1', [output('t', 'objectId')]);
  // abs() of the smallest integer has no value, and fails.
  const wrong = statementOf('SELECT abs(-9223372036854775807 - 1) || objectId FROM task WHERE objectId = ?1', [
    output('t', 'objectId'),
  ]);
  const get = (id: string, spaceId = 1, statement = byId) => storage.spaces.record(spaceId, statement, [id]);
  const answers = await Promise.allSettled([get('t1'), get('t2', 1, wrong), get('t2', 2), get('none'), get('t0')]);
  assert.deepEqual(
    answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : answer.reason.reason)),
    ['{"objectId":"t1"}', 'internal', '{"objectId":"t2"}', null, '{"objectId":"t0"}'],
  );
  const last = get('t1');
  await close();
  assert.equal(await last, '{"objectId":"t1"}');
  await isRefused(get('t1'), 'busy', 503, /stopping/);
});

test('a statement on tables removed by a reset requires a new plan, and the definition is new', async (t) => {
  const { storage, tasks } = await filled(t, 3);
  const { spaces } = storage;
  await tasks.get('t0');
  await spaces.select(1, { rows: bound(allIds) });
  await spaces.define(1, changeOf(tasks.definition, { reset: true }));
  await isRefused(spaces.select(1, { rows: bound(allIds) }), 'noTable', undefined, /changed meanwhile/);
  await isRefused(tasks.get('t0'), 'noTable', undefined, /changed meanwhile/);
  const definition = await spaces.definition(1);
  assert.equal(definition.tables.size, 0);
  const bare = { ...taskTable, columns: taskTable.columns.slice(0, 9), indexes: [] };
  await spaces.define(1, changeOf(definition, { reset: true, newTables: [bare] }));
  await isRefused(tasks.get('t0'), 'noTable', undefined, /changed meanwhile/);
  assert.equal(await spaces.definition(1), await spaces.definition(1), 'the same definition is the same object');
});

test('a job can be claimed once, only by its number, and not after it was taken back', () => {
  const main = new Claims();
  const thread = new Claims(main.memory);
  assert.deepEqual([thread.claim(1), thread.claim(0), thread.claim(0), thread.claim(1)], [false, true, false, true]);
  assert.equal(main.next, 2);
  assert.equal(main.jump(4), 2);
  assert.deepEqual([thread.claim(2), thread.claim(3), thread.claim(4)], [false, false, true]);
  main.jump(2 ** 31 - 1);
  assert.deepEqual([thread.claim(2 ** 31 - 1), thread.claim(2 ** 31)], [true, true], 'numbers wrap');
});
