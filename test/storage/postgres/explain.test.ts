/**
 * Nodes of EXPLAIN (FORMAT JSON) in the terms of plans: without values of a query, and with the shards of a cluster as
 * their tables.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PlanNames } from '../../../src/storage/plan.ts';
import { physicalName } from '../../../src/storage/postgres/dialect.ts';
import { planSteps } from '../../../src/storage/postgres/explain.ts';
import { definitionOf, table, types } from '../../query/definitions.ts';

const sale = table('Sale', { amount: types.integer, Due: types.integer, xmin: types.text }, [['amount', 'Due']]);
const task = table('Task_7', { saleId: types.varchar(200) });
const names = new PlanNames(definitionOf(sale, task), physicalName);
const index = `_ix_${sale.id}_0`;

const node = (type: string, members: object = {}, ...plans: readonly object[]) => {
  return { 'Node Type': type, ...members, ...(plans.length > 0 && { Plans: plans }) };
};
const saleNode = (type: string, members: object = {}, ...plans: readonly object[]) =>
  node(type, { 'Relation Name': 'Sale', ...members }, ...plans);

const cases: readonly (readonly [what: string, plan: object, ...steps: readonly unknown[][]])[] = [
  ['a scan under a limit', node('Limit', {}, saleNode('Seq Scan', { Filter: '(amount = 5)' })), ['walk', 'Sale']],
  [
    'a condition with values that look like columns',
    saleNode('Index Scan', { 'Index Name': index, 'Index Cond': `((amount = 5) AND (_n_xmin = '"Due"'::text))` }),
    ['find', 'Sale', 'amount', 'xmin'],
  ],
  [
    'an index in its order',
    saleNode('Index Only Scan', { 'Index Name': index }),
    ['walkIndex', 'Sale', 'amount', 'Due'],
  ],
  ['the key in its order', saleNode('Index Scan', { 'Index Name': 'Sale_pkey' }), ['walkIndex', 'Sale', 'objectId']],
  [
    'a bitmap',
    saleNode('Bitmap Heap Scan', {}, node('Bitmap Index Scan', { 'Index Name': index, 'Index Cond': '("Due" > 1)' })),
    ['find', 'Sale', 'Due'],
  ],
  [
    'a hash, which is made before it is asked',
    node(
      'Hash Join',
      { 'Hash Cond': '("Task_7"."saleId" = "Sale"."objectId")' },
      node('Seq Scan', { 'Relation Name': 'Task_7' }),
      node('Hash', {}, saleNode('Seq Scan')),
    ),
    ['walk', 'Sale'],
    ['indexOnce', 'Sale', 'objectId'],
    ['walk', 'Task_7'],
  ],
  [
    'groups that are sorted',
    node('Aggregate', { Strategy: 'Sorted' }, node('Sort', {}, saleNode('Seq Scan'))),
    ['walk', 'Sale'],
    ['sort', null],
    ['group', null],
  ],
  ['one group of all', node('Aggregate', { Strategy: 'Plain' }, saleNode('Seq Scan')), ['walk', 'Sale']],
  [
    'a statement that a coordinator sends on',
    node('Custom Scan', {
      'Distributed Query': {
        Job: { Tasks: [{ 'Remote Plan': [[{ Plan: node('Seq Scan', { 'Relation Name': 'Sale_102008' }) }]] }] },
      },
    }),
    ['walk', 'Sale'],
  ],
  ['a table of our own', node('Seq Scan', { 'Relation Name': '_audience_member' })],
];

test('every kind of node', () => {
  for (const [what, plan, ...steps] of cases) {
    const found = planSteps([{ Plan: plan }], names);
    assert.deepEqual(
      found.map(({ action, table: name, columns }) => [action, name, ...columns]),
      steps,
      what,
    );
  }
});
