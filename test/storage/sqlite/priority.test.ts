/** Long queries stand back, where the system lets them come forward again. */
import assert from 'node:assert/strict';
import { getPriority } from 'node:os';
import { test } from 'node:test';
import { Deadline } from '../../../src/storage/sqlite/deadline.ts';
import { threadPriority } from '../../../src/storage/sqlite/priority.ts';

test('a statement stands back again and again once it takes long, and not before', () => {
  let times = 0;
  const deadline = new Deadline(() => times++);
  deadline.start(60_000);
  const begin = performance.now();
  assert.equal(deadline.hasPassedNow(), false);
  assert.equal(times, 0);
  while (times < 5) assert.equal(deadline.passed(), false);
  const tookMs = performance.now() - begin;
  assert.ok(tookMs > 13, `It stood back five times within ${tookMs} ms.`);
  // The next one is a short one again.
  deadline.start(60_000);
  assert.equal(deadline.hasPassedNow(), false);
  assert.equal(times, 5);
});

test('a thread that stood back comes forward again, or never stands back at all', () => {
  const before = getPriority(0);
  const priority = threadPriority();
  const begun = getPriority(0);
  priority.standBack();
  priority.standBack();
  const back = getPriority(0);
  priority.comeForward();
  assert.equal(getPriority(0), begun);
  assert.ok(back === 15 || back === begun, `${back} came.`);
  assert.ok(begun === before || begun === before + 1, `${begun} came, after ${before}.`);
});
