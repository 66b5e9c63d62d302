/** Whatever asks for storage of its own is tested on both engines: the run on PostgreSQL has to have its folder. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { onBothEngines } from '../batches.ts';

const tests = join(import.meta.dirname, '..');
const engine = join(tests, 'engines/engine.ts');

/** These start services of both engines themselves, whatever the engine of the run. */
const onBoth = ['move'];

function importsOf(file: string): string[] {
  const found = readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g);
  return [...found].map(([, path]) => join(dirname(file), path as string));
}

/** Whether the file gets at the engine of the run, by whatever way. */
function asks(file: string, seen = new Set<string>()): boolean {
  if (file === engine) return true;
  if (seen.has(file) || !file.startsWith(tests) || !existsSync(file)) return false;
  seen.add(file);
  return importsOf(file).some((imported) => asks(imported, seen));
}

function asksIn(folder: string): boolean {
  const names = readdirSync(join(tests, folder)).filter((name) => name.endsWith('.test.ts'));
  return names.some((name) => asks(join(tests, folder, name)));
}

test('every folder whose tests ask for storage is in the run on PostgreSQL', () => {
  const asking = readdirSync(tests, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && asksIn(entry.name))
    .map(({ name }) => name);
  assert.ok(asking.includes('blackbox') && asking.includes('admin'), asking.join());
  assert.deepEqual(
    asking.filter((name) => !onBoth.includes(name)),
    onBothEngines.toSorted(),
  );
});
