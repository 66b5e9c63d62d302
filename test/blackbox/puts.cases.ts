/** Puts and batches of several tables, in this order (docs/reference/writing.md#putting, #several-tables). */
import type { Case } from '../harness/cases.ts';
import { absent } from '../harness/match.ts';
import { add, failed, gone, kept, read, written } from './batches.ts';

const added = (objectId: unknown) => ({ ...written(objectId), outcome: 'added' });
const updated = (objectId: unknown) => ({ ...written(objectId), outcome: 'updated' });
const plain = (objectId: unknown) => ({ ...written(objectId), outcome: absent });

type Sent = Omit<Case, 'method' | 'path'>;
interface PutCase extends Sent {
  readonly data?: unknown;
  readonly by?: unknown;
  readonly table?: string;
  readonly transactionId?: string;
}

function put({ data, by, table = 'Write', transactionId, ...rest }: PutCase): Case {
  const body = { ...(transactionId && { transactionId }), objectName: table, ...(by !== undefined && { by }), data };
  return { method: 'POST', path: 'data/batch/putData', body, ...rest };
}

const batch = ({ operations, body, ...rest }: Sent & { readonly operations?: unknown }): Case => ({
  method: 'POST',
  path: 'data/batch',
  body: { operations, ...(body as object | undefined) },
  ...rest,
});

const time = '2020-01-01T00:00:00.000+00:00';
const of = (op: string, data: readonly unknown[], more: object = {}) => ({ op, objectName: 'Write', data, ...more });

export const freeTable = {
  name: 'Free',
  columns: [
    { colName: 'name', type: 'varchar', fieldLength: 20 },
    { colName: 'size', type: 'integer' },
  ],
  indexes: [{ columns: ['name', 'size'], unique: true }, { columns: ['name'] }],
  lockFree: true,
};

/** Three unique keys for each record. */
const keysTable = {
  name: 'Keys',
  columns: [
    { colName: 'one', type: 'varchar', fieldLength: 20 },
    { colName: 'other', type: 'varchar', fieldLength: 20, default: 'default' },
    { colName: 'note', type: 'varchar', fieldLength: 20 },
  ],
  indexes: [['one'], ['other'], ['note', 'one']].map((columns) => ({ columns, unique: true })),
  lockFree: true,
};
export const keysTables = [keysTable, { ...keysTable, name: 'LockedKeys', lockFree: false }];

export const putCases: readonly Case[] = [
  put({
    name: 'put: adds a missing record',
    code: 0,
    data: [{ objectId: 'a', title: 'one', note: 'stays', code: 'ka' }],
    json: { results: [added('a')] },
  }),
  put({
    name: 'put: a record without its time',
    code: 130,
    status: 409,
    data: [{ objectId: 'a', title: 'x' }],
    has: ['data[0].serverUpdateTime: the record already exists'],
    json: { results: [failed(130)] },
  }),
  put({
    name: 'put: with another time',
    code: 130,
    status: 409,
    data: [{ objectId: 'a', title: 'x', serverUpdateTime: time }],
    has: ['was changed since'],
  }),
  {
    ...read('put: … leaves it as it was', 'Write', 'a', { title: 'one', note: 'stays', code: 'ka' }),
    keep: { 'a.time': 'Write.0.serverUpdateTime' },
  },
  put({
    name: 'put: a time and no record',
    code: 130,
    status: 404,
    data: [{ objectId: 'nobody', title: 'x', serverUpdateTime: time }],
    has: ['there is no such record; leave the time out'],
  }),
  put({
    name: 'put: merges',
    code: 0,
    data: [
      { objectId: 'a', title: null, amount: 3, serverUpdateTime: '{{a.time}}' },
      { objectId: 'b', code: 'kb' },
    ],
    json: { results: [updated('a'), added('b')] },
  }),
  read('put: … as an update does', 'Write', 'a', { title: null, amount: '3', note: 'stays', code: 'ka' }),
  put({
    name: 'put: an unknown column',
    code: 131,
    data: [{ objectId: 'c', titel: 'x' }],
    has: ['data[0].titel: table \\"Write\\" has no such column. Did you mean \\"title\\"?'],
  }),
  put({
    name: 'put: without an id',
    code: 131,
    data: [{ title: 'x' }],
    has: ['data[0].objectId: expected a value, got none'],
  }),
  put({ name: 'put: with an empty id', code: 131, data: [{ objectId: '' }], has: ['data[0].objectId'] }),
  put({
    name: 'put: one record twice',
    code: 131,
    data: [{ objectId: 'c' }, { objectId: 'c' }],
    json: { results: [kept('c'), failed(131, /more than once/)] },
  }),
  put({
    name: 'put: with an empty time',
    code: 131,
    data: [{ objectId: 'c', serverUpdateTime: '' }],
    has: ['data[0].serverUpdateTime'],
  }),
  put({ name: 'put: no items', code: 131, data: [], has: ['data'] }),
  put({
    name: 'put: items that are none',
    code: 131,
    data: ['x', null],
    json: { results: [failed(131), failed(131)] },
  }),
  put({
    name: 'put: another table',
    code: 102,
    table: 'Wrote',
    data: [{ objectId: 'c' }],
    has: ['Did you mean \\"Write\\"?'],
  }),
  put({
    name: 'put: a value of another record',
    code: 131,
    data: [{ objectId: 'c', code: 'ka' }],
    has: ['another record has the same value of the unique code'],
  }),
  put({
    name: 'put: a foreign group',
    code: 131,
    data: [{ objectId: 'c', groupIds: ['{{foreign.group}}'] }],
    has: ['data[0].groupIds: you are not in group'],
  }),
  put({
    name: 'put: a required column is missing in a new record',
    code: 131,
    table: 'Strict',
    data: [{ objectId: 's', may: 'x' }],
    has: ['data[0].must: expected a value, as there is no such record yet'],
  }),
  put({
    name: 'put: … is there',
    code: 0,
    table: 'Strict',
    data: [{ objectId: 's', must: 'x' }],
    keep: { 's.time': 'results.0.serverUpdateTime' },
  }),
  put({
    name: 'put: … and need not be sent again',
    code: 0,
    table: 'Strict',
    data: [{ objectId: 's', may: 'y', serverUpdateTime: '{{s.time}}' }],
    json: { results: [updated('s')] },
  }),
  put({
    name: 'put: … but may not be cleared',
    code: 131,
    table: 'Strict',
    data: [{ objectId: 's', must: null }],
    has: ['data[0].must: expected a value, got null'],
  }),

  put({
    name: 'key: adds, with an id of the service',
    code: 0,
    by: ['code'],
    data: [{ code: 'k1', title: 'one' }],
    json: { results: [added(/^Write_[0-9a-f]{32}$/)] },
    keep: { k1: 'results.0.objectId', 'k1.time': 'results.0.serverUpdateTime' },
  }),
  put({
    name: 'key: finds',
    code: 0,
    by: ['code'],
    data: [{ code: 'k1', note: 'n', serverUpdateTime: '{{k1.time}}' }],
    json: { results: [updated('{{k1}}')] },
  }),
  read('key: … and merges', 'Write', '{{k1}}', { title: 'one', note: 'n', code: 'k1' }),
  put({ name: 'key: without a time', code: 130, status: 409, by: ['code'], data: [{ code: 'k1' }] }),
  put({
    name: 'key: a time and no record',
    code: 130,
    status: 404,
    by: ['code'],
    data: [{ code: 'k2', serverUpdateTime: time }],
  }),
  put({
    name: 'key: null',
    code: 131,
    by: ['code'],
    data: [{ code: null, title: 'x' }],
    has: ['data[0].code: expected a value, as records are found by it, got none'],
  }),
  put({ name: 'key: missing', code: 131, by: ['code'], data: [{ title: 'x' }], has: ['data[0].code'] }),
  put({
    name: 'key: an id beside it',
    code: 131,
    by: ['code'],
    data: [{ code: 'k2', objectId: 'c' }],
    has: ['data[0].objectId: expected none'],
  }),
  put({
    name: 'key: one key twice',
    code: 131,
    by: ['code'],
    data: [{ code: 'k2' }, { code: 'k2' }],
    has: ['data[1].code: the batch has this key more than once'],
  }),
  put({
    name: 'key: not that of a unique index',
    code: 131,
    by: ['title'],
    data: [{ title: 'x' }],
    has: ['by: expected objectId, or all columns of a unique index of \\"Write\\" that clients fill: (code); got'],
  }),
  put({
    name: 'key: objectId is one',
    code: 0,
    by: ['objectId'],
    data: [{ objectId: 'd' }],
    json: { results: [added('d')] },
  }),
  put({ name: 'key: not an array', code: 131, by: 'code', data: [{ code: 'k2' }], has: ['by: expected an array'] }),
  put({ name: 'key: empty', code: 131, by: [], data: [{ code: 'k2' }], has: ['by'] }),

  put({
    name: 'lock-free: adds',
    code: 0,
    table: 'Free',
    by: ['size', 'name'],
    data: [{ name: 'n', size: 1 }],
    json: { results: [added(/^Free_/)] },
    keep: { free: 'results.0.objectId' },
  }),
  put({
    name: 'lock-free: updates without a time',
    code: 0,
    table: 'Free',
    by: ['name', 'size'],
    data: [{ name: 'n', size: '1', scopeType: 3 }],
    json: { results: [updated('{{free}}')] },
  }),
  put({
    name: 'lock-free: by id too',
    code: 0,
    table: 'Free',
    data: [{ objectId: '{{free}}', size: 2 }],
    json: { results: [updated('{{free}}')] },
  }),
  put({
    name: 'lock-free: a time that is sent must be right',
    code: 130,
    status: 409,
    table: 'Free',
    data: [{ objectId: '{{free}}', size: 3, serverUpdateTime: time }],
  }),
  put({
    name: 'lock-free: an index that is not unique is not a key',
    code: 131,
    table: 'Free',
    by: ['name'],
    data: [{ name: 'n' }],
    has: ['(name, size)'],
  }),

  add({
    name: 'hidden: a record of bob',
    as: 'bob',
    code: 0,
    data: [{ objectId: 'bobs', code: 'kbob', scopeType: 1 }],
    keep: { 'bobs.time': 'results.0.serverUpdateTime' },
  }),
  put({
    name: 'hidden: by id',
    code: 131,
    data: [{ objectId: 'bobs' }],
    has: ['data[0].objectId: a record with this id already exists'],
  }),
  put({
    name: 'hidden: by id, with its time',
    code: 131,
    data: [{ objectId: 'bobs', serverUpdateTime: '{{bobs.time}}' }],
    has: ['already exists'],
  }),
  put({
    name: 'hidden: by key',
    code: 131,
    by: ['code'],
    data: [{ code: 'kbob' }],
    has: ['another record has the same value of the unique code'],
  }),

  put({
    name: 'put: sent once',
    code: 0,
    transactionId: 'put-1',
    data: [{ objectId: 'once' }],
    json: { results: [added('once')] },
    keep: { 'once.time': 'results.0.serverUpdateTime' },
  }),
  put({
    name: 'put: sent again',
    code: 211,
    transactionId: 'put-1',
    data: [{ objectId: 'once' }],
    json: { results: [{ ...added('once'), serverUpdateTime: '{{once.time}}' }] },
  }),
  put({
    name: 'put: the same id for something else',
    code: 211,
    transactionId: 'put-1',
    by: ['objectId'],
    data: [{ objectId: 'once' }],
    json: { results: [] },
  }),
  put({
    name: 'put: strict',
    code: 131,
    data: [{ objectId: 'e' }],
    body: { objectNam: 'Write', data: [{ objectId: 'e' }] },
    has: ['body: there is no member \\"objectNam\\"; did you mean \\"objectName\\"?'],
  }),
];

export const batchCases: readonly Case[] = [
  batch({
    name: 'batch: every operation, on several tables',
    code: 0,
    operations: [
      of('add', [{ objectId: 'b1', code: 'first' }, { title: 'made' }]),
      { op: 'put', objectName: 'Free', by: ['name', 'size'], data: [{ name: 'in a batch', size: 1 }] },
      of('DELETE', [{ objectId: '{{k1}}', serverUpdateTime: '{{k1.now}}' }]),
      of('update', [{ objectId: 'a', code: 'k1', serverUpdateTime: '{{a.now}}' }]),
    ],
    json: { results: [plain('b1'), plain(/^Write_/), added(/^Free_/), plain('{{k1}}'), plain('a')] },
    keep: { 'b1.time': 'results.0.serverUpdateTime' },
  }),
  read('batch: … in order: the key of what was deleted', 'Write', 'a', { code: 'k1' }),
  gone('batch: … and it is gone', 'Write', '{{k1}}'),
  batch({
    name: 'batch: nothing is written if an item fails',
    code: 130,
    status: 409,
    operations: [
      of('add', [{ objectId: 'b2' }]),
      of('put', [{ objectId: 'b3' }, { objectId: 'b1' }]),
      of('add', [{ objectId: 'a' }]),
    ],
    has: ['operations[1].data[1].serverUpdateTime: the record already exists', 'Nothing was written'],
    json: { results: [kept('b2'), kept('b3'), failed(130), kept('a')] },
  }),
  gone('batch: … not the first', 'Write', 'b2'),
  batch({
    name: 'batch: malformed items of all operations are reported',
    code: 131,
    operations: [
      of('add', [{ nope: 1 }]),
      of('delete', [{ objectId: 'a' }]),
      of('update', [{ objectId: 'a', serverUpdateTime: time, code: 'x' }]),
    ],
    has: ['operations[0].data[0].nope', '(3 of 3 items failed; see results)'],
    json: {
      results: [
        failed(131),
        failed(131, /operations\[1\]\.data\[0\]\.serverUpdateTime/),
        failed(131, /more than once/),
      ],
    },
  }),
  batch({
    name: 'batch: members of a delete',
    code: 131,
    operations: [of('delete', [{ objectId: 'a', serverUpdateTime: time, title: 'x' }])],
    has: ['operations[0].data[0]: there is no member \\"title\\"'],
  }),
  batch({
    name: 'batch: one record in two operations',
    code: 131,
    operations: [of('delete', [{ objectId: 'b1', serverUpdateTime: '{{b1.time}}' }]), of('add', [{ objectId: 'b1' }])],
    json: { results: [kept('b1'), failed(131, /more than once/)] },
  }),
  batch({
    name: 'batch: a record by its id and by its key',
    code: 131,
    operations: [
      of('update', [{ objectId: 'b1', title: 'x', serverUpdateTime: '{{b1.time}}' }]),
      of('put', [{ code: 'first' }], { by: ['code'] }),
    ],
    json: {
      results: [
        kept('b1'),
        failed(131, /operations\[1\]\.data\[0\]: the batch names the record with this key more than once/),
      ],
    },
  }),
  batch({
    name: 'batch: a put of a record that it has added',
    code: 131,
    operations: [of('add', [{ code: 'new' }]), of('put', [{ code: 'new' }], { by: ['code'] })],
    json: { results: [kept(null), failed(131, /more than once/)] },
  }),
  batch({
    name: 'batch: a put of a record that another put has added, by another key',
    code: 131,
    operations: [
      { op: 'put', objectName: 'Keys', by: ['one'], data: [{ one: 'x', other: 'y' }] },
      { op: 'put', objectName: 'Keys', by: ['other'], data: [{ other: 'y', note: 'z' }] },
    ],
    json: {
      results: [
        kept(null),
        failed(131, /operations\[1\]\.data\[0\]: the batch names the record with this key more than once/),
      ],
    },
  }),
  batch({
    name: 'batch: … by a key of more columns',
    code: 131,
    operations: [
      { op: 'put', objectName: 'Keys', by: ['one'], data: [{ one: 'x', note: 'y' }] },
      { op: 'put', objectName: 'Keys', by: ['note', 'one'], data: [{ one: 'x', note: 'y' }] },
    ],
    json: { results: [kept(null), failed(131, /more than once/)] },
  }),
  batch({
    name: 'batch: … in a table with a lock',
    code: 131,
    operations: [
      { op: 'put', objectName: 'LockedKeys', by: ['one'], data: [{ one: 'x', other: 'y' }] },
      { op: 'put', objectName: 'LockedKeys', by: ['other'], data: [{ other: 'y', note: 'z' }] },
    ],
    json: { results: [kept(null), failed(131, /more than once/)] },
  }),
  batch({
    name: 'batch: … and by a default value of the other key',
    code: 131,
    operations: [
      { op: 'put', objectName: 'Keys', by: ['one'], data: [{ one: 'x' }] },
      { op: 'put', objectName: 'Keys', by: ['other'], data: [{ other: 'default' }] },
    ],
    json: { results: [kept(null), failed(131, /more than once/)] },
  }),
  batch({
    name: 'batch: the same key in two puts',
    code: 131,
    operations: [of('put', [{ code: 'new' }], { by: ['code'] }), of('put', [{ code: 'new' }], { by: ['code'] })],
    json: { results: [kept(null), failed(131, /has this key more than once/)] },
  }),
  batch({
    name: 'batch: an unknown table',
    code: 102,
    operations: [of('add', [{ objectId: 'b2' }]), of('add', [{}], { objectName: 'Fre' })],
    has: ['Did you mean \\"Free\\"?'],
  }),
  batch({
    name: 'batch: another operation',
    code: 131,
    operations: [of('upsert', [{}])],
    has: ['operations[0].op: expected one of add, update, delete, put, got \\"upsert\\"'],
  }),
  batch({
    name: 'batch: no operation',
    code: 131,
    operations: [],
    has: ['operations: expected an array of 1 or more items'],
  }),
  batch({
    name: 'batch: invalid operations',
    code: 131,
    operations: [7],
    has: ['operations[0]: expected an object, got 7'],
  }),
  batch({ name: 'batch: nothing', code: 131, has: ['operations'] }),
  batch({
    name: 'batch: an operation without items',
    code: 131,
    operations: [of('add', [])],
    has: ['operations[0].data'],
  }),
  batch({
    name: 'batch: without a table',
    code: 131,
    operations: [{ op: 'add', data: [{}] }],
    has: ['operations[0].objectName'],
  }),
  batch({
    name: 'batch: a key of an add',
    code: 131,
    operations: [of('add', [{}], { by: ['code'] })],
    has: ['operations[0].by: only a put finds records by a key, not add'],
  }),
  batch({
    name: 'batch: an invalid key',
    code: 131,
    operations: [of('put', [{}], { by: ['note'] })],
    has: ['operations[0].by: expected objectId, or'],
  }),
  batch({
    name: 'batch: objectIds',
    code: 131,
    operations: [{ ...of('delete', [{}]), objectIds: [] }],
    has: ['operations[0]: there is no member \\"objectIds\\"'],
  }),
  batch({
    name: 'batch: strict',
    code: 131,
    operations: [of('add', [{}])],
    body: { transaction: 'x' },
    has: ['body: there is no member \\"transaction\\"; did you mean \\"transactionId\\"?'],
  }),
  batch({
    name: 'batch: an empty transactionId',
    code: 131,
    operations: [of('add', [{}])],
    body: { transactionId: '' },
    has: ['transactionId: expected a value, got empty text'],
  }),
  batch({
    name: 'batch: sent once',
    code: 0,
    operations: [of('put', [{ objectId: 'b4' }]), of('add', [{ objectId: 'b5' }])],
    body: { transactionId: 'batch-1' },
    json: { results: [added('b4'), plain('b5')] },
  }),
  batch({
    name: 'batch: sent again',
    code: 211,
    operations: [of('put', [{ objectId: 'b4' }]), of('add', [{ objectId: 'b5' }])],
    body: { transactionId: 'batch-1' },
    json: { results: [added('b4'), plain('b5')] },
  }),
  batch({
    name: 'batch: in another order',
    code: 211,
    operations: [of('add', [{ objectId: 'b5' }]), of('put', [{ objectId: 'b4' }])],
    body: { transactionId: 'batch-1' },
    json: { results: [] },
  }),
  batch({
    name: 'batch: a known id with bad items',
    code: 211,
    operations: [of('put', [{}])],
    body: { transactionId: 'batch-1' },
    json: { results: [] },
  }),
  add({
    name: 'batch: its id for an add',
    code: 211,
    transactionId: 'batch-1',
    data: [{ objectId: 'b5' }],
    json: { results: [] },
  }),
];
