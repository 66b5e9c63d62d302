/**
 * The older query on `Item` and `Kind` (tables.ts), and the expression that must find the same
 * (docs/reference/older-query.md).
 */

export interface SearchCondition {
  readonly type: unknown;
  readonly tableName: string;
  readonly columnName: string;
  readonly conditionValue: unknown;
  readonly isIgnoreCase?: unknown;
}

/** One search condition and the expression that means the same. */
export interface SameSearch {
  readonly condition: SearchCondition;
  readonly source: string;
  readonly params: readonly unknown[];
  /** Expected ids, ascending. */
  readonly ids: string;
}

const on = (columnName: string, type: unknown, conditionValue: unknown, isIgnoreCase?: unknown): SearchCondition => ({
  type,
  tableName: 'Item',
  columnName,
  conditionValue,
  ...(isIgnoreCase === undefined ? {} : { isIgnoreCase }),
});

export const sameSearches: readonly SameSearch[] = [
  { condition: on('n', 1, ['2']), source: '#t.n = ?', params: ['2'], ids: 'i2 i3' },
  { condition: on('n', '1', [2]), source: '#t.n = ?', params: ['2'], ids: 'i2 i3' },
  { condition: on('n', 2, ['2']), source: '#t.n <> ?', params: ['2'], ids: 'i1 i5 i6 i7 i8 i9 ib ic' },
  { condition: on('name', 3, ['a%']), source: '#t.name LIKE ?', params: ['a%'], ids: 'i1 i7 i8' },
  { condition: on('name', 3, ['_x']), source: '#t.name LIKE ?', params: ['_x'], ids: 'ic' },
  { condition: on('n', 4, ['4']), source: '#t.n > ?', params: ['4'], ids: 'i5 i7 i8' },
  { condition: on('n', 5, ['4']), source: '#t.n >= ?', params: ['4'], ids: 'i5 i7 i8 ic' },
  { condition: on('n', 6, ['1']), source: '#t.n < ?', params: ['1'], ids: 'i6 i9' },
  { condition: on('n', 7, ['1']), source: '#t.n <= ?', params: ['1'], ids: 'i1 i6 i9' },
  {
    condition: on('n', 8, ['1', '2', '10']),
    source: '#t.n IN (?, ?, ?)',
    params: ['1', '2', '10'],
    ids: 'i1 i2 i3 i5',
  },
  { condition: on('n', 8, ['1']), source: '#t.n IN (?)', params: ['1'], ids: 'i1' },
  { condition: on('n', 9, []), source: '#t.n IS NULL', params: [], ids: 'i4 ia' },
  { condition: on('extra', 9, []), source: '#t.extra IS NULL', params: [], ids: 'i2 i5 i6 i7 i8 i9 ia ib ic' },
  { condition: on('name', 1, ['apple'], 'false'), source: '#t.name = ?', params: ['apple'], ids: 'i1' },
  { condition: on('name', 1, ['APPLE'], 'true'), source: 'LOWER(#t.name) = LOWER(?)', params: ['APPLE'], ids: 'i1 i2' },
  { condition: on('name', 1, ['äPFEL'], 'true'), source: 'LOWER(#t.name) = LOWER(?)', params: ['äPFEL'], ids: 'i3 i4' },
  { condition: on('name', 1, ['ÄPFEL'], true), source: "LOWER(#t.name) = 'äpfel'", params: [], ids: 'i3 i4' },
  {
    condition: on('name', 2, ['ÄPFEL'], 'true'),
    source: "LOWER(#t.name) <> 'äpfel'",
    params: [],
    ids: 'i1 i2 i5 i6 i7 i8 i9 ib ic',
  },
  { condition: on('name', 3, ['Ä%'], 'true'), source: "LOWER(#t.name) LIKE 'ä%'", params: [], ids: 'i3 i4' },
  {
    condition: on('name', 8, ['APPLE', 'äPFEL'], 'true'),
    source: "LOWER(#t.name) IN ('apple', 'äpfel')",
    params: [],
    ids: 'i1 i2 i3 i4',
  },
  { condition: on('price', 5, ['7.01']), source: '#t.price >= ?', params: ['7.01'], ids: 'i5 i8' },
  {
    condition: on('at', 1, ['2014-01-23T07:44:36.516Z']),
    source: '#t.at = ?',
    params: ['2014-01-23T07:44:36.516Z'],
    ids: 'i1',
  },
  { condition: on('open', 1, ['true']), source: '#t.open = ?', params: ['true'], ids: 'i1 i3 i6' },
  {
    condition: on('big', 4, ['9223372036854775806']),
    source: '#t.big > ?',
    params: ['9223372036854775806'],
    ids: 'i1',
  },
  { condition: on('objectId', 8, ['i1', 'ic']), source: '#t.objectId IN (?, ?)', params: ['i1', 'ic'], ids: 'i1 ic' },
];

export interface OlderCase {
  readonly name: string;
  readonly body: object;
  /** Each element of results: table → objectIds in order, `-` if an outer join found no match. */
  readonly results: readonly Readonly<Record<string, string>>[];
  readonly counter: number;
  readonly pageIndex?: number;
  readonly totalPage?: number;
}

const item = (more: object = {}) => ({ objectNames: ['Item'], returnedObjectNames: ['Item'], ...more });
const groups = (...whereConditions: object[]) => item({ condition: { whereConditions } });
const group = (type: string | undefined, ...searchConditions: SearchCondition[]) => ({
  searchConditions,
  ...(type === undefined ? {} : { type }),
});
const join = (joinType: unknown, more: object = {}) => ({
  joinType,
  joinObjectName: 'Kind',
  joinColumn: 'objectId',
  baseObjectName: 'Item',
  baseColumn: 'kindId',
  ...more,
});
const rank = (type: number, value: string) => ({
  type,
  tableName: 'Kind',
  columnName: 'rank',
  conditionValue: [value],
});
const order = (columnName: string, conditionValue: unknown, tableName = 'Item') => ({
  columnName,
  conditionValue,
  tableName,
});
const allItems = 'i1 i2 i3 i4 i5 i6 i7 i8 i9 ia ib ic';

export const olderQueries: readonly OlderCase[] = [
  { name: 'all records', body: item(), results: [{ Item: allItems }], counter: 12, pageIndex: 1, totalPage: 1 },
  {
    name: 'a single table as a plain text',
    body: { objectNames: 'Item', returnedObjectNames: ['Item'] },
    results: [{ Item: allItems }],
    counter: 12,
  },
  { name: 'recordId', body: item({ recordId: 'i5' }), results: [{ Item: 'i5' }], counter: 1 },
  { name: 'an unknown recordId', body: item({ recordId: 'nobody' }), results: [{ Item: '' }], counter: 0 },
  { name: 'an empty condition', body: item({ condition: {} }), results: [{ Item: allItems }], counter: 12 },
  {
    name: 'empty lists of conditions',
    body: item({ condition: { sortConditions: [], whereConditions: [], joinConditions: [] } }),
    results: [{ Item: allItems }],
    counter: 12,
  },

  {
    name: 'pages: the first',
    body: item({ maxRecord: 5, pageIndex: 1 }),
    results: [{ Item: 'i1 i2 i3 i4 i5' }],
    counter: 12,
    pageIndex: 1,
    totalPage: 3,
  },
  {
    name: 'pages: the second, sent as text',
    body: item({ maxRecord: '5', pageIndex: '2' }),
    results: [{ Item: 'i6 i7 i8 i9 ia' }],
    counter: 12,
    pageIndex: 2,
    totalPage: 3,
  },
  {
    name: 'pages: the last',
    body: item({ maxRecord: 5, pageIndex: 3 }),
    results: [{ Item: 'ib ic' }],
    counter: 12,
    pageIndex: 3,
    totalPage: 3,
  },
  {
    name: 'pages: past the last',
    body: item({ maxRecord: 5, pageIndex: 4 }),
    results: [{ Item: '' }],
    counter: 12,
    pageIndex: 4,
    totalPage: 3,
  },
  {
    name: 'pages: exactly full',
    body: item({ maxRecord: 4, pageIndex: 3 }),
    results: [{ Item: 'i9 ia ib ic' }],
    counter: 12,
    totalPage: 3,
  },
  {
    name: 'maxRecord without pageIndex answers the first page',
    body: item({ maxRecord: 2 }),
    results: [{ Item: 'i1 i2' }],
    counter: 12,
    pageIndex: 1,
    totalPage: 6,
  },
  { name: 'the largest maxRecord', body: item({ maxRecord: 10_000 }), results: [{ Item: allItems }], counter: 12 },

  {
    name: 'sorted ascending, nulls first',
    body: item({ condition: { sortConditions: [order('n', 1)] } }),
    results: [{ Item: 'i4 ia i6 i9 i1 i2 i3 ib ic i7 i8 i5' }],
    counter: 12,
  },
  {
    name: 'sorted descending, sent as text',
    body: item({ condition: { sortConditions: [order('n', '2')] } }),
    results: [{ Item: 'i5 i7 i8 ic ib i2 i3 i1 i9 i6 i4 ia' }],
    counter: 12,
  },
  {
    name: 'two sort keys and a page',
    body: item({ maxRecord: 4, pageIndex: 2, condition: { sortConditions: [order('open', 1), order('n', 2)] } }),
    results: [{ Item: 'i4 ia i5 i2' }],
    counter: 12,
    totalPage: 3,
  },

  {
    name: 'conditions of one group are joined by AND',
    body: groups(group('AND', on('n', 5, ['1']), on('n', 6, ['4']), on('open', 1, ['true']))),
    results: [{ Item: 'i1 i3' }],
    counter: 2,
  },
  {
    name: 'the type of a group combines it with the next: OR',
    body: groups(group('OR', on('n', 1, ['1'])), group('AND', on('n', 1, ['10']))),
    results: [{ Item: 'i1 i5' }],
    counter: 2,
  },
  {
    name: 'the type of a group combines it with the next: AND',
    body: groups(group('AND', on('n', 1, ['2'])), group('OR', on('name', 1, ['Apple']))),
    results: [{ Item: 'i2' }],
    counter: 1,
  },
  {
    name: 'groups have the precedence of SQL: a OR (b AND c)',
    body: groups(
      group('OR', on('n', 1, ['1'])),
      group('AND', on('n', 1, ['2'])),
      group('AND', on('name', 1, ['Apple'])),
    ),
    results: [{ Item: 'i1 i2' }],
    counter: 2,
  },
  {
    name: 'groups have the precedence of SQL: (a AND b) OR c',
    body: groups(
      group('AND', on('n', 1, ['2'])),
      group('OR', on('name', 1, ['Apple'])),
      group('AND', on('n', 1, ['1'])),
    ),
    results: [{ Item: 'i1 i2' }],
    counter: 2,
  },
  {
    name: 'keywords in any case',
    body: groups(group('or', on('n', 1, ['1'])), group('and', on('n', 1, ['10']))),
    results: [{ Item: 'i1 i5' }],
    counter: 2,
  },
  {
    name: 'the last group needs no type',
    body: groups(group('OR', on('n', 1, ['1'])), group(undefined, on('n', 1, ['10']))),
    results: [{ Item: 'i1 i5' }],
    counter: 2,
  },

  {
    name: 'inner join, one element per returned table, in the order asked for',
    body: {
      objectNames: ['Item', 'Kind'],
      returnedObjectNames: ['Kind', 'Item'],
      condition: { joinConditions: [join(1)] },
    },
    results: [{ Kind: 'k1 k1 k2 k2 k1 k3' }, { Item: 'i1 i2 i3 i6 i7 ia' }],
    counter: 6,
  },
  {
    name: 'left join',
    body: {
      objectNames: ['Item', 'Kind'],
      returnedObjectNames: ['Item', 'Kind'],
      condition: { joinConditions: [join('2')] },
    },
    results: [{ Item: allItems }, { Kind: 'k1 k1 k2 - - k2 k1 - - k3 - -' }],
    counter: 12,
  },
  {
    name: 'a joined table need not be in objectNames',
    body: { objectNames: ['Item'], returnedObjectNames: ['Item', 'Kind'], condition: { joinConditions: [join(1)] } },
    results: [{ Item: 'i1 i2 i3 i6 i7 ia' }, { Kind: 'k1 k1 k2 k2 k1 k3' }],
    counter: 6,
  },
  {
    name: 'only the base table of a join is returned, one record per row',
    body: { objectNames: ['Item', 'Kind'], returnedObjectNames: ['Kind'], condition: { joinConditions: [join(1)] } },
    results: [{ Kind: 'k1 k1 k2 k2 k1 k3' }],
    counter: 6,
  },
  {
    name: 'whereConditions of a join belong to its ON',
    body: {
      objectNames: ['Item', 'Kind'],
      returnedObjectNames: ['Item', 'Kind'],
      condition: {
        joinConditions: [join(2, { whereConditions: [group('AND', rank(1, '1') as SearchCondition)] })],
        whereConditions: [group('AND', on('n', 4, ['1']))],
      },
    },
    results: [{ Item: 'i2 i3 i5 i7 i8 ib ic' }, { Kind: 'k1 - - k1 - - -' }],
    counter: 7,
  },
  {
    name: 'a condition on the joined table in where',
    body: {
      objectNames: ['Item', 'Kind'],
      returnedObjectNames: ['Item'],
      condition: { joinConditions: [join(2)], whereConditions: [group('AND', rank(1, '1') as SearchCondition)] },
    },
    results: [{ Item: 'i1 i2 i7' }],
    counter: 3,
  },
  {
    name: 'sorted by the joined table, a page',
    body: {
      objectNames: ['Item', 'Kind'],
      returnedObjectNames: ['Item', 'Kind'],
      maxRecord: 2,
      pageIndex: 2,
      condition: { joinConditions: [join(1)], sortConditions: [order('rank', 2, 'Kind'), order('n', 1)] },
    },
    results: [{ Item: 'i3 i1' }, { Kind: 'k2 k1' }],
    counter: 6,
    totalPage: 3,
  },
  {
    name: 'recordId applies to the first table',
    body: {
      objectNames: ['Item', 'Kind'],
      returnedObjectNames: ['Item', 'Kind'],
      recordId: 'i3',
      condition: { joinConditions: [join(1)] },
    },
    results: [{ Item: 'i3' }, { Kind: 'k2' }],
    counter: 1,
  },
  {
    name: 'recordId with a condition that does not hold',
    body: item({ recordId: 'i1', condition: { whereConditions: [group('AND', on('n', 1, ['2']))] } }),
    results: [{ Item: '' }],
    counter: 0,
  },
];

export interface RefusedOlder {
  readonly name: string;
  readonly body: unknown;
  readonly code: 102 | 132 | 198;
  readonly has?: RegExp;
}

const search = (condition: object) => groups(group('AND', condition as SearchCondition));

export const refusedOlder: readonly RefusedOlder[] = [
  { name: 'no objectNames', body: { returnedObjectNames: ['Item'] }, code: 198, has: /objectNames/ },
  { name: 'no returnedObjectNames', body: { objectNames: ['Item'] }, code: 198, has: /returnedObjectNames/ },
  {
    name: 'an unknown table',
    body: { objectNames: ['Nothing'], returnedObjectNames: ['Nothing'] },
    code: 102,
    has: /Nothing/,
  },
  {
    name: 'an unknown joined table',
    body: item({ condition: { joinConditions: [join(1, { joinObjectName: 'Nothing' })] } }),
    code: 102,
    has: /Nothing/,
  },
  {
    name: 'a returned table that is not part of the query',
    body: { objectNames: ['Item'], returnedObjectNames: ['Kind'] },
    code: 132,
    has: /Kind/,
  },
  {
    name: 'two tables without a join between them',
    body: { objectNames: ['Item', 'Kind'], returnedObjectNames: ['Item'] },
    code: 132,
    has: /join/i,
  },
  {
    name: 'a self-join points to the expression form',
    body: {
      objectNames: ['Item'],
      returnedObjectNames: ['Item'],
      condition: { joinConditions: [join(1, { joinObjectName: 'Item' })] },
    },
    code: 132,
    has: /data\/query\/|expression/i,
  },
  {
    name: 'a right join',
    body: { objectNames: ['Item', 'Kind'], returnedObjectNames: ['Item'], condition: { joinConditions: [join(3)] } },
    code: 132,
    has: /joinType/,
  },
  {
    name: 'a join on an unknown column',
    body: {
      objectNames: ['Item', 'Kind'],
      returnedObjectNames: ['Item'],
      condition: { joinConditions: [join(1, { joinColumn: 'nope' })] },
    },
    code: 132,
    has: /nope/,
  },
  {
    name: 'a join on an unknown base column',
    body: {
      objectNames: ['Item', 'Kind'],
      returnedObjectNames: ['Item'],
      condition: { joinConditions: [join(1, { baseColumn: 'kindid' })] },
    },
    code: 132,
    has: /kindId/,
  },
  {
    name: 'a join without joinColumn',
    body: {
      objectNames: ['Item', 'Kind'],
      returnedObjectNames: ['Item'],
      condition: { joinConditions: [{ ...join(1), joinColumn: undefined }] },
    },
    code: 198,
    has: /joinColumn/,
  },

  { name: 'type 1 with two values', body: search(on('n', 1, ['1', '2'])), code: 132, has: /conditionValue/ },
  { name: 'type 7 with no value', body: search(on('n', 7, [])), code: 132, has: /conditionValue/ },
  { name: 'type 8 with no value', body: search(on('n', 8, [])), code: 132, has: /conditionValue/ },
  { name: 'type 9 with a value', body: search(on('n', 9, ['1'])), code: 132, has: /conditionValue/ },
  { name: 'type 0', body: search(on('n', 0, ['1'])), code: 132, has: /type/ },
  { name: 'type 10', body: search(on('n', 10, ['1'])), code: 132, has: /type/ },
  { name: 'type of SQL', body: search(on('n', '1 OR 1=1', ['1'])), code: 132, has: /type/ },
  { name: 'an unknown column with the nearest one', body: search(on('nmae', 1, ['1'])), code: 132, has: /\bname\b/ },
  { name: 'a hidden column', body: search(on('_audience', 1, ['a'])), code: 132 },
  { name: 'SQL in a column name', body: search(on('n = 1 OR 1', 1, ['1'])), code: 132 },
  {
    name: 'a condition on a table that is not part of the query',
    body: search({ ...on('rank', 1, ['1']), tableName: 'Kind' }),
    code: 132,
    has: /Kind/,
  },
  { name: 'a value that does not fit', body: search(on('n', 1, ['abc'])), code: 132, has: /abc/ },
  { name: 'a condition on json', body: search(on('extra', 1, ['{}'])), code: 132, has: /extra/ },
  {
    name: 'an isIgnoreCase that is not a bool',
    body: search(on('name', 1, ['a'], 'perhaps')),
    code: 132,
    has: /isIgnoreCase/,
  },
  {
    name: 'a condition without columnName',
    body: search({ type: 1, tableName: 'Item', conditionValue: ['1'] }),
    code: 198,
    has: /columnName/,
  },
  {
    name: 'a condition without tableName',
    body: search({ type: 1, columnName: 'n', conditionValue: ['1'] }),
    code: 198,
    has: /tableName/,
  },
  {
    name: 'a condition without type',
    body: search({ tableName: 'Item', columnName: 'n', conditionValue: ['1'] }),
    code: 198,
    has: /type/,
  },
  {
    name: 'a condition without conditionValue',
    body: search({ type: 1, tableName: 'Item', columnName: 'n' }),
    code: 198,
    has: /conditionValue/,
  },
  {
    name: 'a group type that is not a word',
    body: groups(group('XOR', on('n', 1, ['1'])), group('AND', on('n', 1, ['2']))),
    code: 132,
    has: /XOR/,
  },

  { name: 'pageIndex 0', body: item({ pageIndex: 0 }), code: 132, has: /pageIndex/ },
  { name: 'pageIndex below 0', body: item({ pageIndex: -1 }), code: 132, has: /pageIndex/ },
  { name: 'maxRecord 0', body: item({ maxRecord: 0 }), code: 132, has: /maxRecord/ },
  { name: 'maxRecord 10001', body: item({ maxRecord: 10_001 }), code: 132, has: /10[ ,.]?000/ },
  { name: 'a maxRecord that is not a number', body: item({ maxRecord: 'all' }), code: 132, has: /maxRecord/ },
  {
    name: 'an unknown direction',
    body: item({ condition: { sortConditions: [order('n', 3)] } }),
    code: 132,
    has: /conditionValue/,
  },
  {
    name: 'sorted by an unknown column',
    body: item({ condition: { sortConditions: [order('nn', 1)] } }),
    code: 132,
    has: /\bnn\b/,
  },
  {
    name: 'sorted by json',
    body: item({ condition: { sortConditions: [order('extra', 1)] } }),
    code: 132,
    has: /extra/,
  },
  { name: 'scope 4', body: item({ condition: { scope: 4 } }), code: 132, has: /scope/ },
  { name: 'scope 0', body: item({ condition: { scope: 0 } }), code: 132, has: /scope/ },
  { name: 'NUL in a recordId', body: item({ recordId: 'a\u0000' }), code: 132, has: /recordId/ },
  { name: 'a lone surrogate in a value', body: search(on('name', 1, ['\ud800'])), code: 132, has: /conditionValue/ },
];
