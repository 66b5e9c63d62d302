/** Writes the pages of docs/, and the part of the client, that are made from code; with --check it only tells which of them differ, and fails. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { parseArgs } from 'node:util';
import { generatedPages } from './pages/all.ts';

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });

const folder = mkdtempSync(join(tmpdir(), 'rowhouse-docs-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

for (const { path, make } of generatedPages) {
  const file = join(import.meta.dirname, path);
  const text = await make({ storage: `sqlite:${join(folder, 'data')}` });
  const shown = normalize(join('docs', path));
  if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
  if (values.check) {
    console.error(`${shown} differs from the code; "npm run docs" makes it anew.`);
    process.exitCode = 1;
  } else {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    console.log(`${shown} was made anew.`);
  }
}
