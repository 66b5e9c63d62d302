/** The tables that the black-box tests define, in the form in which they are POSTed. */

const id = 'objectId';

const column = (colName: string, type: string, more: object = {}) => ({ colName, type, ...more });

/** One column of every type (docs/reference/values.md#types). */
export const valuesTable = {
  name: 'Value',
  primary_key: id,
  columns: [
    column('v5', 'varchar', { fieldLength: 5 }),
    column('t', 'text'),
    column('i', 'integer'),
    column('l', 'long'),
    column('d', 'double'),
    column('f', 'float'),
    column('dec', 'decimal', { precision: 18, scale: 2 }),
    column('whole', 'decimal', { precision: 5, scale: 0 }),
    column('b', 'bool'),
    column('at', 'datetime'),
    column('j', 'json'),
  ],
};

/** For writes: a unique column, a required one, and free ones. */
export const writesTable = {
  name: 'Write',
  primary_key: id,
  columns: [
    column('code', 'varchar', { fieldLength: 40 }),
    column('title', 'text'),
    column('amount', 'integer'),
    column('note', 'text'),
  ],
  indexes: [{ columns: ['code'], unique: true }],
};

export const strictTable = {
  name: 'Strict',
  primary_key: id,
  columns: [column('must', 'varchar', { fieldLength: 20, required: true }), column('may', 'text')],
};

/** For queries: few rows that cover nulls, ties, case, wildcards and the limits of numbers. */
export const itemTable = {
  name: 'Item',
  primary_key: id,
  columns: [
    column('name', 'varchar', { fieldLength: 60 }),
    column('n', 'integer'),
    column('big', 'long'),
    column('price', 'decimal', { precision: 10, scale: 2 }),
    column('ratio', 'double'),
    column('open', 'bool'),
    column('at', 'datetime'),
    column('kindId', 'varchar', { fieldLength: 60 }),
    column('extra', 'json'),
  ],
  indexes: [{ columns: ['n'], unique: false }],
};

export const kindTable = {
  name: 'Kind',
  primary_key: id,
  columns: [column('label', 'varchar', { fieldLength: 60 }), column('rank', 'integer')],
};

export interface Row {
  readonly objectId: string;
  readonly [column: string]: unknown;
}

/** Rows of `Item`, all of scope 3. Every expected answer of the query cases was derived from these by hand. */
export const itemRows: readonly Row[] = [
  {
    objectId: 'i1',
    name: 'apple',
    n: 1,
    big: '9223372036854775807',
    price: '1.50',
    ratio: '0.5',
    open: 'true',
    at: '2014-01-23T14:44:36.516+07:00',
    kindId: 'k1',
    extra: '{"a":1}',
  },
  {
    objectId: 'i2',
    name: 'Apple',
    n: 2,
    big: '-9223372036854775808',
    price: '-1.50',
    ratio: '-0.5',
    open: 'false',
    at: '2014-01-23T07:44:36.517Z',
    kindId: 'k1',
    extra: null,
  },
  {
    objectId: 'i3',
    name: 'äpfel',
    n: 2,
    big: '0',
    price: '0.00',
    ratio: '1e21',
    open: 'true',
    at: null,
    kindId: 'k2',
    extra: '[]',
  },
  {
    objectId: 'i4',
    name: 'ÄPFEL',
    n: null,
    big: null,
    price: null,
    ratio: null,
    open: null,
    at: '1969-12-31T23:59:59.999Z',
    kindId: null,
    extra: '{}',
  },
  {
    objectId: 'i5',
    name: '100%',
    n: 10,
    big: '10',
    price: '10.00',
    ratio: '10',
    open: 'false',
    at: '2026-02-28T00:00:00.000Z',
    kindId: 'k9',
    extra: null,
  },
  {
    objectId: 'i6',
    name: '100x',
    n: -5,
    big: '-5',
    price: '-5.25',
    ratio: '-5.25',
    open: 'true',
    at: '2000-01-01T00:00:00.000Z',
    kindId: 'k2',
    extra: null,
  },
  {
    objectId: 'i7',
    name: 'a_b',
    n: 7,
    big: '7',
    price: '7.00',
    ratio: '7',
    open: null,
    at: null,
    kindId: 'k1',
    extra: null,
  },
  {
    objectId: 'i8',
    name: 'a*b[c]?',
    n: 7,
    big: '8',
    price: '7.01',
    ratio: '7.5',
    open: null,
    at: null,
    kindId: null,
    extra: null,
  },
  {
    objectId: 'i9',
    name: '',
    n: 0,
    big: '1',
    price: '0.01',
    ratio: '0',
    open: 'false',
    at: null,
    kindId: null,
    extra: null,
  },
  {
    objectId: 'ia',
    name: null,
    n: null,
    big: '2',
    price: null,
    ratio: null,
    open: null,
    at: null,
    kindId: 'k3',
    extra: null,
  },
  {
    objectId: 'ib',
    name: '  pad  ',
    n: 3,
    big: '3',
    price: '3.00',
    ratio: '3',
    open: null,
    at: null,
    kindId: null,
    extra: null,
  },
  {
    objectId: 'ic',
    name: '😀x',
    n: 4,
    big: '4',
    price: '4.00',
    ratio: '4',
    open: null,
    at: null,
    kindId: null,
    extra: null,
  },
];

export const kindRows: readonly Row[] = [
  { objectId: 'k1', label: 'fruit', rank: 1 },
  { objectId: 'k2', label: 'other', rank: 2 },
  { objectId: 'k3', label: null, rank: 2 },
  { objectId: 'k4', label: 'unused', rank: null },
];

/** Keywords of SQL and of both engines, as names of tables; each is used by every data operation. */
export const wordTables = [
  'order',
  'select',
  'limit',
  'group',
  'table',
  'sqlite_master',
  'sqlite_x',
  'user',
  'index',
] as const;

/** The same as names of columns. */
export const wordColumns = [
  'group',
  'order',
  'rowid',
  'oid',
  'ctid',
  'xmin',
  'sqlite_x',
  'select',
  'limit',
  'null',
  'value',
] as const;

/** A table of the given name, with a column for each word. */
export function wordTable(name: string): object {
  return { name, primary_key: id, columns: wordColumns.map((word) => column(word, 'varchar', { fieldLength: 50 })) };
}
