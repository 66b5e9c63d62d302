/** Large results: built and passed on in pieces, complete, and without long blocking work. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { check } from '../../src/query/check.ts';
import { compileRows } from '../../src/query/compile.ts';
import { readExpressionForm } from '../../src/query/expression-form.ts';
import { zoneOf } from '../../src/schema/time.ts';
import { pieceCharacters } from '../../src/storage/json-text.ts';
import { wholeOf } from '../engines/json-text.ts';
import { bound, taskScratch } from './scratch.ts';

test('a large result arrives in small pieces of bytes, which together are complete, even for many concurrent requests', async (t) => {
  const { storage, settings, tasks } = await taskScratch(t);
  const title = 'ä'.repeat(100);
  const records = 2_000;
  for (let from = 0; from < records; from += 500) {
    await tasks.add(
      Array.from({ length: 500 }, (_, index) => ({ id: `t${from + index}`, title, scopeType: 3 as const })),
    );
  }
  const definition = await storage.spaces.definition(1);
  const rowsOf = async (limit: number) => {
    const form = { from: { phyName: 'task', alias: 't' }, range: { offset: 0, limit } };
    const { query } = readExpressionForm(form, settings);
    const rules = { ...settings, zone: zoneOf('UTC') };
    const statement = compileRows(check(query, definition, settings), storage.dialect, rules);
    const inputs = { parameters: [], members: ['u7', 'g1', 'g3', 'a'], offset: 0, limit };
    return (await storage.spaces.select(1, { rows: bound(statement, statement.bind(inputs)) })).arrays[0]!;
  };
  const small = await rowsOf(20);
  assert.ok(typeof small === 'string');
  assert.equal(JSON.parse(small).length, 20);
  const large = await rowsOf(records);
  assert.ok(typeof large !== 'string' && large.length > 4);
  const bytesMax = 3 * pieceCharacters;
  for (const piece of large) assert.ok(piece.length <= bytesMax, `${piece.length}`);
  const whole = wholeOf(large);
  const found = JSON.parse(whole) as { objectId: string; title: string }[];
  assert.deepEqual(
    found.map(({ objectId }) => objectId).sort(),
    Array.from({ length: records }, (_, n) => `t${n}`).sort(),
  );
  assert.ok(found.every((record) => record.title === title));
  const again = await Promise.all(Array.from({ length: 8 }, () => rowsOf(records)));
  for (const other of again) assert.equal(wholeOf(other), whole);
});
