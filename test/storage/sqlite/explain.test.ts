/** Lines of EXPLAIN QUERY PLAN in the terms of plans: those of SQLite's documentation, and those of our statements. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PlanNames } from '../../../src/storage/plan.ts';
import { physicalName } from '../../../src/storage/sqlite/dialect.ts';
import { planSteps } from '../../../src/storage/sqlite/explain.ts';
import { definitionOf, table, types } from '../../query/definitions.ts';

const sale = table('Sale', { amount: types.integer, rowid: types.integer, Due: types.integer }, [['amount', 'Due']]);
const names = new PlanNames(definitionOf(sale), physicalName);
const index = `_ix_${sale.id}_0`;

const cases: readonly (readonly [line: string, ...steps: readonly unknown[][]])[] = [
  ['SCAN Sale', ['walk', 'Sale']],
  [`SCAN Sale USING COVERING INDEX ${index}`, ['walkIndex', 'Sale', 'amount', 'Due']],
  [`SCAN Sale USING INDEX ${index}_audience`, ['walkIndex', 'Sale', 'amount', 'Due']],
  ['SCAN Sale USING INDEX sqlite_autoindex_Sale_1', ['walkIndex', 'Sale', 'objectId']],
  [`SEARCH Sale USING INDEX ${index} (amount=? AND Due>? AND Due<?)`, ['find', 'Sale', 'amount', 'Due']],
  [`SEARCH Sale USING INDEX ${index} ((amount,Due)>(?,?)) LEFT-JOIN`, ['find', 'Sale', 'amount', 'Due']],
  ['SEARCH Sale USING INDEX x (_n_rowid=?)', ['find', 'Sale', 'rowid']],
  ['SEARCH Sale USING INTEGER PRIMARY KEY (rowid=?)', ['find', 'Sale']],
  ['SEARCH Sale USING AUTOMATIC PARTIAL COVERING INDEX (Due=?)', ['walk', 'Sale'], ['indexOnce', 'Sale', 'Due']],
  ['USE TEMP B-TREE FOR LAST 2 TERMS OF ORDER BY', ['sort', null]],
  ['USE TEMP B-TREE FOR count(DISTINCT)', ['group', null]],
  ['SCAN json_each VIRTUAL TABLE INDEX 1:'],
  ['SEARCH _audience_member USING PRIMARY KEY (member=?)'],
  ['SEARCH Sale USING PRIMARY KEY (term>? AND term<?)'],
  ['LIST SUBQUERY 2'],
];

test('every kind of line', () => {
  for (const [line, ...steps] of cases) {
    const found = planSteps([line], names).map(({ action, table: name, columns }) => [action, name, ...columns]);
    assert.deepEqual(found, steps, line);
  }
});

test('a sub-select that is computed first is not a table of its name', () => {
  assert.deepEqual(planSteps(['MATERIALIZE Sale', 'SCAN Sale'], names), []);
});
