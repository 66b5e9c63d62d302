/** Sessions managed by administrators: who may see and end whose. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Actor, operator } from '../../src/actor.ts';
import { authorize } from '../../src/administration/authorize.ts';
import { endUserSessions, listUserSessions } from '../../src/administration/sessions-of-users.ts';
import type { TokenSelection } from '../../src/auth/token-rows.ts';
import { startSession } from '../../src/auth/user-tokens.ts';
import { role } from '../../src/caller.ts';
import { type AuthWorld, openWorld, refusal } from '../auth/world.ts';
import { leaveGroup } from '../harness/memberships.ts';

let world: AuthWorld;
let forgotten = 0;
before(async () => {
  world = await openWorld();
  const { users } = world.directory;
  const member = (groupId: number, roleId: number = role.user) => [{ groupId, roleId }];
  await users.create({ companyId: 1, account: 'support', memberships: member(2) });
  await users.create({ companyId: 2, account: 'foreign' });
});
after(() => world.close());

const deps = () => ({
  storage: world.storage,
  directory: world.directory,
  auth: world.auth,
  sessions: {
    forgetAll() {
      forgotten += 1;
    },
  },
});
const idOf = async (account: string, companyId = 1) => (await world.directory.users.byAccount(companyId, account))!.id;

async function signIn(account: string, appId = 'open', companyId = 1): Promise<void> {
  const { db, directory, settings, clock } = world;
  const random = (bytes: number) => Buffer.from(crypto.getRandomValues(new Uint8Array(bytes)));
  const user = await directory.users.byAccount(companyId, account);
  const place = { companyId, appId, version: '1.0.0', deviceUdid: `device of ${account}`, isPush: false };
  await startSession({ db, directory, settings, environment: { now: () => clock.ms, random } }, place, user!);
}

/** A user of company 1 with the role in group 1, Sales. */
function holder(roleId: number, companyId = 1, userId = 1_000): Actor {
  const membership = { groupId: 1, groupName: 'Sales', roleId, roleName: '' };
  return { kind: 'user', companyId, userId, account: 'holder', memberships: [membership], address: null };
}

const list = async (actor: Actor, filter = {}, companyId = 1) =>
  (
    await listUserSessions(deps(), await authorize(deps(), actor, 'session.read', { companyId }), companyId, {
      filter,
    })
  ).results
    .map(({ account }) => account)
    .sort();
const end = async (actor: Actor, selection: TokenSelection) =>
  endUserSessions(deps(), await authorize(deps(), actor, 'session.end', selection), selection);

test('are visible company-wide to a Super Admin, of their own people to an Admin, of themselves to everyone', async () => {
  for (const account of ['alice', 'bob', 'support']) await signIn(account);
  await signIn('foreign', 'notes', 2);
  const [alice, support] = [await idOf('alice'), await idOf('support')];
  for (const actor of [operator, holder(role.superAdmin)])
    assert.deepEqual(await list(actor), ['alice', 'bob', 'support']);
  assert.deepEqual(await list(operator, { userId: String(alice), appId: 'open' }), ['alice']);
  assert.deepEqual(await list(operator, { appId: 'notes' }), []);
  await leaveGroup(world.directory.users, alice, { groupId: 1, roleId: role.developer });
  assert.deepEqual(await list(holder(role.user, 1, alice), { userId: String(alice) }), ['alice']);
  assert.deepEqual(await list(holder(role.admin), { userId: String(alice) }), ['alice']);
  for (const [actor, filter] of [
    [holder(role.admin), {}],
    [holder(role.admin), { userId: String(support) }],
    [holder(role.manager), { userId: String(alice) }],
    [holder(role.appAdmin), { appId: 'open' }],
    [holder(role.user, 1, alice), {}],
  ] as const) {
    await assert.rejects(list(actor, filter), refusal('forbidden'));
  }
  for (const filter of [{}, { userId: String(await idOf('foreign', 2)) }]) {
    await assert.rejects(list(holder(role.superAdmin), filter, 2), refusal(130), 'another company is not there');
  }
  await assert.rejects(list(operator, {}, 99), refusal(130));
  await assert.rejects(list(operator, { userId: '99999' }), refusal(130));
  await assert.rejects(list(operator, { userId: 'x' }), refusal('malformed'));
});

test('are ended, with permission, for users, applications and the company; unknown objects are reported', async () => {
  const [alice, bob] = [await idOf('alice'), await idOf('bob')];
  const head = holder(role.superAdmin);
  const appAdmin = holder(role.appAdmin);
  const refusals: readonly (readonly [Actor, TokenSelection, 105 | 130 | 'forbidden' | 'malformed'])[] = [
    [holder(role.admin), { companyId: 1, userId: bob }, 'forbidden'],
    [holder(role.user), { companyId: 1, userId: alice }, 'forbidden'],
    [holder(role.admin), { companyId: 1, appId: 'notes' }, 'forbidden'],
    [holder(role.admin), { companyId: 1, deviceUdid: 'x' }, 'forbidden'],
    [appAdmin, { companyId: 1 }, 'forbidden'],
    [appAdmin, { companyId: 1, userId: alice }, 'forbidden'],
    [head, { companyId: 2 }, 130],
    [head, { companyId: 2, appId: 'notes' }, 130],
    [head, { companyId: 2, userId: await idOf('foreign', 2) }, 130],
    [operator, { companyId: 99 }, 130],
    [operator, { companyId: 1, appId: 'none' }, 105],
    [operator, { companyId: 1, userId: 99_999 }, 130],
    [operator, { companyId: 1, sessionId: '0'.repeat(24) }, 130],
    [operator, { companyId: 1, version: '1.0.0' }, 'malformed'],
  ];
  for (const [actor, selection, reason] of refusals) await assert.rejects(end(actor, selection), refusal(reason));
  assert.deepEqual(await list(operator), ['alice', 'bob', 'support'], 'nothing was ended');
  assert.equal(forgotten, 0);

  assert.equal(await end(holder(role.admin), { companyId: 1, userId: alice }), 1);
  assert.deepEqual(await list(operator), ['bob', 'support']);
  const [one] = (await listUserSessions(deps(), operator, 1, { filter: { userId: String(bob) } })).results;
  await assert.rejects(end(holder(role.admin), { companyId: 1, sessionId: one!.id }), refusal('forbidden'));
  await assert.rejects(end(operator, { companyId: 2, sessionId: one!.id }), refusal(130));
  assert.equal(await end(head, { companyId: 1, sessionId: one!.id }), 1);
  await signIn('alice', 'notes');
  assert.equal(await end(appAdmin, { companyId: 1, appId: 'notes' }), 1, 'of an application for the own group');
  assert.equal(await end(appAdmin, { companyId: 1, appId: 'open', version: '1.0.0' }), 1, 'and of one for all groups');
  await signIn('bob');
  assert.equal(await end(head, { companyId: 1 }), 1);
  assert.deepEqual([await list(operator), await list(operator, {}, 2)], [[], ['foreign']]);
  assert.ok(forgotten > 0, 'those of the administration are looked at again');
});

test('of a user in the administration end with all others, but not with those of one application', async () => {
  const { db, clock } = world;
  const alice = await idOf('alice');
  const row = {
    csrf_hash: 'x',
    user_id: alice,
    created: clock.ms,
    last_used: clock.ms,
    valid_time: 1,
    expires: clock.ms,
  };
  await db.write([db.build.insertInto('admin_session').values({ hash: 'one', ...row })]);
  const revoked = async () => (await db.read(db.build.selectFrom('admin_session').select('revoked')))[0]?.revoked;
  await end(operator, { companyId: 1, userId: alice, appId: 'notes' });
  await end(operator, { companyId: 1, userId: await idOf('bob') });
  await end(operator, { companyId: 2 });
  assert.equal(await revoked(), 0);
  await end(operator, { companyId: 1, userId: alice });
  assert.equal(await revoked(), 1);
});
