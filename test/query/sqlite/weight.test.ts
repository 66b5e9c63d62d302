/** Until it is answered, a query takes no more memory than its large body's weight (setting parsedBodiesBytesMax). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { defaults } from '../../../src/config.ts';
import { compiledBytes, parseLargeBody } from '../../../src/http/large-body.ts';
import { check } from '../../../src/query/check.ts';
import { compileRows } from '../../../src/query/compile.ts';
import { type ExpressionForm, readExpressionForm } from '../../../src/query/expression-form.ts';
import { sqliteDialect } from '../../../src/storage/sqlite/dialect.ts';
import { definitionOf, rules, table, types } from '../definitions.ts';

const definition = definitionOf(table('Album', { Title: types.varchar(160), Size: types.integer }));
const list = (count: number, text: (index: number) => string, between: string) =>
  Array.from({ length: count }, (_, index) => text(index)).join(between);
const numbers = Array.from({ length: 10_000 }, (_, index) => `${index}`);

const sources: Readonly<Record<string, readonly [source: string, params: readonly string[]]>> = {
  'many parameters': [`#a.Title IN (${list(10_000, () => '?', ',')})`, numbers],
  'many numbers': [`#a.Size IN (${list(10_000, () => '?', ',')})`, numbers],
  'many conditions': [list(4_000, (index) => `#a.Size=${index}`, ' OR '), []],
  'conditions with parameters': [list(4_000, () => '#a.Size=?', ' OR '), numbers.slice(0, 4_000)],
  functions: [list(2_500, () => "UPPER(#a.Title)='N'", ' OR '), []],
  quotients: [list(128, () => '#a.Size/1=1', ' OR '), []],
  cases: [list(1_800, () => '#a.Size=CASE WHEN 1=1 THEN 1 END', ' OR '), []],
  'texts in a row': [list(190, () => `#a.Title=${list(50, () => '?', '||')}`, ' OR '), numbers.slice(0, 190 * 50)],
  'parts of texts': [list(1_700, () => 'SUBSTR(SUBSTR(#a.Title,1),1)=?', ' OR '), numbers.slice(0, 1_700)],
  sums: [list(1_500, () => `#a.Size=${list(10, () => '1', '+')}`, ' OR '), []],
};

/** How often each is measured, until it is light enough. */
const timesMax = 4;

/** Everything in memory while the query waits. */
function compiled(form: ExpressionForm): unknown {
  const { query, parameters } = readExpressionForm(form, defaults);
  const checked = check(query, definition, defaults);
  const statement = compileRows(checked, sqliteDialect, rules);
  const inputs = { parameters, members: ['u7', 'g1', 'a'] };
  return { query, checked, statement, inputs, values: statement.bind(inputs) };
}

test('a query takes no more memory than the weight of its body', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const all: unknown[] = [];
  for (const [name, [source, params]] of Object.entries(sources)) {
    const bytes = Buffer.from(
      JSON.stringify({ from: { phyName: 'Album', alias: 'a' }, where: { expression: { source, params } } }),
    );
    let weightBytes = 0;
    const form = (await parseLargeBody(bytes, defaults, (parsedBytes, values) => {
      weightBytes = parsedBytes + compiledBytes(bytes.length, values, defaults);
    })) as ExpressionForm;
    // The runtime may at any time allocate memory for all queries, such as machine code, which does not count.
    const taken: number[] = [];
    const isLight = () => taken.some((bytes) => bytes <= weightBytes * 1.25);
    while (!isLight() && taken.length < timesMax) {
      collect();
      const before = getHeapStatistics().used_heap_size;
      all.push(compiled(form));
      collect();
      taken.push(getHeapStatistics().used_heap_size - before);
    }
    assert.ok(isLight(), `${name}: ${taken} bytes, weighed as ${weightBytes}`);
  }
  assert.ok(all.length >= Object.keys(sources).length);
});
