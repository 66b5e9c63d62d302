/** Long queries lower their priority, if the system permits restoring it. */
import assert from 'node:assert/strict';
import { getPriority } from 'node:os';
import { test } from 'node:test';
import { Deadline } from '../../../src/storage/sqlite/deadline.ts';
import { threadPriority } from '../../../src/storage/sqlite/priority.ts';

test('a statement yields repeatedly once it takes long, and not before', () => {
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

test('a thread that worked for long has the lowest priority until it is restored, if it may be restored', () => {
  const before = getPriority(0);
  const priority = threadPriority();
  const begun = getPriority(0);
  const canRestorePriority = begun === 0 && isRoot;
  priority.lowerPriority();
  assert.equal(getPriority(0), begun, 'a short one is as before');
  const { user } = process.threadCpuUsage();
  while (process.threadCpuUsage().user - user < 40_000) Math.sqrt(2);
  priority.lowerPriority();
  assert.equal(getPriority(0), canRestorePriority ? 15 : begun);
  priority.restorePriority();
  assert.equal(getPriority(0), begun);
  assert.ok(begun === before || begun === before + 1, `${begun} came, after ${before}.`);
});

const isRoot = process.platform === 'linux' && process.getuid?.() === 0;
