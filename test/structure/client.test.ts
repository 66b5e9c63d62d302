/** What the client package may import: nothing of the service, nothing of Node in what browsers load, no circle of its own. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';

const source = join(import.meta.dirname, '../../packages/client/src');
const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));

/** What runs on Node only. */
const ofNode = /^(node|types)\//;
/** What else a file may import. */
const packages: Readonly<Record<string, readonly string[]>> = { react: ['react'] };

test('the client imports files of its own only, and of Node only what runs there', () => {
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

test('files of the client stay within 350 lines, but for the one that is made', () => {
  const long = files.filter((file) => readFileSync(join(source, file), 'utf8').split('\n').length > 350);
  assert.deepEqual(long, ['wire.ts']);
});
