/**
 * A public JavaScript client of this interface's family works unchanged, from the sign-in with a local account to the
 * removal of its last record (`harness/field-client.ts`).
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setUserPassword } from '../../src/administration/user-passwords.ts';
import { type Columns, FieldError, openFieldClient } from '../harness/field-client.ts';
import { app, startWorld, type World } from '../harness/world.ts';

const task: Columns = {
  title: { kind: 'Varchar', length: 100 },
  description: { kind: 'Varchar', length: 255 },
  limit: { kind: 'Long' },
  num: { kind: 'Integer' },
  placeId: { kind: 'Varchar' },
  done: { kind: 'Bool' },
  share: { kind: 'Double' },
  registeredDate: { kind: 'DateTime' },
};
const place: Columns = { zipcode: { kind: 'Varchar', length: 7 }, address: { kind: 'Varchar', length: 255 } };

const password = 'the password of root, for tests';
const otherPassword = 'wohafdslkj, but longer';
let world: World;
let client: ReturnType<typeof openFieldClient>;
before(async () => {
  world = await startWorld({ people: [], settings: { tokenHeaders: ['branded-token'], firstOffset: 1 } });
  const { directory, administration, url } = world.server;
  await directory.applications.update(1, app.appId, { localAccounts: true });
  await directory.versions.update(1, app.appId, app.appVersion, { development: true });
  const [group] = await directory.groups.list(1);
  const memberships = [{ groupId: group?.id ?? 0, roleId: 2 }];
  const { id: userId } = await directory.users.create({ companyId: 1, account: 'root', memberships });
  await setUserPassword(administration, { kind: 'operator' }, { companyId: 1, userId, password });
  for (const text of [password, otherPassword]) world.secrets.push({ text, what: 'a password', known: [] });
  client = openFieldClient({ url, companyId: 1, ...app, tokenHeader: 'branded-token' });
});
after(async () => {
  client.close();
  await world.close();
});

const refusedWith = (code: number) => (error: unknown) => error instanceof FieldError && error.code === code;

test('it signs in with a local account', async () => {
  await assert.rejects(client.login('root', 'not the password'), refusedWith(111));
  const user = await client.login('root', password);
  assert.deepEqual([user.account, user.groupsRoles.map(({ roleName }) => roleName)], ['root', ['Super Admin']]);
});

test('it defines its tables, twice, and empties them', async () => {
  assert.equal((await client.createDatabase({ Task: task, Place: place })).status, 'OK');
  assert.equal((await client.createDatabase({ Task: task, Place: place })).status, 'OK');
  await client.insertAll('Place', [{ zipcode: '1', address: 'gone' }]);
  assert.equal((await client.createDatabase({ Task: task, Place: place }, true)).status, 'OK');
  assert.deepEqual(await client.findList('Place', {}), { Place: [] });
});

test('it adds, finds, updates and removes records', async () => {
  const registeredDate = new Date(1_600_000_000_123);
  const values = { title: 'find', description: 'it', num: 2, limit: 5, done: false, share: 0.1, registeredDate };
  const [made] = await client.insertAll('Task', [values]);
  assert.ok(made !== undefined);
  assert.match(String(made.objectId), /^Task_[0-9a-f]+$/);
  const found = await client.findById('Task', made.objectId);
  for (const [name, value] of Object.entries(values)) assert.deepEqual(found[name], value, name);
  assert.equal(found.placeId, null);
  assert.equal(found.scopeType, '2');
  assert.equal(found.serverUpdateTime, made.serverUpdateTime);

  const changed = await client.update('Task', { ...found, title: 'changed', done: true });
  assert.notEqual(changed.serverUpdateTime, found.serverUpdateTime);
  const again = await client.findById('Task', made.objectId);
  assert.deepEqual([again.title, again.done, again.num], ['changed', true, 2]);
  await assert.rejects(client.update('Task', { ...found, title: 'late' }), refusedWith(130));
  await assert.rejects(client.remove('Task', found), refusedWith(130));
  await client.remove('Task', again);
  await assert.rejects(client.findById('Task', made.objectId), refusedWith(130));
});

test('it queries by expressions, joins, orders and pages', async () => {
  const places = await client.insertAll(
    'Place',
    [1, 2, 3].map((number) => ({ zipcode: `zip--0${number}`, address: `address:0${number}` })),
  );
  const tasks = Array.from({ length: 9 }, (_, index) => ({
    title: `task ${index}`,
    limit: 9 - index,
    placeId: index < 6 ? String(places[index % 3]?.objectId) : null,
  }));
  await client.insertAll('Task', tasks);
  const limits = async (query: object) => (await client.findList('Task', query)).Task?.map(({ limit }) => limit);
  const where = (source: string, ...params: unknown[]) => ({ where: { expression: { source, params } } });
  const ascending = { orderBy: [{ column: '#Task.limit', type: 'asc' }] };

  assert.equal((await limits({}))?.length, 9);
  assert.deepEqual(await limits({ ...where('#Task.limit <= ?', 3), ...ascending }), [1, 2, 3]);
  const either = where('#Task.limit = ? or #Task.limit = ?', '4', '7');
  assert.deepEqual(await limits({ ...either, orderBy: [{ column: '#Task.limit', type: 'desc' }] }), [7, 4]);
  assert.deepEqual(await limits({ ...ascending, range: { limit: 1, offset: 1 } }), [1]);
  assert.deepEqual(await limits({ ...ascending, range: { limit: 1, offset: 0 } }), [1]);
  assert.deepEqual(await limits({ ...ascending, range: { limit: 3, offset: 6 + 1 } }), [7, 8, 9]);
  assert.equal((await client.count('Task', where('#Task.limit > ?', 2))).count, 7);

  for (const [type, count] of [
    ['LEFT JOIN', 9],
    ['LEFT OUTER JOIN', 9],
    ['INNER JOIN', 6],
    ['RIGHT OUTER JOIN', 6],
  ]) {
    const expression = { source: '#p.objectId = #Task.placeId', params: [] };
    const join = [{ type, entity: 'Place', entityAlias: 'p', expression }];
    const found = await client.findList('Task', { join, ...ascending }, { Task: 'Task', p: 'Place' });
    assert.deepEqual([found.Task?.length, found.p?.length], [count, count], String(type));
    for (const [index, one] of (found.Task ?? []).entries()) assert.equal(one.placeId, found.p?.[index]?.objectId);
  }
  await client.log('it asked');
});

test('it manages users, who sign in themselves', async () => {
  const [group] = (await client.login('root', password)).groupsRoles;
  assert.ok(group !== undefined);
  const roles = ['User', 'Manager'].map((roleName) => ({ ...group, roleName }));
  const user = { account: 'new one', firstName: 'test', lastName: 'account', groupsRoles: roles };
  const made = await client.users.create(user, otherPassword);
  assert.deepEqual(
    made.groupsRoles.map(({ groupName, roleName }) => [groupName, roleName]),
    [
      [group.groupName, 'User'],
      [group.groupName, 'Manager'],
    ],
  );
  assert.equal((await client.users.findById(made.userId)).account, 'new one');
  assert.ok((await client.users.list(group.groupId)).some(({ userId }) => userId === made.userId));
  assert.ok((await client.users.list()).some(({ account }) => account === 'carol'));

  await client.logout();
  await assert.rejects(client.users.list(), refusedWith(121));
  await client.login('new one', otherPassword);
  const renamed = await client.users.update({ ...made, firstName: 'renamed' }, otherPassword);
  assert.equal(renamed.firstName, 'renamed');
  await assert.rejects(client.users.update(made, 'another password'), refusedWith(122));
  await assert.rejects(client.users.remove(made.userId), refusedWith(122));

  await client.login('root', password);
  assert.equal((await client.users.update({ ...renamed, lastName: 'twice' })).lastName, 'twice');
  await client.login('new one', otherPassword);
  await client.login('root', password);
  await client.users.remove(made.userId);
  await assert.rejects(client.users.findById(made.userId), refusedWith(130));
});

test('it manages groups', async () => {
  const made = await client.groups.create('Night shift', 'Works at night.', true);
  assert.deepEqual([made.groupName, made.description], ['Night shift', 'Works at night.']);
  const listed = (await client.groups.list()).find(({ groupId }) => groupId === made.groupId);
  assert.equal(listed?.description, 'Works at night.');
  assert.equal((await client.groups.update({ ...made, description: 'Sleeps.' })).description, 'Sleeps.');
  await client.groups.remove(made.groupId);
  assert.ok(!(await client.groups.list()).some(({ groupId }) => groupId === made.groupId));
});
