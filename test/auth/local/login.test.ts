/** Sign-in with account and password: who may sign in, the codes of refusals, and what is recorded. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { Actor } from '../../../src/actor.ts';
import { openAccounts } from '../../../src/administration/open.ts';
import { setUserPassword } from '../../../src/administration/user-passwords.ts';
import { openPasswords, type Passwords } from '../../../src/auth/local/passwords.ts';
import { systemEnvironment } from '../../../src/environment.ts';
import { ServiceError } from '../../../src/errors.ts';
import { type AuthWorld, appKey, device, openWorld, path, refusal } from '../world.ts';

const password = 'correct horse battery';
const operator: Actor = { kind: 'operator' };
const from = { address: '203.0.113.7' };
let world: AuthWorld;
before(async () => {
  world = await openWorld({ attemptLimits: false, sessionCacheMs: 0 });
  await setPassword('alice', password);
  await setPassword('bob', password);
});
after(() => world.close());
beforeEach(() => world.directory.applications.update(1, 'notes', { localAccounts: true }));

function accounts() {
  const environment = { ...systemEnvironment, now: () => world.clock.ms };
  return openAccounts({ ...world, environment, passwords: world.auth.passwords });
}

async function setPassword(account: string, to: string | null): Promise<void> {
  const user = await world.directory.users.byAccount(1, account);
  await setUserPassword(accounts(), operator, { companyId: 1, userId: user!.id, password: to });
}

/** As existing clients send it, which register no device before. */
function body(changes: object = {}) {
  return {
    username: 'alice',
    password,
    appId: 'notes',
    deviceUDID: device,
    isPush: false,
    appVersion: '1.0.0',
    companyId: 1,
    ...changes,
  };
}

const anonymous = (deviceUDID = device) => world.auth.anonymousToken(path, { appKey, deviceUDID });
const signIn = async (changes: object = {}, token?: string) =>
  world.auth.localLogin(path, token ?? (await anonymous()), body(changes), from);

describe('a sign-in with a password', () => {
  test('answers like Login, without a registered device', async () => {
    const info = await signIn({ username: ' ALICE ' }, await anonymous('never-registered')).catch((error) => error);
    assert.ok(info instanceof ServiceError && info.reason === 160, 'the device must be the one of the token');
    const answer = await signIn(
      { username: ' ALICE ', deviceUDID: 'never-registered' },
      await anonymous('never-registered'),
    );
    assert.match(answer.userTokens, /^[0-9a-f]{64}$/);
    assert.deepEqual(answer.userInfo, { account: 'alice', fistName: 'Alice', lastName: 'Test' });
    assert.deepEqual(
      answer.groupsAndRoles.map(({ groupName, roleName }) => `${groupName}: ${roleName}`),
      ['Sales: User', 'Sales: Developer'],
    );
    const caller = await world.auth.settle(path, answer.userTokens, 'user');
    assert.deepEqual([caller.kind, caller.deviceUdid], ['user', 'never-registered']);
  });

  test('is refused in the order of the checks', async () => {
    const token = await anonymous();
    const stranger = await world.auth.anonymousToken({ ...path, companyId: '2' }, { appKey, deviceUDID: device });
    const refused: readonly (readonly [number | string, object, string?])[] = [
      ['missing', { username: '  ', deviceUDID: 'another' }],
      ['malformed', { username: 'a\0b' }],
      ['malformed', { username: 'x'.repeat(201) }],
      [121, { password: 'wrong' }, 'f'.repeat(64)],
      [104, { companyId: 2, deviceUDID: 'another' }],
      [104, { appId: 'open' }],
      [104, { appVersion: '2.0.0' }],
      [104, {}, stranger],
      [160, { deviceUDID: 'another', password: 'wrong' }],
      [111, { password: 'wrong' }],
    ];
    for (const [reason, changes, given] of refused) {
      await assert.rejects(signIn(changes, given ?? token), refusal(reason as ServiceError['reason']));
    }
    await world.directory.versions.update(1, 'notes', '1.0.0', { disabled: true });
    await assert.rejects(signIn({ password: 'wrong' }, token), refusal(106));
    await world.directory.versions.update(1, 'notes', '1.0.0', { disabled: false });
  });

  test('is off unless the application enables it, whatever the password', async () => {
    await world.directory.applications.update(1, 'notes', { localAccounts: false });
    for (const given of [password, 'wrong']) {
      await assert.rejects(signIn({ password: given }), refusal(119));
    }
  });

  test('refuses an unknown account, one without a password, and a wrong password alike, after the same work', async () => {
    await setPassword('alice', null);
    const worked: (string | null)[] = [];
    const messages = new Set<string>();
    const { verify } = world.auth.passwords;
    const spied = world.auth.passwords as { -readonly [Name in keyof Passwords]: Passwords[Name] };
    spied.verify = (given, stored) => {
      worked.push(stored);
      return verify(given, stored);
    };
    try {
      for (const username of ['alice', 'nobody', 'bob']) {
        await assert.rejects(signIn({ username, password: 'wrong' }), (error: Error) => {
          messages.add(error.message);
          return refusal(111)(error);
        });
      }
    } finally {
      spied.verify = verify;
    }
    assert.deepEqual(worked.slice(0, 2), [null, null]);
    assert.equal(worked.length, 3);
    assert.equal(messages.size, 1);
    await setPassword('alice', password);
  });

  test('reveals only with the right password that the account is disabled or in no group of the application', async () => {
    await assert.rejects(signIn({ username: 'bob' }), refusal(119));
    await assert.rejects(signIn({ username: 'bob', password: 'wrong' }), refusal(111));
    const alice = await world.directory.users.byAccount(1, 'alice');
    await world.directory.users.update(1, alice!.id, { disabled: true });
    await assert.rejects(signIn(), refusal(119));
    await assert.rejects(signIn({ password: 'wrong' }), refusal(111));
    await world.directory.users.update(1, alice!.id, { disabled: false });
  });

  test('ends with a change of the password', async () => {
    const { userTokens } = await signIn();
    await world.auth.settle(path, userTokens, 'user');
    await setPassword('alice', password);
    await assert.rejects(world.auth.settle(path, userTokens, 'user'), refusal(121));
  });
});

describe('what is kept', () => {
  test('the password is argon2id in PHC text, and rehashed when the parameters change', async () => {
    const stored = async () =>
      (await world.db.read(world.db.build.selectFrom('user').select('password_hash').where('account', '=', 'alice')))[0]
        ?.password_hash ?? '';
    const before = await stored();
    assert.match(before, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    await signIn();
    assert.equal(await stored(), before);
    const earlier = openPasswords(
      { ...world.settings, passwordMemoryBytes: 8 * 1024 * 1024, passwordPasses: 1 },
      systemEnvironment,
    );
    await world.db.write([
      world.db.build
        .updateTable('user')
        .set({ password_hash: await earlier.hash(password) })
        .where('account', '=', 'alice'),
    ]);
    assert.match(await stored(), /m=8192,t=1,/);
    await assert.rejects(signIn({ password: 'wrong' }), refusal(111));
    assert.match(await stored(), /m=8192,t=1,/);
    await signIn();
    assert.match(await stored(), /m=19456,t=2,/);
    await signIn();
  });

  test('successful and refused sign-ins are in the audit trail, the password is nowhere', async () => {
    await signIn();
    await assert.rejects(signIn({ password: 'wrong password of alice' }), refusal(111));
    await world.auth.refusals.flush();
    const entries = await world.db.read(world.db.build.selectFrom('audit').selectAll().orderBy('id'));
    const done = entries.filter(({ action, outcome }) => action === 'session.start' && outcome === 'done').at(-1);
    assert.deepEqual([done?.actor_kind, done?.actor_name, done?.address], ['user', 'alice', from.address]);
    assert.match(done?.detail ?? '', /password/);
    const refused = entries.filter(({ outcome }) => outcome === 'refused').at(-1);
    assert.deepEqual([refused?.actor_kind, refused?.company_id, refused?.app_id], ['nobody', 1, 'notes']);
    assert.ok(entries.some(({ action, actor_kind }) => action === 'user.password' && actor_kind === 'operator'));
    const all = JSON.stringify(entries) + world.logged.join('');
    for (const secret of [password, 'wrong password of alice', '$argon2id']) assert.ok(!all.includes(secret), secret);
  });
});
