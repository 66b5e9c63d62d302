/** The examples and errors in docs/reference/expression-language.md match the language. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { defaults } from '../../src/config.ts';
import { check } from '../../src/query/check.ts';
import { compileRows } from '../../src/query/compile.ts';
import { readExpressionForm } from '../../src/query/expression-form.ts';
import { definitionFrom, emptyCatalogue } from '../../src/schema/catalogue.ts';
import { parseTables } from '../../src/schema/definition.ts';
import type { SpaceDefinition } from '../../src/schema/model.ts';
import { planChange } from '../../src/schema/plan.ts';
import { zoneOf } from '../../src/schema/time.ts';
import { sqliteDialect } from '../../src/storage/sqlite/dialect.ts';
import { atOnce } from '../harness/steps.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/reference/expression-language.md'), 'utf8');

/** The tables of the page's first block. */
function definitionOfPage(): SpaceDefinition {
  const [, json = '[]'] = /^```json\n([\s\S]*?)^```$/m.exec(page) ?? [];
  const none = definitionFrom(emptyCatalogue);
  const change = atOnce(
    planChange(none, atOnce(parseTables(JSON.parse(json), defaults)), { reset: false, limits: defaults }),
  );
  return definitionFrom({ ...emptyCatalogue, ...change?.after });
}

/** The rows of the table with this heading line; backticks around cells are removed. */
function rowsBelow(heading: string): string[][] {
  const start = page.indexOf(`${heading}\n`);
  assert.notEqual(start, -1, `The page has no table "${heading}".`);
  const lines = page.slice(start).split('\n').slice(2);
  const rows = lines.slice(
    0,
    lines.findIndex((line) => !line.startsWith('|')),
  );
  return rows.map((row) =>
    row
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) =>
        cell
          .trim()
          .replaceAll('\\|', '|')
          .replace(/^`(.*)`$/, '$1'),
      ),
  );
}

const definition = definitionOfPage();
const rules = { ...defaults, zone: zoneOf(defaults.zone) };

/** Processes a query up to the database, like a request. */
function prepare(source: string, parameters: string): void {
  const params = parameters === '' ? [] : (JSON.parse(parameters) as unknown[]);
  const form = { from: { phyName: 'Book', alias: 'b' }, where: { expression: { source, params } } };
  const read = readExpressionForm(form, defaults);
  const statement = compileRows(check(read.query, definition, defaults), sqliteDialect, rules);
  statement.bind({ parameters: read.parameters, members: [], now: 0 });
}

const examples = rowsBelow('| example | parameters |');
const errors = rowsBelow('| expression | parameters | description |');

test('the page has its tables', () => assert.ok(examples.length >= 5 && errors.length >= 10));

for (const [source = '', parameters = ''] of examples) {
  test(`an example: ${source}`, () => prepare(source, parameters));
}

for (const [source = '', parameters = '', description = ''] of errors) {
  test(`an error: ${source}`, () => assert.throws(() => prepare(source, parameters), { message: description }));
}
