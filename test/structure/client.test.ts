/**
 * What the client package may import: nothing from the service, nothing from Node in browser modules, and no cycles.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';

const source = join(import.meta.dirname, '../../packages/client/src');
const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));

/** Modules that run only on Node. */
const ofNode = /^(node|types)\//;
/** What else a file may import. */
const packages: Readonly<Record<string, readonly string[]>> = { react: ['react'] };

test('the client imports only its own files, and Node modules only where it runs on Node', () => {
  const wrong: string[] = [];
  for (const file of files) {
    const text = readFileSync(join(source, file), 'utf8');
    for (const [, path = ''] of text.matchAll(/^(?:(?:import|export|}) [^'`;=(]*from |import )'([^']+)'/gm)) {
      const isOwn = path.startsWith('.') && !relative(source, join(source, dirname(file), path)).startsWith('..');
      const isNodes = path.startsWith('node:') && ofNode.test(file);
      const folder = file.split('/')[0]?.replace(/\.tsx?$/, '') ?? '';
      if (!isOwn && !isNodes && !packages[folder]?.includes(path)) wrong.push(`${file} → ${path}`);
    }
  }
  assert.ok(files.length > 5);
  assert.deepEqual(wrong, []);
});

test('files of the client stay within 350 lines, except the generated one', () => {
  const long = files.filter((file) => readFileSync(join(source, file), 'utf8').split('\n').length > 350);
  assert.deepEqual(long, ['wire.ts']);
});
