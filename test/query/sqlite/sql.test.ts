/** The SQL of representative queries and its bound values, for SQLite. It must not contain text of a client. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaults } from '../../../src/config.ts';
import { check } from '../../../src/query/check.ts';
import { binderOf } from '../../../src/query/compile/binder.ts';
import { compileCount, compileRecord, compileRows, rowPlan } from '../../../src/query/compile.ts';
import { type ExpressionForm, readExpressionForm } from '../../../src/query/expression-form.ts';
import type { Statement } from '../../../src/query/statement.ts';
import type { ColumnType } from '../../../src/schema/model.ts';
import { sqliteDialect } from '../../../src/storage/sqlite/dialect.ts';
import { definitionOf, rules, table, types } from '../definitions.ts';

const definition = definitionOf(
  table('Album', { Title: types.varchar(160), Price: types.decimal(10, 2), Size: types.integer, At: types.datetime }, [
    ['Title'],
  ]),
  table(
    'Track',
    { AlbumId: types.text, Big: types.long, Open: types.bool, Rate: types.decimal(6, 4), rowid: types.text },
    [['AlbumId']],
  ),
);

function compiled(form: ExpressionForm, kind: 'rows' | 'count' = 'rows'): { statement: Statement; values: unknown[] } {
  const { query, parameters } = readExpressionForm(form, defaults);
  const checked = check(query, definition, defaults);
  const statement = (kind === 'rows' ? compileRows : compileCount)(checked, sqliteDialect, rules);
  return { statement, values: statement.bind({ parameters, members: ['u7', 'g1', 'a'], ...form.range }) };
}

const members = '["u7","g1","a"]';
const album = { phyName: 'Album', alias: 'a' };
const where = (source: string, ...params: unknown[]) => ({ from: album, where: { expression: { source, params } } });
const join = (type: string, source: string, ...params: unknown[]) => ({
  entity: 'Track',
  entityAlias: 't',
  type,
  expression: { source, params },
});

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
const selected = (name: string, own: readonly string[], asText: readonly string[]) =>
  [...system, ...own]
    .map((column) => (asText.includes(column) ? `CAST(${name}."${column}" AS TEXT)` : `${name}."${column}"`))
    .join(', ');
const albumColumns = selected('t0', ['Title', 'Price', 'Size', 'At'], ['createUserId', 'Price']);
const trackColumns = selected('t1', ['AlbumId', 'Big', 'Open', 'Rate', '_n_rowid'], ['createUserId', 'Big', 'Rate']);
const quoted = (columns: readonly string[]) => columns.map((column) => `"${column}"`).join(', ');
const allOfAlbum = quoted([...system, 'Title', 'Price', 'Size', 'At']);
const allOfTrack = quoted([...system, 'AlbumId', 'Big', 'Open', 'Rate', '_n_rowid']);

const audiences = (first: string, second: string) =>
  `"_audience" IN (SELECT value FROM json_each(${first}) UNION ALL SELECT audience FROM _audience_member WHERE member IN (SELECT value FROM json_each(${second})))`;
const inTime = (rowid: string, isAlone: boolean) =>
  isAlone
    ? `((${rowid} * deadline_factor() & 983040) OR within_deadline_now(${rowid}))`
    : `(random() & 15 OR within_deadline_now(${rowid}))`;
/** @param free '+' for a joined table, whose audience must not be looked up in an index */
const records = (name: string, columns: string, alias: string, first = '?1', second = '?1', free = '+') =>
  `(SELECT ${columns} FROM "${name}" WHERE ${inTime(`"${name}".rowid`, free === '')} AND ${free}${audiences(first, second)}) AS ${alias}`;
const onlyRecords = (name: string, columns: string, alias: string) => records(name, columns, alias, '?', '?1', '');

test('a page of one table', () => {
  const { statement, values } = compiled({
    ...where('#a.Title LIKE ? AND #a.Price > 9.5', 'L_t%'),
    orderBy: [{ column: '#a.Title', type: 'desc' }],
    range: { offset: 40, limit: 20 },
  });
  const source = onlyRecords('Album', allOfAlbum, 't0');
  const condition = `(${shortLike('?', '?2')} AND t0."Price" > ?)`;
  const order = 't0."Title" DESC, t0."objectId"';
  assert.equal(
    statement.sql,
    `SELECT ${albumColumns} FROM ${source} WHERE ${condition} ORDER BY ${order} LIMIT (? + 0) OFFSET (? + 0)`,
  );
  assert.deepEqual(values, [members, 'L?t*', 950n, 20n, 40n]);
  assert.deepEqual(
    statement.outputs.map(({ key }) => key),
    ['a'],
  );
  assert.equal(statement.outputs[0]!.columns, definition.tables.get('Album')!.columns);
});

test('a page by audience', () => {
  const { query, parameters } = readExpressionForm(
    { ...where('#a.Size = ?', '7'), orderBy: [{ column: '#a.Title' }], range: { offset: 40, limit: 20 } },
    defaults,
  );
  const inputs = { parameters, members: ['u7', 'g1', 'a'], offset: 40, limit: 20 };
  assert.equal(rowPlan(query, inputs), 'by audience');
  assert.equal(rowPlan(query, { ...inputs, offset: 981 }), 'walk');
  assert.equal(rowPlan(query, { ...inputs, members: Array.from({ length: 17 }, (_, id) => `g${id}`) }), 'walk');
  const statement = compileRows(check(query, definition, defaults), sqliteDialect, rules, 'by audience');
  const order = 't0."Title", t0."objectId"';
  const shared = 'SELECT audience FROM _audience_member WHERE member IN (SELECT value FROM json_each(?1))';
  assert.equal(
    statement.sql,
    `SELECT ${albumColumns} FROM (SELECT value AS audience FROM json_each(?) UNION ${shared}) AS m CROSS JOIN "Album" AS t0 ON t0.rowid IN (SELECT t0.rowid FROM "Album" AS t0 WHERE ${inTime('t0.rowid', true)} AND t0."_audience" = m.audience AND (t0."Size" = ?) ORDER BY ${order} LIMIT (? + ?)) ORDER BY ${order} LIMIT (?3 + 0) OFFSET (?4 + 0)`,
  );
  assert.deepEqual(statement.bind(inputs), [members, 7n, 20n, 40n]);
});

test('a join', () => {
  const { statement, values } = compiled({
    from: album,
    join: [join('LEFT OUTER JOIN', '#t.AlbumId = #a.objectId AND #t.Open = ?', 'true')],
    where: { expression: { source: "#t.rowid <> 'x' OR #a.Price = #t.Rate", params: [] } },
  });
  const first = records('Album', allOfAlbum, 't0', '?', '?1');
  const second = records('Track', allOfTrack, 't1');
  const on = '(t1."AlbumId" = t0."objectId" AND t1."Open" = ?)';
  const condition = '(t1."_n_rowid" <> ? OR (CAST(t0."Price" AS BIGINT) * 100) = t1."Rate")';
  assert.equal(
    statement.sql,
    `SELECT ${albumColumns}, ${trackColumns} FROM ${first} LEFT JOIN ${second} ON ${on} WHERE ${condition} ORDER BY t0."objectId", t1."objectId"`,
  );
  assert.deepEqual(values, [members, 1n, 'x']);
});

test('a right join becomes a left join; the order stays that of the query', () => {
  const { statement } = compiled({ from: album, join: [join('RIGHT JOIN', '#t.AlbumId = #a.objectId')] });
  const first = records('Album', allOfAlbum, 't0');
  const second = records('Track', allOfTrack, 't1', '?', '?1');
  assert.equal(
    statement.sql,
    `SELECT ${albumColumns}, ${trackColumns} FROM ${second} LEFT JOIN ${first} ON t1."AlbumId" = t0."objectId" ORDER BY t0."objectId", t1."objectId"`,
  );
});

test('a right join of a join takes it in parentheses', () => {
  const first = join('JOIN', '#t.AlbumId = #a.objectId');
  const second = { ...join('RIGHT JOIN', '#u.AlbumId = #a.objectId'), entityAlias: 'u' };
  const { statement } = compiled({ from: album, join: [first, second] }, 'count');
  const expected = `SELECT count(*) FROM ${records('Track', '"AlbumId"', 't2', '?', '?1')} LEFT JOIN (${records('Album', '"objectId"', 't0')} INNER JOIN ${records('Track', '"AlbumId"', 't1')} ON t1."AlbumId" = t0."objectId") ON t2."AlbumId" = t0."objectId"`;
  assert.equal(statement.sql, expected);
});

test('a count selects the columns that its conditions read, has no order, and ignores the range', () => {
  const { statement, values } = compiled(
    { ...where('#a.Size IS NULL'), orderBy: [{ column: '#a.Title' }], range: { offset: 1, limit: 1 } },
    'count',
  );
  assert.equal(statement.sql, `SELECT count(*) FROM ${onlyRecords('Album', '"Size"', 't0')} WHERE t0."Size" IS NULL`);
  assert.deepEqual(values, [members]);
  assert.deepEqual(statement.outputs, []);
  assert.match(
    compiled({ from: album }, 'count').statement.sql,
    /^SELECT count\(\*\) FROM \(SELECT "objectId" FROM "Album"/,
  );
});

test('one record', () => {
  const statement = compileRecord(definition.tables.get('Album')!, sqliteDialect);
  const columns = albumColumns.replaceAll('t0.', '');
  assert.equal(
    statement.sql,
    `SELECT ${columns} FROM "Album" WHERE "objectId" = ?1 AND (instr(?2, '"' || "_audience" || '"') > 0 OR "_audience" IN (SELECT audience FROM _audience_member WHERE member IN (SELECT value FROM json_each(?2))))`,
  );
  assert.deepEqual(statement.bind({ parameters: ['x'], members: ['u7', 'g1', 'a'] }), ['x', members]);
  assert.deepEqual(
    statement.outputs.map(({ key }) => key),
    ['Album'],
  );
});

/** U+FFFD, U+FFFE and U+FFFF are the same to GLOB. */
function shortLike(pattern: string, patternAgain: string, text = 't0."Title"'): string {
  return `(${text} GLOB ${pattern} AND (t0."Title" NOT GLOB '*\ufffd*' OR long_glob(${patternAgain}, ${text})))`;
}

const foldedTitle = (fold: string, word = fold) =>
  `CASE WHEN octet_length(t0."Title") = length(t0."Title") AND (octet_length(t0."Title") < 65536 OR within_deadline_now(0)) THEN ${word}(t0."Title") ELSE fold_${fold}(t0."Title") END`;

/** Source, parameters, SQL of the condition, and its bound values. */
const conditions: readonly (readonly [string, readonly unknown[], string, readonly unknown[]])[] = [
  ['#a.Size = 1', [], 't0."Size" = ?', [1n]],
  ['#a.Size != ?', ['-5'], 't0."Size" <> ?', [-5n]],
  ['#a.Size IN (1, ?, 1)', ['2'], 't0."Size" IN (?, ?, ?2)', [1n, 2n]],
  ['#a.Size NOT BETWEEN ? AND 9', ['1'], 't0."Size" NOT BETWEEN ? AND ?', [1n, 9n]],
  ['#a.Price = ?', ['12.5'], 't0."Price" = ?', [1_250n]],
  ['#a.Price > #a.Size', [], 't0."Price" > (CAST(t0."Size" AS BIGINT) * 100)', []],
  ['#a.At >= ?', ['2014-01-23T14:44:36.516+07:00'], 't0."At" >= ?', [1_390_463_076_516n]],
  [
    '#a.Size + ? * 2 = 7',
    ['3'],
    `(SELECT CASE WHEN typeof(x0) = 'integer' THEN x0 END FROM (SELECT t0."Size" + (? * ?) AS x0 LIMIT 1)) = ?`,
    [3n, 2n, 7n],
  ],
  ['1.5 > 1', [], '? > ?', [1.5, 1]],
  [
    'NOT (#a.Size = 1 OR #a.Size = 2 OR #a.Size = 3)',
    [],
    'NOT (((t0."Size" = ? OR t0."Size" = ?) OR t0."Size" = ?))',
    [1n, 2n, 3n],
  ],
  ["LOWER(TRIM(#a.Title)) = 'x'", [], `trim(${foldedTitle('lower')}, ' ') = ?`, ['x']],
  ["UPPER(LOWER(LOWER(#a.Title))) = 'x'", [], `${foldedTitle('lower_upper', 'upper')} = ?`, ['x']],
  ["LOWER(#a.Title) LIKE 'x%'", [], shortLike('?', '?2', foldedTitle('lower')), ['x*']],
  ['UPPER(?) = #a.Title', ['é'], '? = t0."Title"', ['É']],
  ['LENGTH(#a.Title) > 3', [], 'length(t0."Title") > ?', [3n]],
  ["COALESCE(#a.Title, ?, '') = ''", [null], 'coalesce(t0."Title", ?, ?) = ?3', [null, '']],
  ['COALESCE(#a.Title) IS NOT NULL', [], 't0."Title" IS NOT NULL', []],
  ["#a.Title NOT LIKE '*[_%' ESCAPE '!'", [], `NOT (${shortLike('?', '?2')})`, ['[*][[]?*']],
  ['TRUE', [], 'TRUE', []],
  ['NULL', [], 'NULL', []],
  ['? OR FALSE', ['1'], '(? OR FALSE)', [1n]],
  ["'; DROP TABLE Album --' = #a.Title", [], '? = t0."Title"', ['; DROP TABLE Album --']],
];

for (const [source, params, sql, bound] of conditions) {
  test(`SQL of ${source}`, () => {
    const { statement, values } = compiled(where(source, ...params), 'count');
    const text = statement.sql.slice(statement.sql.indexOf(' AS t0 WHERE ') + ' AS t0 WHERE '.length);
    // The members are the first value, so positions of repeated ones count from there.
    assert.equal(
      text.replace(/\?(\d)/g, (_, position) => `?${Number(position)}`),
      sql,
    );
    assert.deepEqual(values, [members, ...bound]);
  });
}

test('no text of a client enters SQL, whatever it is', () => {
  const evil = `x'"\`;--«1»?$1`;
  const { statement, values } = compiled({
    from: { phyName: 'Album', alias: 'evilAlias' },
    where: {
      expression: {
        source: `#evilAlias.Title IN ('${evil.replace("'", "''")}', ?, LOWER('EvilWord'))`,
        params: [evil],
      },
    },
    orderBy: [{ column: '#evilAlias.Title' }],
  });
  assert.doesNotMatch(statement.sql, /evil|x'|`|;|--|«|\$/i);
  assert.deepEqual(values, [members, evil, evil, 'evilword']);
});

test('values are not part of a shape, and every compiled shape has its own id', () => {
  const query = (value: string) => readExpressionForm(where('#a.Size = ?', value), defaults).query;
  assert.deepEqual(query('1'), query('2'));
  const ids = [1, 2, 3].map(() => compiled(where('1 = 1')).statement.id);
  assert.equal(new Set(ids).size, 3);
});

test('binding checks the number of parameters', () => {
  const { statement } = compiled(where('#a.Size = ?', '1'));
  const error = { message: 'Expected 1 values, one for each "?" of the query, got 2.', reason: 132 };
  assert.throws(() => statement.bind({ parameters: ['1', '2'], members: [] }), error);
});

test('limit and offset have their defaults if absent', () => {
  const { statement } = compiled({ from: album, range: { limit: 5 } });
  assert.deepEqual(statement.bind({ parameters: [], members: ['a'], limit: 5 }).slice(1), [5n, 0n]);
  assert.deepEqual(statement.bind({ parameters: [], members: ['a'], offset: 3 }).slice(1), [-1n, 3n]);
});

test('a statement binds at most 32000 parameters and literals, which every engine supports', () => {
  const binder = binderOf([], sqliteDialect, rules);
  const long: ColumnType = { kind: 'long' };
  const marks = Array.from({ length: 32_000 }, (_, index) => binder.constant(BigInt(index), long));
  assert.equal(new Set(marks).size, 32_000);
  assert.equal(binder.constant(0n, long), marks[0], 'one that is there already takes no room');
  assert.throws(() => binder.constant(32_000n, long), {
    message: 'The query has 32001 parameters and literals; at most 32000 are possible.',
    reason: 132,
  });
});
