/** The page on performance states nothing that is missing in its appendix. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const folder = join(import.meta.dirname, '../../docs/explanation');
const text = (name: string) => readFileSync(join(folder, name), 'utf8');

test('what the page states besides its table is in the appendix', () => {
  const [, section = ''] = text('performance.md').split('\n## What else was measured\n');
  const figures = (section.split('\n## ')[0] ?? '').match(/\d[\d .]*(?= (?:%|ms|adds|rows))/g) ?? [];
  assert.ok(figures.length >= 6, 'The page has its figures.');
  const appendix = text('performance-figures.md');
  assert.deepEqual(
    figures.filter((figure) => !appendix.includes(figure)),
    [],
  );
});
