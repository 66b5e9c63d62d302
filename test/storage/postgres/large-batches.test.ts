/** The values of a large batch are put in order in portions, so that a batch of 1,000 wide records holds up nobody. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Column } from '../../../src/schema/model.ts';
import { tableFrom } from '../../../src/schema/table.ts';
import { type Row, TableWrites } from '../../../src/storage/postgres/table-writes.ts';

const columns: Column[] = ['a', 'b', 'c'].map((name) => ({ name, type: { kind: 'text' }, required: false }) as Column);
const table = tableFrom({ id: 1, name: 'Wide', columns, indexes: [] });
const rows: Row[] = ['x', 'y'].map((id) => [id, '2026-01-01T00:00:00.000Z', 'g1', `a ${id}`, 'b "quoted"', null]);
const expected = [
  '{"x","y"}',
  '{"2026-01-01T00:00:00.000Z","2026-01-01T00:00:00.000Z"}',
  '{"g1","g1"}',
  '{"a x","a y"}',
  '{"b \\"quoted\\"","b \\"quoted\\""}',
  '{NULL,NULL}',
];

/** @returns how many turns of the event loop others had meanwhile */
async function turnsDuring(work: () => Promise<void>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const count = () => {
    if (isOver) return;
    turns++;
    setImmediate(count);
  };
  setImmediate(count);
  await work();
  isOver = true;
  return turns;
}

test('the parameters of a statement that takes long to put together give way to others, and are the same', async (t) => {
  const writes = new TableWrites(1, table);
  const made = async () => assert.deepEqual((await writes.insert(rows)).values, expected);
  assert.equal(await turnsDuring(made), 0, 'what is short waits for nothing');
  let now = 0;
  // Every look at the clock takes longer than a portion.
  t.mock.method(performance, 'now', () => {
    now += 10;
    return now;
  });
  assert.ok((await turnsDuring(made)) >= expected.length - 1);
});
