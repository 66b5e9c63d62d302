/**
 * Whole expression queries on `Item` and `Kind` (tables.ts): joins, order, ranges, keys of the answer, and refusals.
 */

import type { QueryBody } from '../harness/requests.ts';

/** Shorthand for a body; `extra` is added next to `from`. */
export function from(table: string, alias: string, extra: object = {}): QueryBody {
  return { from: { phyName: table, alias }, ...extra };
}

export const where = (source: string, ...params: unknown[]) => ({ expression: { source, params } });

export const joined = (type: string, entity: string, entityAlias: string, source: string, ...params: unknown[]) => ({
  type,
  entity,
  entityAlias,
  expression: { source, params },
});

const sort = (column: string, type = 'ASC') => ({ column, type });

export interface QueryCase {
  readonly name: string;
  /** Object name of the path; `Item` by default. */
  readonly table?: string;
  readonly body: QueryBody;
  /** objectIds under each alias, in order, null if an outer join found no match; space-separated, `-` for null. */
  readonly rows: Readonly<Record<string, string>>;
  /** The answer of count to the same body, if it differs from the number of rows (ranges). */
  readonly count?: number;
}

const byKind = '#t.kindId = #k.objectId';
const allItems = 'i1 i2 i3 i4 i5 i6 i7 i8 i9 ia ib ic';
const byNumber = 'i4 ia i6 i9 i1 i2 i3 ib ic i7 i8 i5';

export const queries: readonly QueryCase[] = [
  {
    name: 'a query without further members returns every row, by objectId',
    body: from('Item', 't'),
    rows: { t: allItems },
  },
  { name: 'nothing found is an empty array', body: from('Item', 't', { where: where('1 = 0') }), rows: { t: '' } },
  {
    name: 'null members count as absent',
    body: from('Item', 't', { join: null, where: null, orderBy: null, range: null }),
    rows: { t: allItems },
  },
  { name: 'empty lists count as absent', body: from('Item', 't', { join: [], orderBy: [] }), rows: { t: allItems } },

  // Any alias is a key of the answer
  ...[
    'status',
    'errCode',
    'results',
    'description',
    'order',
    'select',
    'Item',
    'constructor',
    'toString',
    'hasOwnProperty',
  ].map((alias) => ({
    name: `an alias may be called ${alias}`,
    body: from('Item', alias, { where: where(`#${alias}.n = 1`) }),
    rows: { [alias]: 'i1' },
  })),

  // Joins
  {
    name: 'inner join',
    body: from('Item', 't', { join: [joined('INNER JOIN', 'Kind', 'k', byKind)] }),
    rows: { t: 'i1 i2 i3 i6 i7 ia', k: 'k1 k1 k2 k2 k1 k3' },
  },
  {
    name: 'left join fills the missing match with nulls',
    body: from('Item', 't', { join: [joined('LEFT OUTER JOIN', 'Kind', 'k', byKind)] }),
    rows: { t: allItems, k: 'k1 k1 k2 - - k2 k1 - - k3 - -' },
  },
  {
    name: 'right join fills the missing row with nulls',
    body: from('Item', 't', { join: [joined('RIGHT OUTER JOIN', 'Kind', 'k', byKind)] }),
    rows: { t: '- i1 i2 i3 i6 i7 ia', k: 'k4 k1 k1 k2 k2 k1 k3' },
  },
  ...['LEFT JOIN', 'left outer join', 'Left Join'].map((type) => ({
    name: `"${type}" is a left join`,
    body: from('Item', 't', { where: where('#k.objectId IS NULL'), join: [joined(type, 'Kind', 'k', byKind)] }),
    rows: { t: 'i4 i5 i8 i9 ib ic', k: '- - - - - -' },
  })),
  ...['JOIN', 'join', 'inner join'].map((type) => ({
    name: `"${type}" is an inner join`,
    body: from('Item', 't', { join: [joined(type, 'Kind', 'k', byKind)] }),
    rows: { t: 'i1 i2 i3 i6 i7 ia', k: 'k1 k1 k2 k2 k1 k3' },
  })),
  ...['RIGHT JOIN', 'right outer join'].map((type) => ({
    name: `"${type}" is a right join`,
    body: from('Item', 't', { join: [joined(type, 'Kind', 'k', byKind)] }),
    rows: { t: '- i1 i2 i3 i6 i7 ia', k: 'k4 k1 k1 k2 k2 k1 k3' },
  })),
  {
    name: 'a condition in ON keeps the outer rows, the same in where drops them',
    body: from('Item', 't', {
      join: [joined('LEFT JOIN', 'Kind', 'k', `${byKind} AND #k.rank = ?`, '1')],
      where: where('#t.n > ?', '1'),
    }),
    rows: { t: 'i2 i3 i5 i7 i8 ib ic', k: 'k1 - - k1 - - -' },
  },
  {
    name: 'parameters of joins come before those of where, each list with its own source',
    body: from('Item', 't', {
      join: [
        joined('JOIN', 'Kind', 'k', `${byKind} AND #k.label = ?`, 'fruit'),
        joined('LEFT JOIN', 'Kind', 'o', '#o.rank = ?', '1'),
      ],
      where: where('#t.name = ? OR #t.name = ?', 'apple', 'a_b'),
    }),
    rows: { t: 'i1 i7', k: 'k1 k1', o: 'k1 k1' },
  },
  {
    name: 'a table joins itself',
    body: from('Item', 'a', { join: [joined('JOIN', 'Item', 'b', '#a.n = #b.n AND #a.objectId < #b.objectId')] }),
    rows: { a: 'i2 i7', b: 'i3 i8' },
  },
  {
    name: 'left join of a left join',
    body: from('Kind', 'k', {
      join: [
        joined('LEFT JOIN', 'Item', 't', `${byKind} AND #t.n = 2`),
        joined('LEFT JOIN', 'Kind', 'm', '#m.objectId = #t.kindId AND #m.rank = 1'),
      ],
    }),
    table: 'Kind',
    rows: { k: 'k1 k2 k3 k4', t: 'i2 i3 - -', m: 'k1 - - -' },
  },
  {
    name: 'right join after an inner join',
    body: from('Item', 't', {
      join: [
        joined('JOIN', 'Kind', 'k', `${byKind} AND #k.rank = 1`),
        joined('RIGHT JOIN', 'Kind', 'r', '#r.objectId = #k.objectId'),
      ],
    }),
    rows: { t: '- - - i1 i2 i7', k: '- - - k1 k1 k1', r: 'k2 k3 k4 k1 k1 k1' },
  },
  {
    name: 'a join on a constant multiplies',
    body: from('Kind', 'k', { join: [joined('JOIN', 'Kind', 'm', '1 = 1')], where: where('#k.rank = 1') }),
    table: 'Kind',
    rows: { k: 'k1 k1 k1 k1', m: 'k1 k2 k3 k4' },
  },
  {
    name: 'a later ON may use every alias before it',
    body: from('Item', 't', {
      join: [
        joined('JOIN', 'Kind', 'k', byKind),
        joined('JOIN', 'Item', 'u', '#u.kindId = #k.objectId AND #u.n > #t.n'),
      ],
    }),
    rows: { t: 'i1 i1 i2 i6', k: 'k1 k1 k1 k2', u: 'i2 i7 i7 i3' },
  },

  // Order
  {
    name: 'nulls first, ties by objectId',
    body: from('Item', 't', { orderBy: [sort('#t.n')] }),
    rows: { t: byNumber },
  },
  {
    name: 'descending: nulls last, ties by objectId',
    body: from('Item', 't', { orderBy: [sort('#t.n', 'desc')] }),
    rows: { t: 'i5 i7 i8 ic ib i2 i3 i1 i9 i6 i4 ia' },
  },
  {
    name: 'text by code point',
    body: from('Item', 't', { orderBy: [sort('#t.name', 'asc')] }),
    rows: { t: 'ia i9 ib i5 i6 i2 i8 i7 i1 i4 i3 ic' },
  },
  {
    name: 'longs over their whole range',
    body: from('Item', 't', { orderBy: [sort('#t.big')] }),
    rows: { t: 'i4 i2 i6 i3 i9 ia ib ic i7 i8 i5 i1' },
  },
  {
    name: 'decimals by value',
    body: from('Item', 't', { orderBy: [sort('#t.price')] }),
    rows: { t: 'i4 ia i6 i2 i3 i9 i1 ib ic i7 i8 i5' },
  },
  {
    name: 'doubles by value',
    body: from('Item', 't', { orderBy: [sort('#t.ratio', 'DESC')] }),
    rows: { t: 'i3 i5 i8 i7 ic ib i1 i9 i2 i6 i4 ia' },
  },
  {
    name: 'false before true, then the second key',
    body: from('Item', 't', { orderBy: [sort('#t.open'), sort('#t.n', 'DESC')] }),
    rows: { t: 'i7 i8 ic ib i4 ia i5 i2 i9 i3 i1 i6' },
  },
  {
    name: 'times as instants',
    body: from('Item', 't', { orderBy: [sort('#t.at')], where: where('#t.at IS NOT NULL') }),
    rows: { t: 'i4 i6 i1 i2 i5' },
  },
  {
    name: 'by a column of a joined table',
    body: from('Item', 't', {
      join: [joined('LEFT JOIN', 'Kind', 'k', byKind)],
      orderBy: [sort('#k.label', 'DESC'), sort('#t.n')],
    }),
    rows: { t: 'i6 i3 i1 i2 i7 i4 ia i9 ib ic i8 i5', k: 'k2 k2 k1 k1 k1 - k3 - - - - -' },
  },
  {
    name: 'ties of a join by the objectId of every alias',
    body: from('Kind', 'k', {
      join: [joined('JOIN', 'Kind', 'm', '#k.rank = #m.rank')],
      orderBy: [sort('#k.rank', 'DESC')],
    }),
    table: 'Kind',
    rows: { k: 'k2 k2 k3 k3 k1', m: 'k2 k3 k2 k3 k1' },
  },

  // Ranges
  {
    name: 'the first record',
    body: from('Item', 't', { range: { offset: '0', limit: '1' } }),
    rows: { t: 'i1' },
    count: 12,
  },
  {
    name: 'numbers in a range',
    body: from('Item', 't', { range: { offset: 1, limit: 2 } }),
    rows: { t: 'i2 i3' },
    count: 12,
  },
  {
    name: 'a range in the middle of ties',
    body: from('Item', 't', { orderBy: [sort('#t.n')], range: { offset: '5', limit: '5' } }),
    rows: { t: 'i2 i3 ib ic i7' },
    count: 12,
  },
  {
    name: 'a range past the end',
    body: from('Item', 't', { range: { offset: '12', limit: '5' } }),
    rows: { t: '' },
    count: 12,
  },
  {
    name: 'a range across the end',
    body: from('Item', 't', { range: { offset: '10', limit: '1000000' } }),
    rows: { t: 'ib ic' },
    count: 12,
  },
  {
    name: 'an offset far past the end',
    body: from('Item', 't', { range: { offset: '9007199254740991', limit: '1' } }),
    rows: { t: '' },
    count: 12,
  },
  {
    name: 'a range of a join counts result rows',
    body: from('Item', 't', { join: [joined('RIGHT JOIN', 'Kind', 'k', byKind)], range: { offset: '0', limit: '2' } }),
    rows: { t: '- i1', k: 'k4 k1' },
    count: 7,
  },
  {
    name: 'a range without rows returns an empty array under every alias',
    body: from('Item', 't', {
      join: [joined('JOIN', 'Kind', 'k', byKind)],
      where: where('1 = 0'),
      range: { offset: '0', limit: '2' },
    }),
    rows: { t: '', k: '' },
  },
];

export interface RefusedQuery {
  readonly name: string;
  readonly table?: string;
  readonly body: unknown;
  readonly code: 102 | 132 | 198;
  readonly has?: RegExp;
  /** Count ignores the range, so an invalid one is not an error there. */
  readonly rangeOnly?: true;
}

const range = (offset: unknown, limit: unknown) => from('Item', 't', { range: { offset, limit } });
const many = (count: number, item: (index: number) => unknown) =>
  Array.from({ length: count }, (_, index) => item(index));

export const refusedQueries: readonly RefusedQuery[] = [
  { name: 'no from', body: {}, code: 198, has: /from/ },
  { name: 'no phyName', body: { from: { alias: 't' } }, code: 198, has: /phyName/ },
  { name: 'no alias', body: { from: { phyName: 'Item' } }, code: 198, has: /alias/ },
  { name: 'from is a text', body: { from: 'Item' }, code: 132, has: /from/ },
  { name: 'phyName is an object', body: { from: { phyName: {}, alias: 't' } }, code: 132, has: /phyName/ },
  { name: 'the path names another table than from.phyName', body: from('Kind', 't'), code: 132, has: /Kind|Item/ },
  { name: 'an unknown table', table: 'Nothing', body: from('Nothing', 't'), code: 102, has: /Nothing/ },
  {
    name: 'an unknown table, with the nearest one',
    table: 'Itme',
    body: from('Itme', 't'),
    code: 102,
    has: /\bItem\b/,
  },
  {
    name: 'an unknown joined table',
    body: from('Item', 't', { join: [joined('JOIN', 'Nothing', 'k', '1 = 1')] }),
    code: 102,
    has: /Nothing/,
  },
  { name: 'a table of the engine', table: 'sqlite_schema', body: from('sqlite_schema', 't'), code: 102 },
  { name: 'a table of the service', table: '_audience_member', body: from('_audience_member', 't'), code: 102 },
  { name: 'a table name with a quote', table: 'Item%22', body: from('Item"', 't'), code: 102 },

  { name: 'an alias that is no name', body: from('Item', 't t'), code: 132, has: /alias/ },
  { name: 'the alias __proto__', body: from('Item', '__proto__'), code: 132, has: /alias/ },
  {
    name: 'one alias twice',
    body: from('Item', 't', { join: [joined('JOIN', 'Kind', 't', '1 = 1')] }),
    code: 132,
    has: /\bt\b/,
  },
  {
    name: 'an alias used before its join',
    body: from('Item', 't', {
      join: [joined('JOIN', 'Kind', 'k', '#m.rank = 1'), joined('JOIN', 'Kind', 'm', '1 = 1')],
    }),
    code: 132,
    has: /\bm\b/,
  },

  {
    name: 'a join without entity',
    body: from('Item', 't', {
      join: [{ type: 'JOIN', entityAlias: 'k', expression: { source: '1 = 1', params: [] } }],
    }),
    code: 198,
    has: /entity/,
  },
  {
    name: 'a join without alias',
    body: from('Item', 't', { join: [{ type: 'JOIN', entity: 'Kind', expression: { source: '1 = 1', params: [] } }] }),
    code: 198,
    has: /entityAlias/,
  },
  {
    name: 'a join without expression',
    body: from('Item', 't', { join: [{ type: 'JOIN', entity: 'Kind', entityAlias: 'k' }] }),
    code: 198,
    has: /expression/,
  },
  {
    name: 'a join without type',
    body: from('Item', 't', {
      join: [{ entity: 'Kind', entityAlias: 'k', expression: { source: '1 = 1', params: [] } }],
    }),
    code: 198,
    has: /type/,
  },
  {
    name: 'four full joins',
    body: from('Item', 't', { join: ['a', 'b', 'c', 'd'].map((alias) => joined('FULL JOIN', 'Kind', alias, '1 = 1')) }),
    code: 132,
    has: /4 full outer joins; at most 3/,
  },
  {
    name: 'a cross join',
    body: from('Item', 't', { join: [joined('CROSS JOIN', 'Kind', 'k', '1 = 1')] }),
    code: 132,
    has: /type/,
  },
  {
    name: 'SQL in the join type',
    body: from('Item', 't', { join: [joined('JOIN Kind ON 1=1 --', 'Kind', 'k', '1 = 1')] }),
    code: 132,
    has: /type/,
  },
  { name: 'join is no list', body: from('Item', 't', { join: { entity: 'Kind' } }), code: 132, has: /join/ },

  { name: 'where without expression', body: from('Item', 't', { where: {} }), code: 198, has: /where\.expression/ },
  {
    name: 'where without source',
    body: from('Item', 't', { where: { expression: { params: [] } } }),
    code: 198,
    has: /where\.expression\.source/,
  },
  {
    name: 'params is no list',
    body: from('Item', 't', { where: { expression: { source: '#t.n = ?', params: '1' } } }),
    code: 132,
    has: /params/,
  },

  {
    name: 'order by an unknown column',
    body: from('Item', 't', { orderBy: [sort('#t.nn')] }),
    code: 132,
    has: /\bnn\b/,
  },
  { name: 'order by an unknown alias', body: from('Item', 't', { orderBy: [sort('#x.n')] }), code: 132, has: /\bx\b/ },
  {
    name: 'order by an expression',
    body: from('Item', 't', { orderBy: [sort('LOWER(#t.name)')] }),
    code: 132,
    has: /orderBy/,
  },
  { name: 'order by json', body: from('Item', 't', { orderBy: [sort('#t.extra')] }), code: 132, has: /extra/ },
  { name: 'an unknown direction', body: from('Item', 't', { orderBy: [sort('#t.n', 'UP')] }), code: 132, has: /UP/ },
  {
    name: 'SQL in the direction',
    body: from('Item', 't', { orderBy: [sort('#t.n', 'ASC; DROP TABLE Item')] }),
    code: 132,
    has: /type/,
  },
  { name: 'order without column', body: from('Item', 't', { orderBy: [{ type: 'ASC' }] }), code: 198, has: /column/ },

  ...(
    [
      ['offset below 0', range('-1', '1'), 132],
      ['limit 0', range('0', '0'), 132],
      ['limit below 0', range('0', '-1'), 132],
      ['an offset that is no number', range('x', '1'), 132],
      ['an offset with a fraction', range('0.5', '1'), 132],
      ['a limit that is no number', range('0', '1; DROP'), 132],
      ['a range without limit', from('Item', 't', { range: { offset: '0' } }), 198],
      ['a range without offset', from('Item', 't', { range: { limit: '1' } }), 198],
      ['a range that is a list', from('Item', 't', { range: [] }), 132],
    ] as const
  ).map(([name, body, code]) => ({ name, body, code, has: /range|offset|limit/, rangeOnly: true as const })),

  // Bounds, each with its own message
  {
    name: '17 tables',
    body: from('Item', 't', { join: many(16, (index) => joined('JOIN', 'Kind', `k${index}`, '1 = 0')) }),
    code: 132,
    has: /16/,
  },
  {
    name: 'depth 201',
    body: from('Item', 't', { where: where(`${'('.repeat(250)}1 = 1${')'.repeat(250)}`) }),
    code: 132,
    has: /200/,
  },
  {
    name: '10001 parameters',
    body: from('Item', 't', {
      where: where(`#t.n IN (${many(10_001, () => '?').join(',')})`, ...many(10_001, () => '1')),
    }),
    code: 132,
    has: /10[ ,.]?000/,
  },
  {
    name: 'more than 64 KiB of expression',
    body: from('Item', 't', { where: where(`#t.name = '${'x'.repeat(65_536)}'`) }),
    code: 132,
    has: /65[ ,.]?536|64 KiB/,
  },
  {
    name: 'a LIKE pattern of 1001 characters',
    body: from('Item', 't', { where: where('#t.name LIKE ?', 'x'.repeat(1_001)) }),
    code: 132,
    has: /1[ ,.]?000/,
  },
  {
    name: 'a LIKE pattern of 1001 characters in the text',
    body: from('Item', 't', { where: where(`#t.name LIKE '${'x'.repeat(1_001)}'`) }),
    code: 132,
    has: /1[ ,.]?000/,
  },

  // NUL and lone surrogates
  {
    name: 'NUL in a parameter',
    body: from('Item', 't', { where: where('#t.name = ?', 'a\u0000b') }),
    code: 132,
    has: /params/,
  },
  {
    name: 'a lone surrogate in a parameter',
    body: from('Item', 't', { where: where('#t.name = ?', 'a\ud800b') }),
    code: 132,
    has: /params/,
  },
  {
    name: 'NUL in an expression',
    body: from('Item', 't', { where: where("#t.name = 'a\u0000b'") }),
    code: 132,
    has: /source/,
  },
  {
    name: 'a lone surrogate in an expression',
    body: from('Item', 't', { where: where("#t.name = '\udc00'") }),
    code: 132,
    has: /source/,
  },
  { name: 'NUL in an alias', body: from('Item', 't\u0000'), code: 132, has: /alias/ },
];

/** Values at the bounds are accepted. */
export const withinBounds: readonly { readonly name: string; readonly body: object }[] = [
  {
    name: '16 tables',
    body: from('Item', 't', {
      join: many(15, (index) => joined('JOIN', 'Kind', `k${index}`, `#k${index}.objectId = 'k1'`)),
    }),
  },
  { name: 'depth 190', body: from('Item', 't', { where: where(`${'('.repeat(190)}1 = 1${')'.repeat(190)}`) }) },
  {
    name: '10000 parameters',
    body: from('Item', 't', {
      where: where(`#t.n IN (${many(10_000, () => '?').join(',')})`, ...many(10_000, () => '1')),
    }),
  },
  {
    name: '5000 conditions in a row',
    body: from('Item', 't', { where: where(many(5_000, () => '#t.n=1').join(' OR ')) }),
  },
  {
    name: 'a LIKE pattern of 1000 characters',
    body: from('Item', 't', { where: where('#t.name LIKE ?', `${'%'.repeat(999)}e`) }),
  },
];
