/** Several instances on one database: definitions changed by one and used by another, copies, and the directory. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ServiceError } from '../../../src/errors.ts';
import type { PutChange } from '../../../src/storage/contract.ts';
import { changeOf, column, defineTables, openScratch, tableOf, taskScratch, tasksIn, taskTable } from '../scratch.ts';
import { storedRows } from '../stored.ts';
import { databaseOf, one } from './database.ts';

const due = [{ table: 'task', columns: [column('due', { kind: 'datetime' })] }];

async function twoInstances(t: TestContext, settings = {}) {
  const first = await taskScratch(t, { settings });
  const second = await openScratch(t, { place: first.scratch, settings });
  return { first, second: { ...second, tasks: await tasksIn(second.storage, 1) } };
}

test('a change by another instance is seen on refresh', async (t) => {
  const { first, second } = await twoInstances(t, { definitionCacheMs: 60_000 });
  const before = await second.storage.spaces.definition(1);
  assert.equal(await second.storage.spaces.refresh(1), before, 'the same object while nothing is changed');
  const changed = await first.storage.spaces.define(1, changeOf(before, { newColumns: due }));
  assert.equal(await second.storage.spaces.definition(1), before);
  assert.deepEqual(await second.storage.spaces.refresh(1), changed);
  assert.deepEqual(await second.storage.spaces.definition(1), changed);
});

test('a batch made for the tables from before is stale, and the next one is not', async (t) => {
  const { first, second } = await twoInstances(t, { definitionCacheMs: 60_000 });
  await first.storage.spaces.define(1, changeOf(first.tasks.definition, { newColumns: due }));
  assert.deepEqual(await second.tasks.add([{}]), { kind: 'stale' });
  assert.equal((await (await tasksIn(second.storage, 1)).add([{}])).kind, 'done');
});

test('without a refresh, a change is seen after definitionCacheMs', async (t) => {
  const { first, second } = await twoInstances(t, { definitionCacheMs: 0 });
  const changed = await first.storage.spaces.define(
    1,
    changeOf(first.tasks.definition, { newTables: [tableOf('other', [])] }),
  );
  assert.deepEqual(await second.storage.spaces.definition(1), changed);
});

test('of two instances that change the same definition, one must try again', async (t) => {
  const { first, second } = await twoInstances(t);
  const { definition } = first.tasks;
  const results = await Promise.all(
    [first, second].map(({ storage }, index) =>
      storage.spaces.define(1, changeOf(definition, { newTables: [tableOf(`t${index}`, [])] })),
    ),
  );
  assert.deepEqual(results.map((result) => result?.version ?? null).sort(), [null, definition.version + 1].sort());
});

test('a reset by another instance is reported as changed tables, not as a fault', async (t) => {
  const { first, second } = await twoInstances(t, { definitionCacheMs: 60_000 });
  await second.tasks.add([{ id: 'x' }]);
  assert.notEqual(await second.tasks.get('x'), null);
  const { definition } = first.tasks;
  await first.storage.spaces.define(1, changeOf(definition, { reset: true, newTables: [tableOf('other', [])] }));
  await assert.rejects(second.tasks.get('x'), (error) => error instanceof ServiceError && error.reason === 'noTable');
});

test('a change of tables waits for their users', async (t) => {
  const { connect, scratch } = await databaseOf(t);
  const { storage, tasks } = await taskScratch(t, { place: scratch });
  const pool = connect();
  let defining: Promise<unknown> = Promise.resolve();
  await pool.transaction('read committed', async (connection) => {
    await connection.query({ text: 'LOCK TABLE rowhouse_space_1.task IN ACCESS SHARE MODE' });
    defining = storage.spaces.define(1, changeOf(tasks.definition, { newColumns: due }));
    while ((await one(pool, 'SELECT count(*) FROM pg_locks WHERE NOT granted')) === '0');
  });
  assert.notEqual(await defining, null);
});

/** Puts records with these values of `code`, which is unique. */
function putByCode(codes: readonly number[], lastId: string): PutChange {
  const addition = {
    audience: 'g1,3',
    columns: ['serverRecordStatus', 'scopeType', 'groupIds', 'createUserId'],
    values: [1, 2, '{1,3}', 7n],
  };
  const item = (code: number) => ({ objectId: `put ${code} ${lastId}`, base: null, columns: ['code'], values: [code] });
  const items = codes.map((code) => ({ ...item(code), foreignGroupIds: [], addition }));
  return { operation: 'put', key: ['code'], items };
}

test('of puts of one key at two instances, one adds and the other finds its record', async (t) => {
  const { first, second } = await twoInstances(t);
  const codes = Array.from({ length: 40 }, (_, code) => code);
  const outcomes = await Promise.all(
    codes.flatMap((code) => [
      first.tasks.write(putByCode([code], 'first')),
      second.tasks.write(putByCode([code], 'second')),
    ]),
  );
  for (const code of codes) {
    const both = outcomes.slice(2 * code, 2 * code + 2);
    assert.deepEqual(both.map(({ kind }) => kind).sort(), ['done', 'failed'], `code ${code}: ${JSON.stringify(both)}`);
    const failed = both.flatMap((outcome) => (outcome.kind === 'failed' ? outcome.failures : []));
    assert.deepEqual(failed, [{ reason: 'noBase' }]);
  }
  const [{ number } = { number: 0 }] = await storedRows(first.scratch, 'SELECT count(*) AS number FROM task');
  assert.equal(number, codes.length);
});

test('batches of two instances that name the same records of two tables in either order are all written, without deadlock', async (t) => {
  const { first, second } = await twoInstances(t, { definitionCacheMs: 0 });
  const other = { ...taskTable, name: 'other' };
  const present = await first.storage.spaces.definition(1);
  await first.storage.spaces.define(1, changeOf(present, { newTables: [other], newLockFree: ['task'] }));
  const defined = await first.storage.spaces.definition(1);
  await first.storage.spaces.define(1, changeOf(defined, { newLockFree: ['other'] }));
  const { version: definitionVersion } = await first.storage.spaces.definition(1);
  await second.storage.spaces.refresh(1);
  const ready = ['task', 'other'].map((table) => ({ table, ...putByCode([1, 2], table) }));
  await first.tasks.write(putByCode([], ''), { definitionVersion, changes: ready });
  const outcomes = await Promise.all(
    Array.from({ length: 60 }, (_, index) => {
      const tables = index % 4 < 2 ? ['task', 'other'] : ['other', 'task'];
      const codes = index % 3 === 0 ? [1, 2] : [2, 1];
      const changes = tables.map((table) => ({ table, ...putByCode(codes, `${index}`) }));
      return (index % 2 === 0 ? first : second).tasks.write(putByCode([], ''), { definitionVersion, changes });
    }),
  );
  assert.deepEqual(new Set(outcomes.map(({ kind }) => kind)), new Set(['done']));
  const rows = await storedRows(first.scratch, 'SELECT code FROM task UNION ALL SELECT code FROM other ORDER BY code');
  assert.deepEqual(
    rows.map(({ code }) => code),
    [1, 1, 2, 2],
  );
  // A connection reports its counts when it ends.
  await Promise.all([first.close(), second.close()]);
  const others = `SELECT count(*) AS number FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`;
  while ((await storedRows(first.scratch, others))[0]?.number !== 0);
  const counted = 'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()';
  assert.deepEqual(await storedRows(first.scratch, counted), [{ deadlocks: 0 }]);
});

test('a copy has the tables and records of one moment, and is then independent', async (t) => {
  const { storage, tasks } = await taskScratch(t);
  await defineTables(storage, 1, [tableOf('Order', [column('ctid', { kind: 'decimal', precision: 9, scale: 2 })])]);
  await (await tasksIn(storage, 1)).add([{ id: 'x', title: 'one', scopeType: 2, groupIds: [1, 3] }], {
    transactionId: 'T',
  });
  await storage.spaces.copy(1, 2);
  const [source, target] = [await storage.spaces.definition(1), await storage.spaces.definition(2)];
  assert.deepEqual([target.version, target.tables], [source.version, source.tables]);
  const copy = await tasksIn(storage, 2);
  assert.deepEqual(await copy.get('x'), await (await tasksIn(storage, 1)).get('x'));
  const again = await copy.add([{ id: 'y', title: 'two' }], { transactionId: 'T' });
  assert.equal(again.kind, 'done', 'the history of transactions is not copied');
  assert.equal(await (await tasksIn(storage, 1)).get('y'), null);
  assert.equal((await copy.add([{ code: 5 }, { code: 5 }])).kind, 'failed', 'the indexes are there');
  const definition = await storage.spaces.definition(2);
  const more = await storage.spaces.define(
    2,
    changeOf(definition, { newTables: [taskTable].map((table) => ({ ...table, name: 'more' })) }),
  );
  assert.equal(more?.tables.get('more')?.id, 3);
  assert.equal((await storage.spaces.definition(1)).tables.has('more'), false);
  await assert.rejects(
    storage.spaces.copy(1, 2),
    (error) => error instanceof ServiceError && error.reason === 'internal',
  );
  assert.notEqual(await copy.get('y'), null);
  assert.equal(tasks.definition.tables.size, 1);
});

test('writers of the directory are serialised across all instances', async (t) => {
  const { first, second } = await twoInstances(t);
  const { directory } = first.storage;
  const { build } = directory;
  const count = build.selectFrom('company').select(({ fn }) => fn.countAll<number>().as('n'));
  const insert = build.insertInto('company').values({ name: (eb) => eb.cast<string>(count, 'text'), created: 1 });
  const storages = [first.storage, second.storage];
  await Promise.all(Array.from({ length: 24 }, (_, index) => storages[index % 2]?.directory.write([insert])));
  const rows = await directory.read(build.selectFrom('company').select('name').orderBy('id'));
  assert.deepEqual(
    rows.map(({ name }) => Number(name)).sort((a, b) => a - b),
    [...rows.keys()],
  );
});

test('a company may have a given id, and the next ones continue from it', async (t) => {
  const { directory } = (await openScratch(t)).storage;
  const { build } = directory;
  const add = async (values: { id?: number }) => {
    const insert = build
      .insertInto('company')
      .values({ ...values, name: 'A company', created: 1 })
      .returning('id');
    return (await directory.write([insert]))[0]?.rows[0]?.id;
  };
  const ids = [];
  for (const values of [{ id: 1 }, {}, { id: 9 }, { id: 4 }, {}]) ids.push(await add(values));
  assert.deepEqual(ids, [1, 2, 9, 4, 10]);
});
