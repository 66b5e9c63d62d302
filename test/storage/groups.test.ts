/** Group commit: requests collected for a data space are committed together, within bounds, and all are answered. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../src/errors.ts';
import { change, defineTables, itemsOf, start, taskScratch, tasksIn, taskTable } from './scratch.ts';

test('requests that arrive together for one record are executed in order', async (t) => {
  const { tasks } = await taskScratch(t);
  await tasks.add([{ id: 'x' }]);
  const updates = await Promise.all(
    Array.from({ length: 200 }, (_, index) => tasks.update([change('x', start + index, { title: `${index}` })])),
  );
  for (const [index, outcome] of updates.entries()) assert.equal(itemsOf(outcome)[0]?.updated, start + index + 1);
  assert.equal((await tasks.get('x'))?.title, '199');
});

test('a data space gets half of the free queue slots, further requests are refused, and waiting ones are answered', async (t) => {
  const { storage, tasks } = await taskScratch(t, { settings: { writesQueuedMax: 10 } });
  await storage.spaces.create(2);
  await defineTables(storage, 2, [taskTable]);
  const others = await tasksIn(storage, 2);
  const adds = [tasks, others].flatMap(({ add }) => Array.from({ length: 8 }, () => add([{}])));
  const outcomes = await Promise.allSettled(adds);
  const accepted = (from: number) => outcomes.slice(from, from + 8).map(({ status }) => status === 'fulfilled');
  // Half of 10, and half of the remaining 5; the third one takes less.
  assert.deepEqual(
    accepted(0),
    Array.from({ length: 8 }, (_, index) => index < 5),
  );
  assert.deepEqual(
    accepted(8),
    Array.from({ length: 8 }, (_, index) => index < 3),
  );
  for (const outcome of outcomes) {
    if (outcome.status === 'fulfilled') continue;
    const error = outcome.reason;
    assert.ok(error instanceof ServiceError && error.reason === 'busy');
    assert.equal(error.details.retryAfterSeconds, 1);
    assert.match(error.message, /of this data space are waiting.* of 10 \(setting writesQueuedMax\)/);
  }
  assert.equal((await tasks.add([{}])).kind, 'done');
});

test('closing first answers waiting requests', async (t) => {
  const { tasks, close } = await taskScratch(t);
  const writes = Array.from({ length: 50 }, () => tasks.add([{}]));
  await close();
  for (const outcome of await Promise.all(writes)) assert.equal(outcome.kind, 'done');
  await assert.rejects(tasks.add([{}]), /stopping/);
  await assert.rejects(tasks.get('x'), /stopping/);
});
