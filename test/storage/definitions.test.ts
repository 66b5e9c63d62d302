/** The catalogue of a data space: changes are made as planned, once, and nothing is lost or reused. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../src/errors.ts';
import type { NumberedTable, SpaceDefinition, TableDefinition } from '../../src/schema/model.ts';
import { tableFrom } from '../../src/schema/table.ts';
import {
  changeOf,
  column,
  defineTables,
  itemsOf,
  openScratch,
  start,
  tableOf,
  taskScratch,
  tasksIn,
  taskTable,
} from './scratch.ts';

const every = tableOf(
  'Every_Type',
  [
    column('v', { kind: 'varchar', length: 20 }, true),
    column('t', { kind: 'text' }),
    column('i', { kind: 'integer' }),
    column('l', { kind: 'long' }),
    column('d', { kind: 'double' }),
    column('m', { kind: 'decimal', precision: 18, scale: 4 }),
    column('b', { kind: 'bool' }),
    column('a', { kind: 'datetime' }),
    column('j', { kind: 'json' }),
  ],
  [
    { columns: ['v', 'i'], unique: true },
    { columns: ['objectId'], unique: false },
  ],
);

const numbered = ({ name, columns, indexes, lockFree }: TableDefinition, id: number): NumberedTable => ({
  name,
  id,
  columns: columns.map((each, number) => ({ ...each, number })),
  indexes: indexes.map((each, number) => ({ ...each, number })),
  lockFree,
});

test('a definition is returned as given, with numbers of tables, also from the file', async (t) => {
  const { storage, scratch, close } = await openScratch(t);
  await storage.spaces.create(5);
  assert.deepEqual((await storage.spaces.definition(5)).tables, new Map());
  const definition = await defineTables(storage, 5, [every, taskTable]);
  assert.deepEqual(
    [...definition.tables],
    [
      ['Every_Type', tableFrom(numbered(every, 1))],
      ['task', tableFrom(numbered(taskTable, 2))],
    ],
  );
  assert.equal(await storage.spaces.definition(5), definition);
  const free = await storage.spaces.define(5, changeOf(definition, { newLockFree: ['task'] }));
  const isFree = (space: SpaceDefinition | null) => [...(space?.tables.values() ?? [])].map(({ lockFree }) => lockFree);
  assert.deepEqual(isFree(free), [false, true]);
  await close();
  const again = await openScratch(t, { place: scratch });
  assert.deepEqual(await again.storage.spaces.definition(5), free);
});

test('columns and indexes are added to a table with records', async (t) => {
  const { storage, tasks } = await taskScratch(t);
  await tasks.add([{ id: 'x', title: 'old', code: 1 }]);
  const definition = await storage.spaces.define(
    1,
    changeOf(tasks.definition, {
      newColumns: [
        { table: 'task', columns: [column('due', { kind: 'datetime' }), column('need', { kind: 'text' }, true)] },
      ],
      newIndexes: [{ table: 'task', indexes: [{ columns: ['due', 'code'], unique: false }] }],
    }),
  );
  const table = definition?.tables.get('task');
  assert.equal(definition?.version, tasks.definition.version + 1);
  assert.deepEqual(
    table?.columns.slice(-2).map(({ name, required }) => [name, required]),
    [
      ['due', false],
      ['need', true],
    ],
  );
  assert.equal(table?.indexes.length, 3);
  const after = await tasksIn(storage, 1);
  assert.deepEqual(Object.entries((await after.get('x')) ?? {}).slice(-3), [
    ['code', '1'],
    ['due', null],
    ['need', null],
  ]);
  assert.deepEqual(await tasks.add([{}]), { kind: 'stale' }, 'a batch that was checked against the old definition');
});

test('of two changes of the same definition one is made', async (t) => {
  const { storage } = await taskScratch(t);
  const definition = await storage.spaces.definition(1);
  const names = ['one', 'two', 'three'];
  const results = await Promise.all(
    names.map((name) => storage.spaces.define(1, changeOf(definition, { newTables: [tableOf(name, [])] }))),
  );
  // Either may come first, because on PostgreSQL they wait for a lock on separate connections.
  const carriedOut = names.filter((_, index) => results[index] !== null);
  assert.equal(carriedOut.length, 1);
  assert.deepEqual(
    results.flatMap((result) => (result === null ? [] : [result.version])),
    [definition.version + 1],
  );
  assert.deepEqual([...(await storage.spaces.definition(1)).tables.keys()], ['task', ...carriedOut]);
});

test('an impossible change leaves everything unchanged', async (t) => {
  const { storage, tasks } = await taskScratch(t);
  await tasks.add([
    { id: 'x', title: 'same' },
    { id: 'y', title: 'same' },
  ]);
  const unique = changeOf(tasks.definition, {
    newTables: [tableOf('other', [])],
    newIndexes: [{ table: 'task', indexes: [{ columns: ['title'], unique: true }] }],
  });
  await assert.rejects(storage.spaces.define(1, unique), (error) => {
    assert.ok(error instanceof ServiceError && error.reason === 'malformed');
    assert.match(error.message, /"task" on title can't be unique/);
    return true;
  });
  assert.deepEqual(await storage.spaces.definition(1), tasks.definition);
  assert.equal((await tasks.add([{}])).kind, 'done');
  assert.deepEqual((await defineTables(storage, 1, [tableOf('other', [])])).tables.get('other')?.id, 2);
});

test('a cancelled change leaves everything unchanged, and one recorded as a job is found by its id', async (t) => {
  const { storage, tasks } = await taskScratch(t);
  await tasks.add([{ id: 'x', title: 'one' }]);
  const change = changeOf(tasks.definition, {
    newColumns: [{ table: 'task', columns: [{ ...column('more', { kind: 'text' }), default: 'x' }] }],
  });
  const cancelled = new SharedArrayBuffer(4);
  new Int32Array(cancelled)[0] = 1;
  await assert.rejects(
    storage.spaces.define(1, { ...change, cancelled }),
    /They were cancelled, and nothing was changed/,
  );
  assert.deepEqual(await storage.spaces.refresh(1), tasks.definition);
  assert.equal(await storage.spaces.finishedJob(1, 'a'), null);
  const job = { id: 'a', time: start, content: '{"some":"content"}' };
  assert.notEqual(await storage.spaces.define(1, { ...change, cancelled: new SharedArrayBuffer(4), job }), null);
  assert.deepEqual(
    [await storage.spaces.finishedJob(1, 'a'), await storage.spaces.finishedJob(1, 'b')],
    [job.content, null],
  );
});

test('a reset drops records, tombstones and history, and numbers continue', async (t) => {
  const { storage, tasks } = await taskScratch(t);
  await tasks.add([{ id: 'x' }, { id: 'y' }], { transactionId: 'T' });
  await tasks.delete([{ objectId: 'x', base: start }], { now: start + 1_000 });
  const reset = changeOf(tasks.definition, { reset: true, newTables: [taskTable] });
  const definition = await storage.spaces.define(1, reset);
  assert.deepEqual([definition?.version, definition?.tables.get('task')?.id], [tasks.definition.version + 1, 2]);
  const after = await tasksIn(storage, 1);
  assert.equal(await after.get('y'), null);
  const [item] = itemsOf(await after.add([{ id: 'x' }], { transactionId: 'T' }));
  assert.equal(item?.updated, start);
});

test('a required column of a new table never accepts null', async (t) => {
  const { storage } = await taskScratch(t);
  const definition = await defineTables(storage, 1, [tableOf('strict', [column('need', { kind: 'text' }, true)])]);
  const add = (need: string | null) =>
    storage.spaces.write(1, {
      definitionVersion: definition.version,
      transactionId: null,
      requestHash: '',
      now: start,
      userId: 7,
      groupIds: [1],
      roleIds: [],
      members: ['g1'],
      refused: false,
      changes: [
        {
          table: 'strict',
          operation: 'add',
          items: [
            {
              objectId: `with ${need}`,
              generated: true,
              audience: 'g1',
              values: [null, null, null, null, null, 1, 2, '{1}', 7n, need],
            },
          ],
        },
      ],
    });
  const [refused, done] = await Promise.allSettled([add(null), add('it')]);
  assert.ok(refused.status === 'rejected' && refused.reason instanceof ServiceError);
  assert.equal(refused.reason.reason, 'internal');
  assert.equal(done.status === 'fulfilled' && done.value.kind, 'done');
});
