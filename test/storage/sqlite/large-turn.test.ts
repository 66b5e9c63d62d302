/** The turn for building a large result. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { largeTurnIdleMs } from '../../../src/storage/answer-arrays.ts';
import { LargeTurn, newLargeTurn } from '../../../src/storage/sqlite/large-turn.ts';

test('one thread at a time builds a large result; a waiting one stops at its time limit', () => {
  const memory = newLargeTurn();
  // Just before the 32-bit number wraps around.
  const clock = { now: 2 ** 31 - 10 };
  const [first, second] = [1, 2].map((own) => new LargeTurn(memory, own, () => clock.now | 0)) as [
    LargeTurn,
    LargeTurn,
  ];
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
  // As after the crash of a thread.
  new LargeTurn(memory, 2).leave();
  first.take(never);
  // A turn that its owner does not use is passed on.
  clock.now += largeTurnIdleMs - 1;
  assert.throws(() => second.take(late), /late/);
  first.take(never);
  clock.now += largeTurnIdleMs - 1;
  assert.throws(() => second.take(late), /late/);
  clock.now += 1;
  second.take(never);
  assert.throws(() => first.take(late), /late/);
  first.leave();
  assert.throws(() => first.take(late), /late/);
  second.leave();
  first.take(never);
});
