/**
 * `npm run bench:chart -- <file> …`: makes the charts and the tables of docs/explanation/performance.md of the figures of
 * one run or more, and keeps the figures beside them. Without a file it makes them anew of those that are there.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { floorChart, pageWith, peerChart, type Run, withoutRepeats } from './chart/pages.ts';

const docs = join(import.meta.dirname, '../docs/explanation');
const kept = join(docs, 'performance.json');
const files = process.argv.slice(2);
if (files.length > 0) {
  const runs = withoutRepeats(files.map((file): Run => JSON.parse(readFileSync(file, 'utf8'))));
  writeFileSync(kept, `${JSON.stringify(runs, null, 2)}\n`);
}
const runs: [Run, ...Run[]] = JSON.parse(readFileSync(kept, 'utf8'));
const page = join(docs, 'performance.md');
writeFileSync(page, pageWith(readFileSync(page, 'utf8'), runs));
writeFileSync(join(docs, 'performance-floor.svg'), floorChart(runs[0]));
writeFileSync(join(docs, 'performance-peers.svg'), peerChart(runs[0]));
console.log('docs/explanation/performance.md and its charts were made anew.');
