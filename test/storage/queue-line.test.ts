/** The line of a data space's requests: which form groups, and in which order. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Queued, QueueLine } from '../../src/storage/queue-line.ts';

interface Entry extends Queued {
  readonly name: string;
}

const bounds = { requests: 4, items: 6, bytes: 100 };
const entry = (name: string, keys: readonly string[], parts: Partial<Entry> = {}): Entry => {
  return { name, keys, kind: 'add', items: 1, bytes: 10, deadline: 0, ...parts };
};
const namesOf = (entries: readonly Entry[]) => entries.map(({ name }) => name).join('');

function queueOf(...entries: Entry[]): QueueLine<Entry> {
  const queue = new QueueLine<Entry>();
  for (const each of entries) queue.push(each);
  return queue;
}

test('requests of one kind form a group, up to the bounds', () => {
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

test('a request that shares a key waits, and later ones with the key do not overtake it', () => {
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

test('a request that names a key twice does not wait for itself', () => {
  const queue = queueOf(entry('a', ['x', 'x']), entry('b', ['x']));
  const [a] = queue.take(bounds) as [Entry];
  assert.equal(a.name, 'a');
  queue.release(a);
  assert.equal(namesOf(queue.take(bounds)), 'b');
});

test('however many wait for one record, other requests overtake them', () => {
  const hot = Array.from({ length: 20_000 }, () => entry('h', ['hot']));
  const queue = queueOf(...hot, entry('a', ['x']), entry('b', ['y']));
  assert.equal(namesOf(queue.take(bounds)), 'hab');
  assert.equal(queue.length, hot.length - 1);
});

test('late requests are removed, and those behind them may start', () => {
  const queue = queueOf(
    entry('a', ['x'], { deadline: 1 }),
    entry('b', ['x', 'y'], { deadline: 1 }),
    entry('c', ['y'], { deadline: 2 }),
    entry('d', ['x', 'y'], { deadline: 3 }),
    entry('e', ['z'], { deadline: 4, kind: 'update' }),
    entry('f', ['y'], { deadline: 5 }),
  );
  const [a] = queue.take(bounds) as [Entry];
  assert.deepEqual(queue.takeLate(0), []);
  const late = queue.takeLate(2);
  assert.equal(namesOf(late), 'bc', 'one that is under way is not waiting');
  assert.deepEqual(queue.takeLate(2), []);
  for (const each of late) queue.release(each);
  assert.equal(namesOf(queue.take(bounds)), 'e', 'd still waits for a, and f for d');
  queue.release(a);
  const [d] = queue.take(bounds) as [Entry];
  assert.equal(d.name, 'd');
  queue.release(d);
  assert.equal(namesOf(queue.takeLate(5)), 'f');
  assert.equal(queue.length, 0);
});

test('for random requests nothing is lost, and those that share a key keep their order', () => {
  const arrival = fc.record({
    keys: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), { maxLength: 3 }),
    kind: fc.constantFrom('add', 'update', null),
    isTakenFirst: fc.boolean(),
    late: fc.constantFrom(0, 0, 0, 1, 3),
  });
  fc.assert(
    fc.property(fc.array(arrival, { maxLength: 30 }), (arrivals) => {
      const queue = new QueueLine<Entry>();
      const underWay: Entry[] = [];
      const went: Entry[] = [];
      let lost = 0;
      let now = -1;
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
      for (const [index, { keys, kind, isTakenFirst, late }] of arrivals.entries()) {
        if (isTakenFirst) take();
        now = Math.min(now + late, index - 1);
        for (const each of queue.takeLate(now)) {
          assert.ok(each.deadline <= now);
          queue.release(each);
          lost++;
        }
        queue.push(entry(String(index), keys, { kind, deadline: index }));
        if (underWay.length > 3) queue.release(underWay.shift()!);
      }
      while (take() > 0 || underWay.length > 0) {
        const done = underWay.shift();
        if (done !== undefined) queue.release(done);
      }
      assert.equal(went.length + lost, arrivals.length);
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
