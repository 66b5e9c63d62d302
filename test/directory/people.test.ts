/** Users, groups, roles and identities: refusals, and that no company reaches another one's people. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refused, scratch } from './scratch.ts';

test('a user is created with roles in groups and an identity, all or nothing', async (t) => {
  const { users } = (await scratch(t)).directory;
  const identity = { issuer: 'https://idp.example.com', subject: 's1' };
  const alice = await users.create({
    companyId: 1,
    account: 'alice',
    email: 'Alice@Example.com',
    firstName: 'Alice',
    memberships: [
      { groupId: 2, roleId: 5 },
      { groupId: 1, roleId: 6 },
      { groupId: 1, roleId: 3 },
    ],
    identity,
  });
  assert.deepEqual(alice, {
    id: 1,
    companyId: 1,
    account: 'alice',
    email: 'alice@example.com',
    firstName: 'Alice',
    lastName: '',
    disabled: false,
    hasPassword: false,
    revision: 1,
  });
  assert.deepEqual(await users.memberships(1), [
    { groupId: 2, groupName: 'Support', roleId: 5, roleName: 'User' },
    { groupId: 1, groupName: 'Sales', roleId: 6, roleName: 'Developer' },
    { groupId: 1, groupName: 'Sales', roleId: 3, roleName: 'Admin' },
  ]);
  assert.deepEqual(await users.byIdentity(1, identity.issuer, 's1'), alice);
  assert.deepEqual(await users.byEmail(1, 'ALICE@example.com'), alice);
  assert.deepEqual(await users.byAccount(1, 'ALICE'), alice);

  const bob = { companyId: 1, account: 'bob' };
  await refused(users.create({ ...bob, identity }), 'malformed', 'identity: it already belongs to another user');
  await refused(users.create({ ...bob, memberships: [{ groupId: 3, roleId: 5 }] }), 130, 'no group 3 in company 1');
  await refused(users.create({ ...bob, memberships: [{ groupId: 1, roleId: 99 }] }), 130, 'no role 99 in company 1');
  assert.deepEqual(await users.list(1), [alice]);
});

test('accounts and e-mail addresses are unique in a company, without regard to case', async (t) => {
  const { users } = (await scratch(t)).directory;
  await users.create({ companyId: 1, account: 'alice', email: 'alice@example.com' });
  await refused(users.create({ companyId: 1, account: 'Alice' }), 'malformed', 'there is already a user "alice"');
  const sameMail = users.create({ companyId: 1, account: 'al', email: 'ALICE@example.com' });
  await refused(sameMail, 'malformed', 'user "alice" of company 1 already has this e-mail address');
  await refused(users.create({ companyId: 9, account: 'x' }), 130, 'no company 9');
  await refused(users.create({ companyId: 1, account: 'x', email: 'not an address' }), 'malformed', 'email');
  const other = await users.create({ companyId: 2, account: 'alice', email: 'alice@example.com' });
  assert.equal(other.companyId, 2);
  await users.create({ companyId: 1, account: 'no mail' });
  await users.create({ companyId: 1, account: 'no mail either' });
});

test('a user of another company does not exist', async (t) => {
  const { users } = (await scratch(t)).directory;
  const dave = await users.create({
    companyId: 2,
    account: 'dave',
    email: 'dave@example.com',
    identity: { issuer: 'i', subject: 's' },
    memberships: [{ groupId: 3, roleId: 5 }],
  });
  assert.equal(await users.find(1, dave.id), null);
  assert.equal(await users.byAccount(1, 'dave'), null);
  assert.equal(await users.byEmail(1, 'dave@example.com'), null);
  assert.equal(await users.byIdentity(1, 'i', 's'), null);
  await refused(users.update(1, dave.id, { disabled: true }), 130, `no user ${dave.id} in company 1`);
  const ofOne = { memberships: [{ groupId: 1, roleId: 5 }] };
  await refused(users.update(1, dave.id, ofOne), 130, `no user ${dave.id} in company 1`);
  await refused(users.update(2, dave.id, ofOne), 130, 'no group 1 in company 2');
  assert.equal((await users.memberships(dave.id)).length, 1);
});

test('only the given fields of a user are changed', async (t) => {
  const { users } = (await scratch(t)).directory;
  const { id } = await users.create({
    companyId: 1,
    account: 'a',
    email: 'a@example.com',
    firstName: 'A',
    lastName: 'B',
  });
  await users.create({ companyId: 1, account: 'taken', email: 'taken@example.com' });
  assert.equal((await users.update(1, id, { disabled: true })).disabled, true);
  const changed = await users.update(1, id, { account: 'A', email: null, lastName: '' });
  assert.deepEqual(
    [changed.account, changed.email, changed.firstName, changed.lastName, changed.disabled],
    ['A', null, 'A', '', true],
  );
  assert.deepEqual(await users.find(1, id), changed);
  await refused(users.update(1, id, { account: 'TAKEN' }), 'malformed', 'there is already a user "taken"');
  await refused(users.update(1, id, { email: 'taken@example.com' }), 'malformed', 'has this e-mail address');
  await refused(users.update(1, 99, {}), 130, 'no user 99');
});

test('an identity is linked to one user', async (t) => {
  const { users } = (await scratch(t)).directory;
  await users.create({ companyId: 1, account: 'a' });
  await users.create({ companyId: 1, account: 'b' });
  await users.create({ companyId: 2, account: 'c' });
  await users.linkIdentity(1, { issuer: 'i', subject: 's' });
  await refused(users.linkIdentity(2, { issuer: 'i', subject: 's' }), 'malformed', 'belongs to another user');
  await users.linkIdentity(3, { issuer: 'i', subject: 's' });
  assert.equal((await users.byIdentity(1, 'i', 's'))?.account, 'a');
  assert.equal((await users.byIdentity(2, 'i', 's'))?.account, 'c');
  await refused(users.linkIdentity(99, { issuer: 'i', subject: 't' }), 110, 'no user 99');
});

test('roles are in the order in which they were given', async (t) => {
  const { users, roles } = (await scratch(t)).directory;
  const order = async () => (await users.memberships(1)).map(({ groupId, roleId }) => `${groupId}:${roleId}`);
  const held = (...pairs: readonly (readonly [number, number])[]) =>
    pairs.map(([groupId, roleId]) => ({ groupId, roleId }));
  await users.create({ companyId: 1, account: 'a', memberships: held([2, 6], [2, 5], [1, 5]) });
  assert.deepEqual(await order(), ['2:6', '2:5', '1:5']);
  await users.update(1, 1, { memberships: held([1, 3], [2, 6], [1, 1]) });
  assert.deepEqual(await order(), ['1:3', '2:6', '1:1']);
  const descriptions = new Map((await roles.list(1)).map(({ roleId, description }) => [roleId, description]));
  for (const one of await users.describedMemberships(1)) assert.equal(one.description, descriptions.get(one.roleId));
});

test('groups have global ids and names unique in their company', async (t) => {
  const { groups, users } = (await scratch(t)).directory;
  assert.deepEqual(await groups.byName(2, 'Sales'), {
    id: 3,
    companyId: 2,
    name: 'Sales',
    description: '',
    revision: 1,
  });
  await refused(
    groups.create({ companyId: 1, name: 'Sales' }),
    'malformed',
    'there is already a group "Sales" in company 1',
  );
  await refused(groups.create({ companyId: 1, name: '12' }), 'malformed', 'not only digits');
  await refused(groups.create({ companyId: 9, name: 'x' }), 130, 'no company 9');
  await refused(groups.update(1, 3, { name: 'x' }), 130, 'no group 3 in company 1');
  await refused(groups.update(1, 2, { name: 'Sales' }), 'malformed', 'there is already a group "Sales"');
  assert.equal((await groups.update(1, 2, { name: 'Help' })).name, 'Help');
  await users.create({ companyId: 1, account: 'a', memberships: [{ groupId: 2, roleId: 5 }] });
  assert.deepEqual(await groups.members(1, 2), [{ userId: 1, account: 'a', roleId: 5, roleName: 'User' }]);
  await refused(groups.members(2, 2), 130, 'no group 2 in company 2');
});

test('a company sees the built-in roles and its own, which begin at 100', async (t) => {
  const { roles } = (await scratch(t)).directory;
  const auditor = await roles.create({ companyId: 1, name: 'Auditor', description: 'Looks.', permissions: [] });
  assert.deepEqual(auditor, {
    roleId: 100,
    roleName: 'Auditor',
    description: 'Looks.',
    companyId: 1,
    unrestricted: false,
    revision: 1,
  });
  await roles.create({ companyId: 2, name: 'Auditor', permissions: [] });
  assert.deepEqual(
    (await roles.list(1)).map(({ roleId, companyId }) => [roleId, companyId]),
    [
      [1, null],
      [2, null],
      [3, null],
      [4, null],
      [5, null],
      [6, null],
      [100, 1],
    ],
  );
  await refused(
    roles.create({ companyId: 1, name: 'Auditor', permissions: [] }),
    'malformed',
    'there is already a role "Auditor"',
  );
  await refused(
    roles.create({ companyId: 1, name: 'Developer', permissions: [] }),
    'malformed',
    'there is already a role "Developer"',
  );
  await refused(roles.create({ companyId: 9, name: 'x', permissions: [] }), 130, 'no company 9');
  await refused(roles.update(1, 101, { name: 'x' }), 130, 'no role 101 in company 1');
  await refused(roles.update(1, 5, { name: 'x' }), 'malformed', 'role 5 is built in');
  assert.equal((await roles.update(1, 100, { description: '' })).roleName, 'Auditor');
  assert.equal((await roles.update(1, 100, { name: 'Viewer' })).description, '');
});
