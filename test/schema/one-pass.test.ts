/** Names and json values designed to take long are checked in linear time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaults } from '../../src/config.ts';
import { nearest } from '../../src/nearest.ts';
import { readJson } from '../../src/schema/json-value.ts';
import { processorMs } from '../harness/work.ts';

/** The number of differing letters, found by comparing every pair of positions. */
function plainDistance(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const replaced = (above[column - 1] as number) + (from[row - 1] === to[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, (above[column] as number) + 1, (current[column - 1] as number) + 1));
    }
    above = current;
  }
  return above[to.length] as number;
}

test('wrong names among hundreds of long ones are distinguished with less work than comparing every pair of positions', () => {
  const names = Array.from({ length: 250 }, (_, index) => `column_with_a_long_name_${index}_`.padEnd(60, 'x'));
  const wrong = Array.from({ length: 40 }, (_, index) => `column_with_a_long_name_zzz${index}`.padEnd(60, 'y'));
  const near = wrong.map((name) => () => nearest(name, names));
  const plain = wrong.map((name) => () => names.find((other) => plainDistance(name, other) < 3));
  const work = (all: readonly (() => string | undefined)[]) =>
    processorMs(() => assert.deepEqual(new Set(all.map((one) => one())), new Set([undefined])));
  const [nearMs, plainMs] = [work(near), work(plain)];
  assert.ok(nearMs < plainMs / 3, `${nearMs} ms of a processor came, and ${plainMs} for every pair`);
  assert.equal(nearest(`${names[7]?.slice(0, -2)}xy`, names), names[7]);
});

test('digits in json text are checked only where they are numbers', () => {
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
