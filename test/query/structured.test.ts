/**
 * The older query form (docs/reference/older-query.md): the meaning of each part, as an equivalent expression form.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaults } from '../../src/config.ts';
import { ServiceError } from '../../src/errors.ts';
import type { ExpressionForm } from '../../src/query/expression-form.ts';
import type { ConditionGroup, SearchCondition } from '../../src/query/structured/conditions.ts';
import { readStructuredForm, type StructuredForm } from '../../src/query/structured/form.ts';
import type { JoinCondition } from '../../src/query/structured/joins.ts';
import { openWorld, table, types } from './world.ts';

const world = await openWorld(
  table('Item', {
    name: types.varchar(60),
    n: types.integer,
    price: types.decimal(10, 2),
    kindId: types.text,
    open: types.bool,
  }),
  table('Kind', { label: types.varchar(60), rank: types.integer, ownerId: types.text }),
  table('Owner', { name: types.varchar(60) }),
);
const names = ['apple', 'Apple', 'ÄPFEL', 'äpfel', '100%', null];
for (let index = 0; index < 24; index++) {
  await world.insert('Item', {
    objectId: `i${String.fromCharCode(97 + index)}`,
    name: names[index % 6],
    n: index % 5 === 4 ? null : index % 5,
    price: `${index % 3}.50`,
    kindId: index % 4 === 3 ? null : `k${index % 7}`,
    open: index % 2 === 0,
  });
}
for (let index = 0; index < 5; index++) {
  await world.insert('Kind', {
    objectId: `k${index}`,
    label: `l${index % 3}`,
    rank: index % 2,
    ownerId: `o${index % 2}`,
  });
}
for (const objectId of ['o0', 'o2']) await world.insert('Owner', { objectId, name: objectId });

const on = (
  columnName: string,
  type: number,
  values: readonly unknown[] | undefined,
  more: Partial<SearchCondition> = {},
): SearchCondition => ({
  type,
  tableName: 'Item',
  columnName,
  ...(values === undefined ? {} : { conditionValue: values }),
  ...more,
});
const group = (type: string | undefined, ...searchConditions: SearchCondition[]): ConditionGroup => ({
  searchConditions,
  ...(type === undefined ? {} : { type }),
});
const items = (condition: StructuredForm['condition'] = {}, more: Partial<StructuredForm> = {}): StructuredForm => ({
  objectNames: ['Item'],
  returnedObjectNames: ['Item'],
  condition,
  ...more,
});
const search = (...conditions: SearchCondition[]) => items({ whereConditions: [group(undefined, ...conditions)] });

const from = { phyName: 'Item', alias: 'Item' };
const where = (source: string, ...params: unknown[]) => ({ where: { expression: { source, params } } });
const join = (type: string, entity: string, source: string, ...params: unknown[]) => ({
  type,
  entity,
  entityAlias: entity,
  expression: { source, params },
});

const toKind = (more: Partial<JoinCondition> = {}): JoinCondition => ({
  joinType: 1,
  joinObjectName: 'Kind',
  joinColumn: 'objectId',
  baseObjectName: 'Item',
  baseColumn: 'kindId',
  ...more,
});
const toOwner: JoinCondition = {
  joinType: 2,
  joinObjectName: 'Owner',
  joinColumn: 'objectId',
  baseObjectName: 'Kind',
  baseColumn: 'ownerId',
};
const byKind = '#Kind.objectId = #Item.kindId';
const byOwner = '#Owner.objectId = #Kind.ownerId';
const both = ['Item', 'Kind'];

const same: readonly (readonly [string, StructuredForm, ExpressionForm])[] = [
  ['all', items(), { from }],
  ['names as plain text', { objectNames: 'Item', returnedObjectNames: 'Item' }, { from }],
  ['1 equal', search(on('n', 1, ['2'])), { from, ...where('#Item.n = 2') }],
  ['1 equal, a number', search(on('n', 1, [2])), { from, ...where('#Item.n = 2') }],
  ['1 equal, a boolean', search(on('open', 1, [true])), { from, ...where('#Item.open') }],
  ['1 equal, null is never equal', search(on('n', 1, [null])), { from, ...where('1 = 0') }],
  ['2 not equal', search(on('n', 2, ['2'])), { from, ...where('#Item.n <> 2') }],
  ['3 like', search(on('name', 3, ['a%e'])), { from, ...where("#Item.name LIKE 'a%e'") }],
  ['3 like, without escape', search(on('name', 3, ['100\\%'])), { from, ...where('1 = 0') }],
  ['4 greater', search(on('n', 4, ['2'])), { from, ...where('#Item.n > 2') }],
  ['5 greater or equal', search(on('price', 5, ['1.5'])), { from, ...where('#Item.price >= 1.50') }],
  ['6 less', search(on('n', 6, ['2'])), { from, ...where('#Item.n < 2') }],
  ['7 less or equal', search(on('n', 7, ['2'])), { from, ...where('#Item.n <= 2') }],
  ['8 in', search(on('n', 8, ['1', 3])), { from, ...where('#Item.n IN (1, 3)') }],
  ['9 is null', search(on('n', 9, [])), { from, ...where('#Item.n IS NULL') }],
  ['9 is null, values left out', search(on('name', 9, undefined)), { from, ...where('#Item.name IS NULL') }],
  [
    'ignoring case: equal',
    search(on('name', 1, ['APPLE'], { isIgnoreCase: 'true' })),
    { from, ...where("LOWER(#Item.name) = 'apple'") },
  ],
  [
    'ignoring case: not equal',
    search(on('name', 2, ['äPFEL'], { isIgnoreCase: true })),
    { from, ...where("LOWER(#Item.name) <> 'äpfel'") },
  ],
  [
    'ignoring case: like',
    search(on('name', 3, ['Ä%L'], { isIgnoreCase: 'TRUE' })),
    { from, ...where("LOWER(#Item.name) LIKE 'ä%l'") },
  ],
  [
    'ignoring case: in',
    search(on('name', 8, ['APPLE', '100%'], { isIgnoreCase: 'true' })),
    { from, ...where("LOWER(#Item.name) IN ('apple', '100%')") },
  ],
  [
    'ignoring case: greater',
    search(on('name', 4, ['APPLE'], { isIgnoreCase: 'true' })),
    { from, ...where("LOWER(#Item.name) > 'apple'") },
  ],
  [
    'ignoring case means nothing for numbers',
    search(on('n', 1, ['2'], { isIgnoreCase: 'true' })),
    { from, ...where('#Item.n = 2') },
  ],
  [
    'minding case',
    search(on('name', 1, ['Apple'], { isIgnoreCase: 'false' })),
    { from, ...where("#Item.name = 'Apple'") },
  ],

  [
    'conditions of a group',
    search(on('n', 5, ['1']), on('open', 1, ['false'])),
    { from, ...where('#Item.n >= 1 AND NOT #Item.open') },
  ],
  [
    'groups: a OR b AND c',
    items({
      whereConditions: [
        group('or', on('n', 1, ['1'])),
        group('And', on('n', 1, ['2'])),
        group('OR', on('open', 1, ['1'])),
      ],
    }),
    { from, ...where('#Item.n = 1 OR #Item.n = 2 AND #Item.open') },
  ],
  [
    'groups: a AND b OR c',
    items({
      whereConditions: [
        group('AND', on('n', 1, ['2']), on('open', 1, ['1'])),
        group('OR', on('price', 1, ['0.50'])),
        group(undefined, on('n', 9, [])),
      ],
    }),
    { from, ...where('#Item.n = 2 AND #Item.open AND #Item.price = 0.5 OR #Item.n IS NULL') },
  ],
  ['recordId', items({}, { recordId: 'ic' }), { from, ...where("#Item.objectId = 'ic'") }],
  ['empty recordId', items({}, { recordId: '' }), { from }],
  [
    'recordId and alternatives',
    items({ whereConditions: [group('OR', on('n', 1, ['1'])), group('', on('n', 1, ['2']))] }, { recordId: 'ib' }),
    { from, ...where("(#Item.n = 1 OR #Item.n = 2) AND #Item.objectId = 'ib'") },
  ],
  [
    'sorted',
    items({
      sortConditions: [
        { conditionValue: 2, tableName: 'Item', columnName: 'n' },
        { conditionValue: 1, tableName: 'Item', columnName: 'name' },
      ],
    }),
    { from, orderBy: [{ column: '#Item.n', type: 'DESC' }, { column: '#Item.name' }] },
  ],
  ['a page', items({}, { maxRecord: 5, pageIndex: 3 }), { from, range: { offset: 10, limit: 5 } }],

  [
    'inner join',
    { objectNames: both, returnedObjectNames: both, condition: { joinConditions: [toKind()] } },
    { from, join: [join('JOIN', 'Kind', byKind)] },
  ],
  [
    'left join, with its conditions in the ON',
    {
      objectNames: both,
      returnedObjectNames: both,
      condition: {
        joinConditions: [
          toKind({
            joinType: 2,
            whereConditions: [
              group('OR', on('rank', 1, ['1'], { tableName: 'Kind' })),
              group('AND', on('n', 1, ['3'])),
            ],
          }),
        ],
        whereConditions: [group('AND', on('n', 2, ['0']))],
      },
    },
    {
      from,
      join: [join('LEFT JOIN', 'Kind', `${byKind} AND (#Kind.rank = ? OR #Item.n = ?)`, '1', '3')],
      ...where('#Item.n <> ?', '0'),
    },
  ],
  [
    'joins in the order of their bases, whatever order they came in',
    {
      objectNames: ['Item', 'Kind', 'Owner'],
      returnedObjectNames: ['Item', 'Owner', 'Kind'],
      condition: { joinConditions: [toOwner, toKind({ joinType: 2 })] },
    },
    { from, join: [join('LEFT JOIN', 'Kind', byKind), join('LEFT JOIN', 'Owner', byOwner)] },
  ],
  [
    'a query begins with the table that no join brings',
    {
      objectNames: ['Kind', 'Item'],
      returnedObjectNames: both,
      condition: { joinConditions: [toKind({ joinType: 2 })] },
    },
    { from, join: [join('LEFT JOIN', 'Kind', byKind)] },
  ],
  [
    'joined tables that objectNames leaves out',
    { objectNames: 'Item', returnedObjectNames: both, condition: { joinConditions: [toKind()] } },
    { from, join: [join('JOIN', 'Kind', byKind)] },
  ],
  [
    'recordId means the table that is named first, also when the query begins with another',
    {
      objectNames: ['Kind', 'Item'],
      returnedObjectNames: both,
      recordId: 'k1',
      condition: { joinConditions: [toKind()] },
    },
    { from, join: [join('JOIN', 'Kind', byKind)], ...where("#Kind.objectId = 'k1'") },
  ],
];

for (const [name, older, newer] of same) {
  test(`older form: ${name}`, async () => {
    const expected = await world.query(newer);
    const actual = await world.older(older);
    for (const key of Object.keys(actual)) assert.deepEqual(actual[key], expected[key]);
  });
}

test('only the requested tables are returned, in the requested order, each once', async () => {
  const form = { objectNames: both, condition: { joinConditions: [toKind()] } };
  assert.deepEqual(Object.keys(await world.older({ ...form, returnedObjectNames: ['Kind', 'Item', 'Kind'] })), [
    'Kind',
    'Item',
  ]);
  assert.deepEqual(Object.keys(await world.older({ ...form, returnedObjectNames: 'Kind' })), ['Kind']);
  assert.equal(
    (await world.older({ ...form, returnedObjectNames: 'Kind' })).Kind!.length,
    (await world.older({ ...form, returnedObjectNames: 'Item' })).Item!.length,
  );
});

test('page and scope', async () => {
  const read = (form: StructuredForm) => {
    const { page, scope, query } = readStructuredForm(form, defaults);
    return { ...page, scope, ranged: query.ranged };
  };
  assert.deepEqual(read(items()), { pageIndex: 1, maxRecord: 1_000, scope: 3, ranged: true });
  assert.deepEqual(read(items({ scope: 1 }, { maxRecord: 10_000, pageIndex: 7 })), {
    pageIndex: 7,
    maxRecord: 10_000,
    scope: 1,
    ranged: true,
  });
  const whole = { pageIndex: 1, maxRecord: Number.MAX_SAFE_INTEGER, scope: 2, ranged: false };
  assert.deepEqual(read(items({ scope: 2 }, { recordId: 'ia', maxRecord: 1, pageIndex: 9 })), whole);
  const small = readStructuredForm(items(), { ...defaults, maxRecordMax: 50 });
  assert.equal(small.page.maxRecord, 50);
});

const pointer = 'write it with aliases, as POST /data/query/{objectName} takes them.';
const first = 'condition.whereConditions[0].searchConditions[0]';

const refused: readonly (readonly [string, StructuredForm, ServiceError['reason'], string])[] = [
  ['no objectNames', items({}, { objectNames: [] }), 'missing', 'objectNames: expected a value, got none.'],
  ['an empty name', items({}, { objectNames: ['Item', ''] }), 'missing', 'objectNames[1]: expected a value, got none.'],
  [
    'no returnedObjectNames',
    items({}, { returnedObjectNames: '' }),
    'missing',
    'returnedObjectNames: expected a value, got none.',
  ],
  [
    'an unknown table',
    { objectNames: 'Itme', returnedObjectNames: 'Itme' },
    'noTable',
    'objectNames: table "Itme" is not defined; did you mean "Item"?',
  ],
  [
    'a returned table of no query',
    items({}, { returnedObjectNames: ['Item', 'Kind'] }),
    132,
    'returnedObjectNames[1]: the query has no table "Kind".',
  ],
  [
    'tables without a join',
    items({}, { objectNames: both }),
    132,
    'objectNames: no join leads from table "Item" to "Kind"; tables are never multiplied, so a condition.joinConditions entry is needed.',
  ],
  [
    'self-join',
    items({ joinConditions: [toKind({ joinObjectName: 'Item' })] }),
    132,
    `condition.joinConditions[0]: this form can't join "Item" with itself; ${pointer}`,
  ],
  [
    'a table joined twice',
    items({ joinConditions: [toKind(), toKind({ joinColumn: 'label' })] }),
    132,
    `condition.joinConditions[1]: this form can't join "Kind" a second time; ${pointer}`,
  ],
  [
    'joins in a circle',
    {
      objectNames: both,
      returnedObjectNames: both,
      condition: { joinConditions: [toKind(), toKind({ joinObjectName: 'Item', baseObjectName: 'Kind' })] },
    },
    132,
    'condition.joinConditions[1]: the query already has table "Item" before its base table "Kind" is joined.',
  ],
  [
    'a base that is not there',
    items({ joinConditions: [toOwner] }),
    132,
    'condition.joinConditions[0]: no join leads from table "Item" to its base table "Kind".',
  ],
  [
    'joinType',
    items({ joinConditions: [toKind({ joinType: 3 })] }),
    132,
    'condition.joinConditions[0].joinType: expected 1 (inner) or 2 (left outer), got 3.',
  ],
  [
    'an unknown join column',
    items({ joinConditions: [toKind({ joinColumn: 'objectid' })] }),
    132,
    'condition.joinConditions[0]: unknown column "objectid" of table "Kind"; did you mean "objectId"?',
  ],
  [
    'join columns that cannot be compared',
    items({ joinConditions: [toKind({ baseColumn: 'n' })] }),
    132,
    'condition.joinConditions[0]: the column "n" of table "Item" (integer) can\'t be compared with the column "objectId" of table "Kind" (varchar(200)): they are of different kinds.',
  ],
  [
    'an ON that refers to a later table',
    items({
      joinConditions: [toKind({ whereConditions: [group('', on('name', 1, ['x'], { tableName: 'Owner' }))] }), toOwner],
    }),
    132,
    'condition.joinConditions[0].whereConditions[0].searchConditions[0]: the alias "Owner" is joined later; a join\'s expression refers to the tables up to its own.',
  ],
  [
    'a condition on another table',
    search(on('n', 1, ['1'], { tableName: 'item' })),
    132,
    `${first}.tableName: the query has no table "item"; did you mean "Item"?`,
  ],
  [
    'a condition on an unknown column',
    search(on('nn', 1, ['1'])),
    132,
    `${first}: unknown column "nn" of table "Item"; did you mean "n"?`,
  ],
  [
    'a condition of an unknown type',
    search(on('n', 10, ['1'])),
    132,
    `${first}.type: expected a number from 1 to 9, got 10.`,
  ],
  ['no value', search(on('n', 1, [])), 132, `${first}.conditionValue: expected exactly one value for type 1, got 0.`],
  ['values left out', search(on('n', 1, undefined)), 'missing', `${first}.conditionValue: expected a value, got none.`],
  [
    'two values',
    search(on('n', 7, ['1', '2'])),
    132,
    `${first}.conditionValue: expected exactly one value for type 7, got 2.`,
  ],
  [
    'IN without values',
    search(on('n', 8, [])),
    132,
    `${first}.conditionValue: expected one value or more for type 8 (in), got none.`,
  ],
  [
    'IS NULL with a value',
    search(on('n', 9, [''])),
    132,
    `${first}.conditionValue: expected no value for type 9 (IS NULL), got 1.`,
  ],
  [
    'a value that is an object',
    search(on('n', 1, [{}])),
    132,
    `${first}.conditionValue[0]: expected a string or null, got {}.`,
  ],
  [
    'a value that does not fit',
    search(on('n', 8, ['1', 'x'])),
    132,
    `${first}.conditionValue: parameter 2, "x", does not fit the column "n" of table "Item" (integer): expected a whole number from -2147483648 to 2147483647, got "x".`,
  ],
  [
    'LIKE on a number',
    search(on('n', 3, ['1%'])),
    132,
    `${first}: LIKE: expected text, got the column "n" of table "Item" (integer).`,
  ],
  [
    'isIgnoreCase',
    search(on('name', 1, ['x'], { isIgnoreCase: 'yes' })),
    132,
    `${first}.isIgnoreCase: expected "true" or "false", got "yes".`,
  ],
  [
    'a group without type before another',
    items({ whereConditions: [group(undefined, on('n', 9, [])), group('AND', on('n', 9, []))] }),
    'missing',
    'condition.whereConditions[0].type: expected a value, got none.',
  ],
  [
    'a group of another type',
    items({ whereConditions: [group('XOR', on('n', 9, [])), group('AND', on('n', 9, []))] }),
    132,
    'condition.whereConditions[0].type: expected AND or OR, got "XOR".',
  ],
  [
    'an empty group',
    items({ whereConditions: [group('AND')] }),
    132,
    'condition.whereConditions[0].searchConditions: it is empty; leave out a group without conditions.',
  ],
  [
    'sorting by another table',
    items({ sortConditions: [{ conditionValue: 1, tableName: 'Kind', columnName: 'label' }] }),
    132,
    'condition.sortConditions[0].tableName: the query has no table "Kind".',
  ],
  [
    'sorting by an unknown column',
    items({ sortConditions: [{ conditionValue: 1, tableName: 'Item', columnName: 'nam' }] }),
    132,
    'condition.sortConditions[0]: unknown column "nam" of table "Item"; did you mean "name"?',
  ],
  [
    'direction',
    items({ sortConditions: [{ conditionValue: 0, tableName: 'Item', columnName: 'n' }] }),
    132,
    'condition.sortConditions[0].conditionValue: expected 1 (ascending) or 2 (descending), got 0.',
  ],
  ['scope', items({ scope: 4 }), 132, 'condition.scope: expected 1 (user), 2 (group) or 3 (all), got 4.'],
  [
    'maxRecord too large',
    items({}, { maxRecord: 10_001 }),
    132,
    'maxRecord: expected 1 to 10000 (setting maxRecordMax), got 10001.',
  ],
  ['maxRecord 0', items({}, { maxRecord: 0 }), 132, 'maxRecord: expected 1 to 10000 (setting maxRecordMax), got 0.'],
  ['pageIndex 0', items({}, { pageIndex: 0 }), 132, 'pageIndex: expected a whole number from 1, got 0.'],
  [
    'too many tables',
    items({ joinConditions: Array.from({ length: 16 }, (_, index) => toKind({ joinObjectName: `K${index}` })) }),
    132,
    'The query has 17 tables; at most 16 (queryTablesMax) are possible.',
  ],
  [
    'too many sort keys, all the same',
    items({ sortConditions: Array(1_001).fill({ conditionValue: 1, tableName: 'Item', columnName: 'name' }) }),
    132,
    'The query has 1001 sort keys; at most 1000 are possible.',
  ],
  [
    'too many conditions',
    search(...Array(10_001).fill(on('n', 9, []))),
    132,
    'The query has 10001 search conditions; at most 10000 (parametersMax) are possible.',
  ],
  [
    'too many values',
    search(on('n', 8, Array(10_001).fill('1'))),
    132,
    'The query has 10001 parameters; at most 10000 (parametersMax) are possible.',
  ],
];

for (const [name, form, reason, message] of refused) {
  test(`older form, refused: ${name}`, async () => {
    await assert.rejects(world.older(form), (error) => {
      assert.ok(error instanceof ServiceError, String(error));
      assert.equal(error.message, message);
      assert.equal(error.reason, reason);
      return true;
    });
  });
}
