/**
 * Every operation of the administration interface in its successful form, one scenario after another, with the entries
 * in the audit trail.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { tokenHash } from '../../src/auth/tokens.ts';
import { startSession } from '../../src/auth/user-tokens.ts';
import { systemEnvironment } from '../../src/environment.ts';
import { operationsOf } from '../../src/http/api/operations.ts';
import { trail } from '../administration/house.ts';
import { openClient } from '../harness/client.ts';
import { assertMatches, valueAt } from '../harness/match.ts';
import { type AdminWorld, type Fields, openAdminWorld, operationNamed, pathOf } from './world.ts';

const adminOperations = operationsOf('administration');

let world: AdminWorld;
before(async () => {
  world = await openAdminWorld();
});
after(() => world.close());

const one = { companyId: 1 };
const shop = { companyId: 1, appId: 'shop' };
const version = { ...shop, version: '1_0' };
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/;

describe('operations', { concurrency: false }, () => {
  test('who is signed in', async () => {
    const { permissions: all, ...root } = await world.result('root', 'getMe');
    assert.deepEqual(root, { kind: 'administrator', id: 1, account: 'root' });
    const developer = (await world.result('developer', 'getMe')).permissions;
    const has = (permissions: unknown, name: string) => (permissions as string[]).includes(name);
    assert.deepEqual([has(all, 'company.create'), has(developer, 'company.create')], [true, false]);
    assert.deepEqual([has(all, 'table.define'), has(developer, 'table.define')], [true, true]);
    assert.deepEqual(await world.result('custom', 'getMe'), {
      kind: 'user',
      id: world.userId('custom'),
      account: 'custom',
      companyId: 1,
      memberships: [{ groupId: world.north, groupName: 'North', roleId: world.customRole, roleName: 'Auditor' }],
      permissions: ['user.read', 'user.rename', 'role.read', 'session.read', 'session.end'],
    });
  });

  test('statistics', async () => {
    const counted = async (field: string) => {
      const steps = await world.results('root', 'getStatistics', { query: { span: 'month' } });
      return steps.reduce((sum, step) => sum + Number(step[field]), 0);
    };
    const before = [await counted('answered'), await counted('refused'), await counted('failed')];
    await world.refused('root', 'getCompany', { params: { companyId: 999 } }, 130);
    const after = [await counted('answered'), await counted('refused'), await counted('failed')];
    assert.deepEqual(
      after.map((count, index) => count - (before[index] as number)),
      [3, 1, 0],
    );
  });

  test('administrators', async () => {
    const made = await world.result('root', 'createAdministrator', {
      body: { account: 'second', email: 'Second@Example.com', password: 'a password for the second' },
    });
    assert.deepEqual([made.email, made.hasPassword, made.revision], ['second@example.com', true, 1]);
    assert.match(String(made.createTime), time);
    const params = { administratorId: made.id };
    const changed = await world.result('root', 'updateAdministrator', { params, body: { revision: 1, email: null } });
    assert.deepEqual([changed.email, changed.account, changed.revision], [null, 'second', 2]);
    const password = 'another password for the second';
    world.house.secrets.push(password);
    await world.result('root', 'setAdministratorPassword', { params, body: { revision: 2, password } });
    const unlinked = { params, body: { revision: 3 } };
    assert.match(await world.refused('root', 'relinkAdministrator', unlinked, 131, 400), /linked to no identity/);
    const db = world.house.server.storage.directory;
    const linked = { issuer: 'https://old.example.com', subject: 's', email: 'second@example.com' };
    await db.write([db.build.updateTable('administrator').set(linked).where('account', '=', 'second')]);
    await world.refused('root', 'relinkAdministrator', { params, body: { revision: 2 } }, 130, 409);
    const relinked = await world.result('root', 'relinkAdministrator', unlinked);
    assert.deepEqual([relinked.hasIdentity, relinked.revision], [false, 4]);
    await world.result('root', 'updateAdministrator', { params, body: { revision: 4, email: null } });
    assert.equal((await world.result('root', 'getAdministrator', { params })).revision, 5);
    const listed = await world.results('root', 'listAdministrators', { query: { search: 'SECOND' } });
    assert.deepEqual(
      listed.map(({ account }) => account),
      ['second'],
    );
  });

  test('companies and quotas', async () => {
    const made = await world.result('root', 'createCompany', { body: { name: 'Three', logEntriesMax: 1000 } });
    assert.deepEqual([made.logEntriesMax, made.storageBytesMax, made.disabled], [1000, null, false]);
    const params = { companyId: made.id };
    const body = { revision: 1, logEntriesMax: null, requestsAtOnceMax: '50', disabled: true };
    const changed = await world.result('root', 'updateCompany', { params, body });
    assert.deepEqual([changed.name, changed.logEntriesMax, changed.requestsAtOnceMax], ['Three', null, 50]);
    assert.deepEqual(await world.result('root', 'getCompany', { params }), changed);
    assert.equal((await world.results('root', 'listCompanies', { query: { disabled: true } })).length, 1);
  });

  test('applications', async () => {
    const body = { appId: 'new', groupIds: [world.north], corsOrigins: ['https://app.example.com'] };
    const { application, appKey } = await world.result('superAdmin', 'createApplication', { params: one, body });
    world.house.secrets.push(String(appKey));
    assert.match(String(appKey), /^[0-9a-f]{64}$/);
    assertMatches(application, {
      name: 'new',
      groupIds: [world.north],
      accountPolicy: 'refuse',
      localAccounts: false,
    });
    const params = { companyId: 1, appId: 'new' };
    const accounts = { accountPolicy: 'create', defaultGroupId: world.north, defaultRoleId: 5, localAccounts: true };
    const changed = await world.result('superAdmin', 'updateApplication', {
      params,
      body: { revision: 1, ...accounts },
    });
    assert.deepEqual([changed.defaultGroupId, changed.defaultRoleId, changed.localAccounts], [world.north, 5, true]);
    const without = { revision: 2, accountPolicy: 'refuse', defaultGroupId: null, defaultRoleId: null };
    const cleared = await world.result('superAdmin', 'updateApplication', { params, body: without });
    assert.deepEqual([cleared.defaultGroupId, cleared.localAccounts, cleared.revision], [null, true, 3]);
    const replaced = await world.result('superAdmin', 'replaceAppKey', { params, body: { revision: 3 } });
    world.house.secrets.push(String(replaced.appKey));
    assert.notEqual(replaced.appKey, appKey);
    assert.deepEqual(await world.result('superAdmin', 'getApplication', { params }), replaced.application);
    const listed = await world.results('appAdmin', 'listApplications', { params: one });
    assert.deepEqual(
      listed.map(({ appId }) => appId),
      ['new', 'shop'],
    );
  });

  test('versions and their tables', async () => {
    const table = {
      name: 'Thing',
      primary_key: 'objectId',
      columns: [{ colName: 'label', type: 'varchar', fieldLength: 50 }],
    };
    const body = { tables: [table], isResetDatabase: 'false' };
    const [defined] = await world.results('developer', 'defineVersionTables', { params: version, body });
    assert.equal(defined?.name, 'Thing');
    await world.results('developer', 'defineVersionTables', { params: version, body });
    assert.deepEqual(await world.results('developer', 'listTables', { params: version }), [defined]);

    const copy = { version: '2_0', copyOf: '1.0', logLevel: 'error', development: true };
    const made = await world.result('appAdmin', 'createVersion', { params: shop, body: copy });
    assert.deepEqual([made.version, made.logLevel, made.sharedSpace], ['2.0', 'ERROR', false]);
    assert.deepEqual(await world.results('developer', 'listTables', { params: { ...shop, version: '2.0' } }), [
      defined,
    ]);
    const shared = { version: '3.0', shareWith: '2_0' };
    const third = await world.result('appAdmin', 'createVersion', { params: shop, body: shared });
    assert.deepEqual([third.spaceId, third.sharedSpace], [made.spaceId, true]);
    const place = { ...shop, version: '3.0' };
    const changes = { revision: 1, disabled: true, logLevel: 'MONITOR' };
    const changed = await world.result('appAdmin', 'updateVersion', { params: place, body: changes });
    assert.deepEqual([changed.disabled, changed.strictHandling, changed.revision], [true, false, 2]);
    assert.deepEqual(await world.result('developer', 'getVersion', { params: place }), changed);
    const strict = { revision: 2, strictHandling: true };
    assert.equal(
      (await world.result('appAdmin', 'updateVersion', { params: place, body: strict })).strictHandling,
      true,
    );
    const filtered = await world.results('appAdmin', 'listVersions', { params: shop, query: { strictHandling: true } });
    assert.deepEqual(
      filtered.map(({ version: name }) => name),
      ['3.0'],
    );
    const listed = await world.results('developer', 'listVersions', { params: shop, query: { sort: '-version' } });
    assert.deepEqual(
      listed.map(({ version: name }) => name),
      ['3.0', '2.0', '1.0'],
    );
    await world.refused(
      'developer',
      'defineVersionTables',
      { params: place, body: { ...body, isResetDatabase: true } },
      122,
    );
  });

  test('the joins that clients of a version make', async () => {
    const { server, clock, secrets } = world.house;
    const place = { ...shop, version: '2.0', deviceUdid: 'phone', isPush: false };
    const user = await server.directory.users.byAccount(1, 'manager');
    const environment = { ...systemEnvironment, now: () => clock.ms };
    const parts = { db: server.storage.directory, directory: server.directory, settings: server.settings, environment };
    const { userTokens: token } = await startSession(parts, place, user ?? assert.fail());
    secrets.push(token);
    const client = openClient(`${server.url}/api/1/shop/2_0`);
    const expression = { source: '#t.objectId = #u.label' };
    const body = {
      from: { phyName: 'Thing', alias: 't' },
      join: [{ entity: 'Thing', entityAlias: 'u', type: 'LEFT JOIN', expression }],
    };
    for (const path of ['query/Thing', 'query/Thing/count', 'select/Thing']) {
      const { status, text } = await client.call('POST', `/data/${path}`, { token, body });
      assert.equal(status, 200, text);
    }
    const left = await client.call('POST', '/auth/logout', { token });
    assert.equal(left.status, 200, left.text);
    client.close();
    const joinsOf = (name: string) => world.results('developer', 'tableJoins', { params: { ...shop, version: name } });
    const thing = { table: 'Thing', otherTable: 'Thing' };
    const [join, ...others] = await joinsOf('2.0');
    assert.deepEqual([join, ...others], [{ ...thing, column: 'objectId', otherColumn: 'label', queries: 3 }]);
    assert.deepEqual(await joinsOf('3.0'), [], 'a version that shares the tables has its own');
  });

  test('changes of tables: dry run, execution, the bin, and as a job', async () => {
    const params = { ...shop, version: '2.0' };
    const revisionNow = async () =>
      Number(valueAt((await world.ask('appAdmin', 'listTables', { params })).json, 'revision'));
    const revision = await revisionNow();
    const drop = { op: 'dropTable', table: 'Thing' };
    const add = { op: 'addTable', table: 'Other', columns: [{ colName: 'label', type: 'text' }] };
    const change = (body: object) => world.result('appAdmin', 'changeVersionTables', { params, body });
    const tried = await change({ revision, dryRun: true, changes: [drop] });
    assert.deepEqual(tried.versions, ['2.0', '3.0']);
    assert.deepEqual(tried.tables, []);
    assert.equal(valueAt(tried, 'changes.0.lost'), 0);
    assert.equal(await revisionNow(), revision);

    const changed = await change({ revision, changes: [drop, add] });
    assert.deepEqual([changed.revision, valueAt(changed, 'tables.0.name')], [revision + 1, 'Other']);
    const [dropped] = await world.results('appAdmin', 'versionTablesInBin', { params });
    const sizes = await world.results('appAdmin', 'tableSizes', { params });
    assert.ok(!sizes.some(({ table }) => table === dropped?.table), 'what is in the bin is no table');
    assert.deepEqual([dropped?.table, dropped?.droppedBy], ['Thing', 'appAdmin']);
    const stale = { params, body: { revision, changes: [add] } };
    await world.refused('appAdmin', 'changeVersionTables', stale, 130, 409);

    const path = pathOf(operationNamed('changeVersionTables'), { params });
    const restore = { revision: revision + 1, changes: [{ op: 'restore', id: dropped?.id, as: 'Former' }] };
    const begun = await world.browser('appAdmin').call('POST', path, restore, { prefer: 'respond-async' });
    assert.deepEqual([begun.status, begun.headers['preference-applied']], [202, 'respond-async']);
    const jobId = String(valueAt(begun.json, 'results.jobId'));
    let job: Fields;
    do job = await world.result('appAdmin', 'versionTableJob', { params: { ...params, jobId } });
    while (job.state === 'running');
    assert.deepEqual([job.state, job.revision], ['done', revision + 2]);
    // A finished job stays unchanged, and is invisible to other versions and companies.
    assert.deepEqual(await world.result('appAdmin', 'cancelVersionTableJob', { params: { ...params, jobId } }), job);
    const elsewhere = await world.result('appAdmin', 'versionTableJob', { params: { ...version, jobId } });
    assert.equal(elsewhere.state, 'unknown');
  });

  test('providers and clients', async () => {
    const issuer = 'https://idp.example.com';
    const provider = await world.result('superAdmin', 'createProvider', {
      params: shop,
      body: { name: 'idp', issuer },
    });
    assert.deepEqual([provider.scopes, provider.accountPolicy], ['openid email', null]);
    const at = { ...shop, provider: 'idp' };
    const changes = { revision: 1, accountPolicy: 'refuse', claimMapping: { claims: ['groups'] } };
    const changed = await world.result('superAdmin', 'updateProvider', { params: at, body: changes });
    assert.deepEqual([changed.accountPolicy, valueAt(changed, 'claimMapping.claims')], ['refuse', ['groups']]);
    assert.deepEqual(await world.result('appAdmin', 'getProvider', { params: at }), changed);
    assert.equal((await world.results('appAdmin', 'listProviders', { params: shop })).length, 1);

    const secret = 'the secret of the client';
    world.house.secrets.push(secret);
    const registered = { clientId: 'phone', redirectUri: 'app.example:/signed-in', secret };
    const client = await world.result('superAdmin', 'createClient', { params: at, body: registered });
    assert.deepEqual([client.clientId, client.hasSecret, client.revision], ['phone', true, 1]);
    const own = { ...at, clientId: 'phone' };
    const open = await world.result('superAdmin', 'updateClient', {
      params: own,
      body: { revision: 1, secret: null },
    });
    assert.deepEqual([open.hasSecret, open.redirectUri], [false, registered.redirectUri]);
    assert.deepEqual(await world.result('appAdmin', 'getClient', { params: own }), open);
    assert.deepEqual(await world.results('appAdmin', 'listClients', { params: at }), [open]);
    await world.result('superAdmin', 'deleteClient', { params: own, query: { revision: 2 } });
    await world.result('superAdmin', 'deleteProvider', { params: at, query: { revision: 2 } });
    await world.refused('superAdmin', 'getProvider', { params: at }, 130, 404);
  });

  test('groups, users and roles', async () => {
    const group = await world.result('superAdmin', 'createGroup', { params: one, body: { name: 'East' } });
    const at = { ...one, groupId: group.id };
    const described = { revision: 1, description: 'Beyond the river' };
    const changed = await world.result('superAdmin', 'updateGroup', { params: at, body: described });
    assert.deepEqual(await world.result('superAdmin', 'getGroup', { params: at }), changed);
    assert.equal(
      (await world.results('superAdmin', 'listGroups', { params: one, query: { search: 'RIVER' } })).length,
      1,
    );

    const permission = { appId: 'shop', table: '*', read: true, add: false, update: false, delete: false };
    const reader = { name: 'Reader', permissions: [permission] };
    const role = await world.result('superAdmin', 'createRole', { params: one, body: reader });
    assert.equal(role.unrestricted, false);
    const without = await world.refused('superAdmin', 'createRole', { params: one, body: { name: 'None' } }, 131, 400);
    assert.match(without, /^permissions/);
    const ofRole = { ...one, roleId: role.roleId };
    const db = world.house.server.storage.directory;
    await db.write([db.build.updateTable('role').set({ unrestricted: 1 }).where('id', '=', world.customRole)]);
    const marked = { params: one, query: { unrestricted: true, sort: '-roleId', limit: 1 } };
    assertMatches((await world.results('user', 'listCompanyRoles', marked))[0], { roleName: 'Auditor' });
    const ofMarked = { ...one, roleId: world.customRole };
    const limited = { params: ofMarked, body: { revision: 1, permissions: [] } };
    assert.equal(
      (await world.result('superAdmin', 'updateRole', limited)).unrestricted,
      false,
      'an empty list grants nothing',
    );
    assert.deepEqual(await world.results('superAdmin', 'listRolePermissions', { params: ofMarked }), []);
    assert.deepEqual(await world.results('superAdmin', 'listRolePermissions', { params: ofRole }), [permission]);
    const renamed = await world.result('superAdmin', 'updateRole', {
      params: ofRole,
      body: { revision: 1, name: 'Viewer' },
    });
    assert.deepEqual(await world.result('user', 'getRole', { params: ofRole }), renamed);
    assert.equal((await world.results('user', 'listCompanyRoles', { params: one })).length, 8);

    const memberships = [{ groupId: group.id, roleId: role.roleId }];
    const password = 'a long password of hers';
    world.house.secrets.push(password);
    const eva = { account: 'eva', email: 'eva@example.com', memberships, password };
    const user = await world.result('superAdmin', 'createUser', { params: one, body: eva });
    assertMatches(user, { memberships: [{ roleName: 'Viewer' }], hasPassword: true });
    const ofUser = { ...one, userId: user.id };
    const [issuer, subject] = ['https://login.example.com', 'eva-at-idp'];
    await world.house.server.directory.users.linkIdentity(Number(user.id), { issuer, subject });
    const [identity] = await world.results('superAdmin', 'listUserIdentities', { params: ofUser });
    assertMatches(identity, { issuer, subject });
    await world.refused('superAdmin', 'relinkUser', { params: ofUser, body: { revision: 9, issuer } }, 130, 409);
    const elsewhere = { revision: user.revision, issuer: 'https://other.example.com' };
    assert.match(
      await world.refused('superAdmin', 'relinkUser', { params: ofUser, body: elsewhere }, 130, 404),
      /has no identity at/,
    );
    Object.assign(
      user,
      await world.result('superAdmin', 'relinkUser', { params: ofUser, body: { ...elsewhere, issuer } }),
    );
    assert.deepEqual(await world.results('superAdmin', 'listUserIdentities', { params: ofUser }), []);
    const moved = await world.result('superAdmin', 'updateUser', {
      params: ofUser,
      body: { revision: user.revision, firstName: 'Eva', email: null, memberships: [{ groupId: group.id, roleId: 5 }] },
    });
    assert.deepEqual([moved.email, moved.firstName, valueAt(moved, 'memberships.0.roleId')], [null, 'Eva', 5]);
    assert.deepEqual(await world.result('superAdmin', 'getUser', { params: ofUser }), moved);
    const members = await world.results('superAdmin', 'listGroupMembers', { params: at });
    assert.deepEqual(members, [{ userId: user.id, account: 'eva', roleId: 5, roleName: 'User' }]);
    const inGroup = await world.results('superAdmin', 'listUsers', { params: one, query: { groupId: group.id } });
    assert.deepEqual(inGroup, [moved]);
    await world.result('superAdmin', 'deleteUser', { params: ofUser, query: { revision: moved.revision } });
    await world.result('superAdmin', 'deleteRole', { params: ofRole, query: { revision: 2 } });
    await world.result('superAdmin', 'deleteGroup', { params: at, query: { revision: 2 } });
    await world.refused('superAdmin', 'getGroup', { params: at }, 130, 404);
  });

  test('devices', async () => {
    const db = world.house.server.storage.directory;
    const device = {
      company_id: 1,
      app_id: 'shop',
      udid: 'phone-1',
      push_token_sealed: 'v1.sealed',
      created: 1,
      updated: 2,
    };
    await db.write([db.build.insertInto('device').values(device)]);
    const [listed] = await world.results('appAdmin', 'listDevices', { params: shop });
    assertMatches(listed, { deviceUDID: 'phone-1', hasPushToken: true, name: null });
    const params = { ...shop, deviceId: listed?.id };
    await world.refused('superAdmin', 'forgetDevice', { params: { ...params, appId: 'south' } }, 130, 404);
    const session = (token: string) => ({
      hash: tokenHash(token),
      session: tokenHash(token),
      kind: 'user',
      company_id: 1,
      app_id: 'shop',
      version: '1.0',
      device_udid: 'phone-1',
      user_id: world.userId('user'),
      created: world.house.clock.ms,
      last_used: world.house.clock.ms,
      valid_time: 3_600_000,
      expires: world.house.clock.ms + 3_600_000,
    });
    await db.write([db.build.insertInto('token').values(session('e'.repeat(64)))]);
    const { auth } = world.house.server;
    const settle = () => auth.settle({ companyId: '1', appId: 'shop', appVersion: '1.0' }, 'e'.repeat(64), 'user');
    assert.equal((await settle()).kind, 'user');
    await world.result('appAdmin', 'forgetDevice', { params });
    await assert.rejects(settle(), { reason: 121 }, 'its sessions end at once');
    assert.deepEqual(await world.results('appAdmin', 'listDevices', { params: shop }), []);
    await world.refused('appAdmin', 'forgetDevice', { params }, 130, 404);
  });

  test('sessions of users', async () => {
    const db = world.house.server.storage.directory;
    const now = world.house.clock.ms;
    const token = (number: number, userId: number) => ({
      hash: `${number}`.repeat(64),
      session: `${number}`.repeat(64),
      kind: 'user',
      company_id: 1,
      app_id: 'shop',
      version: '1.0',
      device_udid: `phone-${number}`,
      user_id: userId,
      created: now,
      last_used: now + number,
      valid_time: 3_600_000,
      expires: now + 3_600_000,
    });
    const [user, custom] = [world.userId('user'), world.userId('custom')];
    await db.write(
      [1, 2, 3].map((number) => db.build.insertInto('token').values(token(number, number < 3 ? user : custom))),
    );
    const listed = await world.results('admin', 'listUserSessions', { params: one, query: { userId: user } });
    assert.deepEqual(
      listed.map(({ deviceUDID }) => deviceUDID),
      ['phone-2', 'phone-1'],
    );
    await world.result('admin', 'endUserSession', { params: { ...one, sessionId: listed[0]?.id } });
    assert.equal((await world.results('superAdmin', 'listUserSessions', { params: one })).length, 2);
    const ended = await world.ask('appAdmin', 'endUserSessions', {
      params: one,
      body: { appId: 'shop', appVersion: '1_0' },
    });
    assert.equal(valueAt(ended.json, 'count'), 2, ended.text);
    assert.deepEqual(await world.results('superAdmin', 'listUserSessions', { params: one }), []);
  });

  test('log entries of clients', async () => {
    const { logs } = world.house.server.storage;
    const entry = {
      company_id: 1,
      app_id: 'shop',
      version: '1.0',
      user_id: world.userId('user'),
      device_udid: 'phone',
    };
    await logs.write(
      [1, 2, 3].map((number) =>
        logs.build.insertInto('entry').values({
          ...entry,
          time: Date.UTC(2026, 0, number),
          level: number === 2 ? 'ERROR' : 'MONITOR',
          message: `entry "${number}"\nof three`,
        }),
      ),
    );
    const messages = async (query: Record<string, string>) =>
      (await world.results('appAdmin', 'listLogs', { params: shop, query })).map((row) =>
        String(row.message).slice(7, 8),
      );
    assert.deepEqual(await messages({}), ['3', '2', '1']);
    assert.deepEqual(await messages({ level: 'ERROR' }), ['2']);
    assert.deepEqual(await messages({ from: '2026-01-02', until: '2026-01-03T00:00:00Z' }), ['2']);
    // A plus that was not percent-encoded arrives as a space.
    assert.deepEqual(await messages({ from: '2026-01-02T00:00:00 00:00', until: '2026-01-03T07:00:00+07:00' }), ['2']);
    assert.deepEqual(await messages({ search: 'ENTRY "3"', appVersion: '1.0', deviceUDID: 'phone' }), ['3']);
    const exported = await world.ask('appAdmin', 'exportLogs', { params: shop, query: { from: '2026-01-02' } });
    assert.equal(exported.headers['content-type'], 'application/x-ndjson; charset=utf-8');
    assert.equal(exported.headers['content-disposition'], 'attachment; filename="logs.ndjson"');
    const lines = exported.text.split('\n');
    assert.deepEqual([lines.length, lines[2]], [3, '']);
    assert.equal(JSON.parse(lines[0] as string).message, 'entry "2"\nof three');
  });

  test('the audit trail', async () => {
    const acts = await world.results('root', 'listAudit', { query: { limit: 1000, sort: 'id' } });
    const done = acts.map(({ action }) => action);
    for (const action of [
      ...['administrator.create', 'administrator.update', 'administrator.password', 'company.create', 'company.update'],
      ...['application.create', 'application.update', 'application.key', 'version.create', 'version.update'],
      ...[
        'table.define',
        'table.change',
        'provider.create',
        'provider.update',
        'provider.delete',
        'client.create',
        'client.update',
      ],
      ...['client.delete', 'group.create', 'group.update', 'group.delete', 'user.create', 'user.update', 'user.delete'],
      ...['role.create', 'role.update', 'role.delete', 'device.delete', 'session.revoke'],
    ]) {
      assert.ok(done.includes(action), `There is no entry ${action} among ${[...new Set(done)].join(', ')}.`);
    }
    // Sending the same tables again is not an act, and a version is one act although its data space is created first.
    assert.equal(done.filter((action) => action === 'table.define').length, 1);
    assert.equal(done.filter((action) => action === 'version.create').length, 2);
    const own = await world.results('superAdmin', 'listAudit', { query: { actorName: 'developer' } });
    assert.deepEqual(
      own.map((row) => ({ ...row, id: 0, time: '' })),
      [
        {
          id: 0,
          time: '',
          actorKind: 'user',
          actorId: world.userId('developer'),
          actorName: 'developer',
          companyId: 1,
          appId: 'shop',
          address: '127.0.0.1',
          action: 'table.define',
          target: 'tables of version "1.0" of application "shop"',
          outcome: 'done',
          detail: { reset: false, tables: ['Thing'] },
        },
      ],
    );
    const exported = await world.ask('root', 'exportAudit', { query: { action: 'table.define' } });
    assert.deepEqual(JSON.parse(exported.text), own[0]);
  });

  test('/admin/api/openapi.json describes every operation', async () => {
    const { json } = await world.house.browser().call('GET', '/openapi.json');
    assert.equal(valueAt(json, 'openapi'), '3.1.0');
    const paths = valueAt(json, 'paths') as Record<
      string,
      Record<string, { operationId: string; parameters: object[] }>
    >;
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId, parameters }]) => {
        const inPath = parameters.filter((one) => valueAt(one, 'in') === 'path').map((one) => valueAt(one, 'name'));
        assert.deepEqual(
          inPath,
          [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
          operationId,
        );
        return `${operationId} ${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
      }),
    );
    const expected = adminOperations.map(({ name, method, path }) => `${name} ${method} /admin/api${path}`);
    assert.deepEqual(described.sort(), expected.sort());
  });

  test('the first steps of a company, each detected when it is done', async () => {
    const { id: companyId } = await world.result('root', 'createCompany', { body: { name: 'Four' } });
    const params = { companyId };
    const steps = async () => {
      const { appId, version, ...done } = await world.result('root', 'getFirstSteps', { params });
      return [
        Object.entries(done).flatMap(([name, isDone]) => (isDone === true ? [name] : [])),
        [appId, version].join(' '),
      ];
    };
    assert.deepEqual(await steps(), [[], ' ']);
    await world.result('root', 'createApplication', { params, body: { appId: 'till' } });
    assert.deepEqual(await steps(), [['application'], 'till ']);
    const ofTill = { companyId, appId: 'till' };
    const local = { revision: 1, localAccounts: true };
    await world.result('root', 'updateApplication', { params: ofTill, body: local });
    for (const version of ['1.0.0', '2.0.0']) {
      world.house.clock.ms += 1;
      await world.result('root', 'createVersion', { params: ofTill, body: { version } });
    }
    assert.deepEqual(await steps(), [['application', 'provider'], 'till 2.0.0']);
    const ofVersion = { ...ofTill, version: '1_0_0' };
    const tables = ['Empty', 'Sale'].map((name) => ({ name, primary_key: 'objectId', columns: [], indexes: [] }));
    await world.results('root', 'defineVersionTables', { params: ofVersion, body: { tables } });
    assert.deepEqual(await steps(), [['application', 'provider', 'table'], 'till 1.0.0']);
    const { id: groupId } = await world.result('root', 'createGroup', { params, body: { name: 'Tills' } });
    const memberships = [{ groupId, roleId: 5 }];
    const user = await world.result('root', 'createUser', { params, body: { account: 'ann', memberships } });
    const operations = [{ op: 'add', objectName: 'Sale', data: [{}] }];
    await world.result('root', 'writeRecords', { params: ofVersion, body: { ownerId: user.id, operations } });
    assert.deepEqual(await steps(), [['application', 'provider', 'table', 'record'], 'till 1.0.0']);
    const db = world.house.server.storage.directory;
    const entry = { action: 'session.start', actor_kind: 'user', actor_name: 'ann', target: 'a session', time: 1 };
    const inCompany = { company_id: Number(companyId) };
    await db.write([db.build.insertInto('audit').values({ ...entry, ...inCompany, outcome: 'refused' })]);
    assert.equal((await steps())[0]?.length, 4);
    await db.write([db.build.insertInto('audit').values({ ...entry, ...inCompany, outcome: 'done' })]);
    assert.deepEqual((await steps())[0], ['application', 'provider', 'table', 'signIn', 'record']);
    const many = Array.from({ length: 30 }, (_, index) => ({ name: `T${index}`, columns: [] }));
    await world.results('root', 'defineVersionTables', {
      params: { ...ofTill, version: '2_0_0' },
      body: { tables: many },
    });
    const last = [{ op: 'add', objectName: 'T29', data: [{}] }];
    const body = { ownerId: user.id, operations: last };
    await world.result('root', 'writeRecords', { params: { ...ofTill, version: '2_0_0' }, body });
    assert.equal((await steps())[1], 'till 2.0.0', 'the record in the thirtieth table is found');
    const others = Array.from({ length: 1_001 }, () =>
      db.build.insertInto('audit').values({ ...entry, ...inCompany, action: 'record.read', outcome: 'done' }),
    );
    await db.write(others);
    assert.ok((await steps())[0]?.includes('signIn'), 'an early sign-in is found behind newer entries');
    const { revision } = await world.result('root', 'getApplication', { params: ofTill });
    await world.result('root', 'updateApplication', { params: ofTill, body: { revision, disabled: true } });
    assert.deepEqual(await steps(), [['signIn'], ' ']);
    await world.refused('root', 'getFirstSteps', { params: { companyId: 999 } }, 130, 404);
  });

  test('the settings in force, without a secret', async () => {
    const settings = await world.results('root', 'listSettings');
    const of = (name: string) => settings.find((one) => one.name === name);
    assertMatches(of('secretKey'), { value: null, default: null, source: 'program', from: null });
    assertMatches(of('attemptLimits'), { value: 'false', default: 'true', unit: '', source: 'program' });
    assertMatches(of('queryTimeMs'), { value: '10000', default: '10000', unit: 'milliseconds', source: 'default' });
    assert.ok(!JSON.stringify(settings).includes(world.house.settings.secretKey));
    assert.ok(!/\/\/[^/"]*@/.test(String(of('storage')?.value)));
  });

  test('the nodes of a cluster, the data spaces on them, and their moves', async () => {
    const nodes = await world.results('root', 'listNodes');
    const spaces = await world.results('root', 'listDataSpaces');
    assert.equal(spaces.length > 0, nodes.length > 0);
    assert.deepEqual(await world.results('root', 'listMoves'), []);
    const [move, told] = [{ body: { spaceId: 999_999, to: 'nowhere:1' } }, /not a cluster|no data space 999999/];
    assert.match(await world.refused('root', 'moveDataSpace', move, 131, 400), told);
    assert.deepEqual(await world.results('root', 'listMoves'), []);
  });

  test('every operation succeeded, except those with tests of their own', () => {
    const elsewhere = ['sign-in', 'records', 'tryClient', 'finishClientTrial', 'moveDataSpace', 'rebalanceNodes'];
    const missing = adminOperations
      .filter(({ tag, name }) => !elsewhere.includes(tag) && !elsewhere.includes(name) && !world.succeeded.has(name))
      .map(({ name }) => name);
    assert.deepEqual(missing, []);
  });

  test('refused requests have left no entry', async () => {
    const before = (await trail(world.house.server)).length;
    await world.refused('root', 'updateCompany', { params: one, body: { revision: 99, name: 'No' } }, 130, 409);
    await world.refused('root', 'createCompany', { body: { name: 'No', id: 1 } }, 131, 400);
    await world.refused('user', 'createGroup', { params: one, body: { name: 'No' } }, 122, 403);
    assert.equal((await trail(world.house.server)).length, before);
  });
});
