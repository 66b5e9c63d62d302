/** Long queries stand back, where the system lets them come forward again. */
import assert from 'node:assert/strict';
import { getPriority } from 'node:os';
import { test } from 'node:test';
import { Deadline } from '../../../src/storage/sqlite/deadline.ts';
import { threadPriority } from '../../../src/storage/sqlite/priority.ts';

test('a statement is told to be long once, and only when it is', () => {
  let told = 0;
  const deadline = new Deadline(() => told++);
  const work = (milliseconds: number) => {
    const end = performance.now() + milliseconds;
    while (performance.now() < end) deadline.passed();
  };
  deadline.start(10_000);
  assert.equal(deadline.hasPassedNow(), false);
  assert.equal(told, 0);
  work(60);
  assert.equal(told, 1);
  work(60);
  assert.equal(told, 1);
  assert.equal(deadline.hasPassed, false);
  deadline.start(10_000);
  work(60);
  assert.equal(told, 2);
});

test('a thread that stood back comes forward again, or never stands back at all', () => {
  const before = getPriority(0);
  const priority = threadPriority();
  const begun = getPriority(0);
  priority.standBack();
  const back = getPriority(0);
  priority.comeForward();
  assert.equal(getPriority(0), begun);
  assert.ok(back === 15 || back === begun, `${back} came.`);
  assert.ok(begun === before || begun === before + 1, `${begun} came, after ${before}.`);
});
