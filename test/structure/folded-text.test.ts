/**
 * Folded text is compared in the same way whatever a database's own collation: in `directory/folded-text.ts`, and in
 * the engines' SQL with an explicit collation. `test/storage/postgres/collations.test.ts` checks the columns.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const source = join(import.meta.dirname, '../../src');

/** Where SQL folds text, and how often. */
const folding: Readonly<Record<string, number>> = {
  'directory/folded-text.ts': 1,
  // A word of the expression language, which is not SQL.
  'query/expression/parser.ts': 3,
  'query/expression/values.ts': 1,
  // Indexes, over columns whose collation is "C".
  'storage/migrations/directory.ts': 2,
  'storage/postgres/migrations.ts': 2,
  // On an id in hexadecimal digits.
  'storage/sqlite/migrations.ts': 1,
};

test('SQL folds text in one place, and names the collation elsewhere', () => {
  const found: Record<string, number> = {};
  for (const name of readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  )) {
    // Methods of JavaScript and words in prose are not calls in SQL.
    const calls = readFileSync(join(source, name), 'utf8').match(
      /(?<![.\w])(?:lower|upper|initcap)\(|\bILIKE\b|\bCITEXT\b/gi,
    );
    if (calls !== null) found[name.replaceAll('\\', '/')] = calls.length;
  }
  assert.deepEqual(found, folding);
});
