/** Companies, applications and versions: refusals, and that no company reaches another one's objects. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { appKeyHash } from '../../src/directory/applications.ts';
import { normalVersion } from '../../src/directory/versions.ts';
import { Draft } from '../../src/schema/draft.ts';
import { systemColumns } from '../../src/schema/system.ts';
import { refused, scratch } from './scratch.ts';

test('company ids are given or generated, and never taken twice', async (t) => {
  const { companies } = (await scratch(t)).directory;
  assert.equal((await companies.create({ id: 7, name: ' Seven ' })).name, 'Seven');
  assert.equal((await companies.create({ name: 'Eight' })).id, 8);
  await refused(companies.create({ id: 7, name: 'Again' }), 'malformed', 'there is already a company 7');
  await refused(companies.create({ id: 0, name: 'Zero' }), 'malformed', 'got 0');
  await refused(companies.create({ name: ' ' }), 'missing', 'name');
  await refused(
    companies.create({ name: 'a\0b' }),
    'malformed',
    'name: expected text without control characters and unpaired surrogates',
  );
  await refused(companies.create({ name: 'a\ud800' }), 'malformed', 'unpaired surrogates');
  assert.deepEqual(
    (await companies.list()).map(({ id, name }) => [id, name]),
    [
      [1, 'One'],
      [2, 'Two'],
      [7, 'Seven'],
      [8, 'Eight'],
    ],
  );
  assert.equal((await companies.update(7, { disabled: true })).disabled, true);
  assert.equal((await companies.update(7, { name: 'Se7en' })).disabled, true);
  await refused(companies.update(9, { name: 'x' }), 130, 'no company 9');
  assert.equal(await companies.find(9), null);
});

test('an app key is random unless given, and only its hash is stored', async (t) => {
  const { directory, storage } = await scratch(t);
  const { applications } = directory;
  const random = await applications.create({ companyId: 1, appId: 'a' });
  assert.match(random.appKey, /^[0-9a-f]{64}$/);
  const given = await applications.create({ companyId: 1, appId: 'b', appKey: 'demo-app-key' });
  assert.equal(given.appKey, 'demo-app-key');
  assert.equal(given.application.appKeyHash, appKeyHash('demo-app-key'));
  const rows = await storage.directory.read(storage.directory.build.selectFrom('application').selectAll());
  assert.equal(JSON.stringify(rows).includes('demo-app-key'), false);
  const replaced = await applications.replaceKey(1, 'b');
  assert.equal((await applications.find(1, 'b'))?.appKeyHash, appKeyHash(replaced));
  await refused(applications.replaceKey(1, 'nothing'), 105, 'no application "nothing" in company 1');
  await refused(applications.replaceKey(1, 'b', 'short'), 'malformed', 'appKey');
});

test('an application is refused with a reason, and then no part of it is stored', async (t) => {
  const { applications } = (await scratch(t)).directory;
  await applications.create({ companyId: 1, appId: 'a', groupIds: [1, 2] });
  await applications.create({ companyId: 2, appId: 'a', groupIds: [3] });
  await refused(applications.create({ companyId: 1, appId: 'a' }), 'malformed', 'there is already an application "a"');
  await refused(applications.create({ companyId: 3, appId: 'a' }), 130, 'no company 3');
  for (const appId of ['', 'a/b', 'a b', '..', 'é', 'x'.repeat(101)]) {
    await refused(applications.create({ companyId: 1, appId }), 'malformed', 'appId');
  }
  const foreign = applications.create({ companyId: 1, appId: 'new', groupIds: [1, 3] });
  await refused(foreign, 130, 'no group 3 in company 1');
  assert.equal(await applications.find(1, 'new'), null);
  assert.deepEqual((await applications.find(1, 'a'))?.groupIds, [1, 2]);
  assert.deepEqual(
    (await applications.list(1)).map(({ appId }) => appId),
    ['a'],
  );
});

test('only groups of the company can be permitted to use its application', async (t) => {
  const { applications } = (await scratch(t)).directory;
  await applications.create({ companyId: 1, appId: 'a' });
  await applications.update(1, 'a', { groupIds: [2] });
  await applications.update(1, 'a', { groupIds: [2, 2] });
  await refused(applications.update(1, 'a', { groupIds: [2, 3] }), 130, 'no group 3 in company 1');
  await refused(applications.update(2, 'a', { groupIds: [3] }), 105, 'no application "a" in company 2');
  assert.deepEqual((await applications.find(1, 'a'))?.groupIds, [2]);
  await applications.update(1, 'a', { groupIds: [] });
  assert.deepEqual((await applications.find(1, 'a'))?.groupIds, []);
});

test('accounts are created at sign-in only into a group that may use the application', async (t) => {
  const { directory } = await scratch(t);
  const { applications } = directory;
  const foreignRole = await directory.roles.create({ companyId: 2, name: 'Auditor', permissions: [] });
  const application = { companyId: 1, appId: 'a', groupIds: [1], accountPolicy: 'create' } as const;
  await refused(applications.create(application), 'malformed', 'a default group and a default role');
  const elsewhere = { ...application, defaultGroupId: 2, defaultRoleId: 5 };
  await refused(applications.create(elsewhere), 'malformed', 'group 2');
  const foreign = { ...application, defaultGroupId: 1, defaultRoleId: foreignRole.roleId };
  await refused(applications.create(foreign), 130, `no role ${foreignRole.roleId} in company 1`);
  await applications.create({ ...application, defaultGroupId: 1, defaultRoleId: 5 });
  await refused(applications.update(1, 'a', foreign), 130, 'no role');
  await refused(applications.update(1, 'a', { groupIds: [2] }), 'malformed', 'group 1, into which new accounts come');
  const refusing = await applications.update(1, 'a', {
    accountPolicy: 'refuse',
    defaultGroupId: null,
    defaultRoleId: null,
    disabled: true,
  });
  assert.deepEqual(
    [refusing.accountPolicy, refusing.defaultGroupId, refusing.defaultRoleId, refusing.disabled],
    ['refuse', null, null, true],
  );
  await applications.update(1, 'a', { groupIds: [2] });
});

test('without named groups a foreign default group is still refused', async (t) => {
  const { applications } = (await scratch(t)).directory;
  const accounts = { accountPolicy: 'create', defaultGroupId: 3, defaultRoleId: 5 } as const;
  await refused(applications.create({ companyId: 1, appId: 'a', ...accounts }), 130, 'no group 3 in company 1');
  await applications.create({ companyId: 1, appId: 'a' });
  await refused(applications.update(1, 'a', accounts), 130, 'no group 3 in company 1');
  assert.equal((await applications.find(1, 'a'))?.accountPolicy, 'refuse');
});

test('a version has its own data space, shares one, or begins with a copy', async (t) => {
  const { directory, storage } = await scratch(t);
  await directory.applications.create({ companyId: 1, appId: 'a' });
  const { versions } = directory;
  const one = await versions.create({ companyId: 1, appId: 'a', version: '1_0_0', development: true });
  assert.deepEqual([one.version, one.logLevel, one.development, one.sharedSpace], ['1.0.0', 'MONITOR', true, false]);
  const table = { name: 'T', columns: systemColumns(), indexes: [], lockFree: false };
  const draft = new Draft((await storage.spaces.definition(one.spaceId)).catalogue);
  draft.addTable(table);
  assert.notEqual(await storage.spaces.define(one.spaceId, draft.change()), null);

  const own = await versions.create({ companyId: 1, appId: 'a', version: '2.0.0' });
  const shared = await versions.create({ companyId: 1, appId: 'a', version: '1.1', tables: { shareWith: '1.0.0' } });
  const copy = await versions.create({ companyId: 1, appId: 'a', version: '3', tables: { copyOf: '1_0_0' } });
  assert.equal(shared.spaceId, one.spaceId);
  assert.equal(shared.sharedSpace, true);
  assert.equal((await versions.find(1, 'a', '1.0.0'))?.sharedSpace, true);
  assert.equal(new Set([one.spaceId, own.spaceId, copy.spaceId]).size, 3);
  assert.equal((await storage.spaces.definition(own.spaceId)).tables.has('T'), false);
  assert.equal((await storage.spaces.definition(copy.spaceId)).tables.has('T'), true);
  assert.deepEqual(
    (await versions.list(1, 'a')).map(({ version }) => version),
    ['1.0.0', '1.1', '2.0.0', '3'],
  );
});

test('a version is refused with a reason, and no company reaches the versions of another', async (t) => {
  const { directory } = await scratch(t);
  const { versions } = directory;
  await directory.applications.create({ companyId: 1, appId: 'a' });
  await directory.applications.create({ companyId: 2, appId: 'a' });
  await versions.create({ companyId: 2, appId: 'a', version: '1.0.0' });
  const wanted = { companyId: 1, appId: 'a', version: '9' };
  await refused(versions.create({ ...wanted, tables: { shareWith: '1.0.0' } }), 106, 'no version "1.0.0"');
  await refused(versions.create({ ...wanted, tables: { copyOf: '1.0.0' } }), 106, 'no version "1.0.0"');
  await refused(versions.create({ ...wanted, appId: 'b' }), 105, 'no application "b" in company 1');
  await refused(versions.create({ ...wanted, companyId: 3 }), 130, 'no company 3');
  await versions.create({ ...wanted, version: '1.0.0' });
  await refused(versions.create({ ...wanted, version: '1_0_0' }), 'malformed', 'there is already a version "1.0.0"');
  for (const version of ['', '.', '1..0', '1 0', '1/0', '1.0.']) {
    await refused(versions.create({ ...wanted, version }), 'malformed', 'version');
  }
  assert.equal(await versions.find(1, 'a', '9'), null);
});

test('an empty list is refused if its owner does not exist', async (t) => {
  const { applications, versions, users, groups, clients } = (await scratch(t)).directory;
  assert.deepEqual([await applications.list(1), await versions.list(1), await users.list(1)], [[], [], []]);
  for (const entities of [applications, versions, users, groups]) await refused(entities.list(9), 130, 'no company 9');
  await refused(versions.list(1, 'a'), 105, 'no application "a"');
  await refused(clients.list(1, 'a'), 105, 'no application "a"');
  await applications.create({ companyId: 1, appId: 'a' });
  assert.deepEqual([await versions.list(1, 'a'), await clients.list(1, 'a')], [[], []]);
});

test('a disabled company or application is visible in the version', async (t) => {
  const { directory } = await scratch(t);
  await directory.applications.create({ companyId: 1, appId: 'a' });
  await directory.versions.create({ companyId: 1, appId: 'a', version: '1.0.0' });
  await directory.companies.update(1, { disabled: true });
  await directory.applications.update(1, 'a', { disabled: true });
  const version = await directory.versions.update(1, 'a', '1_0_0', { disabled: true, logLevel: 'ERROR' });
  const { companyDisabled, appDisabled, disabled, logLevel } = version;
  assert.deepEqual([companyDisabled, appDisabled, disabled, logLevel], [true, true, true, 'ERROR']);
  await refused(directory.versions.update(1, 'a', '2', {}), 106, 'no version "2"');
});

test('the path form and the dotted form name the same version', () => {
  assert.equal(normalVersion('1_0_0'), '1.0.0');
  assert.equal(normalVersion('1.0.0'), '1.0.0');
});
