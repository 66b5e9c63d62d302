/** The SQL of representative queries and its bound values, for PostgreSQL. It must not contain text of a client. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaults } from '../../../src/config.ts';
import { check } from '../../../src/query/check.ts';
import { compileCount, compileRecord, compileRows, type RowPlan } from '../../../src/query/compile.ts';
import { type ExpressionForm, readExpressionForm } from '../../../src/query/expression-form.ts';
import { postgresDialect } from '../../../src/storage/postgres/dialect.ts';
import { definitionOf, rules, table, types } from '../definitions.ts';

const definition = definitionOf(
  table('Album', { Title: types.varchar(160), Price: types.decimal(10, 2), Size: types.integer, At: types.datetime }),
  table('Track', {
    AlbumId: types.text,
    Big: types.long,
    Open: types.bool,
    Rate: types.decimal(6, 4),
    ctid: types.text,
  }),
);

function compiled(form: ExpressionForm, kind: RowPlan | 'count' = 'walk') {
  const { query, parameters } = readExpressionForm(form, defaults);
  const checked = check(query, definition, defaults);
  const statement =
    kind === 'count'
      ? compileCount(checked, postgresDialect, rules)
      : compileRows(checked, postgresDialect, rules, kind);
  return { sql: statement.sql, values: statement.bind({ parameters, members: ['u7', 'g1', 'a'], ...form.range }) };
}

const members = '{u7,g1,a}';
const album = { phyName: 'Album', alias: 'a' };
const where = (source: string, ...params: unknown[]) => ({ from: album, where: { expression: { source, params } } });
const shared = (number: number) => `SELECT audience FROM "~"._audience_member WHERE member = ANY($${number}::text[])`;
const visible = (number: number, isSought: boolean) =>
  `("_audience" = ANY($${number}::text[]) OR ("_audience" LIKE '%,%' AND "_audience" ${isSought ? `= ANY(ARRAY(${shared(number)}))` : `IN (${shared(number)})`}))`;
const system = [
  'objectId',
  'CreateTime',
  'UpdateTime',
  'serverCreateTime',
  'serverUpdateTime',
  'serverRecordStatus',
  'scopeType',
  'groupIds',
  'createUserId',
];
const named = (alias: string, own: readonly string[]) =>
  [...system, ...own].map((name) => `${alias}"${name}"`).join(', ');
const ofAlbum = ['Title', 'Price', 'Size', 'At'];

test('a page of one table', () => {
  const { sql, values } = compiled({
    ...where('#a.Title LIKE ? AND #a.Price > 9.5', 'L_t%'),
    orderBy: [{ column: '#a.Title', type: 'desc' }],
    range: { offset: 40, limit: 20 },
  });
  const source = `(SELECT ${named('', ofAlbum)} FROM "~"."Album" WHERE ${visible(1, true)}) AS t0`;
  const condition = '(t0."Title" LIKE ($2::text COLLATE "C") AND t0."Price" > $3::numeric)';
  const order = 't0."Title" DESC NULLS LAST, t0."objectId"';
  const range = 'LIMIT CASE WHEN $4::bigint >= 0 THEN $4::bigint END OFFSET $5::bigint';
  assert.equal(sql, `SELECT ${named('t0.', ofAlbum)} FROM ${source} WHERE ${condition} ORDER BY ${order} ${range}`);
  assert.deepEqual(values, [members, 'L_t%', '9.50', '20', '40']);
});

test('a page by audience', () => {
  const form = { ...where('#a.Size = ?', '7'), orderBy: [{ column: '#a.Title' }], range: { offset: 40, limit: 20 } };
  const { sql, values } = compiled(form, 'by audience');
  const order = 't0."Title" NULLS FIRST, t0."objectId"';
  const audiences = `(SELECT unnest($1::text[]) AS audience UNION ${shared(1)}) AS m`;
  const first = `(SELECT ${named('t0.', ofAlbum)} FROM "~"."Album" AS t0 WHERE t0."_audience" = m.audience AND (t0."Size" = $2::integer) ORDER BY ${order} LIMIT $3::bigint + $4::bigint) AS t0`;
  const range = 'LIMIT CASE WHEN $3::bigint >= 0 THEN $3::bigint END OFFSET $4::bigint';
  assert.equal(
    sql,
    `SELECT ${named('t0.', ofAlbum)} FROM ${audiences} CROSS JOIN LATERAL ${first} ORDER BY ${order} ${range}`,
  );
  assert.deepEqual(values, [members, '7', '20', '40']);
});

test('a join: nulls of a missing match come first', () => {
  const join = (type: string) => ({
    from: album,
    join: [{ entity: 'Track', entityAlias: 't', type, expression: { source: '#t.AlbumId = #a.objectId' } }],
  });
  const orderOf = (type: string) => /ORDER BY (.*)$/.exec(compiled(join(type)).sql)![1];
  assert.equal(orderOf('JOIN'), 't0."objectId", t1."objectId"');
  assert.equal(orderOf('LEFT JOIN'), 't0."objectId", t1."objectId" NULLS FIRST');
  assert.equal(orderOf('RIGHT JOIN'), 't0."objectId" NULLS FIRST, t1."objectId"');
  const { sql } = compiled(join('JOIN'), 'count');
  const [one, other] = [`SELECT "objectId" FROM "~"."Album"`, `SELECT "AlbumId" FROM "~"."Track"`];
  assert.equal(
    sql,
    `SELECT count(*) FROM (${one} WHERE ${visible(1, false)}) AS t0 INNER JOIN (${other} WHERE ${visible(1, false)}) AS t1 ON t1."AlbumId" = t0."objectId"`,
  );
});

test('one record', () => {
  const statement = compileRecord(definition.tables.get('Album')!, postgresDialect);
  const sees = `("_audience" = ANY($2::text[]) OR ("_audience" LIKE '%,%' AND EXISTS (${shared(2)} AND audience = "_audience")))`;
  assert.equal(
    statement.sql,
    `SELECT ${named('', ofAlbum)} FROM "~"."Album" WHERE "objectId" = ($1::text COLLATE "C") AND ${sees}`,
  );
  assert.deepEqual(statement.bind({ parameters: ['x'], members: ['u7', 'g1', 'a'] }), ['x', members]);
});

/** Source, parameters, SQL of the condition, and its bound values. */
const conditions: readonly (readonly [string, readonly unknown[], string, readonly unknown[]])[] = [
  ['#a.Size IN (1, ?, 1)', ['2'], 't0."Size" IN ($2::integer, $3::integer, $2::integer)', ['1', '2']],
  ['#a.Size NOT BETWEEN ? AND 9', ['1'], 't0."Size" NOT BETWEEN $2::integer AND $3::integer', ['1', '9']],
  ['#a.Price > #a.Size', [], 't0."Price" > t0."Size"', []],
  ['#a.At >= ?', ['2014-01-23T14:44:36.516+07:00'], 't0."At" >= $2::timestamptz', ['2014-01-23T07:44:36.516Z']],
  [
    '#a.Size + ? * 2 = 7',
    ['3'],
    '"~"._int64(t0."Size"::numeric + "~"._int64($2::bigint::numeric * $3::bigint::numeric)::numeric) = $4::bigint',
    ['3', '2', '7'],
  ],
  ['1.5 > 1', [], '$2::double precision > $3::double precision', ['1.5', '1']],
  ["LOWER(TRIM(#a.Title)) = 'x'", [], `trim("~"._fold_lower(t0."Title"), ' ') = ($2::text COLLATE "C")`, ['x']],
  ['COALESCE(NULL, #a.Size) IS NULL', [], 'coalesce(NULL::integer, t0."Size") IS NULL', []],
  ["#a.Title NOT LIKE '50!%' ESCAPE '!'", [], 'NOT (t0."Title" LIKE ($2::text COLLATE "C"))', ['50\\%']],
  ['? OR FALSE', ['1'], '($2::boolean OR FALSE)', ['true']],
  ["'; DROP TABLE Album --' = #a.Title", [], '($2::text COLLATE "C") = t0."Title"', ['; DROP TABLE Album --']],
];

for (const [source, params, expected, bound] of conditions) {
  test(`SQL of ${source}`, () => {
    const { sql, values } = compiled(where(source, ...params), 'count');
    assert.equal(sql.slice(sql.indexOf(' AS t0 WHERE ') + ' AS t0 WHERE '.length), expected);
    assert.deepEqual(values, [members, ...bound]);
  });
}
