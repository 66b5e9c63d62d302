/**
 * The packages of `npm ci`: for every Node from 20 on, without warnings, without scripts of others, within their
 * budget.
 */
import assert from 'node:assert/strict';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';

interface Locked {
  readonly version: string;
  readonly engines?: { readonly node?: string };
  readonly hasInstallScript?: boolean;
  readonly bin?: unknown;
}

const root = join(import.meta.dirname, '../..');
const read = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'));
const locked = Object.entries(read('package-lock.json').packages as Record<string, Locked>).slice(1);
const semver: { satisfies(version: string, range: string): boolean } = createRequire(import.meta.url)('semver');

/** The first release of each line that `engines` of package.json permits, and the last one of the oldest. */
const hosts = ['20.0.0', '20.20.2', '21.0.0', '22.0.0', '23.0.0', '24.0.0', '25.0.0', '26.0.0'];

test('no package of the lock file requires a Node other than those in the README', () => {
  const refused = locked.flatMap(([path, { version, engines }]) =>
    hosts
      .filter((host) => engines?.node !== undefined && !semver.satisfies(host, engines.node))
      .map((host) => `${path} ${version} asks for Node ${engines?.node}, and not ${host}`),
  );
  assert.deepEqual(refused, []);
});

test('every package with an install script has a decision in package.json, and none needs its script', () => {
  const { allowScripts } = read('package.json') as { allowScripts: Record<string, boolean> };
  const withScript = locked.filter(([, { hasInstallScript }]) => hasInstallScript === true);
  const names = withScript.map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length));
  assert.deepEqual(Object.fromEntries(names.sort().map((name) => [name, false])), allowScripts);
});

test('npm does not link the pinned Node, which a machine may not be able to load, as the "node" of its scripts', () => {
  // npm regenerates these members when it writes the lock file; without them it makes no link in node_modules/.bin.
  const linked = locked.filter(([path, { bin }]) => /node_modules\/node-/.test(path) && bin !== undefined);
  assert.deepEqual(
    linked.map(([path]) => path),
    [],
    'Remove "bin" from these entries of package-lock.json.',
  );
});

/** Limit on all files of a plain `npm ci`, including a browser for the tests. README.md states the size. */
const budgetBytes = 473_000_000;
test('the installed packages stay within their budget of bytes', () => {
  const packages = join(root, 'node_modules');
  const bytes = bytesOf(packages, new Set(['.cache']));
  assert.ok(
    bytes <= budgetBytes,
    `${bytes} bytes, of ${budgetBytes}; "npm run postinstall" removes what is not needed.`,
  );
});

function bytesOf(folder: string, without: ReadonlySet<string> = new Set()): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (without.has(entry.name)) continue;
    const path = join(folder, entry.name);
    bytes += entry.isDirectory() ? bytesOf(path) : lstatSync(path).size;
  }
  return bytes;
}
