/**
 * Planning: requested tables are only added to stored ones; differences are refused; descriptions can be posted again.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { defaults } from '../../src/config.ts';
import { ServiceError } from '../../src/errors.ts';
import { definitionFrom, emptyCatalogue } from '../../src/schema/catalogue.ts';
import { describeTables, parseTables } from '../../src/schema/definition.ts';
import type { DefinitionChange, SpaceDefinition } from '../../src/schema/model.ts';
import { planChange } from '../../src/schema/plan.ts';
import { atOnce } from '../harness/steps.ts';

const empty = definitionFrom({ ...emptyCatalogue, version: 0 });
const column = (colName: string, type: string, more: object = {}) => ({ colName, type, ...more });

/** The result of a change, as made by an engine. */
function applied(current: SpaceDefinition, change: DefinitionChange | null): SpaceDefinition {
  if (change === null) return current;
  assert.equal(change.fromVersion, current.version);
  return definitionFrom({ version: current.version + 1, ...change.after });
}

/** The kinds and objects of a change's steps. */
const stepsIn = (change: DefinitionChange) =>
  change.steps.map((step) => {
    const what = 'column' in step ? step.column.name : 'index' in step ? step.index.columns.join() : '';
    return `${step.kind} ${step.table.name} ${what}`.trim();
  });

function plan(current: SpaceDefinition, tables: unknown, reset = false, limits = defaults): DefinitionChange | null {
  return atOnce(planChange(current, atOnce(parseTables(tables, limits)), { reset, limits }));
}

const define = (current: SpaceDefinition, tables: unknown, reset = false) =>
  applied(current, plan(current, tables, reset));

const described = (definition: SpaceDefinition) => atOnce(describeTables(definition));

function refuses(current: SpaceDefinition, tables: unknown, message: RegExp, limits = defaults): void {
  assert.throws(
    () => plan(current, tables, false, limits),
    (error) => {
      assert.ok(error instanceof ServiceError, String(error));
      assert.equal(error.reason, 'malformed');
      assert.match(error.message, message);
      return true;
    },
  );
}

const taskTable = {
  name: 'Task',
  primary_key: 'objectId',
  columns: [
    column('title', 'varchar', { fieldLength: 50 }),
    column('amount', 'decimal', { precision: 12, scale: 2, required: true }),
    column('note', 'text'),
    column('extra', 'json'),
  ],
  indexes: [{ columns: ['title'], unique: false }],
};
const stored = define(empty, [taskTable]);

test('a new table has the system columns first, then its own', () => {
  const table = stored.tables.get('Task')!;
  assert.deepEqual(
    table.columns.map(({ name }) => name),
    [
      'objectId',
      'CreateTime',
      'UpdateTime',
      'serverCreateTime',
      'serverUpdateTime',
      'serverRecordStatus',
      'scopeType',
      'groupIds',
      'createUserId',
      'title',
      'amount',
      'note',
      'extra',
    ],
  );
  assert.deepEqual(
    table.columns.map(({ system }) => system),
    [...new Array(9).fill(true), ...new Array(4).fill(false)],
  );
});

test('the description of a table is its definition', () => {
  assert.deepEqual(described(stored), [taskTable]);
});

test('nothing is done when everything is stored already, even if less is sent', () => {
  assert.equal(plan(stored, []), null);
  assert.equal(plan(stored, [taskTable]), null);
  assert.equal(plan(stored, [{ name: 'Task' }]), null);
  assert.equal(plan(stored, [{ name: 'Task', columns: [column('note', 'TEXT')] }]), null);
  assert.equal(plan(stored, described(stored)), null);
});

test('new tables, columns and indexes are added, and nothing else', () => {
  const change = plan(stored, [
    { name: 'Other' },
    {
      ...taskTable,
      columns: [column('done', 'bool'), ...taskTable.columns],
      indexes: [...taskTable.indexes, { columns: ['done', 'serverUpdateTime'] }, { columns: ['title'], unique: true }],
    },
  ])!;
  assert.equal(change.fromVersion, 1);
  assert.equal(change.reset, false);
  assert.deepEqual(stepsIn(change), [
    'createTable Other',
    'addColumn Task done',
    'createIndex Task done,serverUpdateTime',
    'createIndex Task title',
  ]);
  const { tables } = applied(stored, change);
  assert.equal(tables.get('Other')?.columns.length, 9);
  const added = { name: 'done', type: { kind: 'bool' }, required: false, system: false };
  assert.deepEqual(tables.get('Task')?.columns.at(-1), { ...added, number: stored.tables.get('Task')?.columns.length });
  assert.deepEqual(tables.get('Task')?.indexes.slice(-2), [
    { columns: ['done', 'serverUpdateTime'], unique: false, number: tables.get('Task')!.indexes.length - 2 },
    { columns: ['title'], unique: true, number: tables.get('Task')!.indexes.length - 1 },
  ]);
});

test('an index may be added on columns that are stored and not sent again; the same index only once', () => {
  const indexes = [{ columns: ['title', 'amount'] }, { columns: ['title', 'amount'] }];
  const change = plan(stored, [{ name: 'Task', indexes }])!;
  assert.deepEqual(stepsIn(change), ['createIndex Task title,amount']);
});

test('a changed type is refused, naming the stored and the sent one', () => {
  const cases: [object, RegExp][] = [
    [
      column('title', 'varchar', { fieldLength: 60 }),
      /"title" of the table "Task" is stored as varchar\(50\) and cannot be changed to varchar\(60\)/,
    ],
    [column('title', 'text'), /stored as varchar\(50\) and cannot be changed to text/],
    [
      column('amount', 'decimal', { precision: 12, scale: 3, required: true }),
      /decimal\(12,2\) required and cannot be changed to decimal\(12,3\) required/,
    ],
    [
      column('amount', 'decimal', { precision: 12, scale: 2 }),
      /stored as decimal\(12,2\) required and cannot be changed to decimal\(12,2\)\./,
    ],
    [column('note', 'text', { required: true }), /stored as text and cannot be changed to text required/],
  ];
  for (const [changed, message] of cases) {
    refuses(stored, [{ name: 'Other' }, { name: 'Task', columns: [changed] }], message);
    refuses(
      stored,
      [{ name: 'Other' }, { name: 'Task', columns: [changed] }],
      /^tables\[1\]\.columns\[0\]\.(type|required): /,
    );
  }
});

test('a required column is refused once the table exists', () => {
  refuses(
    stored,
    [{ name: 'Task', columns: [column('must', 'long', { required: true })] }],
    /"must" can't be required/,
  );
});

test('a definition makes a table lock-free, and does not reverse this', () => {
  assert.equal(plan(stored, [{ name: 'Task', lockFree: false }]), null);
  const change = plan(stored, [{ name: 'Task', lockFree: 'true' }])!;
  assert.deepEqual(change.steps, []);
  const free = applied(stored, change);
  assert.deepEqual(described(free), [{ ...taskTable, lockFree: true }]);
  assert.equal(plan(free, described(free)), null);
  assert.equal(plan(free, [taskTable]), null);
  refuses(
    free,
    [{ name: 'Task', lockFree: false }],
    /^tables\[0\]\.lockFree: expected true or nothing, .* got false\. POST .* changes it\.$/,
  );
  const born = define(empty, [{ name: 'T', lockFree: true }]);
  assert.equal(born.tables.get('T')!.lockFree, true);
  assert.equal(define(born, [{ name: 'T' }], true).tables.get('T')!.lockFree, false, 'after a reset');
});

test('names that differ from stored ones only in case are refused', () => {
  refuses(stored, [{ name: 'TASK' }], /^tables\[0\]\.name: .*"TASK".*"Task"/);
  refuses(
    stored,
    [{ name: 'Task', columns: [column('Title', 'text')] }],
    /"Title" differs from the stored column "title"/,
  );
});

test('the spelling of the client times is stored, returned and never changed', () => {
  const spelled = define(empty, [{ name: 'T', columns: [column('createTime', 'long'), column('a', 'text')] }]);
  const names = spelled.tables.get('T')!.columns.map(({ name }) => name);
  assert.deepEqual(names.slice(0, 3), ['objectId', 'createTime', 'UpdateTime']);
  assert.deepEqual(described(spelled)[0]!.columns, [column('createTime', 'text'), column('a', 'text')]);
  assert.equal(plan(spelled, described(spelled)), null);
  assert.equal(plan(spelled, [{ name: 'T', columns: [column('UpdateTime', 'long')] }]), null);
  refuses(
    spelled,
    [{ name: 'T', columns: [column('CreateTime', 'long')] }],
    /expected "createTime", .* spells it, got "CreateTime"/,
  );
  refuses(
    stored,
    [{ name: 'Task', columns: [column('updateTime', 'long')] }],
    /expected "UpdateTime", .* got "updateTime"/,
  );
});

test('an index needs existing, indexable columns', () => {
  const withIndex = (...columns: string[]) => [
    {
      name: 'N',
      columns: [
        column('short', 'varchar', { fieldLength: 600 }),
        column('long', 'varchar', { fieldLength: 601 }),
        column('doc', 'json'),
      ],
      indexes: [{ columns: ['short'] }, { columns }],
    },
  ];
  for (const good of ['short', 'objectId', 'serverUpdateTime', 'createUserId', 'scopeType']) {
    assert.notEqual(plan(empty, withIndex(good, 'serverCreateTime')), null);
  }
  for (const bad of ['long', 'doc', 'CreateTime', 'groupIds']) {
    refuses(
      empty,
      withIndex('objectId', bad),
      new RegExp(`^tables\\[0\\]\\.indexes\\[1\\]\\.columns\\[1\\]: The column "${bad}"`),
    );
  }
  refuses(empty, withIndex('shrot'), /no column "shrot"\. Did you mean "short"\?/);
  refuses(empty, withIndex('Short'), /no column "Short"\. Did you mean "short"\?/);
  refuses(
    stored,
    [{ name: 'Task', indexes: [{ columns: ['note'] }] }],
    /"note" is text; text in an index is a varchar/,
  );
});

test('a reset starts from nothing, even when the tables are the same', () => {
  const change = plan(stored, [taskTable], true)!;
  assert.equal(change.reset, true);
  assert.deepEqual(stepsIn(change), ['dropTable Task', 'createTable Task']);
  assert.deepEqual(described(applied(stored, change)), [taskTable]);
  assert.deepEqual(described(define(stored, [{ name: 'TASK', columns: [column('title', 'json')] }], true)), [
    { name: 'TASK', primary_key: 'objectId', columns: [column('title', 'json')], indexes: [] },
  ]);
  assert.deepEqual(described(define(stored, [], true)), []);
});

test('limits apply to stored and new definitions together', () => {
  const limits = { ...defaults, tablesMax: 2, columnsMax: 5, indexesMax: 2 };
  const two = define(stored, [{ name: 'Other' }]);
  assert.equal(plan(two, [{ name: 'Other' }], false, limits), null);
  refuses(two, [{ name: 'Third' }], /^tables: .*would have 3; at most 2 \(setting tablesMax\)/, limits);
  assert.notEqual(plan(two, [{ name: 'Third' }], true, limits), null);
  const columns = [column('x', 'long'), column('y', 'long')];
  refuses(stored, [{ name: 'Task', columns }], /^tables\[0\]\.columns: .*would have 6; at most 5/, limits);
  const indexes = [{ columns: ['amount'] }, { columns: ['amount', 'title'] }];
  refuses(stored, [{ name: 'Task', indexes }], /^tables\[0\]\.indexes: .*would have 3; at most 2/, limits);
});

test('columns of a whole data space are bounded, and a definition that already has more may be sent again unchanged', () => {
  const limits = { ...defaults, spaceColumnsMax: 4 };
  const wide = (name: string, count: number) => ({
    name,
    columns: Array.from({ length: count }, (_, index) => column(`c${index}`, 'long')),
  });
  const full = define(empty, [wide('A', 2), wide('B', 2)]);
  assert.notEqual(plan(empty, [wide('A', 2), wide('B', 2)], false, limits), null);
  const message = /^tables: With these, the data space would have 5 columns; at most 4 \(setting spaceColumnsMax\)/;
  refuses(empty, [wide('A', 2), wide('B', 3)], message, limits);
  refuses(full, [wide('C', 1)], message, limits);
  refuses(full, [wide('A', 3)], message, limits);
  assert.notEqual(plan(full, [wide('C', 4)], true, limits), null);
  const over = define(full, [wide('C', 3)]);
  assert.equal(plan(over, [wide('A', 2), wide('B', 2), wide('C', 3)], false, limits), null);
  assert.notEqual(plan(over, [{ ...wide('C', 3), indexes: [{ columns: ['c0'] }] }], false, limits), null);
});

test('other work may run after each table', () => {
  const tables = Array.from({ length: 30 }, (_, index) => ({ name: `T${index}`, columns: [column('a', 'long')] }));
  const definition = define(empty, tables);
  const requested = atOnce(parseTables(tables, defaults));
  const options = { reset: false, limits: defaults };
  for (const steps of [
    parseTables(tables, defaults),
    planChange(empty, requested, options),
    planChange(definition, requested, options),
    describeTables(definition),
  ]) {
    assert.equal([...steps].length, tables.length);
  }
});

const types = fc.constantFrom(
  { type: 'varchar', fieldLength: 40 },
  { type: 'varchar', fieldLength: 700 },
  { type: 'decimal', precision: 9, scale: 3 },
  ...['text', 'integer', 'long', 'double', 'bool', 'datetime', 'json'].map((type) => ({ type })),
);
const columnSent = fc
  .tuple(fc.constantFrom('a', 'b', 'c', 'd', 'createTime'), types)
  .map(([colName, type]) => (colName === 'createTime' ? column(colName, 'text') : { colName, ...type }));
const tableSent = fc.record({
  name: fc.constantFrom('T', 'U', 'V'),
  columns: fc.uniqueArray(columnSent, { selector: ({ colName }) => colName }),
  indexes: fc.array(
    fc.record({
      columns: fc.uniqueArray(fc.constantFrom('a', 'b', 'objectId'), { minLength: 1 }),
      unique: fc.boolean(),
    }),
  ),
});
const tablesSent = fc.uniqueArray(tableSent, { selector: ({ name }) => name });

test('for any sequence of definitions, nothing stored is lost or changed, and descriptions can be posted again', () => {
  fc.assert(
    fc.property(tablesSent, tablesSent, (first, second) => {
      let definition = empty;
      for (const tables of [first, second]) {
        const before = definition;
        try {
          definition = define(before, tables);
        } catch (error) {
          assert.ok(error instanceof ServiceError, String(error));
        }
        for (const [name, table] of before.tables) {
          const now = definition.tables.get(name)!;
          assert.deepEqual(now.columns.slice(0, table.columns.length), table.columns);
          assert.deepEqual(now.indexes.slice(0, table.indexes.length), table.indexes);
        }
        assert.equal(plan(definition, described(definition)), null);
        assert.deepEqual(described(define(empty, described(definition))), described(definition));
      }
    }),
    { numRuns: 1_000 },
  );
});
