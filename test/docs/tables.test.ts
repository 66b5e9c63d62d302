/** Every row of a table in the documentation has as many cells as the table's head: Markdown leaves out the rest silently. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from './shell.ts';

function cellsIn(row: string): number {
  return row
    .trim()
    .replace(/^\||(?<!\\)\|$/g, '')
    .split(/(?<!\\)\|/).length;
}

/** @returns `page:line` of the rows that differ from the first row of their table */
function oddRows(page: string): string[] {
  const odd: string[] = [];
  let [cells, isCode] = [0, false];
  for (const [index, line] of readFileSync(join(root, page), 'utf8').split('\n').entries()) {
    if (line.trimStart().startsWith('```')) isCode = !isCode;
    const isRow = !isCode && line.trimStart().startsWith('|');
    if (isRow && cells !== 0 && cellsIn(line) !== cells) odd.push(`${page}:${index + 1}`);
    cells = isRow ? cells || cellsIn(line) : 0;
  }
  return odd;
}

test('the rows of a table have as many cells as its head', () => {
  const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name));
  assert.ok(pages.length > 20);
  assert.deepEqual([...pages, 'README.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md'].flatMap(oddRows), []);
});
