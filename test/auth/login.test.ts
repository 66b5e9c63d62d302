/** Authenticate and Login against a real OpenID provider: the whole sign-in, and every code in Login's list. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { loginChecks } from '../../src/auth/oidc/login.ts';
import type { Caller } from '../../src/caller.ts';
import { type DemoProvider, startDemoProvider } from '../../src/demo/provider.ts';
import { ServiceError } from '../../src/errors.ts';
import {
  type AuthWorld,
  addClient,
  appKey,
  atIssuer,
  clientId,
  codeFor,
  device,
  loginBody,
  openWorld,
  path,
  redirectUri,
  refusal,
  signIn,
  withDemoProvider,
} from './world.ts';

let world: AuthWorld;
let provider: DemoProvider;
before(async () => {
  world = await openWorld();
  provider = await withDemoProvider(world);
});
after(async () => {
  await provider.close();
  await world.close();
});

const login = (token: string | undefined, body: object, where = path, providerName = 'idp') =>
  world.auth.login(where, providerName, token, body);

describe('Authenticate', () => {
  const authenticate = (input: object, where = path, providerName = 'idp') =>
    world.auth.authenticate(where, providerName, input);

  test('returns an address with all listed parameters, a nonce and a code challenge', async () => {
    const token = await world.anonymous();
    const { location } = await authenticate({ authToken: token, clientId });
    const url = new URL(location);
    assert.equal(`${url.origin}${url.pathname}`, `${provider.issuer}/auth`);
    const { nonce, code_challenge, ...rest } = Object.fromEntries(url.searchParams);
    assert.deepEqual(rest, {
      client_id: clientId,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: 'openid email',
      state: hash('sha1', token),
      access_type: 'offline',
      code_challenge_method: 'S256',
    });
    assert.match(nonce ?? '', /^[\w-]{43}$/);
    assert.match(code_challenge ?? '', /^[\w-]{43}$/);
    const [flow] = await world.db.read(world.db.build.selectFrom('login_flow').selectAll().limit(1));
    const verifier = world.seal.open(flow?.verifier_sealed ?? '');
    assert.equal(hash('sha256', verifier, 'base64url'), code_challenge);
    assert.ok(!location.includes(verifier) && !location.includes(token));
  });

  test('refuses missing, unknown and foreign input, each with its code', async () => {
    const authToken = await world.anonymous();
    await assert.rejects(authenticate({ clientId }), refusal('missing'));
    await assert.rejects(authenticate({ authToken }), refusal('missing'));
    await assert.rejects(authenticate({ authToken: 'f'.repeat(64), clientId }), refusal(121));
    await assert.rejects(authenticate({ authToken, clientId: 'other' }), refusal(113));
    await assert.rejects(authenticate({ authToken, clientId }, path, 'elsewhere'), refusal(113));
    // Version 2.0.0 exists and 7.0 does not; a token of neither does not learn which.
    await assert.rejects(authenticate({ authToken, clientId }, { ...path, appVersion: '7_0' }), refusal(106));
    await assert.rejects(authenticate({ authToken, clientId }, { ...path, appVersion: '2_0_0' }), refusal(106));
    for (const companyId of ['2', '99']) {
      await assert.rejects(authenticate({ authToken, clientId }, { ...path, companyId }), refusal(121));
    }
    const start = world.clock.ms;
    world.clock.ms += world.settings.anonymousTokenLifeMs;
    await assert.rejects(authenticate({ authToken, clientId }), refusal(120));
    world.clock.ms = start;
  });
});

describe('Login', () => {
  test('ends a sign-in with a user token that works', async () => {
    const info = await signIn(world);
    assert.match(info.userTokens, /^[0-9a-f]{64}$/);
    assert.equal(info.validTime, 18_000_000);
    assert.deepEqual(info.userInfo, { account: 'alice', fistName: 'Alice', lastName: 'Test' });
    assert.deepEqual(
      info.groupsAndRoles.map(({ groupName, roleName }) => `${groupName} ${roleName}`),
      ['Sales User', 'Sales Developer'],
    );
    const caller = (await world.auth.settle(path, info.userTokens, 'user')) as Caller;
    assert.equal(caller.userId, info.userId);
    const [row] = await world.db.read(
      world.db.build.selectFrom('token').selectAll().where('hash', '=', caller.tokenHash),
    );
    assert.equal(row?.is_push, 1);
  });

  test('accepts numbers and versions in either form, and authnState in either case', async () => {
    const token = await world.anonymous();
    const body = loginBody(token, await codeFor(world, token));
    const forms = { companyId: '1', appVersion: '1_0_0', isPush: false, authnState: body.authnState.toUpperCase() };
    assert.ok((await login(token, { ...body, ...forms, iss: provider.issuer })).userTokens);
  });

  test('leaves the anonymous token active, and a user token may sign in again', async () => {
    const token = await world.anonymous();
    const first = await login(token, loginBody(token, await codeFor(world, token)));
    const second = await login(token, loginBody(token, await codeFor(world, token)));
    assert.notEqual(first.userTokens, second.userTokens);
    const { userTokens } = second;
    assert.ok((await login(userTokens, loginBody(userTokens, await codeFor(world, userTokens)))).userTokens);
  });

  test('recognises the person by the identity, whatever happens to the e-mail', async () => {
    const { userId } = await signIn(world);
    await world.directory.users.update(1, userId, { email: 'other@example.com' });
    assert.equal((await signIn(world)).userId, userId);
    await world.directory.users.update(1, userId, { email: 'alice@example.com' });
  });

  test('runs its checks in the documented order', () => {
    const codes = [198, 121, 112, 104, 106, 160, 163, 113, 114, 115, 115, 111, 116, 116, 119, 201];
    assert.deepEqual(loginChecks.codes, codes);
  });

  test('198: a required field is missing; checked before anything else', async () => {
    const body = loginBody('x', 'code');
    for (const field of Object.keys(body)) {
      for (const value of [undefined, '']) {
        await assert.rejects(login(undefined, { ...body, [field]: value }), (error: Error) => {
          assert.ok(error.message.startsWith(`${field}:`), error.message);
          return refusal(198)(error);
        });
      }
    }
  });

  test('121: no token, an unknown one, an expired one', async () => {
    const token = await world.anonymous();
    const body = loginBody(token, 'code');
    await assert.rejects(login(undefined, body), refusal(121));
    await assert.rejects(login('f'.repeat(64), body), refusal(121));
    const start = world.clock.ms;
    world.clock.ms += world.settings.anonymousTokenLifeMs;
    await assert.rejects(login(token, body), refusal(121));
    world.clock.ms = start;
  });

  test('112: header and body name different tokens', async () => {
    const [token, other] = [await world.anonymous(), await world.anonymous()];
    await assert.rejects(login(token, { ...loginBody(other, 'code'), companyId: 2 }), refusal(112));
  });

  test('104: the token belongs to another company, application or version than path or body', async () => {
    const token = await world.anonymous();
    const body = loginBody(token, 'code');
    for (const change of [{ companyId: 2 }, { appId: 'open' }, { appVersion: '2.0.0' }, { appVersion: '7.7' }]) {
      await assert.rejects(login(token, { ...body, ...change, deviceUDID: 'x' }), refusal(104));
    }
    for (const change of [{ companyId: '2' }, { appId: 'open' }, { appVersion: '2_0_0' }]) {
      await assert.rejects(login(token, body, { ...path, ...change }), refusal(104));
    }
  });

  test('106: the application version no longer exists', async () => {
    const token = await world.anonymous();
    await world.directory.versions.update(1, 'notes', '1.0.0', { disabled: true });
    await assert.rejects(login(token, { ...loginBody(token, 'code'), deviceUDID: 'x' }), refusal(106));
    await world.directory.versions.update(1, 'notes', '1.0.0', { disabled: false });
  });

  test('160: the device is not that of the token', async () => {
    const token = await world.auth.anonymousToken(path, { appKey, deviceUDID: 'unregistered' });
    await assert.rejects(login(token, { ...loginBody(token, 'code'), clientId: 'x' }), refusal(160));
  });

  test('163: the device is not registered', async () => {
    const token = await world.auth.anonymousToken(path, { appKey, deviceUDID: 'unregistered' });
    const body = { ...loginBody(token, 'code'), deviceUDID: 'unregistered', clientId: 'x' };
    await assert.rejects(login(token, body), refusal(163));
  });

  test('113: the client id, or the provider of the path, is unknown', async () => {
    const token = await world.anonymous();
    const body = { ...loginBody(token, 'code'), authnState: 'x' };
    await assert.rejects(login(token, { ...body, clientId: 'x' }), refusal(113));
    await assert.rejects(login(token, body, path, 'elsewhere'), refusal(113));
  });

  test('114: authnState is not the SHA-1 of the token', async () => {
    const token = await world.anonymous();
    await assert.rejects(login(token, { ...loginBody(token, 'code'), authnState: hash('sha1', 'x') }), refusal(114));
  });

  test('115: no flow is under way, it expired, or it was used', async () => {
    const token = await world.anonymous();
    await assert.rejects(login(token, loginBody(token, 'code')), refusal(115));
    const late = loginBody(token, await codeFor(world, token));
    const start = world.clock.ms;
    world.clock.ms += world.settings.loginFlowLifeMs;
    await assert.rejects(login(token, late), refusal(115));
    world.clock.ms = start;
    const body = loginBody(token, await codeFor(world, token));
    await login(token, body);
    await assert.rejects(login(token, body), refusal(115));
  });

  test('115: the provider has a new issuer, which must not get the code', async () => {
    const token = await world.anonymous();
    const body = loginBody(token, await codeFor(world, token));
    const flow = world.db.build.updateTable('login_flow').set({ issuer: 'https://before.example' });
    await world.db.write([flow.where('token_hash', '=', hash('sha256', token))]);
    await assert.rejects(login(token, body), refusal(115));
  });

  test('115: the code comes from another provider than the flow went to', async () => {
    const token = await world.anonymous();
    const body = loginBody(token, await codeFor(world, token));
    await assert.rejects(login(token, { ...body, iss: 'https://evil.example' }), refusal(115));
    await assert.rejects(login(token, body), refusal(115), 'the flow is over after that');
  });

  test('of a hundred simultaneous logins with one code, at two instances, one succeeds, and only its token is stored', async () => {
    const instances = [world.auth, world.openAnother()];
    for (let round = 0; round < 5; round++) {
      const of = `device-of-round-${round}`;
      const token = await world.anonymous(of);
      const body = { ...loginBody(token, await codeFor(world, token)), deviceUDID: of };
      const logins = Array.from({ length: 100 }, (_, number) => instances[number % 2]!.login(path, 'idp', token, body));
      const outcomes = await Promise.allSettled(logins);
      const answered = outcomes.flatMap((outcome) =>
        outcome.status === 'fulfilled' ? [outcome.value.userTokens] : [],
      );
      const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.reason] : []));
      assert.deepEqual(refused, Array(99).fill(115));
      const { build, read } = world.db;
      const rows = await read(
        build.selectFrom('token').select('hash').where('device_udid', '=', of).where('kind', '=', 'user'),
      );
      assert.deepEqual(
        rows.map((row) => row.hash),
        answered.map((one) => hash('sha256', one)),
      );
    }
  });

  test('111: the provider refuses the code, for example one of another flow', async () => {
    const token = await world.anonymous();
    await world.auth.authenticate(path, 'idp', { authToken: token, clientId });
    await assert.rejects(login(token, loginBody(token, 'made-up')), refusal(111));
    const other = await world.anonymous();
    const stolen = await codeFor(world, other);
    await world.auth.authenticate(path, 'idp', { authToken: token, clientId });
    await assert.rejects(
      login(token, loginBody(token, stolen)),
      refusal(111),
      'the verifier is not the one of that flow',
    );
  });

  test('116: the ID token is not for this flow', async () => {
    const token = await world.anonymous();
    const body = loginBody(token, await codeFor(world, token));
    const flow = world.db.build.updateTable('login_flow').set({ nonce: 'another' });
    await world.db.write([flow.where('token_hash', '=', hash('sha256', token))]);
    await assert.rejects(login(token, body), refusal(116));
  });

  test('117: the provider cannot be reached', async () => {
    const gone = await startDemoProvider({ port: 0, clients: [], log: { error: () => {} } });
    await gone.close();
    await addClient(world, gone.issuer, 'secret', { appId: 'open' });
    const where = { ...path, appId: 'open' };
    const token = await world.auth.anonymousToken(where, { appKey, deviceUDID: device });
    await world.auth.registerDevice(await world.auth.settle(where, token, 'any'), { deviceUDID: device });
    await assert.rejects(world.auth.authenticate(where, 'idp', { authToken: token, clientId }), refusal(117));
    const started = await world.anonymous();
    const body = loginBody(started, await codeFor(world, started));
    await atIssuer(world, started, gone.issuer, () => assert.rejects(login(started, body), refusal(117)));
  });

  test('119: the account is disabled, in no group of the application, or unknown', async () => {
    const { users } = world.directory;
    const alice = await users.byAccount(1, 'alice');
    await users.update(1, alice!.id, { disabled: true });
    await assert.rejects(signIn(world, 'alice'), refusal(119));
    await users.update(1, alice!.id, { disabled: false });
    await assert.rejects(signIn(world, 'bob'), refusal(119));
    assert.equal(await users.byIdentity(1, provider.issuer, 'bob'), null, 'a refused account gets no identity');
    await assert.rejects(signIn(world, 'carol'), refusal(119));
    assert.equal(await users.byAccount(1, 'carol@example.com'), null);
  });

  test('201: the session is not saved', async (context) => {
    const token = await world.anonymous();
    const body = loginBody(token, await codeFor(world, token));
    const write = world.db.write.bind(world.db);
    let writes = 0;
    context.mock.method(world.db, 'write', (queries: Parameters<typeof write>[0]) => {
      writes += 1;
      return writes === 1 ? write(queries) : Promise.reject(new ServiceError('internal', 'disk full'));
    });
    await assert.rejects(login(token, body), refusal(201));
    assert.equal(writes, 2);
  });

  test('logs no token, code or secret', async () => {
    const token = await world.anonymous();
    const code = await codeFor(world, token);
    const info = await login(token, loginBody(token, code));
    const all = world.logged.join('');
    assert.ok(world.logged.length > 0);
    for (const secret of [token, code, info.userTokens, appKey]) assert.ok(!all.includes(secret));
    assert.doesNotMatch(all, /made-up|eyJ/);
  });
});

describe('accounts', () => {
  const policy = (accountPolicy: 'create' | 'refuse') =>
    world.directory.applications.update(1, 'notes', {
      accountPolicy,
      ...(accountPolicy === 'create'
        ? { defaultGroupId: 1, defaultRoleId: 5 }
        : { defaultGroupId: null, defaultRoleId: null }),
    });

  test('are created once, in the default group and role, if the application permits it', async () => {
    await policy('create');
    const infos = await Promise.all(['carol', 'carol', 'carol'].map((name) => signInOn(`device of ${name}`, name)));
    assert.equal(new Set(infos.map(({ userId }) => userId)).size, 1);
    const [info] = infos;
    assert.deepEqual(info?.userInfo, { account: 'carol@example.com', fistName: '', lastName: '' });
    const user = (await world.directory.roles.list(1)).find(({ roleId }) => roleId === 5);
    const described = { roleName: 'User', description: user?.description };
    assert.deepEqual(info?.groupsAndRoles, [{ groupId: 1, groupName: 'Sales', roleId: 5, ...described }]);
    await policy('refuse');
    assert.equal((await signIn(world, 'carol')).userId, info?.userId, 'a known identity does not need the policy');
  });

  test('are not given to another person who later has the same e-mail address at the provider', async () => {
    await signIn(world);
    const { users } = world.directory;
    const alice = await users.byAccount(1, 'alice');
    const identity = world.db.build.updateTable('identity').set({ subject: 'alice-of-old' });
    await world.db.write([identity.where('user_id', '=', alice!.id)]);
    await assert.rejects(signIn(world), refusal(119));
  });

  async function signInOn(deviceUDID: string, name: string) {
    const token = await world.anonymous(deviceUDID);
    return login(token, { ...loginBody(token, await codeFor(world, token, name)), deviceUDID });
  }
});
