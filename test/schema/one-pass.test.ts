/** Names and json values that are made to take long are judged in a time that grows with their length only. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaults } from '../../src/config.ts';
import { nearest } from '../../src/nearest.ts';
import { readJson } from '../../src/schema/json-value.ts';

test('a thousand wrong names among hundreds of long ones are told apart soon', () => {
  const names = Array.from({ length: 250 }, (_, index) => `column_with_a_long_name_${index}_`.padEnd(60, 'x'));
  const begin = performance.now();
  for (let index = 0; index < 1_000; index++) nearest(`column_with_a_long_name_zzz${index}`.padEnd(60, 'y'), names);
  assert.ok(performance.now() - begin < 3_000);
  assert.equal(nearest(`${names[7]?.slice(0, -2)}xy`, names), names[7]);
});

test('numbers of json text are looked at where they are numbers', () => {
  assert.equal(
    readJson('{"a":"12345678901234567890\\"1e999","b":1.50}', defaults),
    '{"a":"12345678901234567890\\"1e999","b":1.5}',
  );
  assert.throws(() => readJson('{"a":"\\\\","b":[12345678901234567890]}', defaults), RangeError);
});

test('json text with too many values is refused before it is parsed', () => {
  const bounds = { depthMax: 32, itemValuesMax: 1_000 };
  assert.equal(readJson(`[${'1,'.repeat(998)}1]`, bounds).length, 2 * 999 + 1);
  assert.throws(() => readJson(`[${'1,'.repeat(999)}1]`, bounds), /more than 1000 values in it \(itemValuesMax\)/);
  assert.throws(() => readJson('['.repeat(100_000), bounds), /more than 1000 values/);
  assert.equal(readJson(`"${',[{'.repeat(1_000)}\\""`, bounds).length, 3_004);
});
