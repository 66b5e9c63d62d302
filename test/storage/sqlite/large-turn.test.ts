/** Whose turn it is to make a large result. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LargeTurn, newLargeTurn } from '../../../src/storage/sqlite/large-turn.ts';

test('one thread at a time makes a large result; one that waits stops at its time limit', () => {
  const memory = newLargeTurn();
  const [first, second] = [new LargeTurn(memory, 1), new LargeTurn(memory, 2)];
  const never = () => assert.fail('It is its turn.');
  const late = () => {
    throw new Error('late');
  };
  first.take(never);
  first.take(never);
  assert.throws(() => second.take(late), /late/);
  second.leave();
  assert.throws(() => second.take(late), /late/);
  first.leave();
  second.take(never);
  // As for a thread that crashed.
  new LargeTurn(memory, 2).leave();
  first.take(never);
});
