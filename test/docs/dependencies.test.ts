/** ARCHITECTURE.md gives the reason for each package in package.json, and for no other. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from './shell.ts';

const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
const { dependencies, devDependencies, optionalDependencies } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
) as Record<'dependencies' | 'devDependencies' | 'optionalDependencies', Record<string, string>>;

interface Row {
  /** Packages as named in the row, with `*` and `<platform>` for any text. */
  readonly names: readonly string[];
  readonly isDevelopment: boolean;
  readonly why: string;
}

const [, section = ''] = page.split('\n## Dependencies\n');
const rows = (section.split('\n## ')[0] ?? '')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| package') && !line.startsWith('| ---'))
  .map((line): Row => {
    const [first = '', why = ''] = line.slice(2, -2).split(' | ');
    return {
      names: [...first.matchAll(/`([^`]+)`/g)].map(([, name]) => name as string),
      isDevelopment: first.startsWith('development:'),
      why,
    };
  });

function covers(pattern: string, name: string): boolean {
  const parts = pattern.split(/\*|<\w+>/).map((part) => RegExp.escape(part));
  return new RegExp(`^${parts.join('.+')}$`).test(name);
}

/** Packages without a row, then names without a package. */
function differences(packages: readonly string[], named: readonly Row[]): string[] {
  const patterns = named.flatMap(({ names }) => names);
  return [
    ...packages.filter((name) => !patterns.some((pattern) => covers(pattern, name))),
    ...patterns.filter((pattern) => !packages.some((name) => covers(pattern, name))),
  ];
}

test('every package has a reason in ARCHITECTURE.md, and every reason a package', () => {
  const used = Object.keys({ ...dependencies, ...optionalDependencies });
  assert.deepEqual(
    differences(
      used,
      rows.filter(({ isDevelopment }) => !isDevelopment),
    ),
    [],
  );
  assert.deepEqual(
    differences(
      Object.keys(devDependencies),
      rows.filter(({ isDevelopment }) => isDevelopment),
    ),
    [],
  );
  assert.deepEqual(
    rows.filter(({ why }) => why.trim() === ''),
    [],
  );
});

test('a package without a reason, and a reason without a package, are found', () => {
  const row = { names: ['pg', 'gone'], isDevelopment: false, why: 'x' };
  assert.deepEqual(differences(['pg', 'new'], [row]), ['new', 'gone']);
});
