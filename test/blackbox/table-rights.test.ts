/**
 * What custom roles permit on tables (docs/reference/roles.md#custom-roles), over HTTP: every operation, with and
 * without its right.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { TableRight } from '../../src/caller.ts';
import { assertEnvelope, assertNothingForeign } from '../harness/cases.ts';
import type { Answer } from '../harness/client.ts';
import { valueAt } from '../harness/match.ts';
import { addRecords, defineTables, send } from '../harness/requests.ts';
import { app, startWorld, type World } from '../harness/world.ts';

const rights: readonly TableRight[] = ['read', 'add', 'update', 'delete'];
const columns = [{ colName: 'place', type: 'varchar', fieldLength: 40 }];
const tables = ['Cup', 'Shelf'].map((name) => ({ name, primary_key: 'objectId', columns }));

let world: World;
let group: number;
let clerk: number;
before(async () => {
  world = await startWorld({ people: ['alice', 'bob'] });
  group = Number(world.names.get('g1'));
  const { directory } = world.server;
  clerk = (await directory.roles.create({ companyId: 1, name: 'Clerk', permissions: [] })).roleId;
  await holds([[group, clerk]]);
  await defineTables(world, 'alice', tables);
  await addRecords(world, 'alice', 'Shelf', [{ objectId: 's1', place: 'wall', scopeType: '3' }]);
  await addRecords(world, 'alice', 'Cup', [
    { objectId: 'c1', place: 'wall', scopeType: '3' },
    { objectId: 'own', place: 'hidden', scopeType: '1' },
  ]);
  world.secrets.push({ text: 'hidden', what: "a record of alice's own", known: ['alice'] });
});
after(() => world.close());

/** Makes these bob's memberships, the only ones. */
async function holds(memberships: readonly (readonly [groupId: number, roleId: number])[]): Promise<void> {
  const { directory: db } = world.server.storage;
  const userId = Number(world.person('bob').id);
  await db.write([
    db.build.deleteFrom('membership').where('user_id', '=', userId),
    ...memberships.map(([group_id, role_id]) =>
      db.build.insertInto('membership').values({ user_id: userId, group_id, role_id }),
    ),
  ]);
  noticed();
}

type Granted = Readonly<Record<string, readonly TableRight[]>>;

/** Makes these the only permissions of the role: table → rights. */
async function permits(granted: Granted, { roleId = clerk, appId = app.appId as string } = {}): Promise<void> {
  const permissions = Object.entries(granted).map(([table, list]) => {
    const has = (right: TableRight) => list.includes(right);
    return { appId, table, read: has('read'), add: has('add'), update: has('update'), delete: has('delete') };
  });
  await world.server.directory.roles.update(1, roleId, { permissions });
  noticed();
}

/** Marks the role like those created without permissions before these were required. */
async function marked(roleId: number): Promise<void> {
  const { directory: db } = world.server.storage;
  await db.write([db.build.updateTable('role').set({ unrestricted: 1 }).where('id', '=', roleId)]);
  noticed();
}

/** Advances the clock by five seconds, after which every change must be noticed. */
function noticed(): void {
  world.clock.offsetMs += 5_000;
}

const cups = { from: { phyName: 'Cup', alias: 'c' } };
const joined = {
  ...cups,
  join: [
    {
      type: 'LEFT JOIN',
      entity: 'Shelf',
      entityAlias: 's',
      expression: { source: '#s.place = #c.place', params: [] },
    },
  ],
};
const hasShelf = 'EXISTS (SELECT 1 FROM Shelf s WHERE #s.place = #c.place)';
const onShelf = { ...cups, where: { expression: { source: hasShelf } } };
const placed = {
  ...cups,
  select: [
    { name: 'place', expression: { source: '#c.place' } },
    { name: 'cups', expression: { source: `SUM(CASE WHEN ${hasShelf} THEN 1 ELSE 0 END)` } },
  ],
  groupBy: ['place'],
  having: { expression: { source: 'place IN (SELECT #s.place FROM Shelf s)' } },
  orderBy: [{ column: `CASE WHEN ${hasShelf} THEN 1 END` }],
};
const { having, orderBy, ...grouped } = placed;
const older = { objectNames: ['Cup'], returnedObjectNames: ['Cup'] };
const olderJoined = (returned: string) => ({
  objectNames: ['Cup'],
  returnedObjectNames: [returned],
  condition: {
    joinConditions: [
      { joinType: 1, joinObjectName: 'Shelf', joinColumn: 'place', baseObjectName: 'Cup', baseColumn: 'place' },
    ],
  },
});
const byBob = (method: string, path: string, body?: object) => send(world, 'bob', method, path, body);
const never = '2014-01-23T14:44:36.516+07:00';

/** Each operation, the right that it needs on Cup, whether it also reads Shelf, and its answer when permitted. */
const operations: readonly {
  readonly name: string;
  readonly right: TableRight;
  readonly reads?: 'Shelf';
  readonly code: number | 'bare';
  send(): Promise<Answer>;
}[] = [
  { name: 'get', right: 'read', code: 'bare', send: () => byBob('GET', 'data/Cup/c1') },
  { name: 'query', right: 'read', code: 'bare', send: () => byBob('POST', 'data/query/Cup', cups) },
  { name: 'join', right: 'read', reads: 'Shelf', code: 'bare', send: () => byBob('POST', 'data/query/Cup', joined) },
  { name: 'count', right: 'read', code: 0, send: () => byBob('POST', 'data/query/Cup/count', cups) },
  {
    name: 'count join',
    right: 'read',
    reads: 'Shelf',
    code: 0,
    send: () => byBob('POST', 'data/query/Cup/count', joined),
  },
  {
    name: 'sub-query',
    right: 'read',
    reads: 'Shelf',
    code: 'bare',
    send: () => byBob('POST', 'data/query/Cup', onShelf),
  },
  {
    name: 'count by a sub-query',
    right: 'read',
    reads: 'Shelf',
    code: 0,
    send: () => byBob('POST', 'data/query/Cup/count', onShelf),
  },
  {
    name: 'sub-query in a join',
    right: 'read',
    reads: 'Shelf',
    code: 'bare',
    send: () =>
      byBob('POST', 'data/query/Cup', {
        ...cups,
        join: [{ type: 'JOIN', entity: 'Cup', entityAlias: 'd', expression: { source: hasShelf } }],
      }),
  },
  ...Object.entries({ select: grouped, having: { ...placed, select: placed.select.slice(0, 1), orderBy: [] } }).map(
    ([name, body]) => ({
      name: `sub-query in ${name}`,
      right: 'read' as const,
      reads: 'Shelf' as const,
      code: 0 as const,
      send: () => byBob('POST', 'data/select/Cup', body),
    }),
  ),
  {
    name: 'sub-query in orderBy of groups',
    right: 'read',
    reads: 'Shelf',
    code: 0,
    send: () =>
      byBob('POST', 'data/select/Cup', { ...cups, select: placed.select.slice(0, 1), groupBy: ['place'], orderBy }),
  },
  { name: 'older', right: 'read', code: 0, send: () => byBob('POST', 'data/query', older) },
  ...['Cup', 'Shelf'].map((returned) => ({
    name: `older join, ${returned} returned`,
    right: 'read' as const,
    reads: 'Shelf' as const,
    code: 0,
    send: () => byBob('POST', 'data/query', olderJoined(returned)),
  })),
  {
    name: 'add',
    right: 'add',
    code: 0,
    send: () => byBob('POST', 'data/batch/addData', { objectName: 'Cup', data: [{ place: 'floor' }] }),
  },
  {
    name: 'update',
    right: 'update',
    code: 130,
    send: () =>
      byBob('POST', 'data/batch/updateData', {
        objectName: 'Cup',
        data: [{ objectId: 'nothing', serverUpdateTime: never }],
      }),
  },
  {
    name: 'delete',
    right: 'delete',
    code: 130,
    send: () =>
      byBob('POST', 'data/batch/deleteData', {
        objectName: 'Cup',
        objectIds: [{ objectId: 'nothing', serverUpdateTime: never }],
      }),
  },
];

async function expectOperation(operation: (typeof operations)[number], refused: string | null): Promise<void> {
  const answer = await operation.send();
  const context = `${operation.name}: ${answer.text.slice(0, 300)}`;
  assertNothingForeign(world, 'bob', answer);
  if (refused === null) return assertEnvelope(answer, operation.code);
  assert.equal(answer.status, 403, context);
  assertEnvelope(answer, 122);
  assert.ok(answer.text.includes(`right to ${operation.right} records of table \\"${refused}\\"`), context);
}

test('every operation is refused without its right, and allowed with it', async () => {
  for (let set = 0; set < 2 ** rights.length; set++) {
    const onCup = rights.filter((_, index) => set & (1 << index));
    await permits({ Cup: onCup, Shelf: set % 2 === 1 ? ['read'] : ['add', 'update', 'delete'] });
    for (const operation of operations) {
      await expectOperation(operation, onCup.includes(operation.right) ? null : 'Cup');
    }
  }
});

test('a query is refused for any table of it, joined or returned', async () => {
  await permits({ Cup: ['read'], Shelf: ['add', 'update', 'delete'] });
  for (const operation of operations) {
    if (operation.right === 'read') await expectOperation(operation, operation.reads ?? null);
  }
  await permits({ Shelf: ['read'] });
  for (const operation of operations) await expectOperation(operation, 'Cup');
});

test('* stands for every table, and names ignore case', async () => {
  await permits({ '*': ['read'], cUP: ['add'] });
  const refused = operations.map(({ right }) => (right === 'read' || right === 'add' ? null : 'Cup'));
  for (const [index, operation] of operations.entries()) await expectOperation(operation, refused[index] ?? null);
  await permits({ '*': rights });
  for (const operation of operations) await expectOperation(operation, null);
});

test('rights go by name: a renamed table leaves them behind, and the change names the roles', async () => {
  await permits({ cUP: ['read'], Saucer: ['read'] });
  const rename = async (table: string, to: string) => {
    const { json } = await send(world, 'alice', 'GET', 'schemas');
    const changes = [{ op: 'renameTable', table, to }];
    const body = { revision: valueAt(json, 'revision'), changes };
    const dry = await send(world, 'alice', 'POST', 'schemas/changes', { ...body, dryRun: true });
    const done = await send(world, 'alice', 'POST', 'schemas/changes', body);
    assert.equal(done.status, 200, done.text);
    return [dry, done].map((answer) => valueAt(answer.json, 'results.roles'));
  };
  const mayRead = async (table: string) =>
    (await send(world, 'bob', 'POST', `data/query/${table}/count`, { from: { phyName: table, alias: 'x' } })).status;
  assert.deepEqual(await rename('Cup', 'Mug'), [['Clerk'], ['Clerk']]);
  assert.deepEqual([await mayRead('Mug')], [403]);
  assert.deepEqual(await rename('Mug', 'Saucer'), [['Clerk'], ['Clerk']]);
  assert.deepEqual([await mayRead('Saucer')], [200]);
  assert.deepEqual(await rename('Saucer', 'Cup'), [['Clerk'], ['Clerk']]);
  assert.deepEqual(await rename('Shelf', 'Rack'), [[], []]);
  await rename('Rack', 'Shelf');
});

test('the rights of several roles add up; a built-in or marked role has all; one without permissions none', async () => {
  const { roleId: second } = await world.server.directory.roles.create({
    companyId: 1,
    name: 'Second',
    permissions: [],
  });
  await permits({ Cup: ['read'] });
  await permits({ Shelf: ['read'], Cup: ['add'] }, { roleId: second });
  await holds([
    [group, clerk],
    [group, second],
  ]);
  for (const operation of operations) {
    await expectOperation(operation, ['read', 'add'].includes(operation.right) ? null : 'Cup');
  }
  await marked(second);
  for (const operation of operations) await expectOperation(operation, null);
  await permits({}, { roleId: second });
  for (const operation of operations)
    await expectOperation(operation, operation.right === 'read' ? (operation.reads ?? null) : 'Cup');
  await permits({});
  for (const operation of operations) await expectOperation(operation, 'Cup');
  for (const roleId of [1, 3, 4, 5, 6]) {
    await holds([
      [group, second],
      [group, roleId],
    ]);
    for (const operation of operations) await expectOperation(operation, null);
  }
  await holds([[group, clerk]]);
});

test('permissions in another application grant nothing in this one', async () => {
  await world.server.directory.applications.create({ companyId: 1, appId: 'another', appKey: 'key-of-another' });
  await permits({ '*': rights }, { appId: 'another' });
  for (const operation of operations) await expectOperation(operation, 'Cup');
});

test('a role counts only if its group may use the application, Super Admin everywhere; without membership a user is a User', async () => {
  const { directory: db } = world.server.storage;
  const other = Number(world.names.get('g2'));
  await permits({ Cup: ['read'] });
  const appGroups = db.build.deleteFrom('app_group').where('app_id', '=', app.appId);
  await db.write([appGroups.where('group_id', '=', other)]);
  try {
    await holds([
      [group, clerk],
      [other, 5],
    ]);
    for (const operation of operations) {
      await expectOperation(operation, operation.right === 'read' ? (operation.reads ?? null) : 'Cup');
    }
    await holds([
      [group, clerk],
      [other, 2],
    ]);
    for (const operation of operations) await expectOperation(operation, null);
  } finally {
    await db.write([appGroups]);
  }
  await holds([]);
  for (const { name, right, code, send: ask } of operations) {
    const answer = await ask();
    // Without a group, nothing can be added for one.
    assertEnvelope(answer, right === 'add' ? 131 : code);
    assert.notEqual(answer.status, 403, name);
  }
  await holds([[group, clerk]]);
});

test('a right makes no further record visible', async () => {
  await permits({ '*': rights });
  assertEnvelope(await byBob('GET', 'data/Cup/own'), 130);
  const answer = await byBob('POST', 'data/query/Cup', cups);
  assert.ok(!JSON.stringify(valueAt(answer.json, 'c')).includes('hidden'));
});

test('a put needs both rights, and a batch those of every operation', async () => {
  const put = () =>
    byBob('POST', 'data/batch/putData', { objectName: 'Cup', data: [{ objectId: 'put', place: 'once' }] });
  const add = (objectName: string) => ({ op: 'add', objectName, data: [{}] });
  const both = () => byBob('POST', 'data/batch', { operations: [add('Cup'), add('Shelf')] });
  for (const granted of ['add', 'update'] as const) {
    await permits({ Cup: [granted, 'read'] });
    assertEnvelope(await put(), 122);
  }
  await permits({ Cup: ['add', 'update', 'read'] });
  assertEnvelope(await put(), 0);
  assertEnvelope(await both(), 122);
  await permits({ Cup: ['add'], Shelf: ['add'] });
  assertEnvelope(await both(), 0);
});

test('without the right, nothing reveals definitions, history or faults of items; definitions are listed as before', async () => {
  await permits({ Cup: ['add', 'read'] });
  const batch = { transactionId: 'tx-rights', objectName: 'Cup', data: [{ place: 'once' }] };
  assertEnvelope(await byBob('POST', 'data/batch/addData', batch), 0);
  assertEnvelope(await byBob('POST', 'data/batch/addData', batch), 211);
  await permits({ Shelf: ['read'] });
  const refusals: [string, object][] = [
    ['data/batch/addData', batch],
    ['data/batch/addData', { ...batch, objectName: 'Nothing' }],
    ['data/batch/addData', { ...batch, data: [{ nope: 1 }] }],
    ['data/batch/updateData', { ...batch, data: [{}] }],
    ['data/batch/deleteData', { transactionId: 'tx-rights', objectName: 'Cup', objectIds: [{}] }],
    ['data/batch/putData', { ...batch, data: [{}] }],
    ['data/batch', { transactionId: 'tx-rights', operations: [{ op: 'add', objectName: 'Cup', data: [{ nope: 1 }] }] }],
    ['data/query/Nothing', { from: { phyName: 'Nothing', alias: 'n' } }],
    ['data/query/Cup', { ...cups, where: { expression: { source: '#c.nope = 1', params: [] } } }],
  ];
  for (const [path, body] of refusals) assertEnvelope(await byBob('POST', path, body), 122);
  assertEnvelope(await byBob('GET', 'data/Nothing/x'), 122);
  assertEnvelope(await send(world, 'alice', 'GET', 'schemas'), 0);
});
