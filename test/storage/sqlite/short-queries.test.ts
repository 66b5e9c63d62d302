/** Which queries run on the main thread, and that long ones leave it. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { pino } from 'pino';
import { systemEnvironment } from '../../../src/environment.ts';
import type { Output, Statement } from '../../../src/query/statement.ts';
import { zoneOf } from '../../../src/schema/time.ts';
import { drawFactor } from '../../../src/storage/sqlite/deadline.ts';
import { installationIn } from '../../../src/storage/sqlite/installation.ts';
import { Readers } from '../../../src/storage/sqlite/readers.ts';
import { openRecords } from '../../../src/storage/sqlite/records.ts';
import { ShortQueries } from '../../../src/storage/sqlite/short-queries.ts';
import { wholeOf } from '../../engines/json-text.ts';
import { bound, defineTables, statementOf, taskScratch, tasksIn, taskTable } from '../scratch.ts';

const output = (...names: string[]): Output => ({
  key: 't',
  columns: names.map((name) => ({ name, type: { kind: 'text' } })),
});

/** Counts to a number, and checks the time like a row of a single table. */
const countingTo = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n
  WHERE i < ?1 AND ((i * deadline_factor() & 983040) OR within_deadline_now(i))) SELECT count(*) FROM n`;
const light = (sql: string, outputs: readonly Output[] = []): Statement => ({
  ...statementOf(sql, outputs),
  isLight: true,
});
const millions = 1_000_000_000_000n;

/** What ran in which thread since the last call. */
async function watched(test: TestContext, settings = {}, deadlineFactor = drawFactor(systemEnvironment)) {
  const opened = await taskScratch(test, { settings: { queryTimeMs: 300, ...settings } });
  await opened.storage.spaces.create(2);
  await defineTables(opened.storage, 2, [taskTable]);
  for (const spaceId of [1, 2]) await (await tasksIn(opened.storage, spaceId)).add([{ id: 'a' }, { id: 'b' }]);
  const folder = opened.settings.storage.replace('sqlite:', '');
  const place = { folder, installation: installationIn(folder) };
  const share = { filesMax: 4, pageCacheBytes: 4_000_000 };
  const disk = { opened: async () => {} };
  const records = openRecords({
    source: place,
    share,
    settings: opened.settings,
    zone: zoneOf('UTC'),
    deadlineFactor,
    disk,
  });
  for (const spaceId of [1, 2]) await records.definition(spaceId);
  const log = pino({ level: 'silent' });
  const readers = new Readers({ ...place, share, settings: opened.settings, deadlineFactor, log });
  const ran: string[] = [];
  const queries = new ShortQueries(
    {
      select(...call) {
        const result = records.select(...call);
        ran.push(result === null ? 'stopped on main' : 'main');
        return result;
      },
    },
    {
      select(...call) {
        ran.push('reader');
        return readers.select(...call);
      },
    },
    { ...opened.settings, readerThreads: 2 },
  );
  opened.scratch.closeFirst(async () => {
    queries.close();
    await readers.close();
    records.close();
  });
  const count = async (statement: Statement, to: bigint, spaceId = 1) =>
    (await queries.select(spaceId, { count: bound(statement, [to]) })).count;
  return { queries, records, count, ran: () => ran.splice(0) };
}

/** Repeats until the statement is known to be short, with a margin for delays on a busy machine. */
async function untilOnMain(call: () => Promise<unknown>, ran: () => string[]): Promise<void> {
  for (let inRow = 0; inRow < 20; ) {
    await call();
    inRow = ran().at(-1) === 'main' ? inRow + 1 : 0;
  }
}

test('a statement runs in a reader thread first, and on the main thread once it was short', async (t) => {
  const { queries, count, ran } = await watched(t);
  const statement = light(countingTo);
  assert.equal(await count(statement, 5n), 5);
  assert.deepEqual(ran(), ['reader']);
  await untilOnMain(() => count(statement, 5n), ran);
  assert.equal(await count(statement, 7n), 7);
  assert.deepEqual(ran(), ['main']);
  const rows = light('SELECT objectId FROM task ORDER BY 1', [output('objectId')]);
  const page = () => queries.select(1, { rows: bound(rows), count: bound(statement, [3n]) });
  await untilOnMain(page, ran);
  assert.deepEqual(await page(), { arrays: ['[{"objectId":"a"},{"objectId":"b"}]'], count: 3 });
});

test('a query that turns out to be endless leaves the main thread, and its data space rests', async (t) => {
  const { count, ran } = await watched(t, { queryTimeMs: 400 });
  const [hostile, innocent, other] = [light(countingTo), light(countingTo), light(countingTo)];
  await untilOnMain(() => count(other, 5n, 2), ran);
  // A query stopped only because the system delayed the thread causes no rest, so there may be another round.
  do {
    await untilOnMain(() => count(innocent, 5n), ran);
    await untilOnMain(() => count(hostile, 5n), ran);
    // On the main thread it would run for a day, and so would this test.
    await assert.rejects(count(hostile, millions), /stopped after 400 ms/);
    assert.deepEqual(ran(), ['stopped on main', 'reader']);
    assert.equal(await count(hostile, 5n), 5);
    assert.deepEqual(ran(), ['reader'], 'the statement has to show anew that it is short');
    await count(innocent, 5n);
  } while (ran().at(-1) === 'main');
  await count(other, 5n, 2);
  assert.deepEqual(ran(), ['main'], 'another data space does not rest');
});

test('a statement that may be long for a row never runs on the main thread', async (t) => {
  const { count, ran } = await watched(t);
  const heavy = statementOf(countingTo);
  for (let call = 0; call < 50; call++) await count(heavy, 5n);
  assert.deepEqual(new Set(ran()), new Set(['reader']));
});

test('a large result is left to a reader thread', async (t) => {
  const { queries, ran } = await watched(t);
  const wide = light(`SELECT substr('${'x'.repeat(9_000)}', 1, ?1) FROM task, task, task, task`, [output('x')]);
  const widthOf = async (width: bigint) => {
    const { arrays } = await queries.select(1, { rows: bound(wide, [width]) });
    return JSON.parse(wholeOf(arrays[0])).map(({ x }: { x: string }) => x.length);
  };
  await untilOnMain(() => widthOf(1n), ran);
  assert.deepEqual(await widthOf(9_000n), new Array(16).fill(9_000));
  assert.deepEqual(ran(), ['stopped on main', 'reader']);
});

test('each record read checks the time, and one index entry in sixteen', async (t) => {
  // With this factor neither row 1 nor row 2 checks the time, unless every row must.
  const { records, ran } = await watched(t, {}, 0x1_0001);
  ran();
  const limits = { queryTimeMs: 60_000, resultBytesMax: 1_000, resultRowsMax: 10 };
  const inTime = '((task.rowid * deadline_factor() & 983040) = 0)';
  const asking = async (from: string) => {
    const count = bound(light(`SELECT count(*) FROM ${from} WHERE ${inTime}`));
    return records.select(1, { count }, limits)?.count;
  };
  assert.equal(await asking('task NOT INDEXED'), 2, 'every record asks');
  assert.equal(await asking('task INDEXED BY _ix_1_0'), 0, 'not every entry asks');
});

test('requests of this turn are answered when the storage closes', async (t) => {
  const { storage, close } = await taskScratch(t);
  const answer = storage.spaces.select(1, { count: bound(light('SELECT count(*) FROM task')) });
  await close();
  assert.deepEqual(await answer, { arrays: [], count: 0 });
});
