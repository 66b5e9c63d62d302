/** Steps of layouts that were released, by a hash of their SQL: databases out there have them behind them, so they stay as they are. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';

/** White space does not count. @param pinned of the first steps; further ones have not been released */
export function assertUnchanged(steps: readonly string[], pinned: readonly string[]): void {
  const hashes = steps.map((sql) =>
    createHash('sha256').update(sql.replaceAll(/\s+/g, ' ')).digest('hex').slice(0, 16),
  );
  assert.deepEqual(hashes.slice(0, pinned.length), pinned);
}
