/** Large results on PostgreSQL: built one at a time, their connections paused, while small ones overtake them. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { defaults, type Settings } from '../../../src/config.ts';
import { ServiceError } from '../../../src/errors.ts';
import { zoneOf } from '../../../src/schema/time.ts';
import { largeTurnIdleMs } from '../../../src/storage/answer-arrays.ts';
import type { JsonText } from '../../../src/storage/json-text.ts';
import { LargeResult, newLargeTurns } from '../../../src/storage/postgres/large-result.ts';
import { readsThrough } from '../../../src/storage/postgres/reads.ts';
import { openQueries } from '../../../src/storage/postgres/select.ts';
import type { RowFlow } from '../../../src/storage/postgres/statement-run.ts';
import { bound, statementOf } from '../scratch.ts';
import { databaseOf } from './database.ts';

/** Rows of 100 000 characters; a paused connection has a few in its buffers. */
const statement = (rows: number) =>
  statementOf(`SELECT repeat('x', 100000) FROM generate_series(1, ${rows})`, [
    { key: 't', columns: [{ name: 'x', type: { kind: 'text' } }] },
  ]);
const bytesOf = (text: JsonText) => [text].flat().reduce((sum, piece) => sum + piece.length, 0);

async function opened(test: TestContext, settings: Partial<Settings> = {}) {
  const all = { ...defaults, queryTimeMs: 30_000, ...settings };
  const connections = (await databaseOf(test)).connect({ max: 4, statementTimeMs: all.queryTimeMs, settings: all });
  const largeTurns = newLargeTurns(all);
  const queries = openQueries({
    reads: readsThrough(connections, defaults),
    settings: all,
    zone: zoneOf('UTC'),
    largeTurns,
  });
  const rows = (spaceId: number, number: number) => queries.select(spaceId, { rows: bound(statement(number)) });
  return { connections, largeTurns, rows };
}

test('a large result waits for its turn, small ones do not, and a data space has only its share of the connections', async (t) => {
  const { largeTurns, rows } = await opened(t);
  const { promise, resolve: leave } = Promise.withResolvers<void>();
  const held = largeTurns.run(1, Number.POSITIVE_INFINITY, () => promise);
  const made: number[] = [];
  const waiting = Array.from({ length: 32 }, () =>
    rows(2, 60).then(({ arrays }) => made.push(bytesOf(arrays[0] as JsonText))),
  );
  // Two of the four connections are paused with large results, the others serve the other data spaces.
  for (let call = 0; call < 20; call++) {
    const { arrays } = await rows(3 + (call % 2), 1);
    assert.equal(bytesOf(arrays[0] as JsonText), 100_010);
  }
  assert.deepEqual(made, [], 'none was made out of turn');
  leave();
  await Promise.all([held, ...waiting]);
  assert.deepEqual(new Set(made), new Set([60 * 100_009 + 1]));
});

test('a large result that waits past its time is answered 503, and its connection is released', async (t) => {
  const { largeTurns, rows } = await opened(t, { queryTimeMs: 2_000 });
  const { promise, resolve: leave } = Promise.withResolvers<void>();
  const held = largeTurns.run(1, Number.POSITIVE_INFINITY, () => promise);
  await assert.rejects(rows(2, 60), (error) => {
    assert.ok(error instanceof ServiceError, String(error));
    assert.deepEqual([error.reason, error.details.status, error.details.retryAfterSeconds], [212, 503, 1]);
    assert.match(error.message, /stopped after 2000 ms \(setting queryTimeMs\)/);
    return true;
  });
  leave();
  await held;
  for (let call = 0; call < 8; call++) assert.equal(bytesOf((await rows(2, 1)).arrays[0] as JsonText), 100_010);
});

test('rows that are held stay in the database until they are released, and then all arrive', async (t) => {
  const { connections } = await opened(t);
  const total = 500;
  const seen = { rows: 0, flow: null as RowFlow | null };
  const began = Promise.withResolvers<void>();
  const text = `SELECT repeat('x', 100000) FROM generate_series(1, ${total})`;
  const all = connections.query({ text }, (_row, flow) => {
    seen.rows++;
    seen.flow = flow;
    if (seen.rows === 1) flow.hold();
    began.resolve();
  });
  await began.promise;
  for (let call = 0; call < 50; call++) await connections.query({ text: 'SELECT 1' });
  assert.ok(seen.rows < 10, `${seen.rows} rows came`);
  seen.flow?.release();
  await all;
  assert.equal(seen.rows, total);
  // For an ended statement this blocks nothing.
  seen.flow?.hold();
  await connections.query({ text: 'SELECT 1' });
});

test('a result that does not grow passes its turn on, and gets another one when it grows again', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const turns = newLargeTurns({ queryTimeMs: 60_000 });
  const told: string[] = [];
  const [slow, other] = ['slow', 'other'].map((name, index) => {
    const result = new LargeResult(turns, index + 1, { ...defaults, queryTimeMs: 60_000 });
    const tell = (what: string) => () => void told.push(`${name} ${what}`);
    result.flow = { hold: tell('pauses'), release: tell('goes on'), stop: (error) => assert.fail(String(error)) };
    return result;
  }) as [LargeResult, LargeResult];
  slow.grew();
  await nextTurn();
  other.grew();
  await nextTurn();
  assert.deepEqual(told.splice(0), ['slow pauses', 'slow goes on', 'other pauses']);
  t.mock.timers.tick(largeTurnIdleMs - 1);
  slow.grew();
  t.mock.timers.tick(largeTurnIdleMs - 1);
  await nextTurn();
  assert.deepEqual(told.splice(0), []);
  t.mock.timers.tick(1);
  await nextTurn();
  assert.deepEqual(told.splice(0), ['other goes on']);
  slow.grew();
  await nextTurn();
  assert.deepEqual(told.splice(0), ['slow pauses']);
  other.end();
  await nextTurn();
  assert.deepEqual(told.splice(0), ['slow goes on']);
  slow.end();
});
