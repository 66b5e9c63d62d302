/** The queue of a data space's writes: what goes out together, and in which order. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Waiting, WriteQueue } from '../../../src/storage/postgres/write-queue.ts';

interface Entry extends Waiting {
  readonly name: string;
}

const bounds = { requests: 4, items: 6, bytes: 100 };
const entry = (name: string, keys: readonly string[], parts: Partial<Entry> = {}): Entry => {
  return { name, keys, kind: 'add', items: 1, bytes: 10, ...parts };
};
const namesOf = (entries: readonly Entry[]) => entries.map(({ name }) => name).join('');

function queueOf(...entries: Entry[]): WriteQueue<Entry> {
  const queue = new WriteQueue<Entry>();
  for (const each of entries) queue.push(each);
  return queue;
}

test('those of one kind go out together, as far as the bounds allow', () => {
  const many = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => entry(name, [name]));
  assert.equal(namesOf(queueOf(...many).take(bounds)), 'abcd');
  const wide = many.map((each) => ({ ...each, items: 3 }));
  assert.equal(namesOf(queueOf(...wide).take(bounds)), 'ab');
  const heavy = many.map((each) => ({ ...each, bytes: 40 }));
  assert.equal(namesOf(queueOf(...heavy).take(bounds)), 'ab');
  assert.equal(namesOf(queueOf(entry('x', [], { items: 99, bytes: 999 }), many[0]!).take(bounds)), 'x');
  const kinds = [many[0]!, entry('u', ['u'], { kind: 'update' }), many[1]!, entry('n', ['n'], { kind: null })];
  const queue = queueOf(...kinds, entry('m', ['m'], { kind: null }));
  assert.deepEqual(
    [1, 2, 3, 4].map(() => namesOf(queue.take(bounds))),
    ['ab', 'u', 'n', 'm'],
  );
});

test('what shares a key waits for it, and nothing behind it goes before it', () => {
  const queue = queueOf(entry('a', ['x']), entry('b', ['x', 'y']), entry('c', ['y']), entry('d', ['z']));
  const [a, d] = queue.take(bounds) as [Entry, Entry];
  assert.equal(namesOf([a, d]), 'ad');
  assert.equal(namesOf(queue.take(bounds)), '', 'c could start, but came after b');
  queue.release(a);
  const [b] = queue.take(bounds) as [Entry];
  assert.equal(b.name, 'b');
  queue.release(b);
  assert.equal(namesOf(queue.take(bounds)), 'c');
  assert.equal(queue.length, 0);
});

test('whatever comes, nothing is lost, and what shares a key goes out in the order in which it came', () => {
  const arrival = fc.record({
    keys: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), { maxLength: 3 }),
    kind: fc.constantFrom('add', 'update', null),
    isTakenFirst: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(arrival, { maxLength: 30 }), (arrivals) => {
      const queue = new WriteQueue<Entry>();
      const underWay: Entry[] = [];
      const went: Entry[] = [];
      const take = () => {
        const group = queue.take(bounds);
        for (const each of group) {
          const shared = underWay.filter(({ keys }) => keys.some((key) => each.keys.includes(key)));
          assert.deepEqual(shared, [], 'two with one key are under way');
          underWay.push(each);
        }
        went.push(...group);
        return group.length;
      };
      for (const [index, { keys, kind, isTakenFirst }] of arrivals.entries()) {
        if (isTakenFirst) take();
        queue.push(entry(String(index), keys, { kind }));
        if (underWay.length > 3) queue.release(underWay.shift()!);
      }
      while (take() > 0 || underWay.length > 0) {
        const done = underWay.shift();
        if (done !== undefined) queue.release(done);
      }
      assert.equal(went.length, arrivals.length);
      for (const key of ['a', 'b', 'c', 'd', 'e', 'f']) {
        const order = went.filter(({ keys }) => keys.includes(key)).map(({ name }) => Number(name));
        assert.deepEqual(
          order,
          order.toSorted((left, right) => left - right),
        );
      }
    }),
  );
});
