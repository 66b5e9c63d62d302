/**
 * A few shapes of `npm run prove -- stalls`: they are answered, and their turns measured. Times are not judged here.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proveStalls } from '../../lab/prove/stalls.ts';

test('what blocks the main thread is measured', async (context) => {
  const progress = (line: string) => context.diagnostic(line);
  const names = ['brackets', '1,000 records, 190 columns'];
  const { figures, violations } = await proveStalls({ boundMs: null, times: 1, names, seed: 1, progress });
  assert.deepEqual(violations, []);
  assert.deepEqual(
    figures.map(({ name }) => name),
    names,
  );
  for (const [index, status] of [400, 200].entries()) {
    const [, ms, answered] = /^(.*) ms \(answered (.*)\)$/.exec(String(figures[index]?.value)) ?? [];
    assert.ok(Number(ms) > 0, 'a turn was measured');
    assert.equal(answered, String(status));
  }
});
