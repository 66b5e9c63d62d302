/** Tests that use storage of the run's engine run on both engines, and no others run twice. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { batchesOn } from '../batches.ts';

test('the run on PostgreSQL has the files that use storage, however they import it', () => {
  const files = batchesOn('postgres').flatMap((batch) => batch.files);
  const asking = [
    'storage/writes',
    'directory/entities',
    'query/semantics',
    'admin/lists',
    'blackbox/puts',
    'cli/serve',
  ];
  for (const name of asking) assert.ok(files.includes(`${name}.test.ts`), name);
  for (const name of ['query/parser', 'storage/queue-line', 'move/refused', 'storage/sqlite/files'])
    assert.ok(!files.includes(`${name}.test.ts`), name);
  const folders = new Set(files.map((file) => file.split('/')[0]));
  assert.ok(folders.size >= 18, [...folders].join());
});
