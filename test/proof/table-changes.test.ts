/** A short run of `npm run prove -- table-changes` on SQLite. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proveTableChanges } from '../../lab/prove/table-changes.ts';

test('a killed change of tables is made completely or not at all, and no record is lost', async (context) => {
  const progress = (line: string) => context.diagnostic(line);
  const { violations } = await proveTableChanges({ cycles: 1, rows: 1_000, seed: 1, progress });
  assert.deepEqual(violations, []);
});
