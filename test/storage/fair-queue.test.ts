/**
 * The order of turns: data spaces in turn, within their shares; nothing is lost, late, or under way together with a
 * request that shares a key.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as settled } from 'node:timers/promises';
import fc from 'fast-check';
import { ServiceError } from '../../src/errors.ts';
import { FairQueue, sharedSlots } from '../../src/storage/fair-queue.ts';
import type { Queued } from '../../src/storage/queue-line.ts';
import { Turns } from '../../src/storage/turns.ts';

function turnsOf(runningMax: number) {
  const turns = new Turns({ runningMax, late: () => new Error('late') });
  /** Names of started work, in order, and functions that end each. */
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (spaceId: number, name: string) =>
    turns.run(spaceId, Number.POSITIVE_INFINITY, async () => {
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

test('data spaces take turns, whatever the order of arrival', async () => {
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

test('a data space that was refused a connection gets it as soon as another data space leaves more than one', async () => {
  const { begun, run, end } = turnsOf(4);
  const calls = [run(1, 'a1'), run(1, 'a2'), run(2, 'b1'), run(2, 'b2')];
  await settled();
  assert.deepEqual(begun, ['a1', 'a2', 'b1']);
  await end('a1');
  assert.deepEqual(begun, ['a1', 'a2', 'b1', 'b2']);
  for (const name of ['a2', 'b1', 'b2']) await end(name);
  await Promise.all(calls);
});

test('a data space has half of the connections at most', async () => {
  const { begun, run, end } = turnsOf(6);
  const calls = ['a', 'b', 'c', 'd'].map((name) => run(1, name));
  assert.deepEqual(begun, ['a', 'b', 'c']);
  for (const name of ['a', 'b', 'c', 'd']) await end(name);
  assert.deepEqual(await Promise.all(calls), ['a', 'b', 'c', 'd']);
});

test('requests that waited at the same time are counted, except those that started on arrival', async () => {
  const { run, end, turns } = turnsOf(1);
  const calls = [run(1, 'a')];
  assert.equal(turns.takeMostWaiting(), 0);
  calls.push(run(1, 'b'), run(2, 'c'));
  await end('a');
  assert.equal(turns.takeMostWaiting(), 2, 'one has begun meanwhile');
  assert.equal(turns.takeMostWaiting(), 1, 'one still waits');
  for (const name of ['b', 'c']) await end(name);
  await Promise.all(calls);
  assert.deepEqual([turns.takeMostWaiting(), turns.takeMostWaiting()], [1, 0]);
});

test('failed work passes its turn to the next one', async () => {
  const { run, end, turns } = turnsOf(1);
  const failing = turns.run(1, Number.POSITIVE_INFINITY, () => Promise.reject(new Error('It failed.')));
  const next = run(1, 'next');
  await assert.rejects(failing, /It failed/);
  await settled();
  await end('next');
  assert.equal(await next, 'next');
});

/** The check for late requests does not keep a process alive by itself. */
function keptAlive(test: TestContext): void {
  const alive = setInterval(() => {}, 60_000);
  test.after(() => clearInterval(alive));
}

test('work whose deadline passes before its turn is refused, and the turn goes to the next one', async (t) => {
  keptAlive(t);
  const { run, end, turns } = turnsOf(1);
  const first = run(1, 'first');
  const late = turns.run(1, performance.now(), () => assert.fail('It was late.'));
  const next = run(1, 'next');
  await assert.rejects(late, /late/);
  await end('first');
  await end('next');
  assert.deepEqual(await Promise.all([first, next]), ['first', 'next']);
});

interface Entry extends Queued {
  readonly name: string;
}

const entry = (name: string, parts: Partial<Entry> = {}): Entry => {
  return { name, keys: [], kind: 'add', items: 1, bytes: 10, deadline: Number.POSITIVE_INFINITY, ...parts };
};

/** A queue that records the started groups, as "space: names", and late requests. */
function queueOf(options: Partial<ConstructorParameters<typeof FairQueue<Entry>>[0]> = {}) {
  const groups: { readonly spaceId: number; readonly group: readonly Entry[] }[] = [];
  const late = Promise.withResolvers<readonly Entry[]>();
  const queue = new FairQueue<Entry>({
    group: { requests: 4, items: 6, bytes: 100 },
    start: (spaceId, group) => groups.push({ spaceId, group }),
    late: (_, entries) => late.resolve(entries),
    ...options,
  });
  const told = () => groups.map(({ spaceId, group }) => `${spaceId}: ${group.map(({ name }) => name).join('')}`);
  const done = (index: number, again: readonly Entry[] = []) => {
    const { spaceId, group } = groups[index]!;
    queue.done(spaceId, group, again);
  };
  return { queue, groups, told, done, late: late.promise };
}

test('requests that arrive while a group of a data space is under way form a group after it', () => {
  const { queue, told, done } = queueOf({ perOwnerMax: 1 });
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) queue.push(1, entry(name));
  queue.push(2, entry('x'));
  assert.deepEqual(told(), ['1: a', '2: x']);
  done(0);
  assert.deepEqual(told(), ['1: a', '2: x', '1: bcde']);
  done(2);
  assert.deepEqual(told().at(-1), '1: f');
});

test('requests executed again come next, each alone, and keep their keys', () => {
  const { queue, groups, told, done } = queueOf({ perOwnerMax: 3 });
  queue.push(1, entry('z', { keys: ['k', 'l', 'm'] }));
  for (const [name, key] of Object.entries({ a: 'k', b: 'l', d: 'm', c: 'k' }))
    queue.push(1, entry(name, { keys: [key] }));
  done(0);
  assert.deepEqual(told(), ['1: z', '1: abd']);
  done(1, groups[1]!.group.slice(0, 2));
  assert.deepEqual(told().slice(2), ['1: a', '1: b'], 'c waits for a');
  done(3);
  assert.deepEqual(told().slice(2), ['1: a', '1: b'], 'c waits for a still');
  done(2);
  assert.deepEqual(told().slice(2), ['1: a', '1: b', '1: c']);
});

test('requests executed again do not wait for a group of many', () => {
  const { queue, groups, told, done } = queueOf({ perOwnerMax: 3, overtake: { requests: 2, afterMs: 60_000 } });
  queue.push(1, entry('a', { keys: ['k', 'l'] }));
  queue.push(1, entry('n', { kind: null }));
  queue.push(1, entry('b', { keys: ['k'] }));
  queue.push(1, entry('c', { keys: ['l'] }));
  done(0);
  queue.push(1, entry('d'));
  assert.deepEqual(told(), ['1: a', '1: n', '1: bc']);
  done(1, groups[1]!.group);
  assert.deepEqual(told(), ['1: a', '1: n', '1: bc', '1: n']);
  for (const index of [2, 3, 4]) done(index);
  assert.equal(told().at(-1), '1: d');
});

test('requests that arrive in one turn of the event loop can start after it, together', async () => {
  const { queue, told } = queueOf({ gathers: true });
  for (const name of ['a', 'b']) queue.push(1, entry(name));
  assert.deepEqual(told(), []);
  await settled();
  assert.deepEqual(told(), ['1: ab']);
});

test('requests wait for a group of many, and overtake it after a moment', { timeout: 10_000 }, async (t) => {
  keptAlive(t);
  const overtaken = Promise.withResolvers<void>();
  const started: string[] = [];
  const queue = new FairQueue<Entry>({
    perOwnerMax: 3,
    group: { requests: 4, items: 6, bytes: 100 },
    overtake: { requests: 2, afterMs: 5 },
    start(_, group) {
      started.push(group.map(({ name }) => name).join(''));
      if (group.some(({ name }) => name === 'e')) overtaken.resolve();
    },
    late: () => assert.fail('None is late.'),
  });
  const blocker = entry('a', { keys: ['k', 'l'] });
  queue.push(1, blocker);
  queue.push(1, entry('b', { keys: ['k'] }));
  queue.push(1, entry('c', { keys: ['l'] }));
  queue.done(1, [blocker]);
  for (const name of ['d', 'e']) queue.push(1, entry(name));
  assert.deepEqual(started, ['a', 'bc']);
  await overtaken.promise;
  assert.deepEqual(started, ['a', 'bc', 'de']);
});

test('a request whose deadline passes in the queue is late, and those waiting for it start', async (t) => {
  keptAlive(t);
  const { queue, told, late } = queueOf();
  queue.push(1, entry('a', { keys: ['x'], deadline: 0 }));
  queue.push(1, entry('b', { keys: ['x', 'y'], deadline: 0 }));
  queue.push(1, entry('c', { keys: ['y'] }));
  assert.deepEqual(told(), ['1: a']);
  assert.deepEqual(
    (await late).map(({ name }) => name),
    ['b'],
  );
  await settled();
  assert.deepEqual(told(), ['1: a', '1: c']);
});

test('a request to execute again that waits for a slot past its deadline is late', async (t) => {
  keptAlive(t);
  const { queue, groups, told, done, late } = queueOf({ perOwnerMax: 1 });
  queue.push(1, entry('z'));
  for (const name of ['a', 'b']) queue.push(1, entry(name, { deadline: 0 }));
  done(0);
  done(1, groups[1]!.group);
  assert.deepEqual(told(), ['1: z', '1: ab', '1: a']);
  assert.deepEqual(
    (await late).map(({ name }) => name),
    ['b'],
  );
});

test('a data space gets half of the free slots: for queries while they wait, for writes until they are done', () => {
  const accepted = (what: 'queries' | 'writes', spaceIds: readonly number[]) => {
    const { queue } = queueOf({ limit: { what, max: 10 }, perOwnerMax: 1, group: { requests: 1, items: 1, bytes: 1 } });
    return spaceIds.filter((spaceId) => {
      try {
        queue.push(spaceId, entry('a'));
        return true;
      } catch (error) {
        assert.ok(error instanceof ServiceError && error.reason === 'busy', String(error));
        assert.match(error.message, new RegExp(`${what} of this data space are waiting.* of 10 \\(setting`));
        return false;
      }
    }).length;
  };
  const [one, two] = [1, 2].map((spaceId) => Array<number>(8).fill(spaceId)) as [number[], number[]];
  assert.equal(accepted('writes', one), 5);
  assert.equal(accepted('writes', [...one, ...two]), 5 + 3);
  assert.equal(accepted('queries', one), 1 + 5);
  assert.equal(accepted('queries', [...one, ...two]), 1 + 5 + 1 + 3);
});

test('for random arrivals and ends: each starts once, in order if it shares a key, within the shares, and closing waits for all', async () => {
  const arrival = fc.record({
    spaceId: fc.integer({ min: 1, max: 4 }),
    keys: fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { maxLength: 2 }),
    kind: fc.constantFrom('add', 'update', null),
    items: fc.integer({ min: 1, max: 8 }),
  });
  const step = fc.oneof(
    { weight: 3, arbitrary: arrival },
    { weight: 2, arbitrary: fc.record({ ends: fc.nat(), again: fc.boolean() }) },
  );
  const settings = fc.record({ max: fc.integer({ min: 1, max: 5 }), perOwnerMax: fc.integer({ min: 1, max: 3 }) });
  await fc.assert(
    fc.asyncProperty(settings, fc.array(step, { maxLength: 60 }), async ({ max, perOwnerMax }, steps) => {
      const running: { readonly spaceId: number; readonly group: readonly Entry[] }[] = [];
      const started: { readonly spaceId: number; readonly entry: Entry }[] = [];
      const repeated = new Set<Entry>();
      const queue = new FairQueue<Entry>({
        slots: sharedSlots(max),
        perOwnerMax,
        group: { requests: 3, items: 9, bytes: 1_000 },
        start(spaceId, group) {
          const own = running.filter((other) => other.spaceId === spaceId);
          assert.ok(running.length < max, 'there are more groups than slots');
          assert.ok(own.length < perOwnerMax && own.length < Math.max(1, Math.ceil(max / 2)), 'more than the share');
          assert.ok(own.length === 0 || running.length < max - 1, 'the last slot is left to others');
          for (const { keys } of group) {
            const shared = [...own.map((other) => other.group), group]
              .flat()
              .filter((other) => keys.some((key) => other.keys.includes(key)));
            assert.ok(keys.length === 0 || shared.length === 1, 'two with one key are under way');
          }
          const isAgain = repeated.has(group[0] as Entry);
          assert.ok(isAgain || group[0]!.kind !== null || group.length === 1);
          assert.equal(new Set(group.map(({ kind }) => kind)).size, 1);
          assert.ok(group.length === 1 || group.reduce((sum, { items }) => sum + items, 0) <= 9);
          running.push({ spaceId, group });
          if (!isAgain) started.push(...group.map((each) => ({ spaceId, entry: each })));
        },
        late: () => assert.fail('None is late.'),
      });
      const end = (number: number, isAgain = false) => {
        const [one] = running.splice(number % running.length, 1);
        const again = isAgain ? one!.group.filter((each) => !repeated.has(each)).slice(0, 1) : [];
        for (const each of again) repeated.add(each);
        queue.done(one!.spaceId, one!.group, again);
      };
      let count = 0;
      for (const each of steps) {
        if ('spaceId' in each) queue.push(each.spaceId, entry(String(count++), each));
        else if (running.length > 0) end(each.ends, each.again);
      }
      const closed = queue.close();
      while (running.length > 0) end(0);
      await closed;
      assert.equal(started.length, count);
      for (const spaceId of [1, 2, 3, 4]) {
        for (const key of ['a', 'b', 'c']) {
          const order = started.filter((one) => one.spaceId === spaceId && one.entry.keys.includes(key));
          const numbers = order.map((one) => Number(one.entry.name));
          assert.deepEqual(
            numbers,
            numbers.toSorted((left, right) => left - right),
          );
        }
      }
    }),
  );
});

test('however many requests one data space sends, another one waits for at most one group of each', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 5 }), (many, others) => {
      const { queue, told, done } = queueOf({ slots: sharedSlots(1), group: { requests: 1, items: 1, bytes: 1 } });
      for (let spaceId = 1; spaceId <= others; spaceId++) {
        for (let index = 0; index < many; index++) queue.push(spaceId, entry('a'));
      }
      queue.push(99, entry('b'));
      for (let index = 0; !told().includes('99: b'); index++) done(index);
      assert.ok(told().length <= others + 2, `${told().length} groups were started`);
    }),
  );
});
