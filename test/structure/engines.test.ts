/** Whatever works on storage of the engine of the run is tested on both engines, and nothing else twice. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { batchesOn } from '../batches.ts';

test('the run on PostgreSQL has the files that ask for storage, however they get at it', () => {
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
