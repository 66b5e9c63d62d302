/**
 * The values of a large batch are arranged in portions, so that a batch of 1,000 wide records does not block others.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Column } from '../../../src/schema/model.ts';
import { tableFrom } from '../../../src/schema/table.ts';
import { type Row, TableWrites } from '../../../src/storage/postgres/table-writes.ts';
import { databaseOf } from './database.ts';

const columns: Column[] = ['a', 'b', 'c'].map((name) => ({ name, type: { kind: 'text' }, required: false }) as Column);
const table = tableFrom({ id: 1, name: 'Wide', columns, indexes: [], lockFree: false });
const rows: Row[] = ['x', 'y'].map((id) => [id, '2026-01-01T00:00:00.000Z', 'g1', `a ${id}`, 'b "quoted"', null]);
const expected = [
  '{"x","y"}',
  '{"2026-01-01T00:00:00.000Z","2026-01-01T00:00:00.000Z"}',
  '{"g1","g1"}',
  '{"a x","a y"}',
  '{"b \\"quoted\\"","b \\"quoted\\""}',
  '{NULL,NULL}',
];

/** @returns how many turns of the event loop other work had meanwhile */
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

test('building the parameters of a large statement yields to others, and gives the same result', async (t) => {
  const writes = new TableWrites(1, table);
  const made = async () => assert.deepEqual((await writes.insert(rows, '7')).values, [...expected, '7']);
  let now = 0;
  let tookMs = 0;
  t.mock.method(performance, 'now', () => {
    now += tookMs;
    return now;
  });
  assert.equal(await turnsDuring(made), 0, 'what is short waits for nothing');
  // Every check of the time takes longer than a portion.
  tookMs = 10;
  assert.ok((await turnsDuring(made)) >= expected.length - 1);

  const large = Array.from({ length: 20 }, (_, index) => [...(rows[0] as Row).slice(0, 5), 'x'.repeat(1_000 + index)]);
  const sent = async () => assert.ok(Buffer.isBuffer((await writes.insert(large, '7')).values?.at(-2)));
  assert.ok((await turnsDuring(sent)) >= expected.length - 1 + large.length - 1, 'also within a large column');
});

test('large texts reach PostgreSQL unchanged', async (t) => {
  const pool = (await databaseOf(t)).connect({ max: 1 });
  const awkward = ['"', '\\', '"\n\\"', '\t\r\u0001', 'Ж\u{1f600}é', '{a,NULL,"b"}', ' '];
  const texts = [...awkward.map((text) => text.repeat(9_000)), '', null, 'NULL', ...awkward];
  const { values } = await new TableWrites(1, table).insert(
    texts.map((text) => ['x', 'now', 'g1', null, text, 'short']),
    '7',
  );
  const [large, short] = (values ?? []).slice(-3);
  assert.ok(Buffer.isBuffer(large));
  assert.equal(typeof short, 'string');
  const { rows: read } = await pool.query({
    text: 'SELECT * FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS t(a, b, n) ORDER BY n',
    values: [large, short as string],
  });
  assert.deepEqual(
    read.map(([text, other]) => [text, other]),
    texts.map((text) => [text, 'short']),
  );
});
