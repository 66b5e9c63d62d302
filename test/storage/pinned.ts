/** Released steps of layouts, by a hash of their SQL: existing databases have had them, so they must not change. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';

/** White space is ignored. @param pinned hashes of the first steps; further ones have not been released */
export function assertUnchanged(steps: readonly string[], pinned: readonly string[]): void {
  const hashes = steps.map((sql) =>
    createHash('sha256').update(sql.replaceAll(/\s+/g, ' ')).digest('hex').slice(0, 16),
  );
  assert.deepEqual(hashes.slice(0, pinned.length), pinned);
}
