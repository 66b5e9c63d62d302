/**
 * The joins of queries: which columns count as joined, and counts that are stored by version and day within bounds, and
 * added up over processes.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { pino } from 'pino';
import { openSeal } from '../../src/auth/seal.ts';
import { dataContext } from '../../src/data/context.ts';
import { defineTables } from '../../src/data/define.ts';
import { countRows, expressionQuery, structuredQuery } from '../../src/data/query.ts';
import { type SelectForm, selectRows } from '../../src/data/select.ts';
import { everything } from '../../src/data/visibility.ts';
import { joinNames } from '../../src/query/joined-columns.ts';
import { openJoinStatistics } from '../../src/statistics/joins.ts';
import { caller } from '../data/world.ts';
import { clockAt, openScratch } from '../storage/scratch.ts';

const dayMs = 86_400_000;
const start = Date.UTC(2027, 0, 15, 6);

async function opened(t: TestContext, changes = {}) {
  const clock = clockAt(start);
  const { storage, settings } = await openScratch(t, { clock, settings: changes });
  const logged: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void logged.push(line) });
  /** The counts of a starting process. */
  const begin = () => openJoinStatistics({ storage, settings, environment: clock, log });
  const rows = async () => await storage.logs.read(storage.logs.build.selectFrom('version_join').selectAll());
  return { storage, settings, clock, logged, begin, rows };
}

const text = (colName: string) => ({ colName, type: 'varchar', fieldLength: 200 });
const number = (colName: string, type: string) => ({ colName, type });
const tables = [
  { name: 'Customer', columns: [text('name'), text('bossId'), number('level', 'integer')] },
  { name: 'Invoice', columns: [text('customerId'), text('note'), number('level', 'long')] },
];

const invoices = { phyName: 'Invoice', alias: 'i' };
const join = (entity: string, entityAlias: string, source: string, type = 'INNER JOIN') => ({
  entity,
  entityAlias,
  type,
  expression: { source },
});
const joined = (source: string, type?: string): SelectForm => ({
  from: invoices,
  join: [join('Customer', 'c', source, type)],
});
const where = (source: string): SelectForm => ({ from: invoices, where: { expression: { source } } });
const byCustomer = 'Customer.objectId = Invoice.customerId';

/** Conditions, and the joins in them. */
const cases: readonly [form: SelectForm, ...joins: string[]][] = [
  [joined('#i.customerId = #c.objectId'), byCustomer],
  [joined('#c.objectId = #i.customerId', 'LEFT OUTER JOIN'), byCustomer],
  [joined("#i.note = 'a' AND NOT (#i.customerId <> #c.objectId OR #i.customerId = #c.objectId)"), byCustomer],
  [joined('LOWER(#i.note) = LOWER(#c.name)'), 'Customer.name = Invoice.note'],
  [joined('#i.level = #c.level'), 'Customer.level = Invoice.level'],
  [
    joined('#i.customerId = #c.objectId AND #i.note = #c.name'),
    'Customer.name = Invoice.note',
    'Customer.objectId = Invoice.customerId',
  ],
  [
    { from: { phyName: 'Customer', alias: 'c' }, join: [join('Customer', 'b', '#c.bossId = #b.objectId')] },
    'Customer.bossId = Customer.objectId',
  ],
  [where('EXISTS (SELECT 1 FROM Customer k WHERE #k.objectId = #i.customerId)'), byCustomer],
  [where("#i.customerId NOT IN (SELECT #k.objectId FROM Customer k WHERE #k.name = 'a')"), byCustomer],
  [where('#i.customerId = #i.note')],
  [joined('#i.customerId = #c.objectId AND #i.customerId = #i.note'), byCustomer],
  [joined('#i.customerId > #c.objectId')],
  [joined("#i.customerId = 'a'")],
];

test('joins of clients are counted in every form of query, by version, and follow renamed tables', async (t) => {
  const { storage, settings, clock, begin, logged } = await opened(t);
  const joins = begin();
  const context = dataContext(storage, settings, clock, openSeal(settings, clock), undefined, joins);
  await storage.spaces.create(1);
  const items = tables.map((table) => ({ primary_key: 'objectId', ...table }));
  await defineTables(context, 1, { tables: items, reset: false, resettable: false });
  const counts = async (appVersion = '1.0.0') => {
    const nameOf = joinNames(await storage.spaces.definition(1));
    return (await joins.read({ spaceId: 1, appVersion })).map(({ joined, queries }) => {
      const { table, column, otherTable, otherColumn } = nameOf(joined) ?? assert.fail(joined);
      return `${[`${table}.${column}`, `${otherTable}.${otherColumn}`].sort().join(' = ')}: ${queries}`;
    });
  };
  for (const [index, [form, ...expected]] of cases.entries()) {
    const appVersion = `2.${index}.0`;
    await selectRows(context, { ...caller, appVersion }, form.from.phyName, form);
    const found = expected.map((one) => `${one}: 1`);
    assert.deepEqual((await counts(appVersion)).sort(), found.sort(), JSON.stringify(form));
  }

  const form = joined('#i.customerId = #c.objectId');
  const older = {
    objectNames: 'Invoice',
    returnedObjectNames: 'Invoice',
    condition: {
      joinConditions: [
        {
          joinType: 1,
          baseObjectName: 'Invoice',
          baseColumn: 'customerId',
          joinObjectName: 'Customer',
          joinColumn: 'objectId',
        },
      ],
    },
  };
  await expressionQuery(context, caller, 'Invoice', form);
  await countRows(context, caller, 'Invoice', form);
  await structuredQuery(context, caller, older as never);
  const { appVersion: _, ...requester } = caller;
  await selectRows(context, { ...requester, sees: everything }, 'Invoice', form);
  await assert.rejects(expressionQuery(context, caller, 'Invoice', joined('#i.customerId = #c.nothing')));
  assert.deepEqual(await counts(), [`${byCustomer}: 3`], 'an administrator’s query and a refused one do not count');
  assert.deepEqual(await counts('1.1.0'), []);

  const definition = await storage.spaces.definition(1);
  const [, invoice] = definition.catalogue.tables;
  const renamed = joinNames({
    ...definition,
    tables: new Map(
      [...definition.tables].map(([name, table]) =>
        table.id === invoice?.id ? ['Bill', { ...table, name: 'Bill' }] : [name, table],
      ),
    ),
  });
  const [stored] = await joins.read({ spaceId: 1, appVersion: '1.0.0' });
  assert.match(JSON.stringify(renamed(stored?.joined ?? '')), /"Bill"/);
  assert.equal(joinNames({ ...definition, tables: new Map() })(stored?.joined ?? ''), null);
  await joins.close();
  assert.deepEqual(logged, []);
});

const version = { spaceId: 7, appVersion: '1.0.0' };

test('counts of several processes are added up, and kept for 31 days', async (t) => {
  const { clock, begin, rows } = await opened(t);
  const [first, second] = [begin(), begin()];
  first.count(version, ['1.0=2.0', '1.1=2.1']);
  second.count(version, ['1.0=2.0']);
  second.count({ ...version, appVersion: '1.1.0' }, ['1.0=2.0']);
  await Promise.all([first.write(), second.write()]);
  clock.time += dayMs;
  first.count(version, ['1.0=2.0']);
  await Promise.all([first.close(), second.close()]);
  const third = begin();
  assert.deepEqual(await third.read(version), [
    { joined: '1.0=2.0', queries: 3 },
    { joined: '1.1=2.1', queries: 1 },
  ]);
  assert.equal((await rows()).length, 4);
  clock.time += 30 * dayMs;
  assert.deepEqual(await third.read(version), [{ joined: '1.0=2.0', queries: 1 }]);
  assert.equal((await rows()).length, 1, 'older rows are deleted');
  await third.close();
});

test('only the most frequent joins of a version and day are kept, and memory holds no more of them', async (t) => {
  const { begin, rows } = await opened(t, { joinsMax: 3 });
  const joins = begin();
  const other = { ...version, spaceId: 8 };
  joins.count(other, ['1.0=2.0']);
  for (let queries = 0; queries < 2; queries++) joins.count(version, ['1.1=2.1', '1.2=2.2', '1.3=2.3']);
  joins.count(version, ['1.4=2.4']);
  await joins.write();
  const frequent = ['1.1=2.1', '1.2=2.2', '1.3=2.3'];
  assert.deepEqual(
    (await joins.read(version)).map(({ joined }) => joined),
    frequent,
  );
  for (let queries = 0; queries < 5; queries++) joins.count(version, ['1.5=2.5']);
  joins.count(version, ['1.2=2.2']);
  assert.deepEqual(await joins.read(version), [
    { joined: '1.5=2.5', queries: 5 },
    { joined: '1.2=2.2', queries: 3 },
    { joined: '1.1=2.1', queries: 2 },
  ]);
  assert.deepEqual((await rows()).filter(({ space_id }) => space_id === 7).length, 3);
  assert.deepEqual(await joins.read(other), [{ joined: '1.0=2.0', queries: 1 }]);
  await joins.close();
});

test('counts that cannot be stored are stored with the next ones', async (t) => {
  const { storage, begin, logged } = await opened(t);
  const { schema } = storage.logs.build;
  const joins = begin();
  joins.count(version, ['1.0=2.0']);
  await storage.logs.write([schema.alterTable('version_join').renameTo('version_join_away')]);
  await joins.write();
  assert.match(logged.join(), /joins of queries could not be stored/);
  await storage.logs.write([schema.alterTable('version_join_away').renameTo('version_join')]);
  joins.count(version, ['1.0=2.0']);
  assert.deepEqual(await joins.read(version), [{ joined: '1.0=2.0', queries: 2 }]);
  await joins.close();
});
