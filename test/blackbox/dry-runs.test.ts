/**
 * A dry run of a change of tables and the change itself agree, or the dry run says that it is not checked
 * (docs/reference/changing-tables.md).
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Answer } from '../harness/client.ts';
import { valueAt } from '../harness/match.ts';
import { addRecords, defineTables, send } from '../harness/requests.ts';
import { startWorld, type World } from '../harness/world.ts';

interface Case {
  readonly name: string;
  readonly columns?: readonly object[];
  readonly indexes?: readonly object[];
  readonly records: readonly object[];
  /** `table` is added. */
  readonly changes: readonly object[];
  /** The refusal of both; of the change alone where `unchecked` states positions. */
  readonly refused?: RegExp;
  /** The changes that the dry run could not check. */
  readonly unchecked?: readonly number[];
}

const varchar = (colName: string, fieldLength = 20, more: object = {}) => {
  return { colName, type: 'varchar', fieldLength, ...more };
};
const add = (column: object) => ({ op: 'addColumn', column });
const retyped = (column: string, type: string, more: object = {}) => ({ op: 'changeColumn', column, type, ...more });
const required = (column: string) => ({ op: 'changeColumn', column, required: true });
const index = (...columns: string[]) => ({ op: 'addIndex', columns, unique: false });
const unique = (...columns: string[]) => ({ op: 'addIndex', columns, unique: true });
const two = [{ objectId: 'r1' }, { objectId: 'r2' }];
const twoEqual = [{ a: 'x' }, { a: 'x' }];
const four = { colName: 'z', type: 'integer', default: 4 };
const manyTerms = JSON.stringify(Array.from({ length: 5_100 }, (_, at) => `w${at}`));
const notUnique = /can't be unique, because there are records with equal values/;
const noValue = (count: number) => new RegExp(`${count} of the records of .* have no value of`);

const cases: readonly Case[] = [
  {
    name: 'a required column without a default',
    records: two,
    changes: [add({ colName: 'z', type: 'integer', required: true })],
    refused: /changes\[0\]\.column\.required: 2 of the records.*"r1", "r2"/,
  },
  { name: 'the same without records', records: [], changes: [add({ colName: 'z', type: 'long', required: true })] },
  { name: 'a required column with a default', records: two, changes: [add({ ...four, required: true })] },
  {
    name: 'a new column, then required',
    records: two,
    changes: [add(varchar('z')), required('z')],
    refused: noValue(2),
  },
  {
    name: 'a new column of another type, then required',
    records: two,
    changes: [add(varchar('z')), retyped('z', 'integer'), required('z')],
    refused: noValue(2),
  },
  { name: 'a unique index on a default', records: two, changes: [add(four), unique('z')], refused: notUnique },
  { name: 'the same with one record', records: [{}], changes: [add(four), unique('z')] },
  { name: 'a unique index on nulls', records: two, changes: [add(varchar('z')), unique('z')] },
  {
    name: 'a unique index on a default and different values',
    columns: [varchar('a')],
    records: [{ a: 'x' }, { a: 'y' }, {}, {}],
    changes: [add(four), unique('z', 'a')],
  },
  {
    name: 'a unique index on a default and equal values',
    columns: [varchar('a')],
    records: twoEqual,
    changes: [add(four), unique('a', 'z')],
    refused: notUnique,
  },
  { name: 'a unique index on a default and objectId', records: two, changes: [add(four), unique('objectId', 'z')] },
  {
    name: 'a unique index on a default that becomes text',
    records: two,
    changes: [add(four), retyped('z', 'varchar', { fieldLength: 9 }), unique('z')],
    refused: notUnique,
  },
  {
    name: 'a default that does not fit the next type',
    records: two,
    changes: [add(varchar('z', 20, { default: 'word' })), { ...retyped('z', 'integer'), default: null }],
    refused: /2 of the values of "z".*"r1", "r2"/,
  },
  {
    name: 'defaults of every type in an index',
    records: two,
    changes: [
      ...['integer', 'long', 'double', 'bool', 'datetime', 'decimal'].map((type) =>
        add({
          colName: type,
          type,
          default: type === 'datetime' ? 0 : 1,
          ...(type === 'decimal' && { precision: 18 }),
        }),
      ),
      index('integer', 'long', 'double', 'bool', 'datetime', 'decimal'),
      unique('decimal', 'double', 'bool', 'datetime', 'long', 'integer'),
    ],
    refused: notUnique,
  },
  {
    name: 'defaults too long for an index',
    records: two,
    changes: [...['y', 'z'].map((name) => add(varchar(name, 600, { default: '字'.repeat(500) }))), index('y', 'z')],
    refused: /values are too long for it/,
  },
  {
    name: 'required and another type at once',
    columns: [varchar('a')],
    records: [{ a: '1' }, {}],
    changes: [{ ...retyped('a', 'long'), required: true }],
    refused: noValue(1),
  },
  {
    name: 'another type, then required',
    columns: [varchar('a')],
    records: [{ a: '1' }],
    changes: [retyped('a', 'long'), required('a')],
  },
  {
    name: 'an indexed integer that becomes long, then text',
    columns: [{ colName: 'a', type: 'integer' }],
    indexes: [{ columns: ['a'], unique: true }],
    records: [{ a: 1 }, { a: -20 }, {}],
    changes: [retyped('a', 'long'), retyped('a', 'varchar', { fieldLength: 600 })],
  },
  {
    name: 'integers that become text, then decimals',
    columns: [{ colName: 'a', type: 'integer' }],
    records: [{ a: 1 }, { a: -20 }],
    changes: [retyped('a', 'text'), retyped('a', 'decimal', { precision: 1 })],
    refused: /1 of the values of "a".*don't fit decimal/,
  },
  {
    name: 'equal integers that become text, then a unique index',
    columns: [{ colName: 'a', type: 'integer' }],
    records: [{ a: 1 }, { a: 1 }],
    changes: [retyped('a', 'varchar', { fieldLength: 30 }), unique('a')],
    refused: notUnique,
  },
  {
    name: 'a unique index on text that becomes integer',
    columns: [varchar('u')],
    indexes: [{ columns: ['u'], unique: true }],
    records: [{ u: '1' }, { u: '01' }],
    changes: [retyped('u', 'integer')],
    refused: notUnique,
    unchecked: [0],
  },
  {
    name: 'the same where it fits',
    columns: [varchar('u')],
    records: [{ u: '1' }, { u: '2' }],
    changes: [retyped('u', 'integer'), unique('u')],
    unchecked: [1],
  },
  {
    name: 'an index on text that becomes integer',
    columns: [varchar('a')],
    records: [{ a: '1' }, { a: '01' }],
    changes: [retyped('a', 'integer'), index('a')],
  },
  {
    name: 'another type twice, where the second one does not fit',
    columns: [{ colName: 'a', type: 'double' }],
    records: [{ a: 1.5 }],
    changes: [retyped('a', 'text'), retyped('a', 'integer')],
    refused: /1 of the values of "a"/,
    unchecked: [1],
  },
  {
    name: 'the same without records',
    columns: [{ colName: 'a', type: 'double' }],
    records: [],
    changes: [retyped('a', 'varchar', { fieldLength: 20 }), unique('a'), retyped('a', 'integer')],
  },
  {
    name: 'json with too many terms',
    columns: [{ colName: 'j', type: 'json' }],
    records: [{ j: manyTerms }],
    changes: [retyped('j', 'text'), { op: 'changeColumn', column: 'j', fullText: true }],
    refused: /have too many terms for full text/,
    unchecked: [1],
  },
  {
    name: 'a new column under the former name of another one',
    columns: [varchar('a')],
    records: twoEqual,
    changes: [
      { op: 'renameColumn', column: 'a', to: 'b' },
      add(varchar('a', 20, { default: 'new' })),
      unique('b', 'a'),
    ],
    refused: notUnique,
  },
];

let world: World;
before(async () => {
  world = await startWorld();
  const tables = cases.map(({ columns = [], indexes = [] }, at) => ({
    ...{ name: nameOf(at), primary_key: 'objectId', columns, indexes },
  }));
  await defineTables(world, 'alice', tables);
});
after(() => world.close());

const nameOf = (at: number) => `Dry${at}`;

/** The answers to a dry run, and then to the changes. */
async function both(changes: readonly object[]): Promise<{ readonly dry: Answer; readonly real: Answer }> {
  const schemas = await send(world, 'alice', 'GET', 'schemas');
  const body = { revision: valueAt(schemas.json, 'revision'), changes };
  const dry = await send(world, 'alice', 'POST', 'schemas/changes', { ...body, dryRun: true });
  return { dry, real: await send(world, 'alice', 'POST', 'schemas/changes', body) };
}

for (const [at, { name, records, changes, refused, unchecked = [] }] of cases.entries()) {
  test(`${name}: ${refused === undefined ? 'made' : 'refused'}`, async () => {
    const table = nameOf(at);
    if (records.length > 0) await addRecords(world, 'alice', table, records);
    const { dry, real } = await both(changes.map((each) => ({ ...each, table })));
    assert.equal(real.status, refused === undefined ? 200 : 400, real.text);
    if (refused !== undefined) assert.match(String(valueAt(real.json, 'description')), refused);
    if (refused !== undefined && unchecked.length === 0) {
      assert.deepEqual([dry.status, dry.json], [real.status, real.json]);
      return;
    }
    assert.equal(dry.status, 200, dry.text);
    const parts = valueAt(dry.json, 'results.changes') as { checked: boolean }[];
    assert.deepEqual(
      parts.map(({ checked }) => checked),
      changes.map((_, part) => !unchecked.includes(part)),
    );
  });
}

test('a required column of a table that is restored under another name: refused', async () => {
  await defineTables(world, 'alice', [{ name: 'Former', columns: [varchar('a')] }]);
  await addRecords(world, 'alice', 'Former', two);
  const dropped = await both([{ op: 'dropTable', table: 'Former' }]);
  const id = valueAt(dropped.real.json, 'results.changes.0.binId');
  const column = varchar('z', 20, { required: true });
  const { dry, real } = await both([
    { op: 'restore', id, as: 'Again' },
    { op: 'addColumn', table: 'Again', column },
  ]);
  assert.match(String(valueAt(real.json, 'description')), /2 of the records of "Again"/);
  assert.deepEqual([dry.status, dry.json], [real.status, real.json]);
});
