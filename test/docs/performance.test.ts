/** The figures and charts of the page on performance are those of the run that is kept beside it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { floorChart, pageWith, peerChart } from '../../bench/chart/pages.ts';

const folder = join(import.meta.dirname, '../../docs/explanation');
const text = (name: string) => readFileSync(join(folder, name), 'utf8');

test('the figures are made from the run, not typed', () => {
  const run = JSON.parse(text('performance.json'));
  const page = text('performance.md');
  assert.equal(page, pageWith(page, run), 'npm run bench:chart makes it anew');
  assert.equal(text('performance-floor.svg'), floorChart(run));
  assert.equal(text('performance-peers.svg'), peerChart(run));
});
