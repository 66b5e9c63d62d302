/**
 * `npm run bench:chart -- <file> …`: makes the table of docs/explanation/performance.md and the tables of
 * docs/explanation/performance-figures.md of the figures of one run or more, and keeps the figures beside them. Without a
 * file it makes them anew of those that are kept. Files of `npm run bench:floors` go into a table of their own.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FloorsRun, pageWithFloors } from './chart/floors.ts';
import { pageWithSummary, pageWithTables, type Run, withoutRepeats } from './chart/pages.ts';

const docs = join(import.meta.dirname, '../../docs/explanation');
const kept = join(docs, 'performance.json');
const keptFloors = join(docs, 'performance-floors.json');
const given = process.argv.slice(2).map((file) => JSON.parse(readFileSync(file, 'utf8')) as Run | FloorsRun);
const floorsRun = given.find((run) => 'by' in run);
if (floorsRun !== undefined) writeFileSync(keptFloors, `${JSON.stringify(floorsRun, null, 2)}\n`);
const files = given.filter((run): run is Run => !('by' in run));
if (files.length > 0) {
  const runs = withoutRepeats(files);
  writeFileSync(kept, `${JSON.stringify(runs, null, 2)}\n`);
}
const runs: [Run, ...Run[]] = JSON.parse(readFileSync(kept, 'utf8'));
const floors: FloorsRun | null = existsSync(keptFloors) ? JSON.parse(readFileSync(keptFloors, 'utf8')) : null;
rewrite('performance.md', (page) => pageWithSummary(page, runs[0]));
rewrite('performance-figures.md', (page) => pageWithFloors(pageWithTables(page, runs), floors));
console.log('docs/explanation/performance.md and performance-figures.md were made anew.');

function rewrite(name: string, make: (page: string) => string): void {
  const file = join(docs, name);
  writeFileSync(file, make(readFileSync(file, 'utf8')));
}
