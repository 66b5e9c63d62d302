/** Sessions as their owners and administrators see them, and ending them: whose, how soon, and during renewals. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, beforeEach, describe, test } from 'node:test';
import { revokeSessions } from '../../src/auth/revocation.ts';
import { insertToken, pruneEnded, type TokenSelection } from '../../src/auth/token-rows.ts';

import { startSession } from '../../src/auth/user-tokens.ts';
import type { Caller } from '../../src/caller.ts';
import { type AuthWorld, openWorld, path, refusal } from './world.ts';

const operator = { actor: { kind: 'operator' }, action: 'session.revoke' } as const;
const here = { address: '192.0.2.7' };
let world: AuthWorld;
before(async () => {
  world = await openWorld();
});
after(() => world.close());
beforeEach(async () => {
  for (const companyId of [1, 2]) await world.auth.revokeSessions({ companyId }, operator);
});

interface Place {
  readonly companyId: number;
  readonly appId: string;
  readonly version: string;
  readonly deviceUdid: string;
}

const usual: Place = { companyId: 1, appId: 'notes', version: '1.0.0', deviceUdid: 'phone' };

/** Creates a session without a provider. */
async function signIn(account: string, more: Partial<Place> = {}) {
  const { db, directory, settings, clock } = world;
  const place = { ...usual, ...more };
  const random = (bytes: number) => Buffer.from(crypto.getRandomValues(new Uint8Array(bytes)));
  const deps = { db, directory, settings, environment: { now: () => clock.ms, random } };
  const user = await directory.users.byAccount(place.companyId, account);
  const { userTokens } = await startSession(deps, { ...place, isPush: true }, user!, { ...here, by: { by: 'test' } });
  const ofToken = { companyId: String(place.companyId), appId: place.appId, appVersion: place.version };
  return { token: userTokens, settle: (auth = world.auth) => auth.settle(ofToken, userTokens, 'user') };
}

type SignedIn = Awaited<ReturnType<typeof signIn>>;

async function isIn(one: SignedIn, auth = world.auth): Promise<boolean> {
  return one.settle(auth).then(
    () => true,
    (error: unknown) => refusal(121)(error) && false,
  );
}

const caller = async (one: SignedIn) => (await one.settle()) as Caller;

async function lastEntry() {
  const { db } = world;
  const [entry] = await db.read(db.build.selectFrom('audit').selectAll().orderBy('id', 'desc').limit(1));
  return { ...entry!, detail: JSON.parse(entry!.detail) };
}

describe('own sessions', () => {
  test('are listed with device, application and times, last used first, without tokens', async () => {
    const { db, auth, clock } = world;
    const anonymous = await world.anonymous('phone');
    await auth.registerDevice(await auth.settle(path, anonymous, 'any'), { deviceUDID: 'phone' }).catch(() => {});
    const update = db.build.updateTable('device').set({ name: "Alice's phone", os_type: 'X' });
    await db.write([update.where('udid', '=', 'phone')]);
    const first = await signIn('alice');
    clock.ms += 1_000;
    const second = await signIn('alice', { appId: 'open', deviceUdid: 'unregistered' });
    await signIn('bob', { appId: 'open' });
    const sessions = await auth.ownSessions(await caller(first));
    assert.deepEqual(
      sessions.map(({ appId, deviceUDID, current }) => [appId, deviceUDID, current]),
      [
        ['open', 'unregistered', false],
        ['notes', 'phone', true],
      ],
    );
    const [, own] = sessions;
    assert.deepEqual([own?.deviceName, own?.osType, own?.isPush, own?.account], ["Alice's phone", 'X', true, 'alice']);
    assert.equal(own?.created, clock.ms - 1_000);
    assert.equal(own?.ends, own!.lastUsed + world.settings.userTokenLifeMs);
    assert.match(own!.id, /^[0-9a-f]{24}$/);
    for (const { token } of [first, second]) {
      assert.ok(!JSON.stringify(sessions).includes(token));
      assert.ok(!JSON.stringify(sessions).includes(hash('sha256', token)));
    }
  });

  test('are listed once, however often renewed, and not after their end', async () => {
    const one = await signIn('alice');
    const renewed = await world.auth.refresh(await caller(one));
    const present = (await world.auth.settle(path, renewed.userTokens, 'user')) as Caller;
    const [session, ...more] = await world.auth.ownSessions(present);
    assert.deepEqual([more, session?.current], [[], true]);
    const start = world.clock.ms;
    world.clock.ms += world.settings.userTokenLifeMs;
    assert.deepEqual(await world.auth.ownSessions(present), []);
    world.clock.ms = start;
    await world.auth.endOwnSession(present, session!.id, here);
    assert.deepEqual(await world.auth.ownSessions(present), []);
  });

  test('are ended one by one, with all renewed tokens; a foreign one does not exist', async () => {
    const [one, other, foreign] = [
      await signIn('alice'),
      await signIn('alice'),
      await signIn('bob', { appId: 'open' }),
    ];
    const renewed = await world.auth.refresh(await caller(other));
    const alice = await caller(one);
    const [foreignSession] = await world.auth.ownSessions(await caller(foreign));
    for (const id of [foreignSession!.id, '0'.repeat(24), '', "'", hash('sha256', one.token)]) {
      await assert.rejects(world.auth.endOwnSession(alice, id), refusal(130));
    }
    const id = (await world.auth.ownSessions(alice)).find(({ current }) => !current)!.id;
    await world.auth.endOwnSession(alice, id, here);
    await assert.rejects(world.auth.endOwnSession(alice, id), refusal(130));
    assert.deepEqual([await isIn(one), await isIn(other), await isIn(foreign)], [true, false, true]);
    await assert.rejects(world.auth.settle(path, renewed.userTokens, 'user'), refusal(121));
    const { actor_kind, actor_id, action, target, address } = await lastEntry();
    assert.deepEqual(
      { actor_kind, actor_id, action, target, address },
      {
        actor_kind: 'user',
        actor_id: alice.userId,
        action: 'session.revoke',
        target: `session ${id}`,
        address: here.address,
      },
    );
  });

  test('are ended everywhere: here at once, in other processes within the cache time', async () => {
    const another = world.openAnother();
    const own = [await signIn('alice'), await signIn('alice', { appId: 'open' }), await signIn('alice')];
    const bob = await signIn('bob', { appId: 'open' });
    for (const one of [...own, bob]) assert.ok((await isIn(one)) && (await isIn(one, another)));
    assert.equal(await world.auth.logoutEverywhere(await caller(own[0]!), here), 3);
    for (const one of own) assert.equal(await isIn(one), false);
    assert.equal(await isIn(own[0]!, another), true, 'else this test would prove nothing');
    world.clock.ms += world.settings.sessionCacheMs;
    for (const one of own) assert.equal(await isIn(one, another), false);
    assert.deepEqual([await isIn(bob), await isIn(bob, another)], [true, true]);
    const entry = await lastEntry();
    assert.deepEqual([entry.action, entry.actor_name], ['session.end', 'alice']);
  });
});

describe('revocation', () => {
  const cases: readonly (readonly [TokenSelection, readonly string[]])[] = [
    [{ companyId: 1 }, ['alice', 'aliceOpen', 'aliceTwo', 'aliceTablet', 'bob']],
    [{ companyId: 2 }, ['carol']],
    [{ companyId: 1, appId: 'open' }, ['aliceOpen', 'bob']],
    [{ companyId: 1, appId: 'notes', version: '2.0.0' }, ['aliceTwo']],
    [{ companyId: 1, deviceUdid: 'tablet' }, ['aliceTablet']],
    [{ companyId: 1, appId: 'open', deviceUdid: 'phone' }, ['aliceOpen', 'bob']],
    [{ companyId: 1, appId: 'notes', version: '9.0.0' }, []],
  ];
  for (const [selection, expected] of cases) {
    test(`of ${JSON.stringify(selection)} ends these sessions and no others`, async () => {
      if ((await world.directory.users.byAccount(2, 'carol')) === null) {
        await world.directory.users.create({ companyId: 2, account: 'carol' });
      }
      const sessions: Readonly<Record<string, SignedIn>> = {
        alice: await signIn('alice'),
        aliceOpen: await signIn('alice', { appId: 'open' }),
        aliceTwo: await signIn('alice', { version: '2.0.0' }),
        aliceTablet: await signIn('alice', { deviceUdid: 'tablet' }),
        bob: await signIn('bob', { appId: 'open' }),
        carol: await signIn('carol', { companyId: 2 }),
      };
      for (const one of Object.values(sessions)) await one.settle();
      assert.equal(await world.auth.revokeSessions(selection, operator), expected.length);
      const ended: string[] = [];
      for (const [name, one] of Object.entries(sessions)) if (!(await isIn(one))) ended.push(name);
      assert.deepEqual(ended, expected);
      const entry = await lastEntry();
      assert.deepEqual([entry.action, entry.actor_kind, entry.detail], ['session.revoke', 'operator', selection]);
      assert.equal(await world.auth.revokeSessions(selection, operator), 0, 'they have ended');
    });
  }

  test('of one user leaves the others; anonymous tokens stay', async () => {
    const [alice, bob] = [await signIn('alice'), await signIn('bob', { appId: 'open' })];
    const anonymous = await world.anonymous('phone');
    const { userId } = await caller(alice);
    assert.equal(await world.auth.revokeSessions({ companyId: 2, userId }, operator), 0);
    assert.equal(await isIn(alice), true);
    assert.equal(await world.auth.revokeSessions({ companyId: 1, userId }, operator), 1);
    assert.deepEqual([await isIn(alice), await isIn(bob)], [false, true]);
    await world.auth.settle(path, anonymous, 'any');
  });

  test('works in portions, and no request waits for more than one', async () => {
    const { db, clock, directory } = world;
    const user = await directory.users.byAccount(1, 'alice');
    const life = { created: clock.ms, validTime: 1_000, expires: clock.ms + 1_000 };
    const row = { ...usual, ...life, kind: 'user', userId: user!.id, isPush: false } as const;
    await db.write(Array.from({ length: 2_100 }, (_, index) => insertToken(db, `many-${index}`, row)));
    let writes = 0;
    const write: typeof db.write = (queries) => {
      writes += 1;
      return db.write(queries);
    };
    const counting = { ...db, write };
    const environment = { now: () => clock.ms, random: () => Buffer.alloc(0) };
    assert.equal(await revokeSessions({ db: counting, environment }, { companyId: 1 }, operator), 2_100);
    assert.equal(writes, 3);
  });

  test('many at once that overlap all complete', async () => {
    const sessions = [];
    for (let round = 0; round < 10; round += 1) {
      sessions.push(
        await signIn('alice'),
        await signIn('alice', { appId: 'open' }),
        await signIn('bob', { appId: 'open' }),
      );
    }
    const { userId } = await caller(sessions[0]!);
    const selections = [{ userId }, { appId: 'open' }, { deviceUdid: 'phone' }, { appId: 'notes', version: '1.0.0' }];
    const counts = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        world.auth.revokeSessions({ companyId: 1, ...selections[index % selections.length] }, operator),
      ),
    );
    assert.equal(
      counts.reduce((sum, count) => sum + count),
      30,
      'each session is ended once',
    );
    for (const one of sessions) assert.equal(await isIn(one), false);
  });

  test('ends a session during the renewal of its token', async () => {
    const { db } = world;
    const one = await signIn('alice');
    const old = hash('sha256', one.token);
    // The state after a renewal on another connection whose transaction began before the revocation's.
    await world.auth.revokeSessions({ companyId: 1 }, operator);
    const late = (await db.read(db.build.selectFrom('token').selectAll().where('hash', '=', old)))[0]!;
    const renewed = 'f1'.repeat(32);
    await db.write([
      db.build
        .insertInto('token')
        .values({ ...late, hash: hash('sha256', renewed), revoked: 0, last_used: world.clock.ms }),
    ]);
    await assert.rejects(world.auth.settle(path, renewed, 'user'), refusal(121));
    assert.deepEqual((await world.auth.listSessions(1, {})).results, []);
    // The revoked token ended long before the other one, and keeps that one inactive.
    const shorten = db.build.updateTable('token').set({ expires: world.clock.ms }).where('hash', '=', old);
    const prolong = db.build.updateTable('token').set({ valid_time: 20 * 24 * 3_600_000 });
    await db.write([shorten, prolong.where('hash', '=', hash('sha256', renewed))]);
    world.clock.ms += 8 * 24 * 3_600_000;
    while ((await pruneEnded(db, world.clock.ms)) > 0);
    await assert.rejects(world.auth.settle(path, renewed, 'user'), refusal(121));
    world.clock.ms += 30 * 24 * 3_600_000;
    while ((await pruneEnded(db, world.clock.ms)) > 0);
    assert.deepEqual(await db.read(db.build.selectFrom('token').select('hash').where('session', '=', old)), []);
  });

  test('during continuous renewals: none of them survives', async () => {
    for (let round = 0; round < 5; round += 1) {
      const one = await signIn('alice');
      let token = one.token;
      let stopped = false;
      const renewing = Array.from({ length: 4 }, async () => {
        while (!stopped) {
          try {
            const present = (await world.auth.settle(path, token, 'user')) as Caller;
            token = (await world.auth.refresh(present)).userTokens;
          } catch {
            return;
          }
        }
      });
      // Waits for some renewals, whatever the speed of the machine.
      while (token === one.token) await new Promise((resolve) => setImmediate(resolve));
      await world.auth.revokeSessions({ companyId: 1 }, operator);
      const after = token;
      await assert.rejects(world.auth.settle(path, after, 'user'), refusal(121));
      stopped = true;
      await Promise.all(renewing);
      await assert.rejects(world.auth.settle(path, token, 'user'), refusal(121));
    }
  });
});

test('disabled users, applications, versions and companies, and removed users, lose access within the cache time', async () => {
  const { users, applications, versions, companies } = world.directory;
  const alice = (await users.byAccount(1, 'alice'))!;
  const switches: Readonly<Record<string, (disabled: boolean) => Promise<unknown>>> = {
    user: (disabled) => users.update(1, alice.id, { disabled }),
    application: (disabled) => applications.update(1, 'notes', { disabled }),
    version: (disabled) => versions.update(1, 'notes', '1.0.0', { disabled }),
    company: (disabled) => companies.update(1, { disabled }),
  };
  const another = world.openAnother();
  const one = await signIn('alice');
  for (const [what, turn] of Object.entries(switches)) {
    await one.settle(another);
    await turn(true);
    world.clock.ms += world.settings.sessionCacheMs;
    await assert.rejects(one.settle(another), refusal(what === 'user' ? 110 : 121), what);
    await turn(false);
    world.clock.ms += world.settings.sessionCacheMs;
    await one.settle(another);
  }
  const gone = await users.create({ companyId: 1, account: 'gone', memberships: [{ groupId: 1, roleId: 5 }] });
  const last = await signIn('gone');
  await last.settle(another);
  await world.db.write([world.db.build.deleteFrom('user').where('id', '=', gone.id)]);
  world.clock.ms += world.settings.sessionCacheMs;
  await assert.rejects(last.settle(another), refusal(121));
  const trail = world.db.build.selectFrom('audit').select('id').where('actor_id', '=', gone.id);
  assert.equal((await world.db.read(trail)).length, 1, 'what a user did stays in the audit trail');
});
