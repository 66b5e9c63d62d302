/**
 * Groups and users over HTTP with a user token (docs/reference/roles.md): successes, and every documented refusal.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setUserPassword } from '../../src/administration/user-passwords.ts';
import { updateUser } from '../../src/administration/users.ts';
import { clientGroupOperations } from '../../src/http/api/groups.operations.ts';
import { clientUserOperations } from '../../src/http/api/users.operations.ts';
import type { Operation } from '../../src/operations/define.ts';
import { runCases } from '../harness/cases.ts';
import { valueAt } from '../harness/match.ts';
import { joinGroup } from '../harness/memberships.ts';
import { send } from '../harness/requests.ts';
import { startWorld, type World } from '../harness/world.ts';
import { groupCases, userCases } from './directory.cases.ts';

let world: World;
/** carol is the Super Admin of company 1, alice Admin of group g1, bob a User in it; dave is of company 2. */
before(async () => {
  world = await startWorld({
    arrange: async ({ directory }) => {
      const carol = await directory.users.byAccount(1, 'carol');
      const [, second] = await directory.groups.list(1);
      assert.ok(carol !== null && second !== undefined);
      await joinGroup(directory.users, carol.id, { groupId: second.id, roleId: 2 });
      const gone = await directory.users.create({ companyId: 1, account: 'gone' });
      await directory.users.remove(1, gone.id);
    },
  });
  const { directory } = world.server;
  const [first] = await directory.groups.list(2);
  world.names.set('other.group', String(first?.id));
});
after(() => world.close());

const operations = new Map<string, Operation>(
  [...Object.values(clientGroupOperations), ...Object.values(clientUserOperations)].map((one) => [one.name, one]),
);

for (const [name, cases] of Object.entries({ groups: groupCases, users: userCases })) {
  describe(name, () =>
    runCases(
      () => world,
      cases.map(({ operation: _, ...item }) => item),
    ),
  );
}

test('every documented code of these operations is provoked above', () => {
  const provoked = new Set([...groupCases, ...userCases].map(({ operation, code }) => `${operation}: ${code}`));
  const listed = [...operations.values()].flatMap(({ name, codes }) => codes.map((code) => `${name}: ${code}`));
  const lacking = listed.filter((each) => !provoked.has(each) && !/: (110|120|121)$/.test(each));
  assert.deepEqual(lacking, []);
});

test('none of these operations has an effect without a valid token', async () => {
  const { clock, names } = world;
  for (const { name, method, path } of operations.values()) {
    const place = `${world.prefix}${path.replace(':id', '1')}`;
    const ask = async (token: string | undefined, later = 0) => {
      clock.offsetMs += later;
      try {
        return valueAt((await world.call(method, place, { token, body: {} })).json, 'errCode');
      } finally {
        clock.offsetMs -= later;
      }
    };
    assert.equal(await ask(undefined), 121, name);
    assert.equal(await ask('garbage'), 121, name);
    assert.equal(await ask(names.get('dave.token')), 121, `${name} with a token of another company`);
    assert.equal(await ask(names.get('bob.token'), 6 * 3_600_000), 120, name);
  }
});

test('a user disabled or removed by another one loses access within five seconds', async () => {
  const { clock } = world;
  const { id, token } = await world.signIn('bob', 'bobs-second-device');
  const codeOfRoles = async () =>
    valueAt((await world.call('GET', `${world.prefix}/roles`, { token })).json, 'errCode');
  assert.equal(await codeOfRoles(), 0);
  assert.equal((await send(world, 'carol', 'PUT', `users/${id}`, { disabled: true })).status, 200);
  clock.offsetMs += 5_000;
  assert.equal(await codeOfRoles(), 110);
  assert.equal((await send(world, 'carol', 'PUT', `users/${id}`, { disabled: false })).status, 200);
  clock.offsetMs += 5_000;
  assert.equal(await codeOfRoles(), 0);
  assert.equal((await send(world, 'carol', 'DELETE', `users/${id}`)).status, 200);
  clock.offsetMs += 5_000;
  assert.equal(await codeOfRoles(), 121);
});

test('each act has its entry in the audit trail, and a refused one has none', async () => {
  const db = world.server.storage.directory;
  const entries = async () =>
    db.read(
      db.build
        .selectFrom('audit')
        .select(['action', 'target', 'actor_kind', 'actor_name', 'company_id', 'detail'])
        .where('action', 'not like', 'session.%')
        .orderBy('id', 'desc')
        .limit(1),
    );
  const made = await send(world, 'carol', 'POST', 'groups', { groupName: 'Audited' });
  const groupId = valueAt(made.json, 'group.groupId');
  const [created] = await entries();
  assert.deepEqual(
    [created?.action, created?.target, created?.actor_kind, created?.actor_name, created?.company_id],
    ['group.create', 'group "Audited"', 'user', 'carol', 1],
  );
  await send(world, 'alice', 'DELETE', `groups/${groupId}`);
  await send(world, 'carol', 'POST', 'groups', { groupName: 'Audited' });
  await send(world, 'carol', 'PUT', `groups/${groupId}`, { groupName: 'Other', revision: 7 });
  assert.deepEqual(await entries(), [created]);
  const body = { account: 'audited', password: 'correct horse', groupRoleMap: [] };
  await send(world, 'carol', 'POST', 'users', body);
  const [user] = await entries();
  assert.equal(user?.action, 'user.create');
  assert.ok(!user?.detail.includes('correct horse') && !user?.detail.includes('argon2'), user?.detail);
});

test('a password that someone else sets ends every session of the user', async () => {
  const { token, id } = await world.signIn('alice', 'alices-second-device');
  const codeOfRoles = async () =>
    valueAt((await world.call('GET', `${world.prefix}/roles`, { token })).json, 'errCode');
  assert.equal(await codeOfRoles(), 0);
  const password = 'another long password';
  assert.equal((await send(world, 'carol', 'PUT', `users/${id}`, { password })).status, 200);
  assert.equal(await codeOfRoles(), 121);
});

test('a user who guesses the own password is rate limited like a sign-in', async () => {
  const { directory, administration } = world.server;
  const { id: userId, account } = await directory.users.create({ companyId: 1, account: 'guesser' });
  const memberships = await directory.users.memberships(userId);
  const actor = { kind: 'user', companyId: 1, userId, account, memberships, address: '192.0.2.1' } as const;
  const counted: string[] = [];
  const attempts = {
    guard: async (kind: string) => void counted.push(`guard ${kind}`),
    succeeded: async (kind: string) => void counted.push(`succeeded ${kind}`),
    close: async () => {},
  };
  const deps = { ...administration, auth: { ...administration.auth, attempts } };
  await setUserPassword(administration, { kind: 'operator' }, { companyId: 1, userId, password: 'the right password' });
  const send = (password: string) => updateUser(deps, actor, 1, userId, { password }, { address: '192.0.2.1' });
  await assert.rejects(send('a wrong password'), /password: this is not the current one/);
  assert.deepEqual(counted, ['guard password']);
  await send('the right password');
  assert.deepEqual(counted, ['guard password', 'guard password', 'succeeded password']);
});
