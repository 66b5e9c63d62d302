/** Rows of tokens and users have one owning file each: no other file writes them. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const source = join(import.meta.dirname, '../../src');

const owners: Readonly<Record<string, readonly string[]>> = {
  token: ['auth/token-rows.ts'],
  user: ['directory/user-rows.ts', 'directory/users.ts'],
};

for (const [table, files] of Object.entries(owners)) {
  test(`rows of ${table} are written by ${files.join(' and ')}`, () => {
    const write = new RegExp(`\\b(insertInto|updateTable|deleteFrom|replaceInto|mergeInto)\\(\\s*['"]${table}\\b`);
    const writing = readdirSync(source, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .filter((name) => write.test(readFileSync(join(source, name), 'utf8')))
      .map((name) => name.replaceAll('\\', '/'));
    assert.deepEqual(writing.sort(), files);
  });
}
