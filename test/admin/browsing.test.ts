/** Browsing as a user: which users are offered to an administrator, in which versions and tables. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type AdminWorld, type Fields, openAdminWorld, type Role, type Who } from './world.ts';

const inShop = { companyId: 1, appId: 'shop', version: '1.0' };

let world: AdminWorld;
before(async () => {
  world = await openAdminWorld();
  const columns = [
    { colName: 'title', type: 'varchar', fieldLength: 100, default: 'x' },
    { colName: 'amount', type: 'integer' },
  ];
  const tables = [{ name: 'Task', primary_key: 'objectId', columns }];
  await world.results('root', 'defineVersionTables', { params: inShop, body: { tables } });
  await world.house.server.directory.users.update(1, world.userId('developer'), {
    memberships: [world.north, world.south].map((groupId) => ({ groupId, roleId: 6 })),
  });
});
after(() => world.close());

test('an Admin may browse only certain users, in certain versions and tables', async () => {
  const accounts = async (who: Who, query: Fields = {}) =>
    (await world.results(who, 'listBrowsableUsers', { params: { companyId: 1 }, query })).map(({ account }) => account);
  const everybody = ['superAdmin', 'appAdmin', 'admin', 'manager', 'developer', 'user', 'custom'];
  assert.deepEqual(await accounts('superAdmin'), everybody);
  // The developer is in the group South, too.
  assert.deepEqual(await accounts('admin'), ['manager', 'user', 'custom']);
  assert.deepEqual(await accounts('admin', { search: 'MAN' }), ['manager']);
  await world.refused('manager', 'listBrowsableUsers', { params: { companyId: 1 } }, 122, 403);
  await world.refused('stranger', 'listBrowsableUsers', { params: { companyId: 1 } }, 130, 404);

  const as = (who: Role, params: Fields = { companyId: 1 }) => ({ params: { ...params, userId: world.userId(who) } });
  const shop = { appId: 'shop', name: 'shop', version: '1.0' };
  assert.deepEqual(await world.results('admin', 'listBrowsableVersions', as('user')), [shop]);
  await world.refused('admin', 'listBrowsableVersions', as('developer'), 122, 403);
  const tables = await world.results('admin', 'listBrowsableTables', as('user', inShop));
  const [title, amount] = [
    { colName: 'title', type: 'varchar' },
    { colName: 'amount', type: 'integer' },
  ];
  assert.deepEqual(
    tables.find(({ name }) => name === 'Task'),
    { name: 'Task', columns: [title, amount] },
  );
  assert.deepEqual(await world.results('admin', 'listBrowsableTables', as('custom', inShop)), []);
  await world.refused('admin', 'listBrowsableTables', as('superAdmin', inShop), 122, 403);
});
