/**
 * Commit numbers (`_seq`), which a change feed will use: a unique one for each written batch, in the order in which the
 * commits become visible, even if several instances write at once.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { type Random, seeded } from '../../lab/machine/random.ts';
import type { WriteOutcome, WrittenItem } from '../../src/storage/contract.ts';
import { engine } from '../engines/engine.ts';
import { change, itemsOf, openScratch, start, taskScratch, tasksIn } from './scratch.ts';
import { storedRows } from './stored.ts';

type Tasks = Awaited<ReturnType<typeof tasksIn>>;

const numbersSql = (table: string) =>
  `SELECT "objectId" AS id, title, _seq AS number FROM ${table} UNION ALL SELECT object_id, NULL, seq FROM _tombstone`;

test('every written batch takes the next number, and no other batch does', async (t) => {
  const { tasks, scratch } = await taskScratch(t);
  await Promise.all([tasks.add([{ id: 'a' }, { id: 'b' }]), tasks.add([{ id: 'c' }], { transactionId: 'T' })]);
  await tasks.add([{ id: 'd', code: 1 }]);
  assert.equal((await tasks.add([{ id: 'c' }])).kind, 'failed');
  assert.equal((await tasks.add([{ id: 'c' }], { transactionId: 'T' })).kind, 'replay');
  assert.equal((await tasks.add([{ id: 'e', code: 1 }])).kind, 'failed');
  assert.equal(
    (
      await tasks.add([
        { id: 'e', code: 2 },
        { id: 'f', code: 2 },
      ])
    ).kind,
    'failed',
  );
  await tasks.update([change('a', start, { title: 'A' })]);
  await tasks.delete([{ objectId: 'd', base: start }]);
  const rows = await storedRows(scratch, numbersSql('task'));
  const numbers = new Map(rows.map(({ id, number }) => [id, number]));
  // Batches sent at once are written in any order.
  assert.deepEqual([...['b', 'c'].map((id) => numbers.get(id)), 0].sort(), [0, 1, 2]);
  numbers.delete('b');
  numbers.delete('c');
  assert.deepEqual([...numbers].sort(), [
    ['a', 4],
    ['d', 5],
  ]);
});

test('a batch of several statements has one number', async (t) => {
  const { tasks, scratch } = await taskScratch(t);
  await tasks.add([
    { id: 'a', code: 1 },
    { id: 'b', code: 2 },
    { id: 'c', code: 3 },
  ]);
  const numbered = async () =>
    (await storedRows(scratch, numbersSql('task'))).map(({ id, number }) => [id, number]).sort();
  // Different columns, and values that move from one record to another.
  const [b] = itemsOf(
    await tasks.update([
      change('b', start, { code: 9, title: 'B' }),
      change('a', start, { code: 2 }),
      change('c', start, { title: 'C' }),
    ]),
  );
  assert.deepEqual(await numbered(), [
    ['a', 2],
    ['b', 2],
    ['c', 2],
  ]);
  await tasks.update([change('b', b!.updated, { code: 8 }), change('a', b!.updated, { code: 9 })]);
  await tasks.add([]);
  assert.deepEqual(await numbered(), [
    ['a', 3],
    ['b', 3],
    ['c', 2],
  ]);
  await tasks.add([{ id: 'd' }]);
  const after = (await numbered()).at(-1)?.[1] as number;
  assert.ok(after > 3 && after <= 5, String(after));
});

const writersPerInstance = 8;
const batchesPerWriter = 12;

test('after a number was seen, no lower one appears later, and no two batches share one', async (t) => {
  const seed = Date.now() % 2 ** 31;
  t.diagnostic(`seed ${seed}`);
  const { scratch, tasks } = await taskScratch(t);
  // On SQLite, only one process uses the files.
  const others = engine === 'sqlite' ? [] : [1, 2].map(() => openScratch(t, { place: scratch }));
  const instances = [tasks];
  for (const other of others) instances.push(await tasksIn((await other).storage, 1));
  const writers = instances.flatMap((instance, process) =>
    Array.from({ length: writersPerInstance }, (_, index) => {
      const random = seeded(seed, process, index);
      return new Writer(`w${process}_${index}`, instance, random);
    }),
  );
  let isOver = false;
  const writing = Promise.all(writers.map((writer) => writer.write())).finally(() => {
    isOver = true;
  });
  /** Number, and the batch whose records had it; tombstones name no batch. */
  const batchOf = new Map<number, string | null>();
  const known = new Set<string>();
  let highest = 0;
  let looks = 0;
  for (let isLast = false; !isLast; looks++) {
    // Reading a file does not yield to others.
    await setImmediate();
    isLast = isOver;
    const rows = await storedRows(scratch, numbersSql('task'));
    let next = highest;
    for (const { id, title, number } of rows as unknown as { id: string; title: string | null; number: number }[]) {
      if (!known.has(`${id} ${number}`)) {
        assert.ok(number > highest, `${id} came with ${number} when ${highest} had been seen, seed ${seed}`);
        known.add(`${id} ${number}`);
      }
      next = Math.max(next, number);
      const batch = title ?? id;
      const present = batchOf.get(number) ?? batch;
      assert.equal(present, batch, `two batches have ${number}, seed ${seed}`);
      batchOf.set(number, batch);
    }
    highest = next;
  }
  await writing;
  assert.ok(looks > 2, 'it looked while they wrote');
  const numberOf = new Map([...batchOf].map(([number, batch]) => [batch, number]));
  assert.equal(numberOf.size, batchOf.size, `a batch has two numbers, seed ${seed}`);
  for (const { done } of writers) {
    const own = done.map((batch) => numberOf.get(batch)).filter((number) => number !== undefined);
    assert.deepEqual(
      own,
      own.toSorted((one, other) => one - other),
      `an answered batch comes first, seed ${seed}`,
    );
  }
  assert.ok(writers.some(({ refused }) => refused > 0) && batchOf.size > writers.length);
});

type Own = Pick<WrittenItem, 'objectId' | 'updated'>;

/** Sends batches in sequence: adds, updates and deletions of its own records, some of which are refused. */
class Writer {
  readonly name: string;
  /** The marks of its batches, in the order of their answers. */
  readonly done: string[] = [];
  refused = 0;
  readonly #tasks: Tasks;
  readonly #random: Random;
  #own: readonly Own[] = [];

  constructor(name: string, tasks: Tasks, random: Random) {
    this.name = name;
    this.#tasks = tasks;
    this.#random = random;
  }

  async write(): Promise<void> {
    for (let batch = 0; batch < batchesPerWriter; batch++) {
      const title = `${this.name}_${batch}`;
      const [outcome, told] = await this.#random.weighted(
        [3, () => this.#add(title)],
        [2, () => this.#update(title)],
        [1, () => this.#delete(title)],
      );
      if (outcome.kind === 'done') this.done.push(told);
      else this.refused++;
    }
  }

  async #add(title: string): Promise<[WriteOutcome, string]> {
    const size = this.#random.between(1, 4);
    // One of few codes, so that the unique index refuses some.
    const code = this.#random.chance(0.3) ? this.#random.below(10) : null;
    const added = Array.from({ length: size }, (_, index) => ({
      id: `${title}_${index}`,
      title,
      code: index === 0 ? code : null,
    }));
    const outcome = await this.#tasks.add(added, { transactionId: title });
    if (outcome.kind === 'done') this.#replace([], outcome.items);
    return [outcome, title];
  }

  async #update(title: string): Promise<[WriteOutcome, string]> {
    if (this.#own.length === 0) return this.#add(title);
    const chosen = this.#random.some(this.#own, this.#random.between(1, 3));
    const code = this.#random.below(10);
    const outcome = await this.#tasks.update(
      chosen.map(({ objectId, updated }, index) => {
        return change(objectId, updated, index === 0 && this.#random.chance(0.5) ? { title, code } : { title });
      }),
    );
    if (outcome.kind === 'done') this.#replace(chosen, outcome.items);
    return [outcome, title];
  }

  /** Deletes one record, so that its tombstone identifies the batch. */
  async #delete(title: string): Promise<[WriteOutcome, string]> {
    if (this.#own.length === 0) return this.#add(title);
    const record = this.#random.pick(this.#own);
    const outcome = await this.#tasks.delete([{ objectId: record.objectId, base: record.updated }]);
    if (outcome.kind === 'done') this.#replace([record], []);
    return [outcome, record.objectId];
  }

  #replace(before: readonly Own[], after: readonly Own[]): void {
    this.#own = [...this.#own.filter((record) => !before.includes(record)), ...after];
  }
}

test('a copy continues the numbers of its source', async (t) => {
  const { storage, tasks, scratch } = await taskScratch(t);
  await tasks.add([{ id: 'a' }]);
  await tasks.add([{ id: 'b' }]);
  await tasks.delete([{ objectId: 'b', base: start }]);
  await storage.spaces.copy(1, 2);
  await (await tasksIn(storage, 2)).add([{ id: 'c' }]);
  const rows = await storedRows(scratch, numbersSql('task'), 2);
  assert.deepEqual(rows.map(({ id, number }) => [id, number]).sort(), [
    ['a', 1],
    ['b', 3],
    ['c', 4],
  ]);
});
