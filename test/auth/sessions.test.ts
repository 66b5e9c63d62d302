/** Anonymous tokens, devices, and authentication of callers: their lifetimes, and how soon an end is noticed. */
import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import { after, before, beforeEach, describe, test } from 'node:test';
import { registerDevice } from '../../src/auth/devices.ts';
import { openLastUse } from '../../src/auth/last-use.ts';
import { openSessions } from '../../src/auth/sessions.ts';
import { pruneEnded } from '../../src/auth/token-rows.ts';
import { type AuthInfo, startSession } from '../../src/auth/user-tokens.ts';
import type { Caller } from '../../src/caller.ts';
import { joinGroup, leaveGroup } from '../harness/memberships.ts';
import { type AuthWorld, appKey, device, openWorld, path, refusal } from './world.ts';

const hour = 3_600_000;
const quiet = { info() {}, warn() {}, error() {} };
let world: AuthWorld;
before(async () => {
  world = await openWorld();
});
after(() => world.close());

/** A user token issued without a provider. */
async function userToken(account = 'alice'): Promise<AuthInfo> {
  const { db, directory, settings, clock } = world;
  const environment = {
    now: () => clock.ms,
    random: (bytes: number) => Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))),
  };
  const user = await directory.users.byAccount(1, account);
  const session = { companyId: 1, appId: 'notes', version: '1.0.0', deviceUdid: device, isPush: false };
  return startSession({ db, directory, settings, environment }, session, user!);
}
const rowOf = async (token: string) =>
  (await world.db.read(world.db.build.selectFrom('token').selectAll().where('hash', '=', hash('sha256', token))))[0];

describe('anonymous token', () => {
  test('is 64 hex digits, stored only as its SHA-256, and authenticates as anonymous', async () => {
    const token = await world.auth.anonymousToken(path, { appKey, deviceUDID: device });
    assert.match(token, /^[0-9a-f]{64}$/);
    const row = await rowOf(token);
    assert.equal(row?.kind, 'anonymous');
    assert.ok(!JSON.stringify(row).includes(token));
    const caller = await world.auth.settle({ ...path, appVersion: '1.0.0' }, token, 'any');
    assert.equal(caller.kind, 'anonymous');
    assert.deepEqual(
      [caller.companyId, caller.appId, caller.appVersion, caller.deviceUdid],
      [1, 'notes', '1.0.0', device],
    );
    await assert.rejects(world.auth.settle(path, token, 'user'), refusal(121));
  });

  test('is refused alike for a wrong key, application, version and company', async () => {
    const input = { appKey, deviceUDID: device };
    const attempts = [
      () => world.auth.anonymousToken(path, { ...input, appKey: `${appKey}x` }),
      () => world.auth.anonymousToken({ ...path, appId: 'none' }, input),
      () => world.auth.anonymousToken({ ...path, appVersion: '9_9' }, input),
      () => world.auth.anonymousToken({ ...path, companyId: '99' }, input),
      () => world.auth.anonymousToken({ ...path, companyId: '1e0' }, input),
    ];
    const messages = new Set<string>();
    for (const attempt of attempts) {
      await assert.rejects(attempt(), (error: Error) => refusal(101)(error) && messages.add(error.message).size > 0);
    }
    assert.equal(messages.size, 1);
  });

  test('needs both fields, in a form that can be stored', async () => {
    await assert.rejects(world.auth.anonymousToken(path, { deviceUDID: device }), refusal('missing'));
    await assert.rejects(world.auth.anonymousToken(path, { appKey, deviceUDID: '' }), refusal('missing'));
    await assert.rejects(world.auth.anonymousToken(path, { appKey, deviceUDID: 'a\0' }), refusal('malformed'));
    await assert.rejects(world.auth.anonymousToken(path, { appKey, deviceUDID: '\ud800' }), refusal('malformed'));
    await assert.rejects(
      world.auth.anonymousToken(path, { appKey, deviceUDID: 'x'.repeat(201) }),
      refusal('malformed'),
    );
  });

  test('ends 24 hours after its creation, used or not', async (context) => {
    const token = await world.auth.anonymousToken(path, { appKey, deviceUDID: device });
    const start = world.clock.ms;
    context.after(() => {
      world.clock.ms = start;
    });
    world.clock.ms = start + 24 * hour - 1;
    await world.auth.settle(path, token, 'any');
    world.clock.ms = start + 24 * hour;
    await assert.rejects(world.auth.settle(path, token, 'any'), refusal(120));
  });
});

describe('device', () => {
  const stored = async (udid: string) =>
    (await world.db.read(world.db.build.selectFrom('device').selectAll().where('udid', '=', udid)))[0];
  const callerFor = async (deviceUDID: string) =>
    world.auth.settle(path, await world.auth.anonymousToken(path, { appKey, deviceUDID }), 'any');

  test('is registered once; then answers 161 and takes over push token and name', async () => {
    const caller = await callerFor('phone');
    await world.auth.registerDevice(caller, {
      deviceUDID: 'phone',
      deviceToken: 'push-1',
      deviceName: 'One',
      osType: 'X',
    });
    const again = { deviceUDID: 'phone', deviceToken: 'push-2', deviceName: 'Two' };
    await assert.rejects(world.auth.registerDevice(caller, again), refusal(161));
    const row = await stored('phone');
    assert.equal(row?.name, 'Two');
    assert.equal(row?.os_type, 'X');
    assert.equal(world.seal.open(row?.push_token_sealed ?? ''), 'push-2');
    await assert.rejects(world.auth.registerDevice(caller, { deviceUDID: 'phone' }), refusal(161));
    assert.equal((await stored('phone'))?.name, 'Two', 'what is not sent stays');
  });

  test('is answered 0 when registered again, if the setting says so; another one still gets 161', async () => {
    const settings = { ...world.settings, deviceAgainIsError: false };
    const deps = { ...world, environment: { now: () => world.clock.ms, random: randomBytes }, settings };
    const caller = await callerFor('again');
    for (const deviceName of ['First', 'Second'])
      await registerDevice(deps, caller, { deviceUDID: 'again', deviceName });
    assert.equal((await stored('again'))?.name, 'Second');
    const theft = { deviceUDID: 'again', deviceName: 'Theirs' };
    await assert.rejects(registerDevice(deps, await callerFor('stranger'), theft), refusal(161));
    assert.equal((await stored('again'))?.name, 'Second');
  });

  test('is neither changed nor registered with the token of another one', async () => {
    const owner = await callerFor('tablet');
    await world.auth.registerDevice(owner, { deviceUDID: 'tablet', deviceName: 'Mine' });
    const stranger = await callerFor('stranger');
    const theft = { deviceUDID: 'tablet', deviceName: 'Theirs' };
    await assert.rejects(world.auth.registerDevice(stranger, theft), refusal(161));
    assert.equal((await stored('tablet'))?.name, 'Mine');
    await assert.rejects(world.auth.registerDevice(stranger, { deviceUDID: 'unseen' }), refusal(160));
    assert.equal(await stored('unseen'), undefined);
    await assert.rejects(world.auth.registerDevice(stranger, {}), refusal('missing'));
  });
});

describe('user token', () => {
  let info: AuthInfo;
  let token: string;
  let start: number;
  beforeEach(async () => {
    info = await userToken();
    token = info.userTokens;
    start = world.clock.ms;
  });

  test('authenticates with user, groups and roles; the same frozen object while cached', async () => {
    const caller = (await world.auth.settle(path, token, 'user')) as Caller;
    assert.equal(caller.account, 'alice');
    assert.deepEqual(caller.groupIds, [1]);
    assert.deepEqual(
      caller.memberships.map(({ roleId }) => roleId),
      [5, 6],
    );
    assert.ok(Object.isFrozen(caller) && Object.isFrozen(caller.memberships));
    assert.equal(world.auth.settleCached(path, token, 'user'), caller);
    world.clock.ms += world.settings.sessionCacheMs;
    assert.equal(world.auth.settleCached(path, token, 'user'), null, 'the database has to be asked again');
    assert.notEqual(await world.auth.settle(path, token, 'user'), caller);
  });

  test('belongs to one company, application and version: elsewhere it does not exist', async () => {
    await world.auth.settle(path, token, 'user');
    for (const foreign of [
      { ...path, companyId: '2' },
      { ...path, appId: 'open' },
      { ...path, appVersion: '2_0_0' },
      { ...path, companyId: '01' },
    ]) {
      await assert.rejects(world.auth.settle(foreign, token, 'user'), refusal(121));
      assert.throws(() => world.auth.settleCached(foreign, token, 'user'), refusal(121));
    }
  });

  test('that is unknown or malformed answers 121', async () => {
    for (const wrong of [undefined, '', 'x', token.toUpperCase(), `${token} `, 'f'.repeat(64)]) {
      await assert.rejects(world.auth.settle(path, wrong, 'user'), refusal(121));
    }
  });

  test('stays valid while it is used, and expires after its time without use', async () => {
    const life = world.settings.userTokenLifeMs;
    for (let step = 1; step <= 3; step += 1) {
      world.clock.ms = start + step * (life - 1);
      await world.auth.settle(path, token, 'user');
    }
    world.clock.ms += life;
    await assert.rejects(world.auth.settle(path, token, 'user'), refusal(120));
    world.clock.ms = start;
  });

  test('expires even while it is cached', async () => {
    const row = world.db.build.updateTable('token').set({ expires: start + 500 });
    await world.db.write([row.where('hash', '=', hash('sha256', token))]);
    await world.auth.settle(path, token, 'user');
    world.clock.ms = start + 499;
    assert.ok(world.auth.settleCached(path, token, 'user') !== null);
    world.clock.ms = start + 500;
    assert.throws(() => world.auth.settleCached(path, token, 'user'), refusal(120));
    world.clock.ms = start;
  });

  test('ends after its longest life, however much it is used', async () => {
    const { userTokenLifeMs: life, userTokenLifeMaxMs: longest } = world.settings;
    for (let time = start; time < start + longest; time += life - 1) {
      world.clock.ms = time;
      await world.auth.settle(path, token, 'user');
    }
    world.clock.ms = start + longest;
    await assert.rejects(world.auth.settle(path, token, 'user'), refusal(120));
    world.clock.ms = start;
  });

  test('has its use stored at most once a minute, for other processes', async () => {
    const another = world.openAnother();
    await another.settle(path, token, 'user');
    world.clock.ms = start + 59_999;
    await another.settle(path, token, 'user');
    await another.close();
    assert.equal((await rowOf(token))?.last_used, start);
    world.clock.ms = start + 60_000;
    await another.settle(path, token, 'user');
    world.clock.ms = start + 61_000;
    await another.settle(path, token, 'user');
    await another.close();
    assert.equal((await rowOf(token))?.last_used, start + 60_000);
    world.clock.ms = start;
  });

  test('becomes invalid for a disabled user, and for one removed from the groups of the application', async () => {
    const { users } = world.directory;
    const alice = await users.byAccount(1, 'alice');
    await world.auth.settle(path, token, 'user');
    await users.update(1, alice!.id, { disabled: true });
    world.clock.ms += world.settings.sessionCacheMs;
    await assert.rejects(world.auth.settle(path, token, 'user'), refusal(110));
    await users.update(1, alice!.id, { disabled: false });
    world.clock.ms += world.settings.sessionCacheMs;
    await world.auth.settle(path, token, 'user');
    await leaveGroup(users, alice!.id, { groupId: 1 });
    world.clock.ms += world.settings.sessionCacheMs;
    await assert.rejects(world.auth.settle(path, token, 'user'), refusal(110));
    for (const roleId of [5, 6]) await joinGroup(users, alice!.id, { groupId: 1, roleId });
  });

  test('is invalid while the application or the version is disabled: 121, or the code of the operation for it', async () => {
    const { applications, versions } = world.directory;
    await applications.update(1, 'notes', { disabled: true });
    await assert.rejects(world.auth.settle(path, token, 'user'), refusal(121));
    await assert.rejects(world.auth.settle(path, token, 'any', 105), refusal(105));
    assert.equal(world.auth.settleCached(path, token, 'any'), null);
    await applications.update(1, 'notes', { disabled: false });
    await versions.update(1, 'notes', '1.0.0', { disabled: true });
    world.clock.ms += world.settings.sessionCacheMs;
    await assert.rejects(world.auth.settle(path, token, 'user'), refusal(121));
    await versions.update(1, 'notes', '1.0.0', { disabled: false });
    world.clock.ms += world.settings.sessionCacheMs;
    await world.auth.settle(path, token, 'user');
  });

  test('ends by logout at once here, and within the cache time in other processes', async () => {
    const another = world.openAnother();
    const caller = (await world.auth.settle(path, token, 'user')) as Caller;
    await another.settle(path, token, 'user');
    await world.auth.logout(caller);
    await assert.rejects(world.auth.settle(path, token, 'user'), refusal(121));
    assert.ok(another.settleCached(path, token, 'user') !== null, 'this test would prove nothing');
    world.clock.ms += world.settings.sessionCacheMs;
    assert.ok(world.settings.sessionCacheMs <= 5_000);
    await assert.rejects(another.settle(path, token, 'user'), refusal(121));
    await assert.rejects(world.auth.refresh(caller), refusal(121));
  });

  test('is renewed; the old one works for ten more seconds, also for another renewal', async () => {
    const old = (await world.auth.settle(path, token, 'user')) as Caller;
    world.clock.ms = start + hour;
    const [first, second] = await Promise.all([world.auth.refresh(old), world.auth.refresh(old)]);
    assert.notEqual(first.userTokens, second.userTokens);
    const { userTokens: _token, ...rest } = info;
    for (const renewed of [first, second]) {
      const { userTokens, ...others } = renewed;
      assert.deepEqual(others, rest);
      const caller = (await world.auth.settle(path, userTokens, 'user')) as Caller;
      assert.equal(caller.userId, info.userId);
      assert.equal(caller.deviceUdid, device);
      assert.equal((await rowOf(userTokens))?.expires, start + world.settings.userTokenLifeMaxMs);
    }
    world.clock.ms += world.settings.refreshGraceMs - 1;
    await world.auth.refresh((await world.auth.settle(path, token, 'user')) as Caller);
    await world.auth.settle(path, token, 'user');
    world.clock.ms += 1;
    await assert.rejects(world.auth.settle(path, token, 'user'), refusal(120));
    world.clock.ms = start;
  });

  test('costs one read for many concurrent requests', async () => {
    let reads = 0;
    const counting = {
      ...world.db,
      read(query: never) {
        reads += 1;
        return world.db.read(query);
      },
    };
    const sessions = openSessions({
      db: counting as typeof world.db,
      settings: { ...world.settings, sessionCacheMax: 2 },
      environment: { now: () => world.clock.ms, random: () => Buffer.alloc(0) },
      lastUse: openLastUse(world.db, quiet),
    });
    await Promise.all(Array.from({ length: 20 }, () => sessions.settle(path, token, 'user')));
    assert.equal(reads, 2, 'the token, and the roles');
    for (const other of [await userToken(), await userToken()]) await sessions.settle(path, other.userTokens, 'user');
    assert.equal(sessions.settleCached(path, token, 'user'), null, 'the oldest of three made room');
  });
});

test('a read begun before a logout is not cached after it', async () => {
  const { userTokens } = await userToken();
  const caller = (await world.auth.settle(path, userTokens, 'user')) as Caller;
  const other = openSessions({
    db: world.db,
    settings: world.settings,
    environment: { now: () => world.clock.ms, random: () => Buffer.alloc(0) },
    lastUse: openLastUse(world.db, quiet),
  });
  const overtaken = other.settle(path, userTokens, 'user');
  other.forget(caller.tokenHash);
  await overtaken;
  assert.equal(other.settleCached(path, userTokens, 'user'), null);
});

test('tokens that ended long ago are deleted, others stay', async () => {
  const dead = await userToken();
  const day = 24 * hour;
  world.clock.ms += 6 * day;
  const living = await userToken();
  world.clock.ms += 1.5 * day;
  assert.ok((await pruneEnded(world.db, world.clock.ms)) > 0);
  assert.equal(await rowOf(dead.userTokens), undefined);
  assert.ok((await rowOf(living.userTokens)) !== undefined);
});
