/** The check of conditions in the browser: the same verdicts as the service, with the place of the error. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { definitionOf, faultOf } from '../../console/checker.ts';

const tables = [
  {
    name: 'Task',
    primary_key: 'objectId' as const,
    columns: [
      { colName: 'title', type: 'varchar', fieldLength: 100 },
      { colName: 'amount', type: 'decimal', precision: 12, scale: 2 },
      { colName: 'due', type: 'datetime' },
    ],
    indexes: [],
  },
];
const definition = definitionOf(tables);
const faultIn = (where: string) => faultOf(definition, { table: 'Task', where, sort: '' });

test('what is right has no fault', () => {
  for (const where of [
    '',
    "#r.title LIKE 'a%' AND #r.amount > 2",
    '#r.due >= NOW()',
    "LOWER(#r.title) IN ('a', 'b') OR #r.createUserId = 7",
    'EXISTS (SELECT 1 FROM Task t WHERE #t.amount > #r.amount)',
  ]) {
    assert.equal(faultIn(where), null, where);
  }
});

test('what is wrong is told, with its place', () => {
  const cases: readonly (readonly [string, RegExp, number])[] = [
    ['#r.titel = 1', /did you mean "title"/i, 0],
    ['#r.title > 1 AND', /expected/i, 16],
    ["#r.amount = 'two'", /./, 12],
    ['#x.title = 1', /./, 0],
  ];
  for (const [where, message, at] of cases) {
    const fault = faultIn(where);
    assert.match(fault?.message ?? '', message, where);
    assert.equal(fault?.at, at, `${where}: ${fault?.message}`);
  }
});
