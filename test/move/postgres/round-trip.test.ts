/** A house moves from SQLite to PostgreSQL and back: nobody who knows it can tell, and both engines have the same checksums. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { withClient } from '../../../lab/machine/client.ts';
import { type Engine, makeStorage, type Scratch } from '../../../lab/machine/scratch.ts';
import { serverUrl } from '../../engines/server.ts';
import { assertSameHouse, fillHouse, manyRows, moved } from '../house.ts';

async function place(t: TestContext, engine: Engine): Promise<Scratch> {
  const scratch = await makeStorage(engine, serverUrl);
  t.after(() => scratch.remove());
  return scratch;
}

test('from SQLite to PostgreSQL, to another PostgreSQL and back, everything stays as it was', async (t) => {
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

  // On PostgreSQL every commit to come has a higher number than those that were moved; on SQLite the counter goes on.
  await withClient(second.settings.storage, async (client) => {
    const { rows: found } = await client.query<{ last: string; commits: string }>(
      'SELECT max("_seq") AS last, count(DISTINCT "_seq") AS commits FROM rowhouse_space_1."Many"',
    );
    assert.ok(Number(found[0]?.last) <= 0);
    assert.equal(found[0]?.commits, String(manyRows / 1_000));
  });
  await assertSameHouse(second, before);
  await assertSameHouse(fourth, before);
  await withClient(second.settings.storage, async (client) => {
    const { rows: found } = await client.query<{ last: string }>(
      'SELECT max("_seq") AS last FROM rowhouse_space_1."Many"',
    );
    assert.ok(Number(found[0]?.last) > 0);
  });
});
