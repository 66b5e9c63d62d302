/** The results of conditions, against their meaning (oracle.ts): every operator, every type, three-valued logic. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decimalText } from '../../src/schema/numbers.ts';
import { formatInstant } from '../../src/schema/time.ts';
import { conditions, type Row, rowColumns, rows } from './oracle.ts';
import { holds } from './seeded.ts';
import { openWorld, table, zone } from './world.ts';

const world = await openWorld(table('T', rowColumns, [['name'], ['size'], ['big', 'name']]));
for (const row of rows) await world.insert('T', wire(row));

function wire(row: Row): Record<string, unknown> {
  return {
    ...row,
    big: row.big === null ? null : `${row.big}`,
    ratio: row.ratio === null ? null : `${row.ratio}`,
    price: row.price === null ? null : decimalText(`${row.price}`, 2),
    fine: row.fine === null ? null : decimalText(`${row.fine}`, 3),
  };
}

const form = (source: string, params: readonly unknown[]) => ({
  from: { phyName: 'T', alias: 't' },
  where: { expression: { source, params } },
});

const found = async (source: string, params: readonly unknown[]) =>
  (await world.query(form(source, params))).t!.map((row) => row.objectId);

test('a condition finds the rows for which it is true, its negation those for which it is false', async (context) => {
  const property = fc.asyncProperty(conditions, async ({ source, params, of }) => {
    const ids = (wanted: boolean) => rows.filter((row) => of(row) === wanted).map((row) => row.objectId);
    assert.deepEqual(await found(source, params), ids(true), source);
    assert.deepEqual(await found(`NOT (${source})`, params), ids(false), `NOT (${source})`);
    assert.equal(await world.count(form(source, params)), ids(true).length, `count of ${source}`);
  });
  await holds(context, property, 2_500);
});

/** Source, parameters, and whether it is true, false or unknown (null), for every row. */
const constants: readonly (readonly [string, readonly unknown[], boolean | null])[] = [
  ['1 = 1', [], true],
  ['1 = 1.0', [], true],
  ['1 = 1e0', [], true],
  ['0.1 = .1', [], true],
  ["'1' = 1", [], true],
  ["'a' = 'A'", [], false],
  ['TRUE = 1', [], true],
  ["TRUE = 'false'", [], false],
  ['TRUE', [], true],
  ['FALSE', [], false],
  ['NULL', [], null],
  ['NULL = NULL', [], null],
  ['NULL <> 1', [], null],
  ['NULL IS NULL', [], true],
  ['1 IS NOT NULL', [], true],
  ['? IS NULL', [null], true],
  ['? IS NULL', ['x'], false],
  ['?', ['true'], true],
  ['?', [null], null],
  ['? = ?', ['a', 'a'], true],
  ['? = ?', ['1', '1.0'], false],
  ['? = 1', ['1.0'], true],
  ['? > 1.5', ['2'], true],
  ['COALESCE(NULL, ?, 2) = 2', [null], true],
  ["COALESCE(NULL, ?) = 'x'", ['x'], true],
  ['COALESCE(1) = 1', [], true],
  ['COALESCE(?, ?) < #t.big OR TRUE', ['5', '6'], true],
  ["LENGTH('😀é') = 2", [], true],
  ['LENGTH(?) = 3', ['\u0301ab'], true],
  ["TRIM('  \ta  ') = '\ta'", [], true],
  ["UPPER('straße') = 'STRAßE'", [], true],
  ["LOWER('ΣΊΣΥΦΟΣ') = 'σίσυφοσ'", [], true],
  ['9223372036854775807 + 0 = 9223372036854775807', [], true],
  ['(9223372036854775807 + 1) IS NULL', [], true],
  ['(-9223372036854775808 - 1) IS NULL', [], true],
  ['(-9223372036854775808 * -1) IS NULL', [], true],
  ['-(-9223372036854775807) = 9223372036854775807', [], true],
  ['(4611686018427387904 * 2) IS NULL', [], true],
  ['1 IN (NULL, 1)', [], true],
  ['1 IN (NULL, 2)', [], null],
  ['1 NOT IN (NULL, 2)', [], null],
  ['NULL IN (1)', [], null],
  ['1 BETWEEN NULL AND 0', [], false],
  ['1 BETWEEN NULL AND 2', [], null],
  ['1 = 0 AND NULL', [], false],
  ['1 = 1 OR NULL', [], true],
  ["'2014-01-23T07:44:36.516Z' = #t.at OR TRUE", [], true],
];

for (const [source, params, truth] of constants) {
  test(`${source} ${params.length > 0 ? JSON.stringify(params) : ''} is ${truth}`, async () => {
    assert.equal((await found(source, params)).length, truth === true ? rows.length : 0);
    assert.equal((await found(`NOT (${source})`, params)).length, truth === false ? rows.length : 0);
  });
}

test('long chains and deep trees run', async () => {
  const everyName = rows.filter((row) => row.name !== null).length;
  const chain = (piece: (index: number) => string, word: string) =>
    Array.from({ length: 1_500 }, (_, index) => piece(index)).join(` ${word} `);
  assert.equal(
    (
      await found(
        chain((index) => `#t.name <> 'x${index}'`, 'AND'),
        [],
      )
    ).length,
    everyName,
  );
  assert.equal(
    (
      await found(
        chain((index) => `#t.size = ${index + 2}`, 'OR'),
        [],
      )
    ).length,
    (await found('#t.size BETWEEN 2 AND 1501', [])).length,
  );
  assert.equal(
    (
      await found(
        chain((index) => `(#t.size <> -7 OR #t.big = ${index})`, 'AND'),
        [],
      )
    ).length,
    (await found('#t.size <> -7', [])).length,
  );
  assert.equal((await found(`COALESCE(${'NULL, '.repeat(5_000)}1) = 1`, [])).length, rows.length);
  assert.equal((await found(`${'NOT '.repeat(200)}#t.open`, [])).length, (await found('#t.open', [])).length);
  assert.equal((await found(`1${' + 1'.repeat(200)} = 201`, [])).length, rows.length);
  assert.equal((await found(`${'LOWER('.repeat(200)}'A'${')'.repeat(200)} = 'a'`, [])).length, rows.length);
  const nested = `${"(#t.name <> 'q' AND (#t.size = 1 OR ".repeat(80)}TRUE${'))'.repeat(80)}`;
  assert.equal((await found(nested, [])).length, everyName);
});

test('every term of a long conjunction counts, even those that planners do not see', async () => {
  const terms = (count: number) =>
    Array.from({ length: count }, (_, index) => `#t.objectId <> 'x${index}'`).join(' AND ');
  const last = [
    '#t.size = 1',
    'NOT (#t.size = 1)',
    '#t.size BETWEEN 0 AND 2',
    "#t.name LIKE 'a%'",
    '#t.open',
    'NULL',
    '#t.size IS NULL',
  ];
  for (const many of [terms(300), terms(128), terms(127)]) {
    for (const source of last) {
      const further = `#t.size >= 0 AND (${source})`;
      assert.deepEqual(await found(`${many} AND ${source}`, []), await found(source, []), source);
      assert.deepEqual(await found(`(${many}) AND (${further})`, []), await found(further, []), source);
    }
  }
});

test('a long list of columns and parameters', async () => {
  const values = Array.from({ length: 2_500 }, (_, index) => `x${index}`);
  const list = `${values.map(() => '#t.note, ?').join(', ')}, 'ab'`;
  const alike = "(#t.name = #t.note OR #t.name = 'ab')";
  assert.deepEqual(await found(`#t.name IN (${list})`, values), await found(alike, []));
  assert.deepEqual(await found(`#t.name NOT IN (${list})`, values), await found(`NOT ${alike}`, []));
});

test('every value is returned as it was stored', async () => {
  const { t } = await world.query({ from: { phyName: 'T', alias: 't' } });
  const stored = rows.map((row) => ({ ...wire(row), at: row.at === null ? null : formatInstant(row.at, zone) }));
  assert.equal(t!.length, stored.length);
  for (const [index, expected] of stored.entries()) {
    const texts = Object.entries(expected).map(([name, value]) => [name, value === null ? null : String(value)]);
    const names = Object.keys(expected);
    assert.deepEqual(Object.fromEntries(names.map((name) => [name, t![index]![name]])), Object.fromEntries(texts));
  }
});

test('ten thousand parameters', async () => {
  const sizes = Array.from({ length: 10_000 }, (_, index) => index);
  const marks = sizes.map(() => '?').join(',');
  assert.deepEqual(await found(`#t.size IN (${marks})`, sizes), await found('#t.size BETWEEN 0 AND 9999', []));
});
