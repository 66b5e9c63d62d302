/** Table definitions as clients send them: what is accepted, what is refused, and the path in errors. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaults } from '../../src/config.ts';
import { ServiceError } from '../../src/errors.ts';
import { parseTables } from '../../src/schema/definition.ts';
import { systemColumns, systemName, systemPosition } from '../../src/schema/system.ts';
import { atOnce } from '../harness/steps.ts';

const column = (colName: string, type: string, more: object = {}) => ({ colName, type, ...more });

function readColumns(...columns: unknown[]) {
  return atOnce(parseTables([{ name: 'T', primary_key: 'objectId', columns }], defaults))[0]!;
}

function refuses(tables: unknown, reason: 'malformed' | 'missing', message: RegExp, limits = defaults): void {
  assert.throws(
    () => atOnce(parseTables(tables, limits)),
    (error) => {
      assert.ok(error instanceof ServiceError, String(error));
      assert.match(error.message, message);
      assert.equal(error.reason, reason);
      assert.match(error.message, /[.?]$/);
      return true;
    },
  );
}

const refusesColumn = (columnSent: unknown, reason: 'malformed' | 'missing', message: RegExp) =>
  refuses([{ name: 'T', columns: [column('a', 'text'), columnSent] }], reason, message);

test('every type is read, in any case of its word', () => {
  const table = readColumns(
    column('v', 'VarChar', { fieldLength: 50 }),
    column('w', 'varchar', { fieldLength: '10000' }),
    column('u', 'varchar'),
    column('t', 'TEXT'),
    column('i', 'integer'),
    column('l', 'long'),
    column('d', 'double'),
    column('f', 'Float'),
    column('m', 'decimal', { precision: '18', scale: 2 }),
    column('n', 'decimal', { precision: 5 }),
    column('b', 'bool'),
    column('at', 'datetime'),
    column('j', 'json', { required: 'true' }),
  );
  assert.deepEqual(
    table.columns.map(({ name, type, required, system }) => [name, type, required, system]),
    [
      ['v', { kind: 'varchar', length: 50 }, false, false],
      ['w', { kind: 'varchar', length: 10_000 }, false, false],
      ['u', { kind: 'varchar', length: 255 }, false, false],
      ['t', { kind: 'text' }, false, false],
      ['i', { kind: 'integer' }, false, false],
      ['l', { kind: 'long' }, false, false],
      ['d', { kind: 'double' }, false, false],
      ['f', { kind: 'double' }, false, false],
      ['m', { kind: 'decimal', precision: 18, scale: 2 }, false, false],
      ['n', { kind: 'decimal', precision: 5, scale: 0 }, false, false],
      ['b', { kind: 'bool' }, false, false],
      ['at', { kind: 'datetime' }, false, false],
      ['j', { kind: 'json' }, true, false],
    ],
  );
});

test('a length is ignored if the type has none', () => {
  for (const fieldLength of [null, '', 0, 11, '255']) {
    assert.deepEqual(readColumns(column('i', 'integer', { fieldLength })).columns[0]!.type, { kind: 'integer' });
  }
});

test('a wrong column is refused under its path', () => {
  const at = (member: string) => new RegExp(`^tables\\[0\\]\\.columns\\[1\\]${member}: `);
  refusesColumn(null, 'malformed', at(''));
  refusesColumn([], 'malformed', at(''));
  refusesColumn('b text', 'malformed', at(''));
  refusesColumn({ type: 'text' }, 'missing', at('.colName'));
  refusesColumn({ colName: 'b' }, 'missing', at('.type'));
  refusesColumn(
    column('b', 'varchr'),
    'malformed',
    /columns\[1\]\.type: expected one of .*, got "varchr".*Did you mean "varchar"\?/,
  );
  refusesColumn(column('b', 'blob'), 'malformed', at('.type'));
  refusesColumn({ colName: 'b', type: 5 }, 'malformed', at('.type'));
  refusesColumn(column('b', 'constructor'), 'malformed', at('.type'));
  for (const fieldLength of [0, -1, 1.5, 10_001, '1e3', 'ten', true, [5]]) {
    refusesColumn(column('b', 'varchar', { fieldLength }), 'malformed', at('.fieldLength'));
  }
  refusesColumn(column('b', 'decimal'), 'missing', at('.precision'));
  refusesColumn(column('b', 'decimal', { precision: 19 }), 'malformed', at('.precision'));
  refusesColumn(column('b', 'decimal', { precision: 5, scale: 6 }), 'malformed', at('.scale'));
  refusesColumn(column('b', 'double', { precision: 5 }), 'malformed', at('.precision'));
  refusesColumn(column('b', 'text', { required: 'maybe' }), 'malformed', at('.required'));
  refusesColumn({ ...column('b', 'text'), lenght: 5 }, 'malformed', /columns\[1\]: There is no member "lenght"/);
  refusesColumn({ ...column('b', 'text'), colname: 'c' }, 'malformed', /did you mean "colName"\?/);
  for (const name of ['_b', '9b', 'b-c', 'é', 'x'.repeat(64), 'a\0', 5]) {
    refusesColumn({ colName: name, type: 'text' }, 'malformed', at('.colName'));
  }
});

test('names are unique without regard to case', () => {
  refusesColumn(column('a', 'text'), 'malformed', /columns\[1\]\.colName: The column "a" is defined twice\./);
  refusesColumn(column('A', 'text'), 'malformed', /"A" and "a" differ only in the case/);
  refuses([{ name: 'T' }, { name: 't' }], 'malformed', /^tables\[1\]\.name: The table "t" and "T" differ only in/);
  refuses([{ name: 'T' }, { name: 'T' }], 'malformed', /^tables\[1\]\.name: .*twice/);
});

test('keywords of SQL are ordinary names', () => {
  const words = ['order', 'select', 'limit', 'rowid', 'oid', 'ctid', 'sqlite_x', 'null'];
  const tables = words.map((name) => ({ name, columns: words.map((word) => column(word, 'text')) }));
  assert.deepEqual(
    atOnce(parseTables(tables, defaults)).map((table) => [table.name, table.columns.map(({ name }) => name)]),
    words.map((name) => [name, words]),
  );
});

test('system columns may be listed, and are omitted', () => {
  const listed = systemColumns().map(({ name, type }) => column(name, type.kind, { required: true }));
  const table = readColumns(...listed, column('title', 'text'));
  assert.deepEqual(
    table.columns.map(({ name }) => name),
    ['title'],
  );
  assert.deepEqual([table.createTime, table.updateTime], ['CreateTime', 'UpdateTime']);
  assert.deepEqual(readColumns(column('CreateTime', 'long'), column('createUserId', 'varchar')).columns, []);
});

test('the client times keep the spelling of the definition', () => {
  const table = readColumns(column('createTime', 'varchar'), column('updateTime', 'datetime'));
  assert.deepEqual([table.createTime, table.updateTime], ['createTime', 'updateTime']);
  const unsaid = readColumns(column('title', 'text'));
  assert.deepEqual([unsaid.createTime, unsaid.updateTime], [undefined, undefined]);
});

test('a system column of another type or spelling is refused', () => {
  refusesColumn(
    column('objectId', 'integer'),
    'malformed',
    /columns\[1\]\.type: expected one of varchar, text, as objectId is a system column of type varchar, got integer/,
  );
  refusesColumn(column('serverUpdateTime', 'bool'), 'malformed', /columns\[1\]\.type: .* got bool/);
  refusesColumn(column('createTime', 'json'), 'malformed', /expected one of datetime, long, varchar, text, as/);
  refusesColumn(
    column('objectid', 'varchar'),
    'malformed',
    /columns\[1\]\.colName: expected objectId, .* got "objectid"\./,
  );
  refusesColumn(column('CREATETIME', 'text'), 'malformed', /expected CreateTime or createTime, /);
  refusesColumn(column('groupIds', 'wrong'), 'malformed', /columns\[1\]\.type/);
  refusesColumn({ colName: 'groupIds' }, 'missing', /columns\[1\]\.type/);
  const both = [column('createTime', 'text'), column('CreateTime', 'text')];
  refuses([{ name: 'T', columns: both }], 'malformed', /columns\[1\]\.colName: .* differ only in the case/);
});

test('a wrong table is refused under its path', () => {
  for (const tables of [{}, 'T', 5, true]) refuses(tables, 'malformed', /^tables: /);
  refuses([{ name: 'A' }, 'B'], 'malformed', /^tables\[1\]: /);
  refuses([{ columns: [] }], 'missing', /^tables\[0\]\.name: /);
  refuses([{ name: '_T' }], 'malformed', /^tables\[0\]\.name: expected a name .* got "_T"/);
  refuses([{ name: 'T', primary_key: 'id' }], 'malformed', /^tables\[0\]\.primary_key: .*"objectId"/);
  refuses([{ name: 'T', columns: {} }], 'malformed', /^tables\[0\]\.columns: /);
  refuses([{ name: 'T', indexs: [] }], 'malformed', /^tables\[0\]: .*did you mean "indexes"/);
  refuses([JSON.parse('{"name":"T","__proto__":1}')], 'malformed', /^tables\[0\]: There is no member "__proto__"/);
});

test('tables, columns and key are optional', () => {
  assert.deepEqual(atOnce(parseTables([], defaults)), []);
  for (const primary_key of [undefined, null, '', 'objectId']) {
    assert.deepEqual(atOnce(parseTables([{ name: 'T', primary_key }], defaults))[0]!.columns, []);
  }
});

test('indexes are read, and refused under their path', () => {
  const withIndexes = (...indexes: unknown[]) => [{ name: 'T', columns: [column('a', 'integer')], indexes }];
  assert.deepEqual(
    atOnce(parseTables(withIndexes({ columns: ['a', 'objectId'] }, { columns: ['a'], unique: 'TRUE' }), defaults))[0]!
      .indexes,
    [
      { columns: ['a', 'objectId'], unique: false },
      { columns: ['a'], unique: true },
    ],
  );
  refuses(withIndexes({ columns: ['a'] }, { unique: true }), 'missing', /^tables\[0\]\.indexes\[1\]\.columns: /);
  refuses(withIndexes({ columns: [] }), 'missing', /indexes\[0\]\.columns: /);
  refuses(withIndexes({ columns: 'a' }), 'malformed', /indexes\[0\]\.columns: /);
  refuses(withIndexes({ columns: ['a', 5] }), 'malformed', /indexes\[0\]\.columns\[1\]: /);
  refuses(withIndexes({ columns: ['a', 'b', 'a'] }), 'malformed', /"a" is listed twice/);
  refuses(withIndexes({ columns: [...'abcdefghi'] }), 'malformed', /expected at most 8 columns, got 9/);
  refuses(withIndexes({ columns: ['a'], unique: 'yes' }), 'malformed', /indexes\[0\]\.unique: /);
  refuses(withIndexes({ columns: ['a'], name: 'x' }), 'malformed', /no member "name"/);
});

test('counts are bounded, each by its setting', () => {
  const limits = { ...defaults, tablesMax: 2, columnsMax: 2, indexesMax: 1 };
  const many = (count: number) => Array.from({ length: count }, (_, at) => column(`c${at}`, 'text'));
  assert.equal(
    atOnce(parseTables([{ name: 'A', columns: [...many(2), column('objectId', 'varchar')] }], limits)).length,
    1,
  );
  refuses(
    [{ name: 'A' }, { name: 'B' }, { name: 'C' }],
    'malformed',
    /^tables: expected at most 2 \(setting tablesMax\), got 3/,
    limits,
  );
  refuses([{ name: 'A', columns: many(3) }], 'malformed', /^tables\[0\]\.columns: .*columnsMax.*, got 3/, limits);
  const indexes = [{ columns: ['c0'] }, { columns: ['c1'] }];
  refuses(
    [{ name: 'A', columns: many(2), indexes }],
    'malformed',
    /^tables\[0\]\.indexes: .*indexesMax.*, got 2/,
    limits,
  );
});

test('the system columns are in the order of the interface, wherever their positions are used', () => {
  const names = systemColumns().map(({ name }) => name);
  assert.deepEqual(names, Object.values(systemName));
  for (const [key, position] of Object.entries(systemPosition)) {
    assert.equal(names[position], systemName[key as keyof typeof systemName]);
  }
});
