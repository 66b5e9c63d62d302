/** The compiler and the client's types: lines that it must refuse, each for its reason, and the cost of 200 tables. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { compile, weighTypes } from '../../lab/apps/weigh-types.ts';

test('each line that must not compile is refused for its reason', () => {
  const file = join(import.meta.dirname, 'refused/lines.ts');
  const lines = readFileSync(file, 'utf8').split('\n');
  const errors = new Map<number, string[]>();
  for (const [, line, error = ''] of compile('-p', join(file, '..')).matchAll(/lines\.ts\((\d+),\d+\): error (.*)/g)) {
    errors.set(Number(line) - 1, [...(errors.get(Number(line) - 1) ?? []), error.replace(':', '')]);
  }
  let refused = 0;
  lines.forEach((line, index) => {
    const [, expected] = /^\/\/ expected: (.+)/.exec(line) ?? [];
    if (expected === undefined) return;
    refused++;
    const found = errors.get(index + 1) ?? [];
    errors.delete(index + 1);
    assert.equal(found.length, 1, `${lines[index + 1]}\nexpected one error, got ${JSON.stringify(found)}`);
    assert.ok(found[0]?.startsWith(expected), `${lines[index + 1]}\nexpected ${expected}\ngot      ${found[0]}`);
  });
  assert.deepEqual([...errors], [], 'Nothing else is refused.');
  assert.ok(refused >= 60, `${refused} lines`);
});

/** 124 000 when this was written: 37 000 for the client itself, and 436 for each table that a program reads, queries and updates. */
const instantiationsMax = 150_000;

test('200 tables of 20 columns cost the compiler little', () => {
  const { instantiations } = weighTypes(200, 20);
  assert.ok(instantiations > 1_000 && instantiations <= instantiationsMax, `${instantiations} instantiations`);
});
