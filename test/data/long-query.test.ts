/**
 * A long query does not block others: reading, checking, compiling and binding take separate turns of the event loop.
 */
import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { expressionQuery } from '../../src/data/query.ts';
import { caller, dataWorld } from './world.ts';

test('others run between the stages of a query with 10 000 parameters', async (t) => {
  let turn = 0;
  let isDone = false;
  const count = () => {
    turn++;
    if (!isDone) setImmediate(count);
  };
  const at: Record<string, number> = {};
  const note = (stage: string) => {
    at[stage] ??= turn;
  };
  const context = await dataWorld(t, (storage) => ({
    ...storage,
    // Read when the query has been read.
    get dialect() {
      note('read');
      return storage.dialect;
    },
    spaces: {
      ...storage.spaces,
      select: (spaceId, request) => {
        note('bound');
        return storage.spaces.select(spaceId, request);
      },
    },
  }));
  const params = Array.from({ length: 10_000 }, (_, index) => `p${index}`);
  const expression = { source: `#t.title IN (${'?,'.repeat(9_999)}?)`, params };
  // Every check of the clock ends a portion, however fast the machine is.
  let now = performance.now();
  const clock = mock.method(performance, 'now', () => {
    now += 5;
    return now;
  });
  setImmediate(count);
  try {
    await expressionQuery(context, caller, 'task', { from: { phyName: 'task', alias: 't' }, where: { expression } });
  } finally {
    isDone = true;
    clock.mock.restore();
  }
  const { read = 0, bound = 0 } = at;
  assert.ok(read + 3 <= bound, `read in turn ${read}, checked and compiled in two others, bound in turn ${bound}`);
});
