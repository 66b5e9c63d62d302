/** The pages of docs/ that are made from code are as the code makes them. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { generatedPages } from '../../docs/pages/all.ts';

for (const { path, make } of generatedPages) {
  test(`docs/${path} is up to date`, () => {
    const file = join(import.meta.dirname, '../../docs', path);
    assert.equal(readFileSync(file, 'utf8'), make(), 'Run "npm run docs".');
  });
}

test('no page of the administration interface is left of a resource that is gone', () => {
  const made = generatedPages.map(({ path }) => path);
  const folder = 'reference/administration';
  const there = readdirSync(join(import.meta.dirname, '../../docs', folder)).map((name) => `${folder}/${name}`);
  assert.deepEqual(
    there.filter((path) => !made.includes(path)),
    [],
  );
});
