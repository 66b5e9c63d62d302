/** Records in the administration: seen and changed by those who may, each act with its entry in the audit trail. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { valueAt } from '../harness/match.ts';
import { type AdminWorld, type Fields, openAdminWorld, type Who } from './world.ts';

const inShop = { companyId: 1, appId: 'shop', version: '1.0' };
const ofTask = { params: { ...inShop, objectName: 'Task' } };
const all = { from: { phyName: 'Task', alias: 't' }, orderBy: [{ column: '#t.title' }] };
const titles = { ...all, select: [{ name: 'title', expression: { source: '#t.title' } }] };

let world: AdminWorld;
/** The initial records of the tests, by title. */
const made = new Map<string, Fields>();

before(async () => {
  world = await openAdminWorld({ adminSessionLifeMs: 4 * 3_600_000 });
  const columns = [
    { colName: 'title', type: 'varchar', fieldLength: 100 },
    { colName: 'amount', type: 'integer' },
  ];
  const tables = [{ name: 'Task', primary_key: 'objectId', columns }];
  await world.results('root', 'defineVersionTables', { params: inShop, body: { tables } });
  const { north, south } = world;
  await add('user', { title: 'own', scopeType: 1 });
  await add('manager', { title: 'of north', scopeType: 2, groupIds: [north] });
  await add('manager', { title: 'for all', scopeType: 3 });
  await add('superAdmin', { title: 'of superAdmin', scopeType: 1 });
  await world.house.server.directory.users.update(1, world.userId('developer'), {
    memberships: [north, south].map((groupId) => ({ groupId, roleId: 6 })),
  });
  await add('developer', { title: 'shared', scopeType: 2, groupIds: [north, south] });
});

after(() => world.close());

async function add(owner: Exclude<Who, 'root'>, record: Fields): Promise<void> {
  const operations = [{ op: 'add', objectName: 'Task', data: [record] }];
  const body = { ownerId: world.userId(owner), operations };
  const { records } = await world.result('root', 'writeRecords', { params: inShop, body });
  made.set(String(record.title), (records as Fields[])[0] as Fields);
}

async function rowsOf(who: Who, name: string, asked: object): Promise<Fields[]> {
  const answer = await world.ask(who, name, asked);
  assert.equal(answer.status, 200, answer.text);
  return valueAt(answer.json, 'rows') as Fields[];
}

const addition = (title: string) => ({ op: 'add', objectName: 'Task', data: [{ title, scopeType: 1 }] });

const titlesOf = (rows: readonly Fields[]) => rows.map(({ title }) => title);

function change(title: string, record: Fields): Fields {
  const { objectId, serverUpdateTime } = made.get(title) as Fields;
  return { op: 'update', objectName: 'Task', data: [{ objectId, serverUpdateTime, ...record }] };
}

function entries(action: string): Promise<Fields[]> {
  return world.results('root', 'listAudit', { query: { action } });
}

test('records of all owners are shown to those who may see them, with an entry for the first page', async () => {
  const everything = ['for all', 'of north', 'of superAdmin', 'own', 'shared'];
  assert.deepEqual(titlesOf(await rowsOf('root', 'selectRecords', { ...ofTask, body: titles })), everything);
  const before = (await entries('record.read')).length;
  const { clock } = world.house;
  clock.ms -= 3_600_000;
  const first = await world.ask('superAdmin', 'selectRecords', {
    ...ofTask,
    body: { ...titles, after: '', range: { limit: 3 } },
  });
  const next = valueAt(first.json, 'next');
  const rest = await rowsOf('superAdmin', 'selectRecords', {
    ...ofTask,
    body: { ...titles, after: next, range: { limit: 3 } },
  });
  assert.deepEqual([...titlesOf(valueAt(first.json, 'rows') as Fields[]), ...titlesOf(rest)], everything);
  const after = await entries('record.read');
  assert.equal(after.length, before + 1);
  assert.deepEqual(valueAt(after, '0.detail'), { table: 'Task' });
  const page = { ...ofTask, body: { ...titles, after: next, range: { limit: 3 } } };
  assert.match(await world.refused('root', 'selectRecords', page, 132, 400), /cursor/);
  clock.ms += 3_600_000;
  await rowsOf('superAdmin', 'selectRecords', page);
  assert.equal((await entries('record.read')).length, before + 2, 'a page an hour later leaves an entry of its own');
  for (const who of ['appAdmin', 'admin', 'manager', 'developer', 'user', 'custom'] as const) {
    await world.refused(who, 'selectRecords', { ...ofTask, body: titles }, 122, 403);
  }
  await world.refused('stranger', 'selectRecords', { ...ofTask, body: titles }, 130, 404);
});

test('App Admins see and change records of an application as far as it permits, and nobody else is permitted', async () => {
  const params = { companyId: 1, appId: 'shop' };
  const grant = async (recordAccess: string) => {
    const { revision } = await world.result('root', 'getApplication', { params });
    await world.result('superAdmin', 'updateApplication', { params, body: { revision, recordAccess } });
  };
  const select = { ...ofTask, body: titles };
  const write = { params: inShop, body: { operations: [change('own', { amount: '1' })] } };
  const permissions = async (who: Who) => (await world.result(who, 'getMe')).permissions as string[];
  const records = ['record.read', 'record.write'];
  await grant('read');
  assert.deepEqual(
    (await permissions('appAdmin')).filter((name) => records.includes(name)),
    ['record.read'],
  );
  assert.equal((await rowsOf('appAdmin', 'selectRecords', select)).length, 5);
  await world.refused('appAdmin', 'writeRecords', write, 122, 403);
  await grant('write');
  const { records: written } = await world.result('appAdmin', 'writeRecords', write);
  made.set('own', (written as Fields[])[0] as Fields);
  for (const who of ['admin', 'manager', 'developer', 'user', 'custom'] as const) {
    await world.refused(who, 'selectRecords', select, 122, 403);
    assert.ok(!(await permissions(who)).some((name) => records.includes(name)), who);
  }
  const elsewhere = { ...select, params: { ...ofTask.params, appId: 'south' } };
  await world.refused('appAdmin', 'selectRecords', elsewhere, 122, 403);
  const { revision } = await world.result('root', 'getApplication', { params });
  const own = { params, body: { revision, recordAccess: 'write' } };
  await world.refused('appAdmin', 'updateApplication', own, 122, 403);
  await grant('none');
  await world.refused('appAdmin', 'selectRecords', select, 122, 403);
  assert.deepEqual(
    (await permissions('appAdmin')).filter((name) => records.includes(name)),
    [],
  );
});

test('the older form also finds every record, page by page, and has no scope there', async () => {
  const form = { objectNames: 'Task', returnedObjectNames: ['Task'], maxRecord: 3, pageIndex: 2 };
  const sorted = { sortConditions: [{ conditionValue: 1, tableName: 'Task', columnName: 'title' }] };
  const before = (await entries('record.read')).length;
  const answer = await world.ask('superAdmin', 'queryRecords', {
    params: inShop,
    body: { ...form, condition: sorted },
  });
  assert.deepEqual(titlesOf(valueAt(answer.json, 'results.0.Task') as Fields[]), ['own', 'shared']);
  assert.equal(valueAt(answer.json, 'counter'), 5);
  const client = { ...form, condition: { ...sorted, scope: 3 } };
  assert.match(await world.refused('superAdmin', 'queryRecords', { params: inShop, body: client }, 132, 400), /scope/);
  const found = await entries('record.read');
  assert.equal(found.length, before + 1);
  assert.deepEqual(found[0]?.detail, { table: 'Task' });
  await world.refused('developer', 'queryRecords', { params: inShop, body: form }, 122, 403);
});

const sale = { from: { phyName: 'Sale', alias: 's' } };
const saleWhere = (source: string, ...params: unknown[]) => ({ ...sale, where: { expression: { source, params } } });
const firstPage = { range: { limit: 20 }, after: '' };

async function planOf(body: Fields): Promise<{ readonly steps: Fields[]; readonly advice: Fields[] }> {
  const asked = { params: { ...inShop, objectName: 'Sale' }, body };
  const { steps, advice } = await world.result('superAdmin', 'explainRecords', asked);
  return { steps: steps as Fields[], advice: advice as Fields[] };
}

const step = (action: string, columns: readonly string[] = [], rows: number | null = null) => {
  return { action, table: action === 'sort' || action === 'group' ? null : 'Sale', columns, rows };
};

test('the plan of a query is described in the same terms on both engines, with the missing index', async () => {
  const columns = ['amount', 'due', 'priority'].map((colName) => ({ colName, type: 'integer' }));
  const note = { colName: 'note', type: 'text', fullText: true };
  const indexes = [{ columns: ['amount', 'due'] }];
  const tables = [{ name: 'Sale', primary_key: 'objectId', columns: [...columns, note], indexes }];
  await world.results('root', 'defineVersionTables', { params: inShop, body: { tables } });
  const sales = Array.from({ length: 1_200 }, (_, number) => ({
    amount: number,
    due: number % 7,
    priority: number % 900,
    note: `secret${number}`,
  }));
  for (const data of [sales.slice(0, 600), sales.slice(600)]) {
    const operations = [{ op: 'add', objectName: 'Sale', data }];
    await world.result('root', 'writeRecords', { params: inShop, body: { ownerId: world.userId('user'), operations } });
  }
  const sizes = await world.results('developer', 'tableSizes', { params: inShop });
  assert.deepEqual(
    sizes.map(({ table, rows }) => [table, rows]),
    [
      ['Sale', 1_200],
      ['Task', 5],
    ],
  );
  const none = { advice: [] };
  assert.deepEqual(await planOf(saleWhere('#s.amount = ? AND #s.due > 3', 77)), {
    steps: [step('find', ['amount', 'due']), step('sort')],
    ...none,
  });
  assert.deepEqual(await planOf({ ...saleWhere('#s.objectId = ?', 'secret'), ...firstPage }), {
    steps: [step('find', ['objectId'])],
    ...none,
  });
  assert.deepEqual(await planOf({ ...sale, orderBy: [{ column: '#s.amount' }, { column: '#s.due' }], ...firstPage }), {
    steps: [step('walkIndex', ['amount', 'due'], 1_200)],
    ...none,
  });
  const byPriority = await planOf({ ...saleWhere('#s.priority = 5'), orderBy: [{ column: '#s.due' }] });
  assert.deepEqual(byPriority.steps, [step('walk', [], 1_200), step('sort')]);
  assert.deepEqual(byPriority.advice, [{ table: 'Sale', columns: ['priority', 'due'] }]);
  const searched = await planOf(saleWhere('MATCH(#s.note, ?)', 'secret77'));
  assert.deepEqual(
    searched.steps.find(({ action }) => action === 'findByTerms'),
    step('findByTerms', ['note']),
  );
  const joined = await planOf({
    ...saleWhere('#s.amount = 77'),
    join: [{ entity: 'Sale', entityAlias: 'o', type: 'JOIN', expression: { source: '#o.priority = #s.priority' } }],
  });
  assert.deepEqual(joined.advice, [{ table: 'Sale', columns: ['priority'] }]);
  const grouped = await planOf({
    ...sale,
    select: [{ name: 'n', expression: { source: 'COUNT(*)' } }],
    groupBy: ['#s.priority'],
  });
  assert.ok(
    grouped.steps.some(({ action }) => action === 'group'),
    JSON.stringify(grouped),
  );
  const [entry] = await entries('record.explain');
  assert.deepEqual(entry?.detail, { table: 'Sale' });
  const task = { params: ofTask.params, body: { ...titles, where: { expression: { source: '#t.amount = 1' } } } };
  const small = await world.result('root', 'explainRecords', task);
  assert.deepEqual(small.advice, [], 'a small table needs no index');
  await world.refused('root', 'explainRecords', { ...task, body: { ...titles, orderBy: [{ column: '#t.x' }] } }, 132);
  await world.refused('developer', 'explainRecords', task, 122, 403);
});

test('administrators above a user can see exactly what the user sees, and the reason is recorded', async () => {
  const asked = (who: Exclude<Who, 'root'>, params: Fields = ofTask.params) => ({
    params: { ...params, userId: world.userId(who) },
    body: { why: 'Ticket 7', query: titles },
  });
  const answer = await world.ask('admin', 'selectAsUser', asked('user'));
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(titlesOf(valueAt(answer.json, 'rows') as Fields[]), ['for all', 'of north', 'own', 'shared']);
  assert.deepEqual(valueAt(answer.json, 'groups'), [{ groupId: world.north, groupName: 'North', roleName: 'User' }]);
  assert.equal(valueAt(answer.json, 'tableRights'), null);
  const [entry] = await entries('record.browse');
  assert.deepEqual(entry?.detail, { table: 'Task', userId: world.userId('user'), account: 'user', why: 'Ticket 7' });
  assert.equal(valueAt(answer.json, 'disabled'), false);
  const refusal = await world.refused('root', 'selectAsUser', asked('custom'), 122, 403);
  assert.match(refusal, /None of the roles of the user grants/);
  await world.refused('admin', 'selectAsUser', asked('superAdmin'), 122, 403);
  await world.refused('manager', 'selectAsUser', asked('user'), 122, 403);
  await world.refused('root', 'selectAsUser', asked('stranger'), 130, 404);
  for (const why of ['', ' \t ']) {
    await world.refused('root', 'selectAsUser', { ...asked('user'), body: { why, query: titles } }, 131, 400);
  }
  const paged = { ...titles, after: '', range: { limit: 1 } };
  const first = await world.ask('root', 'selectAsUser', { ...asked('user'), body: { why: '7', query: paged } });
  const second = { ...paged, after: valueAt(first.json, 'next') };
  await world.refused('superAdmin', 'selectAsUser', { ...asked('user'), body: { why: '7', query: second } }, 132, 400);
  const params = { companyId: 1, userId: world.userId('user') };
  const switchTo = async (disabled: boolean) => {
    const { revision } = await world.result('root', 'getUser', { params });
    await world.result('root', 'updateUser', { params, body: { revision, disabled } });
  };
  await switchTo(true);
  const ofDisabled = await world.ask('admin', 'selectAsUser', asked('user'));
  await switchTo(false);
  assert.equal(valueAt(ofDisabled.json, 'disabled'), true);
});

test('records are changed with their lock, and keep their owner and visibility', async () => {
  const operations = [change('own', { amount: '1' }), change('shared', { amount: '2' })];
  const { records } = await world.result('superAdmin', 'writeRecords', { params: inShop, body: { operations } });
  await world.refused('root', 'writeRecords', { params: inShop, body: { operations } }, 130, 409);
  for (const [index, title] of ['own', 'shared'].entries()) made.set(title, (records as Fields[])[index] as Fields);
  const rows = await rowsOf('root', 'selectRecords', {
    ...ofTask,
    body: { ...all, where: { expression: { source: '#t.amount > 0' } } },
  });
  const found = rows.map(({ t }) => [
    valueAt(t, 'title'),
    valueAt(t, 'scopeType'),
    valueAt(t, 'groupIds'),
    valueAt(t, 'createUserId'),
  ]);
  assert.deepEqual(found, [
    ['own', 1, null, String(world.userId('user'))],
    ['shared', 2, `{${world.north},${world.south}}`, String(world.userId('developer'))],
  ]);
  const [entry] = await entries('record.write');
  assert.equal(entry?.actorName, 'superAdmin');
  for (const who of ['appAdmin', 'admin', 'user'] as const) {
    await world.refused(who, 'writeRecords', { params: inShop, body: { operations } }, 122, 403);
  }
});

test('a write that leaves the owner or visibility of a record open is refused', async () => {
  const refused = (body: Fields, code: number) => world.refused('root', 'writeRecords', { params: inShop, body }, code);
  const adding = [{ op: 'add', objectName: 'Task', data: [{ title: 'x' }] }];
  assert.match(await refused({ operations: adding }, 131), /ownerId/);
  await refused({ operations: adding, ownerId: world.userId('stranger') }, 130);
  assert.match(await refused({ operations: [change('own', { scopeType: 2 })] }, 131), /groupIds/);
  assert.match(await refused({ operations: [change('of north', { groupIds: '' })] }, 131), /groupIds/);
  assert.match(
    await refused({ operations: [change('own', { scopeType: 2, groupIds: [world.foreign] })] }, 131),
    /group/,
  );
  await refused({ operations: [{ op: 'put', objectName: 'Task', data: [{ title: 'x' }] }] }, 131);
});

test('errors name the user concerned, and the wrong member', async () => {
  const refused = (body: Fields, code: number) => world.refused('root', 'writeRecords', { params: inShop, body }, code);
  const toSouth = { op: 'add', objectName: 'Task', data: [{ title: 'x', scopeType: 2, groupIds: [world.south] }] };
  const ownerId = world.userId('user');
  assert.match(await refused({ ownerId, operations: [toSouth] }, 131), /the owner is not in group/);
  const foreign = { scopeType: 2, groupIds: [world.foreign] };
  assert.match(await refused({ operations: [change('own', foreign)] }, 131), /the company has no group/);
  const long = { op: 'delete', objectName: 'Task', data: [{ objectId: 'x'.repeat(100_000) }] };
  assert.match(await refused({ operations: [long] }, 131), /objectId: expected 1 to 200/);
  // Counted first: that there is no such table is found by looking.
  const data = Array.from({ length: 1_001 }, (_, index) => ({ objectId: `x${index}`, serverUpdateTime: 0 }));
  const many = [{ op: 'delete', objectName: 'NoTable', data }];
  assert.match(await refused({ operations: many }, 131), /batchItemsMax/);
});

test('a transaction is found by its id, and a replay writes nothing', async () => {
  const transactionId = 'tablet-7/1';
  const body = { transactionId, operations: [change('for all', { amount: '7' })] };
  const { records } = await world.result('root', 'writeRecords', { params: inShop, body });
  const written = (await entries('record.write')).length;
  await world.refused('root', 'writeRecords', { params: inShop, body }, 211);
  assert.equal((await entries('record.write')).length, written, 'a replay is no further act');
  const found = await world.result('superAdmin', 'getTransaction', { params: { ...inShop, transactionId } });
  assert.equal(found.userId, 0);
  assert.deepEqual(found.operations, [{ operation: 'update', table: 'Task' }]);
  assert.deepEqual(found.records, records);
  const [looked] = await entries('record.read');
  assert.deepEqual([looked?.actorName, looked?.detail], ['superAdmin', { transactionId }]);
  const owned = { transactionId: 'tablet-7/3', ownerId: world.userId('user'), operations: [addition('of an owner')] };
  await world.result('root', 'writeRecords', { params: inShop, body: owned });
  const ofOwner = await world.result('root', 'getTransaction', { params: { ...inShop, transactionId: 'tablet-7/3' } });
  assert.deepEqual([ofOwner.userId, ofOwner.account], [0, null], 'who wrote it, not who owns what was added');
  await world.refused('root', 'getTransaction', { params: { ...inShop, transactionId: 'tablet-7/2' } }, 130);
  await world.refused('stranger', 'getTransaction', { params: { ...inShop, transactionId } }, 130);
  await world.refused('appAdmin', 'getTransaction', { params: { ...inShop, transactionId } }, 122);
});
