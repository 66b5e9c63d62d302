/** Writes the pages of docs/ that are made from code; with --check it only tells which of them differ, and fails. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { generatedPages } from './pages/all.ts';

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });

for (const { path, make } of generatedPages) {
  const file = join(import.meta.dirname, path);
  const text = make();
  if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
  if (values.check) {
    console.error(`docs/${path} differs from the code; "npm run docs" makes it anew.`);
    process.exitCode = 1;
  } else {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    console.log(`docs/${path} was made anew.`);
  }
}
