/** The generated pages of docs/ are up to date, on every engine. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { after, before, test } from 'node:test';
import { generatedPages } from '../../docs/pages/all.ts';
import { makeScratch, type Scratch } from '../engines/scratch.ts';

const docs = join(import.meta.dirname, '../../docs');

/** One page writes to it. */
let scratch: Scratch;
before(async () => {
  scratch = await makeScratch();
});
after(() => scratch.remove());

for (const { path, make } of generatedPages) {
  test(`${normalize(`docs/${path}`)} is up to date`, async () => {
    assert.equal(readFileSync(join(docs, path), 'utf8'), await make(scratch.settings), 'Run "npm run docs".');
  });
}

test('no page of the administration interface remains of a removed resource', () => {
  const made = generatedPages.map(({ path }) => path);
  const folder = 'reference/administration';
  const there = readdirSync(join(docs, folder)).map((name) => `${folder}/${name}`);
  assert.deepEqual(
    there.filter((path) => !made.includes(path)),
    [],
  );
});
