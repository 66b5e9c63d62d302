/** A large batch is sent to its writer thread in portions, between which other work runs, and arrives as one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { ItemsWaiting, largeFromBytes, messagesOf } from '../../../src/storage/sqlite/items-ahead.ts';
import type { ItemsAhead, WriteGroup, WriteRequest } from '../../../src/storage/sqlite/messages.ts';
import { itemsOf, someone, taskScratch } from '../scratch.ts';

const title = 'x'.repeat(50_000);
const ids = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);

function batch(operation: 'add' | 'delete', names: readonly string[], weightBytes?: number): WriteRequest {
  const items = names.map((objectId) =>
    operation === 'delete'
      ? { objectId, base: 1 }
      : { objectId, generated: false, audience: 'g1', values: [title, null, 1n] },
  );
  const changes = [{ table: 'task', operation, items } as never];
  const whole = { ...someone, definitionVersion: 2, members: ['g1'], refused: false, changes };
  return { kind: 'batch', batch: weightBytes === undefined ? whole : { ...whole, weightBytes } };
}

const group: WriteGroup = {
  file: 7,
  requests: [
    batch('add', ids('small', 2)),
    batch('add', ids('large', 40), largeFromBytes),
    { kind: 'prune', before: 1, rowsMax: 1 },
    batch('delete', ids('deleted', 3), largeFromBytes),
    batch('add', [], largeFromBytes),
  ],
};

function partsOf(whole: WriteGroup): { ahead: ItemsAhead[]; last: WriteGroup } {
  const messages = [...messagesOf(whole)];
  return { ahead: messages.slice(0, -1) as ItemsAhead[], last: messages.at(-1) as WriteGroup };
}

test('items sent ahead are put back in their place', () => {
  const { ahead, last } = partsOf(group);
  assert.ok(ahead.length > 5, 'in portions');
  assert.ok(ahead.every(({ items }) => JSON.stringify(items, (_, value) => String(value)).length < 400_000));
  const waiting = new ItemsWaiting();
  for (const part of ahead) waiting.add(part);
  // A group of another file in between, complete without further items.
  const other: WriteGroup = { file: 8, requests: [batch('add', ['other'])] };
  assert.deepEqual(waiting.complete(other), other);
  assert.deepEqual(waiting.complete(last), group);
});

test('items of a group that was never completed do not enter another one', () => {
  const [lost, next] = [partsOf(group), partsOf(group)];
  const waiting = new ItemsWaiting();
  for (const part of lost.ahead) waiting.add(part);
  for (const part of next.ahead) waiting.add(part);
  assert.deepEqual(waiting.complete(next.last), group);
  for (const part of lost.ahead) waiting.add(part);
  const small: WriteGroup = { file: 7, requests: [batch('add', ['small'])] };
  assert.deepEqual(waiting.complete(small), small);
  assert.throws(() => waiting.complete(lost.last), /^Error: Of a group, 0 items came ahead instead of 43\.$/);
  for (const part of lost.ahead.slice(1)) waiting.add(part);
  assert.throws(() => waiting.complete(lost.last), /^Error: Of a group, \d\d items came ahead instead of 43\.$/);
});

test('large and small batches of one file are all written, in order, and other work runs meanwhile', async (t) => {
  const { tasks } = await taskScratch(t);
  // As long as its index permits.
  const titleOf = (id: string) => `${id} ${title.slice(0, 1_500)}`;
  const large = (prefix: string) => ids(prefix, 900).map((id) => ({ id, title: titleOf(id) }));
  let now = 0;
  // Every check of the time takes longer than a portion.
  t.mock.method(performance, 'now', () => {
    now += 2;
    return now;
  });
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  const turnsOfPortions: number[] = [];
  const { postMessage } = Worker.prototype;
  t.mock.method(Worker.prototype, 'postMessage', function (this: Worker, message: object) {
    if ('items' in message) turnsOfPortions.push(turns);
    postMessage.call(this, message);
  });
  const options = { weightBytes: 900 * 1_500 };
  const writes = [
    tasks.add(large('a'), options),
    tasks.add([{ id: 'b' }]),
    tasks.add(large('c'), options),
    tasks.add([{ id: 'a0' }, { id: 'd' }]),
  ];
  setImmediate(count);
  const outcomes = await Promise.all(writes);
  isOver = true;
  assert.deepEqual(
    outcomes.slice(0, 3).map((outcome) => itemsOf(outcome).length),
    [900, 1, 900],
  );
  assert.equal(outcomes[3]?.kind, 'failed', 'the id is in use by then');
  for (const id of ['a0', 'a899', 'c0', 'c899']) assert.equal((await tasks.get(id))?.title, titleOf(id));
  assert.equal(await tasks.get('d'), null);
  assert.ok(turnsOfPortions.length >= 10, `${turnsOfPortions.length} portions`);
  assert.equal(new Set(turnsOfPortions).size, turnsOfPortions.length, 'each in a turn of its own');
});
