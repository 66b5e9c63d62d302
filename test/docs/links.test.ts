/** Every link within the documentation, and every reference from the code to it, leads to a file and a heading that exist. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { anchor } from '../../src/http/docs/anchor.ts';
import { root } from './shell.ts';

const pages = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];

/** Without code, in which brackets are not links and a # is not a heading. */
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

const folders = ['src', 'bin', 'docs', 'test'];
const ignored = ['node_modules', '.git'];

/** Every text file of the repository, relative to its root. */
const files = readdirSync(root, { withFileTypes: true })
  .filter(({ name }) => !ignored.includes(name))
  .flatMap((entry) =>
    entry.isDirectory()
      ? readdirSync(join(root, entry.name), { recursive: true, encoding: 'utf8' }).map((name) => join(entry.name, name))
      : [entry.name],
  )
  .filter((name) => /\.(ts|js|md|json|html|css)$/.test(name) && !name.includes('node_modules'));

test('the references from the code to the documentation', () => {
  assert.deepEqual(
    folders.filter((folder) => !files.some((name) => name.startsWith(join(folder, '/')))),
    [],
    'The walk reaches the sources.',
  );
  const lost = files
    .filter((name) => !name.endsWith('.md'))
    .flatMap((name) => referencesOf(readFileSync(join(root, name), 'utf8')).map((reference) => ({ name, reference })))
    .filter(({ reference }) => isLost(reference))
    .map(({ name, reference }) => `${name}: ${reference}`);
  assert.deepEqual(lost, []);
});

test('a reference to a page or a heading that does not exist is found', () => {
  const folder = 'docs/';
  const names = ['reference/codes.md#all-codes', 'reference/codes.md#none', 'none.md'].map((name) => folder + name);
  assert.deepEqual(referencesOf(`/** As ${names.join(' and (')}) say. */`).filter(isLost), names.slice(1));
});

test('no file refers to a document outside the repository', () => {
  const outside = new RegExp(['interface', 'decisions'].map((name) => `\\b${name}\\.md`).join('|'));
  assert.deepEqual(
    files.filter((name) => outside.test(readFileSync(join(root, name), 'utf8'))),
    [],
  );
});

/** Pages as code names them: `docs/reference/codes.md#all-codes`, from the root of the repository. */
function referencesOf(text: string): string[] {
  return text.match(/\bdocs\/[\w./-]+\.md(?:#[\w-]+)?/g) ?? [];
}

function isLost(reference: string): boolean {
  const [page = '', heading] = reference.split('#');
  if (!existsSync(join(root, page))) return true;
  return heading !== undefined && !anchorsOf(page).includes(heading);
}
