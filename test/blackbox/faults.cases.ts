/**
 * The contents of error messages: the position of the fault, what was sent, and what to do. `Item` is a defined table
 * with a record `i1`.
 */
import type { Case } from '../harness/cases.ts';

const add = (name: string, data: unknown, has: string): Case => ({
  name,
  method: 'POST',
  path: 'data/batch/addData',
  body: { objectName: 'Item', data },
  code: 131,
  has: [has],
});

const define = (name: string, table: object, has: string): Case => ({
  name,
  method: 'POST',
  path: 'schemas',
  body: { tables: [{ name: 'Other', columns: [] }, table] },
  code: 131,
  has: [has],
});

const objectId = { colName: 'objectId', type: 'varchar' };

export const describedFaultCases: readonly Case[] = [
  add('an empty batch is told what is expected', [], 'data: expected an array of 1 or more items, got [].'),
  {
    name: 'an empty list of ids: says what is expected',
    method: 'POST',
    path: 'data/batch/deleteData',
    body: { objectName: 'Item', objectIds: [] },
    code: 198,
    has: ['objectIds: expected an array of 1 or more items, got [].'],
  },
  add('a value names item and column', [{}, {}, {}, { big: 'much' }], 'data[3].big: '),
  add('a number of 45 digits is told as it came', [{ big: '1'.repeat(45) }], '1'.repeat(45)),
  {
    ...add('what may be a token is not', [{ big: `${'1'.repeat(44)}f` }], 'data[0].big: '),
    hasNot: ['1'.repeat(44)],
  },
  define(
    'a type names table and column',
    { name: 'Item', columns: [objectId, { colName: 'x', type: 'int' }] },
    'tables[1].columns[1].type: ',
  ),
  define(
    'another type names table and column',
    { name: 'Item', columns: [objectId, { colName: 'name', type: 'long' }] },
    'tables[1].columns[1].type: ',
  ),
  define(
    'a name in another case names table and column',
    { name: 'Item', columns: [objectId, { colName: 'NAME', type: 'long' }] },
    'tables[1].columns[1].colName: ',
  ),
  define(
    'a column that is required too late names table and column',
    { name: 'Item', columns: [objectId, { colName: 'late', type: 'long', required: true }] },
    'tables[1].columns[1].required: ',
  ),
  define(
    'a column that becomes required names table and column',
    { name: 'Item', columns: [objectId, { colName: 'big', type: 'long', required: true }] },
    'tables[1].columns[1].required: ',
  ),
  define(
    'an index names table, index and column',
    { name: 'Item', indexes: [{ columns: ['name'] }, { columns: ['name', 'nome'] }] },
    'tables[1].indexes[1].columns[1]: ',
  ),
  {
    name: 'the older query names the unknown table',
    method: 'POST',
    path: 'data/query',
    body: { objectNames: ['Itme'], returnedObjectNames: ['Itme'] },
    code: 102,
    has: ['objectNames[0]: ', 'did you mean \\"Item\\"?'],
  },
  {
    name: 'the older query names the table that it does not return',
    method: 'POST',
    path: 'data/query',
    body: { objectNames: ['Item'], returnedObjectNames: ['Item', 'Itme'] },
    code: 132,
    has: ['returnedObjectNames[1]: ', 'did you mean \\"Item\\"?'],
  },
  {
    name: 'a good token elsewhere: check the path',
    method: 'GET',
    path: '/api/1/sampleAp/1_0_0/roles',
    code: 121,
    has: ['check company, application and version in the path'],
  },
];
