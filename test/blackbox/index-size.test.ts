/**
 * Values that are too long for an index, and records for too many groups: refused alike on every engine, with the
 * reason.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertEnvelope } from '../harness/cases.ts';
import { valueAt } from '../harness/match.ts';
import { addRecords, defineTables, send } from '../harness/requests.ts';
import { startWorld, type World } from '../harness/world.ts';

const column = (colName: string) => ({ colName, type: 'varchar', fieldLength: 600 });
const table = {
  name: 'Long',
  primary_key: 'objectId',
  columns: [column('title'), column('place')],
  indexes: [{ columns: ['title', 'place'], unique: false }],
};

let world: World;
before(async () => {
  world = await startWorld({ people: ['alice', 'bob'], settings: { recordGroupsMax: 1 } });
  await defineTables(world, 'alice', [table]);
});
after(() => world.close());

const add = (who: 'alice' | 'bob', ...data: object[]) =>
  send(world, who, 'POST', 'data/batch/addData', { objectName: 'Long', data });
/** All different, because PostgreSQL measures the compressed text. */
const chinese = (from: number) => String.fromCharCode(...Array.from({ length: 600 }, (_, index) => from + index * 7));

test('two long columns of Chinese in one index answer 131, one does not, and likewise after an update', async () => {
  const both = { title: chinese(0x4e00), place: chinese(0x5e00) };
  const answer = await add('bob', { title: 'short' }, both);
  assertEnvelope(answer, 131);
  const told = /^data\[1\]\.title, place: too long for the index on it: .* would have 3\d\d\d bytes, and 2688 fit\./;
  assert.match(String(valueAt(answer.json, 'description')), told);
  assert.equal(valueAt(answer.json, 'results.1.errCode'), 131);
  const [made] = await addRecords(world, 'bob', 'Long', [{ title: both.title }]);
  const update = { objectName: 'Long', data: [{ ...made, place: both.place }] };
  assertEnvelope(await send(world, 'bob', 'POST', 'data/batch/updateData', update), 131);
});

test('a record may have a limited number of groups, sent or by default', async () => {
  const { g1, g2 } = Object.fromEntries(world.names);
  for (const item of [{}, { groupIds: `{${g1},${g2}}` }]) {
    const answer = await add('alice', item);
    assertEnvelope(answer, 131);
    assert.match(
      String(valueAt(answer.json, 'description')),
      /^data\[0\]\.groupIds: 2 groups; .* at most 1 \(setting recordGroupsMax\)/,
    );
  }
  const [made] = await addRecords(world, 'alice', 'Long', [{ groupIds: `{${g1}}` }]);
  const update = { objectName: 'Long', data: [{ ...made, groupIds: `${g1},${g2}` }] };
  assertEnvelope(await send(world, 'alice', 'POST', 'data/batch/updateData', update), 131);
});
