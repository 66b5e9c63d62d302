/** Names, and the "did you mean" of errors. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearest } from '../../src/nearest.ts';
import { isName } from '../../src/schema/names.ts';

test('a name is a letter and then letters, digits or _, at most 63 in all', () => {
  for (const name of ['a', 'Z9', 'order', 'a_b', 'sqlite_master', 'x'.repeat(63)])
    assert.equal(isName(name), true, name);
  for (const name of ['', '_a', '9a', 'a-b', 'a b', 'ä', 'a"', 'a\n', 'a\0', 'x'.repeat(64)]) {
    assert.equal(isName(name), false, JSON.stringify(name));
  }
});

test('the nearest name has the fewest differences', () => {
  const names = ['title', 'titles', 'amount', 'createUserId'];
  assert.equal(nearest('titel', names), 'title');
  assert.equal(nearest('TITLE', names), 'title');
  assert.equal(nearest('amonut', names), 'amount');
  assert.equal(nearest('createuserid', names), 'createUserId');
});

test('no name is near to a completely different one', () => {
  assert.equal(nearest('weight', ['title', 'amount']), undefined);
  assert.equal(nearest('ab', ['cd']), undefined);
  assert.equal(nearest('serverCreateTime', ['serverUpdateTime']), undefined);
  assert.equal(nearest('', ['a']), undefined);
  assert.equal(nearest('x'.repeat(100_000), ['x']), undefined);
});
