/**
 * `npm run bench:chart -- <file>`: makes the charts and the tables of docs/explanation/performance.md of the figures of a
 * run, and keeps the figures beside them. Without a file it makes them anew of those that are there.
 */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { floorChart, pageWith, peerChart, type Run } from './chart/pages.ts';

const docs = join(import.meta.dirname, '../docs/explanation');
const kept = join(docs, 'performance.json');
const [file] = process.argv.slice(2);
if (file !== undefined) copyFileSync(file, kept);
const run: Run = JSON.parse(readFileSync(kept, 'utf8'));
const page = join(docs, 'performance.md');
writeFileSync(page, pageWith(readFileSync(page, 'utf8'), run));
writeFileSync(join(docs, 'performance-floor.svg'), floorChart(run));
writeFileSync(join(docs, 'performance-peers.svg'), peerChart(run));
console.log('docs/explanation/performance.md and its charts were made anew.');
