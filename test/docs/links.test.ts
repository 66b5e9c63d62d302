/** Every link within the documentation leads to a file, and to a heading, that is there. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { anchor } from '../../docs/pages/markdown.ts';
import { root } from './shell.ts';

const pages = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];

/** Without code, in which a bracket is no link and a # no heading. */
function proseOf(page: string): string {
  return readFileSync(join(root, page), 'utf8').replaceAll(/^```[\s\S]*?^```$/gm, '');
}

function anchorsOf(page: string): string[] {
  return [...proseOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchor(heading as string));
}

for (const page of pages) {
  test(`the links of ${page}`, () => {
    const links = [
      ...proseOf(page)
        .replaceAll(/`[^`\n]*`/g, '')
        .matchAll(/\]\(([^)\s]+)\)/g),
    ].map(([, to]) => to as string);
    const lost = links.filter((link) => {
      if (/^https?:/.test(link)) return false;
      const [path, heading] = link.split('#');
      const target = path === '' ? page : join(dirname(page), path as string);
      if (!existsSync(join(root, target))) return true;
      return heading !== undefined && !anchorsOf(target).includes(heading);
    });
    assert.deepEqual(lost, []);
  });
}
