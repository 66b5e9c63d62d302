/** A short run of `npm run prove -- freeze`, reported as skipped, with the reason, if no disk can be frozen. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freezeObstacle, proveFreeze } from '../../lab/prove/freeze.ts';

const obstacle = await freezeObstacle();

test('while its disk is frozen the service runs, reports what hangs, and settles every write', {
  skip: obstacle ?? false,
}, async (context) => {
  const progress = (line: string) => context.diagnostic(line);
  const { violations, figures } = await proveFreeze({ freezes: 1, freezeMs: 1_800, progress });
  assert.deepEqual(violations, []);
  assert.ok(figures.some(({ name, value }) => name === 'writes answered' && Number(value) > 0));
});
