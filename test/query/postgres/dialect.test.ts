/** The PostgreSQL part of compiling: physical names, bound values, and the SQL functions that statements call. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foldLower, foldUpper } from '../../../src/schema/fold.ts';
import { physicalName, postgresDialect } from '../../../src/storage/postgres/dialect.ts';
import { table, types } from '../definitions.ts';
import { openPostgresWorld } from '../postgres-world.ts';

test('reserved names get a prefix that no name of a client has', () => {
  for (const name of ['ctid', 'CTID', 'xmin', 'xmax', 'cmin', 'cmax', 'tableoid', 'oid'])
    assert.equal(physicalName(name), `_n_${name}`);
  for (const name of ['Album', 'order', 'user', 'rowid', 'xmins']) assert.equal(physicalName(name), name);
  assert.equal(postgresDialect.table('select'), '"~"."select"');
});

test('tables and columns may have any allowed name', async () => {
  const words = [
    'ctid',
    'oid',
    'order',
    'select',
    'user',
    'null',
    'true',
    't0',
    'count',
    'member',
    'audience',
    'm',
    'a'.repeat(63),
  ];
  const columns = Object.fromEntries(words.map((word) => [word, types.text]));
  for (const name of ['pg_class', 'xmin', 'table', 't0', 'm', 'text', 'B'.repeat(63)]) {
    const world = await openPostgresWorld(table(name, columns, [['ctid'], ['order', 'oid']]));
    await world.insert(name, { objectId: 'x', ...Object.fromEntries(words.map((word) => [word, `the ${word}`])) });
    await world.insert(name, { objectId: 'y' });
    for (const word of words) {
      const form = {
        from: { phyName: name, alias: 'select' },
        where: { expression: { source: `#select.${word} = ?`, params: [`the ${word}`] } },
        orderBy: [{ column: `#select.${word}` }],
        range: { offset: 0, limit: 5 },
      };
      assert.equal((await world.query(form)).select![0]![word], `the ${word}`);
      assert.equal(await world.count(form), 1);
    }
    assert.equal((await world.record(name, 'x'))!.ctid, 'the ctid');
  }
});

test('values are bound as text that PostgreSQL reads without loss', () => {
  const { bound } = postgresDialect;
  assert.equal(bound(5, types.integer), '5');
  assert.equal(bound(1e21, types.double), '1e+21');
  assert.equal(bound(-(2n ** 63n), types.long), '-9223372036854775808');
  assert.equal(bound(-5n, types.decimal(10, 2)), '-0.05');
  assert.equal(bound(true, types.bool), 'true');
  assert.equal(bound(-62_135_596_800_000, types.datetime), '0001-01-01T00:00:00.000Z');
  assert.equal(bound(253_402_300_799_999, types.datetime), '9999-12-31T23:59:59.999Z');
  assert.equal(bound(null, types.integer), null);
  assert.equal(postgresDialect.boundMembers(['u7', 'g1', 'a']), '{u7,g1,a}');
  assert.equal(postgresDialect.boundPattern('a!%b\\_%', '!'), 'a\\%b\\\\_%');
});

const world = await openPostgresWorld();
const resultOf = async (expression: string, ...values: string[]) =>
  (await world.sql(`SELECT ${expression}`, values))[0]![0]!;

test('_int64 keeps 64-bit integers, and turns overflows into null', async () => {
  const sums = ['9223372036854775806 + 1', '-9223372036854775807 - 1', '9223372036854775807 + 1', 'NULL'];
  const results = await Promise.all(sums.map((sum) => resultOf(`"~"._int64(${sum}::numeric)`)));
  assert.deepEqual(results, ['9223372036854775807', '-9223372036854775808', null, null]);
  assert.equal(await resultOf('"~"._int64(3037000500::numeric * 3037000500::numeric)'), null);
});

test('every character folds as on every engine, alone and among others', async () => {
  const last = 0x10_ffff;
  for (let first = 1; first <= last; first += 0x4000) {
    const codePoints = Array.from({ length: Math.min(0x4000, last - first + 1) }, (_, index) => first + index);
    const text = codePoints
      .map((codePoint) => String.fromCodePoint(codePoint))
      .join('')
      .replace(/\p{Surrogate}/gu, '');
    if (text === '') continue;
    assert.equal(await resultOf('"~"._fold_lower($1::text)', text), foldLower(text));
    assert.equal(await resultOf('"~"._fold_upper($1::text)', text), foldUpper(text));
  }
  for (const text of ['', 'Größe', 'ΣΊΣΥΦΟΣ', 'İstanbul', 'NGUYỄN VĂN', '\u{10400}x', 'ASCII only']) {
    assert.equal(await resultOf('"~"._fold_lower($1::text)', text), foldLower(text));
    assert.equal(await resultOf('"~"._fold_upper($1::text)', text), foldUpper(text));
  }
  assert.equal(await resultOf('"~"._fold_lower(NULL)'), null);
});
