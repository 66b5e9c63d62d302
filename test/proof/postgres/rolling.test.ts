/** The proof of rolling restarts, short; `npm run prove -- rolling` runs it longer. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proveRolling } from '../../../lab/prove/rolling.ts';
import { serverUrl } from '../../engines/server.ts';

test('instances that are restarted in turn lose no begun request', async (context) => {
  const progress = (line: string) => context.diagnostic(line);
  const { violations, figures } = await proveRolling({ cycles: 2, seed: 1, server: await serverUrl(), progress });
  assert.deepEqual(violations, []);
  assert.ok(figures.some(({ name, value }) => name === 'batches answered' && Number(value) > 100));
});
