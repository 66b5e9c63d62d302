/** Whose turn it is: data spaces one after the other, and never the last connection for one that has some already. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as settled } from 'node:timers/promises';
import { QueryScheduler } from '../../../src/storage/postgres/query-scheduler.ts';

function turnsOf(runningMax: number, waitingMax = 100) {
  const turns = new QueryScheduler({ runningMax, waitingMax, waitTimeMs: 60_000 });
  /** Names of what has begun, in order, and what ends each. */
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (spaceId: number, name: string) =>
    turns.run(spaceId, async () => {
      begun.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
      return name;
    });
  const end = async (name: string) => {
    ends.get(name)!();
    await settled();
  };
  return { turns, begun, run, end };
}

test('data spaces take turns, whoever came first', async () => {
  const { begun, run, end } = turnsOf(1);
  const calls = [run(1, 'a1'), run(1, 'a2'), run(1, 'a3'), run(2, 'b1'), run(3, 'c1'), run(2, 'b2')];
  await settled();
  for (const name of ['a1', 'a2', 'b1', 'c1', 'a3', 'b2']) {
    assert.equal(begun.at(-1), name);
    await end(name);
  }
  assert.deepEqual(await Promise.all(calls), ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']);
});

test('one data space leaves the last connection to another', async () => {
  const { begun, run, end, turns } = turnsOf(3);
  const calls = [run(1, 'a1'), run(1, 'a2'), run(1, 'a3')];
  await settled();
  assert.deepEqual(begun, ['a1', 'a2']);
  calls.push(run(2, 'b1'), run(2, 'b2'));
  await settled();
  assert.deepEqual(begun, ['a1', 'a2', 'b1']);
  await end('a1');
  assert.deepEqual(begun, ['a1', 'a2', 'b1'], 'both have one running, and one connection is free');
  const closed = turns.close();
  await end('a2');
  await end('b1');
  assert.deepEqual(begun.toSorted(), ['a1', 'a2', 'a3', 'b1', 'b2']);
  await end('a3');
  await end('b2');
  await Promise.all([...calls, closed]);
  await assert.rejects(run(1, 'late'), /stopping/);
});

test('work that fails gives its place to the next one', async () => {
  const { run, end, turns } = turnsOf(1);
  const failing = turns.run(1, () => Promise.reject(new Error('It failed.')));
  const next = run(1, 'next');
  await assert.rejects(failing, /It failed/);
  await settled();
  await end('next');
  assert.equal(await next, 'next');
});
