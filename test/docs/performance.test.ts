/** The figures of the pages on performance are those of the run that is kept beside it. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pageWithFloors } from '../../lab/measure/chart/floors.ts';
import { pageWithSummary, pageWithTables, type Run, withoutRepeats } from '../../lab/measure/chart/pages.ts';

const folder = join(import.meta.dirname, '../../docs/explanation');
const floors = join(folder, 'performance-floors.json');
const text = (name: string) => readFileSync(join(folder, name), 'utf8');

const runs: [Run, ...Run[]] = JSON.parse(text('performance.json'));

test('the figures are made from the runs, not typed', () => {
  const page = text('performance.md');
  assert.equal(page, pageWithSummary(page, runs[0]), 'npm run bench:chart makes it anew');
  const appendix = text('performance-figures.md');
  assert.equal(appendix, pageWithTables(appendix, runs), 'npm run bench:chart makes it anew');
  assert.equal(
    appendix,
    pageWithFloors(appendix, existsSync(floors) ? JSON.parse(readFileSync(floors, 'utf8')) : null),
  );
});

test('each size of data is told of one run only', () => {
  assert.deepEqual(withoutRepeats(runs), runs);
  const [first] = runs;
  const [, again] = withoutRepeats([first, first]);
  assert.deepEqual(again, { ...first, figures: [] });
});

test('what the page says besides its table stands in the appendix', () => {
  const [, section = ''] = text('performance.md').split('\n## What else was measured\n');
  const figures = (section.split('\n## ')[0] ?? '').match(/\d[\d .]*(?= (?:%|ms|adds|rows))/g) ?? [];
  assert.ok(figures.length >= 6, 'The page has its figures.');
  const appendix = text('performance-figures.md');
  assert.deepEqual(
    figures.filter((figure) => !appendix.includes(figure)),
    [],
  );
});
