/** Group commit: what gathers for a data space is committed together, within bounds, and every request is answered. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../src/errors.ts';
import { change, itemsOf, start, taskScratch } from './scratch.ts';

test('requests that arrive together for one record are carried out in their order', async (t) => {
  const { tasks } = await taskScratch(t);
  await tasks.add([{ id: 'x' }]);
  const updates = await Promise.all(
    Array.from({ length: 200 }, (_, index) => tasks.update([change('x', start + index, { title: `${index}` })])),
  );
  for (const [index, outcome] of updates.entries()) assert.equal(itemsOf(outcome)[0]?.updated, start + index + 1);
  assert.equal((await tasks.get('x'))?.title, '199');
});

test('more than the bounded number of waiting writes is refused as busy, and accepted ones are answered', async (t) => {
  const { tasks } = await taskScratch(t, { settings: { writesQueuedMax: 5 } });
  const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => tasks.add([{}])));
  const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  assert.equal(refused.length, 3);
  for (const error of refused) {
    assert.ok(error instanceof ServiceError && error.reason === 'busy');
    assert.equal(error.details.retryAfterSeconds, 1);
    assert.match(error.message, /writesQueuedMax/);
  }
  assert.equal((await tasks.add([{}])).kind, 'done');
});

test('closing answers what waits first', async (t) => {
  const { tasks, close } = await taskScratch(t);
  const writes = Array.from({ length: 50 }, () => tasks.add([{}]));
  await close();
  for (const outcome of await Promise.all(writes)) assert.equal(outcome.kind, 'done');
  await assert.rejects(tasks.add([{}]), /stopping/);
  await assert.rejects(tasks.get('x'), /stopping/);
});
