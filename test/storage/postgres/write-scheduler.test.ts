/** Turns of writes: what waits for its turn does so no longer than its time. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Waiting } from '../../../src/storage/postgres/write-queue.ts';
import { WriteScheduler } from '../../../src/storage/postgres/write-scheduler.ts';

class Entry implements Waiting {
  readonly kind = 'add';
  readonly items = 1;
  readonly bytes = 10;
  readonly keys: readonly string[];
  readonly deadline: number;
  /** What being carried out waits for. */
  readonly work: Promise<void>;
  readonly fate = Promise.withResolvers<'done' | 'late'>();

  constructor(keys: readonly string[], deadline: number, work = Promise.resolve()) {
    this.keys = keys;
    this.deadline = deadline;
    this.work = work;
  }
}

const never = new Promise<void>(() => {});

/**
 * Half of those under way can be of one data space. What is merged is carried out one after the other, up to one that is
 * left alone with all behind it; that never ends.
 */
function turnsOf(test: TestContext, max: number, leftAlone?: Entry): WriteScheduler<Entry> {
  // What looks for late ones does not keep a process from ending.
  const alive = setInterval(() => {}, 60_000);
  test.after(() => clearInterval(alive));
  return new WriteScheduler<Entry>({
    max,
    async merged(space, group) {
      for (const [index, entry] of group.entries()) {
        if (entry === leftAlone) {
          space.alone.push(...group.slice(index));
          return;
        }
        await entry.work;
        space.queue.release(entry);
        entry.fate.resolve('done');
      }
    },
    alone: () => never,
    late(space, entries) {
      for (const entry of entries) {
        space.queue.release(entry);
        entry.fate.resolve('late');
      }
    },
    lateCheckMs: 5,
  });
}

test('one whose time is over in the queue is given up, and what stood behind it starts', {
  timeout: 10_000,
}, async (t) => {
  const turns = turnsOf(t, 4);
  turns.push(1, new Entry(['x'], 0, never));
  const late = new Entry(['x', 'y'], 0);
  const behind = new Entry(['y'], Infinity);
  turns.push(1, late);
  turns.push(1, behind);
  assert.deepEqual(await Promise.all([late.fate.promise, behind.fate.promise]), ['late', 'done']);
});

test('one whose time is over while it waits to be carried out alone is given up', { timeout: 10_000 }, async (t) => {
  const alone = new Entry(['b'], 0);
  const turns = turnsOf(t, 2, alone);
  const first = Promise.withResolvers<void>();
  turns.push(1, new Entry(['a'], 0, first.promise));
  const behind = new Entry(['c'], 0);
  for (const entry of [alone, behind]) turns.push(1, entry);
  first.resolve();
  assert.equal(await behind.fate.promise, 'late');
});
