/** The check of conditions in the browser: the same results as in the service, with the position of the error. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { definitionOf, faultOf } from '../../console/checker.ts';
import { type ColumnDescription, comparisonsOf, narrowed, type Wanted } from '../../console/queries.ts';
import { asClientCode } from '../../console/screens/records/request.ts';
import { createClient } from '../../packages/client/src/client.ts';
import { condition } from '../../packages/client/src/expression.ts';

const tables = [
  {
    name: 'Task',
    primary_key: 'objectId' as const,
    columns: [
      { colName: 'title', type: 'varchar', fieldLength: 100, fullText: true as const },
      { colName: 'amount', type: 'decimal', precision: 12, scale: 2 },
      { colName: 'due', type: 'datetime' },
    ],
    indexes: [],
  },
];
const definition = definitionOf(tables);
const faultIn = (where: string) => faultOf(definition, { table: 'Task', where, sort: '' });

test('valid conditions have no fault', () => {
  for (const where of [
    '',
    "#r.title LIKE 'a%' AND #r.amount > 2",
    '#r.due >= NOW()',
    "LOWER(#r.title) IN ('a', 'b') OR #r.createUserId = 7",
    "MATCH(#r.title, 'call*')",
    "#r.CreateTime < '2026' AND #r.scopeType = 3",
    'EXISTS (SELECT 1 FROM Task t WHERE #t.amount > #r.amount)',
  ]) {
    assert.equal(faultIn(where), null, where);
  }
});

test('faults are reported, with their position', () => {
  const cases: readonly (readonly [string, RegExp, number])[] = [
    ['#r.titel = 1', /did you mean "title"/i, 0],
    ['#r.title > 1 AND', /expected/i, 16],
    ["#r.amount = 'two'", /./, 12],
    ['#x.title = 1', /./, 0],
    ["MATCH(#r.amount, 'a')", /full text/, 6],
  ];
  for (const [where, message, at] of cases) {
    const fault = faultIn(where);
    assert.match(fault?.message ?? '', message, where);
    assert.equal(fault?.at, at, `${where}: ${fault?.message}`);
  }
});

test('a condition made from the value of a cell is valid, whatever the value', () => {
  const values: readonly (readonly [ColumnDescription, unknown])[] = [
    [{ colName: 'a', type: 'varchar', fieldLength: 50 }, "Ann's or '?' #r"],
    [{ colName: 'b', type: 'text' }, 'two\nlines'],
    [{ colName: 'c', type: 'integer' }, -5],
    [{ colName: 'd', type: 'long' }, '9223372036854775807'],
    [{ colName: 'e', type: 'double' }, -1.5e300],
    [{ colName: 'e', type: 'double' }, 1e-7],
    [{ colName: 'f', type: 'decimal', precision: 18, scale: 2 }, '-1234567890123456.78'],
    [{ colName: 'g', type: 'bool' }, false],
    [{ colName: 'h', type: 'datetime' }, '2026-01-23T14:44:36.516+07:00'],
    [{ colName: 'i', type: 'json' }, { a: 1 }],
    [{ colName: 'b', type: 'text' }, null],
  ];
  const columns = [...new Map(values.map(([column]) => [column.colName, column])).values()];
  const all = definitionOf([{ name: 'All', primary_key: 'objectId', columns, indexes: [] }]);
  for (const [column, value] of values) {
    for (const comparison of comparisonsOf(column, value)) {
      for (const where of ['', '#r.c = 1', '#r.c = 1 OR #r.g']) {
        const condition = narrowed(where, column, comparison, value);
        assert.equal(faultOf(all, { table: 'All', where: condition, sort: '' }), null, condition);
      }
    }
  }
  assert.equal(narrowed('#r.c = 1 or #r.g', columns[0]!, '=', 'x'), "(#r.c = 1 or #r.g) AND #r.a = 'x'");
  assert.equal(narrowed('#r.c = 1', columns[0]!, 'IS NULL', 'x'), '#r.c = 1 AND #r.a IS NULL');
});

test('a query as client code sends the query of the console', async () => {
  const wanted: Wanted = {
    table: 'Task',
    where: `#r.title LIKE '#r.x \`$\{1}\` \\\\ it''s %' AND #r.amount > 2 OR #r.objectId IN ('a')`,
    sort: '-due',
  };
  let sent:
    | { where: { expression: { source: string; params: unknown[] } }; orderBy: unknown; range: unknown }
    | undefined;
  const fetch = async (_url: unknown, init: { body?: unknown }) => {
    sent = JSON.parse(String(init.body));
    return new Response('{"errCode":0,"status":"OK","description":null,"rows":[],"next":null}');
  };
  const place = { url: 'http://127.0.0.1:1', companyId: 1, appId: 'crm', appVersion: '1.0.0', session: 'token' };
  const { db } = createClient<{ Task: never }>({ ...place, fetch: fetch as unknown as typeof globalThis.fetch });
  const code = asClientCode(wanted, 50).replace(/^import .*/, '');
  const run = new Function('db', 'condition', `return (async () => { ${code}; return rows; })()`);
  assert.deepEqual(await run(db, condition), []);
  const columnsOfClient = sent!.where.expression.source.replaceAll(/#(?!r\.x)\w+\./g, '#r.');
  assert.deepEqual([columnsOfClient, sent!.where.expression.params], [`(${wanted.where})`, []]);
  assert.match(JSON.stringify(sent!.orderBy), /^\[\{"column":"#\w+\.due","type":"DESC"\}\]$/);
});
