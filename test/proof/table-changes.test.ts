/** A short run of `npm run prove -- table-changes` on SQLite. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proveTableChanges } from '../../lab/prove/table-changes.ts';

test('of changes of tables that are killed, none is half done, and no record is lost', async (context) => {
  const progress = (line: string) => context.diagnostic(line);
  const { violations } = await proveTableChanges({ cycles: 2, rows: 2_000, seed: 1, progress });
  assert.deepEqual(violations, []);
});
