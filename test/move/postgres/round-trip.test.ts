/**
 * An installation moves from SQLite to PostgreSQL and back: no answer changes, and both engines have the same
 * checksums.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Engine, makeStorage, type Scratch } from '../../../lab/machine/scratch.ts';
import { serverUrl } from '../../engines/server.ts';
import { storedRows } from '../../storage/stored.ts';
import { assertSameHouse, fillHouse, manyRows, moved } from '../house.ts';

async function place(t: TestContext, engine: Engine): Promise<Scratch> {
  const scratch = await makeStorage(engine, serverUrl);
  t.after(() => scratch.remove());
  return scratch;
}

test('from SQLite to PostgreSQL, to another PostgreSQL and back, everything stays the same', async (t) => {
  const first = await place(t, 'sqlite');
  const second = await place(t, 'postgres');
  const third = await place(t, 'postgres');
  const fourth = await place(t, 'sqlite');
  const before = await fillHouse(first);
  const there = await moved(first, second);
  const across = await moved(second, third);
  const back = await moved(third, fourth);

  assert.deepEqual(across.tables, there.tables);
  assert.deepEqual(back.tables, there.tables);
  assert.equal(there.written, there.rows);
  assert.equal(there.resumed, false);
  const rows = new Map(there.tables.map(({ table, room, rows: count }) => [`${room} ${table}`, count]));
  assert.equal(rows.get('1 Many'), manyRows);
  assert.deepEqual([rows.get('1 _tombstone'), rows.get('1 _audience_member'), rows.get('logs entry')], [1, 2, 1]);
  assert.equal(Object.keys(there.keyIds).length, 1);

  // Commit numbers are the same everywhere, and the next commit takes the next number.
  const numbersSql = 'SELECT min("_seq") AS first, max("_seq") AS last, count(DISTINCT "_seq") AS commits FROM "Many"';
  const [numbers] = await storedRows(first, numbersSql);
  assert.equal(numbers?.commits, manyRows / 1_000);
  const counters = ['SELECT commit_seq AS last FROM _space', 'SELECT last FROM _counter'] as const;
  const lastOf = async (scratch: Scratch) =>
    (await storedRows(scratch, counters[[second, third].includes(scratch) ? 1 : 0]))[0]?.last;
  const last = Number(await lastOf(first));
  for (const scratch of [second, third, fourth]) {
    assert.deepEqual(await storedRows(scratch, numbersSql), [numbers]);
    assert.equal(await lastOf(scratch), last);
  }
  await assertSameHouse(second, before);
  await assertSameHouse(fourth, before);
  for (const scratch of [second, fourth]) {
    const [after] = await storedRows(scratch, numbersSql);
    assert.ok(Number(after?.last) > last && Number(after?.last) <= Number(await lastOf(scratch)));
  }
});
