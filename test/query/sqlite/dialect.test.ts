/** The SQLite part of compiling: physical names, bound values, and the SQL functions that statements call. */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { foldLower, foldUpper } from '../../../src/schema/fold.ts';
import { everyRow } from '../../../src/storage/sqlite/deadline.ts';
import { physicalName, sqliteDialect } from '../../../src/storage/sqlite/dialect.ts';
import { CallMemory, DeadlinePassed, registerFunctions } from '../../../src/storage/sqlite/functions.ts';
import { table, types } from '../definitions.ts';
import { openSqliteWorld } from '../sqlite-world.ts';

test('reserved names get a prefix that no name of a client has', () => {
  const reserved = [
    'sqlite_master',
    'SQLITE_x',
    'rowid',
    'RowId',
    'oid',
    'json_each',
    'JSON_TREE',
    'pragma_table_info',
  ];
  for (const name of reserved) assert.equal(physicalName(name), `_n_${name}`);
  for (const name of ['Album', 'order', 'sqlite', 'rowids', 'void', 'n_rowid', 'json'])
    assert.equal(physicalName(name), name);
  assert.equal(sqliteDialect.table('select'), '"select"');
});

test('tables and columns may have any allowed name', () => {
  const words = [
    'rowid',
    'oid',
    'order',
    'select',
    'group',
    'value',
    'null',
    'sqlite_x',
    'true',
    't0',
    'json_each',
    'within_deadline',
  ];
  const columns = Object.fromEntries(words.map((word) => [word, types.text]));
  for (const name of ['sqlite_master', 'json_each', 'table', 'main', 't0', 'index', 'pragma_table_list']) {
    const world = openSqliteWorld(table(name, columns, [['rowid'], ['order', 'oid']]));
    world.insert(name, { objectId: 'x', ...Object.fromEntries(words.map((word) => [word, `the ${word}`])) });
    world.insert(name, { objectId: 'y' });
    const from = { phyName: name, alias: 'select' };
    for (const word of words) {
      const source = `#select.${word} = ?`;
      const form = {
        from,
        where: { expression: { source, params: [`the ${word}`] } },
        orderBy: [{ column: `#select.${word}` }],
      };
      assert.equal(world.query(form).select![0]![word], `the ${word}`);
      assert.equal(world.count(form), 1);
    }
    assert.equal(world.record(name, 'x')!.rowid, 'the rowid');
  }
});

test('values are bound in the storage class of a STRICT column', () => {
  const { bound } = sqliteDialect;
  assert.equal(bound(5, types.integer), 5n);
  assert.equal(bound(5, types.double), 5);
  assert.equal(bound(5n, types.long), 5n);
  assert.equal(bound(true, types.bool), 1n);
  assert.equal(bound(false, types.bool), 0n);
  assert.equal(bound(-1, types.datetime), -1n);
  assert.equal(bound('x', types.text), 'x');
  assert.equal(bound(null, types.integer), null);
});

function withFunctions(passed = () => false): DatabaseSync {
  const db = new DatabaseSync(':memory:');
  registerFunctions(db, { passed, hasPassedNow: passed }, () => everyRow, new CallMemory(1024 * 1024));
  return db;
}

const resultOf = (db: DatabaseSync, sql: string) => {
  const statement = db.prepare(`SELECT ${sql} AS value`);
  statement.setReadBigInts(true);
  return statement.get()!.value;
};

const long = { kind: 'long' } as const;

test('arithmetic keeps 64-bit integers, and turns any overflow within it into null', () => {
  const db = withFunctions();
  const { arithmetic } = sqliteDialect;
  assert.equal(resultOf(db, arithmetic('+', '9223372036854775806', '1', long, false)), 9_223_372_036_854_775_807n);
  assert.equal(resultOf(db, arithmetic('-', '-9223372036854775807', '1', long, false)), -9_223_372_036_854_775_808n);
  assert.equal(resultOf(db, arithmetic('+', '9223372036854775807', '1', long, false)), null);
  assert.equal(resultOf(db, arithmetic('*', '3037000500', '3037000500', long, false)), null);
  assert.equal(resultOf(db, arithmetic('+', 'NULL', '1', long, false)), null);
  const overflown = arithmetic('*', '9223372036854775807', '2', long, true);
  assert.equal(resultOf(db, arithmetic('*', overflown, '0', long, false)), null);
  assert.equal(resultOf(db, arithmetic('-', overflown, overflown, long, false)), null);
});

test('folds', () => {
  const db = withFunctions();
  assert.equal(resultOf(db, "fold_lower('ÄΣİ😀')"), 'äσi😀');
  assert.equal(resultOf(db, "fold_upper('äßσ')"), 'ÄßΣ');
  assert.equal(resultOf(db, "fold_upper_lower('ıẞ')"), foldLower(foldUpper('ıẞ')));
  assert.equal(resultOf(db, "fold_lower_upper('ıẞ')"), foldUpper(foldLower('ıẞ')));
  assert.equal(resultOf(db, 'fold_lower(NULL)'), null);
});

test('within_deadline is true until the time has passed, and then ends the statement', () => {
  let calls = 0;
  const db = withFunctions(() => ++calls > 3);
  db.exec('CREATE TABLE t (x); INSERT INTO t VALUES (1), (2), (3), (4), (5)');
  const rows = db.prepare('SELECT x FROM t WHERE within_deadline(rowid)');
  assert.throws(() => rows.all(), DeadlinePassed);
  assert.equal(calls, 4);
  calls = -10;
  assert.equal(rows.all().length, 5);
});
