/** GLOB for long texts gives the same answer as SQLite's own, in bounded time. */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import fc from 'fast-check';
import { matchesGlob } from '../../../src/storage/sqlite/functions.ts';

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
const pieces = ['a', 'b', 'é', '😀', '*', '*', '?', '?', '[*]', '[?]', '[[]', ']', 'ab'];
const characters = ['a', 'b', 'é', '😀', '*', '?', '[', ']'];

test(`it agrees with SQLite's own (seed ${seed})`, () => {
  const db = new DatabaseSync(':memory:');
  const glob = db.prepare('SELECT ?1 GLOB ?2 AS matches');
  const pattern = fc.array(fc.constantFrom(...pieces), { maxLength: 10 }).map((parts) => parts.join(''));
  const text = fc.array(fc.constantFrom(...characters), { maxLength: 12 }).map((parts) => parts.join(''));
  let matched = 0;
  fc.assert(
    fc.property(text, pattern, (text, pattern) => {
      const expected = glob.get(text, pattern)?.matches === 1;
      if (expected) matched++;
      assert.equal(
        matchesGlob(text, pattern, () => {}),
        expected,
        `${text} GLOB ${pattern}`,
      );
    }),
    { seed, numRuns: 20_000 },
  );
  assert.ok(matched > 500, `only ${matched} of the texts matched`);
});

test('it can be stopped meanwhile', () => {
  const text = 'a'.repeat(300_000);
  const onProgress = () => {
    throw new Error('stopped');
  };
  assert.throws(() => matchesGlob(text, `*${'a?'.repeat(100)}b*`, onProgress), /stopped/);
  assert.throws(() => matchesGlob(text, `*${'a'.repeat(900)}b*`, onProgress), /stopped/);
});
