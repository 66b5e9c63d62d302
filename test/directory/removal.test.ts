/**
 * Changes that depend on stored data: optimistic locks, removal, the last Super Admin, and no audit entry without an
 * act.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { auditInsert } from '../../src/audit/trail.ts';
import type { RolePermission } from '../../src/directory/roles.ts';
import { joinGroup, leaveGroup } from '../harness/memberships.ts';
import { refused, scratch } from './scratch.ts';

const superAdmin = { groupId: 1, roleId: 2 };
const lastOne = 'company 1 would have no Super Admin left';

/** User 1 is the only Super Admin of company 1, in group 1; user 2 a User in both groups. `entry` is for the audit trail. */
async function house(t: TestContext) {
  const deps = await scratch(t);
  const { directory, storage } = deps;
  await directory.users.create({ companyId: 1, account: 'root', memberships: [superAdmin] });
  const memberships = [1, 2].map((groupId) => ({ groupId, roleId: 5 }));
  await directory.users.create({ companyId: 1, account: 'bob', memberships });
  const act = { action: 'test', target: 'test', companyId: 1, appId: null, outcome: 'done' } as const;
  const entry = [auditInsert(storage.directory, { ...act, time: 1, actor: { kind: 'operator' } })];
  const entries = async () =>
    (await storage.directory.read(storage.directory.build.selectFrom('audit').select('id'))).length;
  return { ...deps, entry, entries };
}

test('a change that is based on another revision is refused, and leaves no audit entry', async (t) => {
  const { directory, entry, entries } = await house(t);
  const { users, groups, roles } = directory;
  const further = () => entry;
  assert.equal((await users.update(1, 2, { firstName: 'B', revision: 1 }, entry)).revision, 2);
  assert.equal((await groups.update(1, 2, { name: 'Help', description: 'Helps.', revision: 1 }, further)).revision, 2);
  const { roleId } = await roles.create({ companyId: 1, name: 'Auditor', permissions: [] }, entry);
  assert.equal((await roles.update(1, roleId, { description: 'Looks.', revision: 1 }, further)).revision, 2);
  assert.equal(await entries(), 4);

  await refused(users.update(1, 2, { firstName: 'C', revision: 1 }, entry), 130, 'user 2 was changed by someone else');
  await refused(users.remove(1, 2, 1, entry), 130, 'expected revision 2, got 1');
  await refused(groups.update(1, 2, { name: 'C', revision: 1 }, further), 130, 'group 2 was changed by someone else');
  await refused(groups.remove(1, 2, 1, further), 130, 'group 2 was changed');
  await refused(roles.update(1, roleId, { name: 'C', revision: 1 }, further), 130, 'role 100 was changed');
  await refused(roles.remove(1, roleId, 1, further), 130, 'role 100 was changed');
  await refused(users.update(1, 9, { memberships: [] }, entry), 130, 'no user 9');
  await refused(groups.remove(1, 3, undefined, further), 130, 'no group 3 in company 1');
  assert.equal(await entries(), 4);
  assert.equal((await directory.users.find(1, 2))?.firstName, 'B');
});

test('of simultaneous changes of one revision, one succeeds', async (t) => {
  const { directory } = await house(t);
  const names = ['a', 'b', 'c', 'd', 'e'];
  const done = await Promise.allSettled(
    names.map((firstName) => directory.users.update(1, 2, { firstName, revision: 1 })),
  );
  assert.equal(done.filter(({ status }) => status === 'fulfilled').length, 1);
  assert.equal((await directory.users.find(1, 2))?.revision, 2);
});

test('the last Super Admin who may sign in stays', async (t) => {
  const { directory, entry, entries } = await house(t);
  const { users, groups } = directory;
  await refused(users.remove(1, 1, undefined, entry), 'malformed', lastOne);
  await refused(users.update(1, 1, { disabled: true }, entry), 'malformed', lastOne);
  await refused(users.update(1, 1, { memberships: [{ groupId: 1, roleId: 5 }] }, entry), 'malformed', lastOne);
  await refused(users.update(1, 1, { memberships: [] }, entry), 'malformed', lastOne);
  await refused(
    groups.remove(1, 1, undefined, () => entry),
    'malformed',
    lastOne,
  );
  assert.equal(await entries(), 0);

  await users.update(1, 1, { memberships: [{ groupId: 2, roleId: 2 }] });
  await groups.remove(1, 1);
  assert.deepEqual(
    (await directory.users.memberships(2)).map(({ groupId }) => groupId),
    [2],
  );
  await users.update(1, 2, { memberships: [{ groupId: 2, roleId: 2 }], disabled: true });
  await refused(users.remove(1, 1), 'malformed', lastOne);
  await users.update(1, 2, { disabled: false });
  await users.remove(1, 1);
  assert.equal(await directory.users.find(1, 1), null);
  await refused(users.update(1, 2, { disabled: true }), 'malformed', lastOne);
});

test('of two Super Admins removed at the same moment, one stays', async (t) => {
  const { directory } = await house(t);
  for (let round = 0; round < 5; round++) {
    const { id } = await directory.users.create({ companyId: 1, account: `r${round}`, memberships: [superAdmin] });
    const present = (await directory.groups.members(1, 1)).filter(({ roleId }) => roleId === 2);
    assert.ok(present.some(({ userId }) => userId === id) && present.length === 2);
    const done = await Promise.allSettled(present.map(({ userId }) => directory.users.remove(1, userId)));
    assert.deepEqual(done.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  }
});

test('a company that never had a Super Admin may lose users', async (t) => {
  const { directory } = await house(t);
  const { id } = await directory.users.create({ companyId: 2, account: 'solo' });
  await directory.users.remove(2, id);
  assert.deepEqual(await directory.users.list(2), []);
});

test('removing a user removes sessions, identities and roles, and the id is not reused', async (t) => {
  const { directory } = await house(t);
  await directory.users.linkIdentity(2, { issuer: 'i', subject: 's' });
  await refused(directory.users.remove(2, 2), 130, 'no user 2 in company 2');
  await directory.users.remove(1, 2);
  assert.equal(await directory.users.byIdentity(1, 'i', 's'), null);
  assert.deepEqual(await directory.users.memberships(2), []);
  assert.equal((await directory.users.create({ companyId: 1, account: 'bob' })).id, 3);
});

test('the roles of a user are set, and those already held keep their source', async (t) => {
  const { directory, storage } = await house(t);
  const { users } = directory;
  const { id } = await users.create({
    companyId: 1,
    account: 'claimed',
    memberships: [
      { groupId: 1, roleId: 5, source: 'app/idp' },
      { groupId: 2, roleId: 5 },
    ],
  });
  const wanted = [
    { groupId: 1, roleId: 5 },
    { groupId: 1, roleId: 6 },
  ];
  await users.update(1, id, { memberships: wanted, passwordHash: '$argon2id$x' });
  const { build } = storage.directory;
  const rows = await storage.directory.read(
    build.selectFrom('membership').select(['group_id', 'role_id', 'source']).where('user_id', '=', id),
  );
  assert.deepEqual(
    rows.map((row) => [row.group_id, row.role_id, row.source]),
    [
      [1, 5, 'app/idp'],
      [1, 6, ''],
    ],
  );
  assert.equal((await users.find(1, id))?.hasPassword, true);
  await refused(users.update(1, id, { memberships: [{ groupId: 3, roleId: 5 }] }), 130, 'no group 3 in company 1');
  assert.equal((await users.memberships(id)).length, 2);
  assert.deepEqual([...(await users.membershipsOf([id, 1, 99])).keys()].sort(), [1, id]);
  const many = Array.from({ length: 1_000 }, (_, index) => ({ groupId: 1, roleId: 5 + 100 * index }));
  await refused(users.update(1, id, { memberships: many }), 130, 'no role 105 in company 1');
  assert.equal((await users.memberships(id)).length, 2);
  await users.update(1, id, { memberships: [], passwordHash: null });
  assert.equal((await users.find(1, id))?.hasPassword, false);
  assert.deepEqual(await users.memberships(id), []);
});

test('a group in use stays', async (t) => {
  const { applications, groups, users } = (await house(t)).directory;
  await applications.create({ companyId: 1, appId: 'closed', groupIds: [2] });
  await refused(groups.remove(1, 2), 'malformed', 'the only group that may use application "closed"');
  await applications.update(1, 'closed', { groupIds: [1, 2] });
  const accounts = { accountPolicy: 'create', defaultGroupId: 2, defaultRoleId: 5 } as const;
  await applications.update(1, 'closed', accounts);
  await refused(groups.remove(1, 2), 'malformed', 'new accounts of application "closed" come into it');
  await applications.update(1, 'closed', { accountPolicy: 'refuse', defaultGroupId: null, defaultRoleId: null });
  await groups.remove(1, 2);
  assert.deepEqual((await applications.find(1, 'closed'))?.groupIds, [1]);
  assert.equal((await users.memberships(2)).length, 1);
  const made = await groups.create({ companyId: 1, name: 'Added', appId: 'closed' });
  assert.deepEqual((await applications.find(1, 'closed'))?.groupIds, [1, made.id]);
  await applications.create({ companyId: 1, appId: 'open' });
  await groups.update(1, made.id, { appId: 'open' });
  assert.deepEqual((await applications.find(1, 'open'))?.groupIds, [], 'an application for every group stays so');
});

test('a role that nobody holds can be removed, and its permissions are set as a whole', async (t) => {
  const { applications, roles, users } = (await house(t)).directory;
  await applications.create({ companyId: 1, appId: 'shop' });
  const grant = (table: string, appId = 'shop'): RolePermission => {
    return { appId, table, read: true, add: false, update: true, delete: false };
  };
  const made = await roles.create({ companyId: 1, name: 'Auditor', permissions: [grant('orders'), grant('*')] });
  assert.deepEqual(await roles.permissions(1, made.roleId), [grant('*'), grant('orders')]);
  await refused(roles.permissions(2, made.roleId), 130, 'no role 100');
  const set = (permissions: RolePermission[]) => roles.update(1, made.roleId, { permissions });
  await refused(set([grant('a'), grant('A')]), 'malformed', 'permissions[1]: table "A" is named twice');
  await refused(set([grant('1a')]), 'malformed', 'got "1a"');
  await refused(set([grant('a', 'none')]), 105, 'no application "none"');
  assert.equal((await roles.permissions(1, made.roleId)).length, 2);
  await set([grant('items')]);
  assert.deepEqual(await roles.permissions(1, made.roleId), [grant('items')]);

  await joinGroup(users, 2, { groupId: 1, roleId: made.roleId });
  await refused(roles.remove(1, made.roleId), 'malformed', '1 users hold it');
  await leaveGroup(users, 2, { groupId: 1, roleId: made.roleId });
  const accounts = { accountPolicy: 'create', defaultGroupId: 1, defaultRoleId: made.roleId } as const;
  await applications.update(1, 'shop', accounts);
  await refused(roles.remove(1, made.roleId), 'malformed', 'new accounts of application "shop" get it');
  await applications.update(1, 'shop', { accountPolicy: 'refuse', defaultGroupId: null, defaultRoleId: null });
  await refused(roles.remove(1, 5), 'malformed', 'role 5 is built in');
  await refused(roles.remove(2, made.roleId), 130, 'no role 100 in company 2');
  await roles.remove(1, made.roleId);
  assert.equal(await roles.find(1, made.roleId), null);
});

test('groups, users and roles are listed by page, also within some groups', async (t) => {
  const { directory, settings } = await house(t);
  const { groups, users, roles } = directory;
  assert.deepEqual((await groups.page(1, { search: 'SUPP' }, settings)).results[0]?.name, 'Support');
  assert.equal((await groups.page(1, {}, settings)).count, 2);
  assert.deepEqual(await groups.page(1, {}, settings, []), { results: [], count: 0 });
  assert.deepEqual(
    (await groups.page(1, {}, settings, [2, 3])).results.map(({ id }) => id),
    [2],
  );
  await refused(groups.page(9, {}, settings), 130, 'no company 9');
  assert.deepEqual(
    (await users.page(1, { sort: '-account' }, settings)).results.map(({ id }) => id),
    [1, 2],
  );
  assert.deepEqual(
    (await users.page(1, {}, settings, [2])).results.map(({ id }) => id),
    [2],
  );
  assert.equal((await users.page(1, {}, settings, [1, 2])).count, 2);
  assert.equal((await users.page(1, { filter: { disabled: 'true' } }, settings)).count, 0);
  await refused(users.page(9, {}, settings), 130, 'no company 9');
  assert.equal((await roles.page(1, { limit: 2, sort: 'roleName' }, settings)).results[0]?.roleName, 'Admin');
});
