/** How the benchmarks compute figures from their rounds, and when they refuse to. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { median } from '../../lab/machine/statistics.ts';
import { loadText } from '../../lab/measure/quiet.ts';

test('the median of an even count is the mean of the middle two', () => {
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([4, 1, 3, 2]), 2.5);
  assert.equal(median([10, 1]), 5.5);
  assert.equal(median([7]), 7);
  assert.ok(Number.isNaN(median([])));
});

test('a busy machine is not measured unless the figures are marked as noisy', () => {
  assert.equal(loadText(false, 0.5), 'load average 0.50 before the start');
  assert.throws(() => loadText(false, 0.51), /The machine is busy: load average 0\.51 .* --noisy/);
  assert.equal(loadText(true, 2), 'NOISY: load average 2.00 before the start, more than 0.5');
});
