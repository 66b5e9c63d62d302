/** The plans tried for a page, depending on earlier tries. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PageTries, type Try } from '../../../src/storage/sqlite/page-tries.ts';

/** Duration of either plan, milliseconds. */
interface Took {
  readonly sorted: number;
  readonly 'in order': number;
}

/** Runs a statement once. @returns the tries, and how long they took together */
function run(tries: PageTries, took: Took): { readonly ways: string[]; readonly ms: number } {
  const ways: string[] = [];
  let ms = 0;
  for (const one of tries.tries()) {
    const needed = took[one.way];
    const isStopped = one.timeMs !== null && needed > one.timeMs;
    ways.push(wayOf(one));
    ms += isStopped ? (one.timeMs ?? 0) : needed;
    tries.note(one, isStopped ? null : needed);
    if (!isStopped) return { ways, ms };
  }
  return assert.fail('The last try was stopped.');
}

const wayOf = ({ way, timeMs }: Try) => (timeMs === null ? `${way} to its end` : way);
const total = (runs: number, tries: PageTries, took: (index: number) => Took) =>
  Array.from({ length: runs }, (_, index) => run(tries, took(index)).ms).reduce((sum, ms) => sum + ms);

test('few rows are sorted at once', () => {
  const tries = new PageTries();
  for (let index = 0; index < 10; index++) {
    assert.deepEqual(run(tries, { sorted: 0.1, 'in order': 500 }).ways, ['sorted']);
  }
});

test('many rows are walked, and sorting is tried less and less often', () => {
  const tries = new PageTries();
  assert.deepEqual(run(tries, { sorted: 30, 'in order': 3 }).ways, ['sorted', 'in order']);
  total(3, tries, () => ({ sorted: 30, 'in order': 3 }));
  assert.deepEqual(run(tries, { sorted: 30, 'in order': 3 }).ways, ['in order']);
  assert.ok(total(1_000, tries, () => ({ sorted: 30, 'in order': 3 })) < 1_000 * 3 * 1.03);
});

test('if neither is fast, rows are sorted, and both tries are skipped more and more often', () => {
  const tries = new PageTries();
  assert.deepEqual(run(tries, { sorted: 30, 'in order': 500 }).ways, ['sorted', 'in order', 'sorted to its end']);
  total(3, tries, () => ({ sorted: 30, 'in order': 500 }));
  assert.deepEqual(run(tries, { sorted: 30, 'in order': 500 }).ways, ['sorted to its end']);
  assert.ok(total(1_000, tries, () => ({ sorted: 30, 'in order': 500 })) < 1_000 * 30 * 1.02);
});

test('alternating values with many and with few rows cost little more than the better plan for each', () => {
  const tries = new PageTries();
  const took = (index: number): Took =>
    index % 2 === 0 ? { sorted: 30, 'in order': 3 } : { sorted: 0.1, 'in order': 500 };
  const ms = total(1_000, tries, took);
  assert.ok(ms < 500 * 3.1 * 1.5, `${ms} ms, ${500 * 3.1} at best`);
});

test('a walk that becomes slow is abandoned, and one that becomes fast is found again', () => {
  const tries = new PageTries();
  total(100, tries, () => ({ sorted: 30, 'in order': 3 }));
  assert.ok(total(300, tries, () => ({ sorted: 30, 'in order': 500 })) < 300 * 30 * 1.1);
  const later = Array.from({ length: 400 }, () => run(tries, { sorted: 30, 'in order': 3 }).ways.at(-1));
  assert.equal(later.at(-1), 'in order');
});

test('a walk that was stopped once, because others had the processor, is tried again the next time', () => {
  const tries = new PageTries();
  total(100, tries, () => ({ sorted: 30, 'in order': 3 }));
  const heldUp = run(tries, { sorted: 30, 'in order': 25 });
  assert.equal(heldUp.ways.at(-1), 'sorted to its end');
  assert.equal(run(tries, { sorted: 30, 'in order': 3 }).ways.at(-1), 'in order');
});
