/** How SQLite runs queries of groups: it checks the time while it reads, and never runs on the main thread. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaults } from '../../../src/config.ts';
import { check } from '../../../src/query/check.ts';
import { compileRows, rowPlan } from '../../../src/query/compile.ts';
import { parseSelectForm, type SelectForm } from '../../../src/query/select-form.ts';
import { sqliteDialect } from '../../../src/storage/sqlite/dialect.ts';
import { isOverflow } from '../../../src/storage/sqlite/failure.ts';
import { wideDigits } from '../../../src/storage/sqlite/wide.ts';
import { everything, rules, table, types } from '../definitions.ts';
import { openSqliteWorld } from '../sqlite-world.ts';

const rows = 500;
const world = openSqliteWorld(table('Sale', { place: types.varchar(20), amount: types.long, number: types.integer }));
for (let n = 0; n < rows; n++) {
  world.insert('Sale', { objectId: `s${n}`, place: `p${n % 7}`, amount: String(n) });
}

const named = (name: string, source: string) => ({ name, expression: { source } });
const from = { phyName: 'Sale', alias: 's' };
const forms: readonly SelectForm[] = [
  { from, select: [named('n', 'COUNT(*)')] },
  { from, select: [named('place', '#s.place'), named('sum', 'SUM(#s.amount)')], groupBy: ['place'] },
  { from, select: [named('n', 'COUNT(DISTINCT #s.amount)'), named('mean', 'AVG(#s.amount)')], range: { limit: 1 } },
  { from, select: [named('place', '#s.place')], distinct: true, range: { limit: 1 } },
];

function compiled(form: SelectForm) {
  const { query } = parseSelectForm(form, null, defaults);
  const inputs = { parameters: [], members: everything, offset: 0, limit: 1 };
  assert.equal(rowPlan(query, inputs), 'walk');
  const statement = compileRows(check(query, world.definition, defaults), sqliteDialect, rules);
  return { statement, values: statement.bind(inputs) as string[] };
}

test('each row that is read may check the time, and a late statement stops', () => {
  for (const form of forms) {
    const { statement, values } = compiled(form);
    const prepared = world.db.prepare(statement.sql);
    world.visited = 0;
    assert.ok(prepared.all(...values).length > 0);
    assert.equal(world.visited, rows);
    world.late = true;
    assert.throws(() => prepared.all(...values), { name: 'DeadlinePassed' });
    world.late = false;
  }
});

test('no query of groups is light', () => {
  for (const form of forms) assert.equal(compiled(form).statement.isLight, false);
});

test('an overflowing sum makes its statement fail, which is then repeated with wider integers', () => {
  const form = { from, select: [named('sum', 'SUM(#s.amount)'), named('mean', 'AVG(#s.amount)')] };
  const { statement, values } = compiled(form);
  const wide = statement.withWideSums?.() ?? assert.fail('It has no wide sums.');
  const sums = (sql: string) =>
    Object.values(world.db.prepare(sql).get(...values)!).map((text) => wideDigits(`${text}`));
  const sum = (rows * (rows - 1)) / 2;
  assert.deepEqual(sums(statement.sql), [`${sum}`, `${(sum / rows) * 1e6}`]);
  assert.deepEqual(sums(wide.sql), sums(statement.sql));
  const most = 2n ** 63n - 1n;
  world.insert('Sale', { objectId: 'most', place: 'p0', amount: `${most}` });
  assert.throws(() => sums(statement.sql), isOverflow);
  const more = most + BigInt(sum);
  const mean = (more * 10n ** 6n + BigInt(rows + 1) / 2n) / BigInt(rows + 1);
  assert.deepEqual(sums(wide.sql), [`${more}`, `${mean}`]);
});

test('integers of 32 bits have no wide sums', () => {
  for (const select of ['COUNT(*)', 'MAX(#s.amount)', 'SUM(#s.number)']) {
    assert.equal(compiled({ from, select: [named('value', select)] }).statement.withWideSums, undefined);
  }
});
