/** Data spaces are kept open as far as the system's limit on open files allows. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filesWithin } from '../../../src/storage/sqlite/open-files.ts';

test('the setting applies, unless the system allows fewer', () => {
  assert.equal(filesWithin(4_096, 1_000_000), 4_096);
  assert.equal(filesWithin(4_096, Number.POSITIVE_INFINITY), 4_096);
  assert.equal(filesWithin(4_096, 4_096), 1_024);
  assert.equal(filesWithin(4_096, 1_024), 8);
  const here = filesWithin(4_096);
  assert.ok(here >= 8 && here <= 4_096, String(here));
});
