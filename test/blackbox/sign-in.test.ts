/**
 * Signing in and out over HTTP: tokens, devices, Authenticate, Login and its checks in their order, refresh, logout
 * (docs/reference/sign-in.md).
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertEnvelope, statusOfCode } from '../harness/cases.ts';
import type { Answer } from '../harness/client.ts';
import { valueAt } from '../harness/match.ts';
import {
  anonymousToken,
  authenticate,
  beginSignIn,
  codeFor,
  type LoginBody,
  login,
  loginBody,
  placeOf,
  registerDevice,
} from '../harness/sign-in.ts';
import { app, sha1, startWorld, type World } from '../harness/world.ts';

const hour = 3_600_000;

let world: World;
before(async () => {
  world = await startWorld({ people: ['alice', 'dave'] });
});
after(() => world.close());

const refused = (answer: Answer, code: number, has?: RegExp) => {
  assertEnvelope(answer, code);
  assert.equal(answer.status, statusOfCode[code]);
  if (has !== undefined) assert.match(String(valueAt(answer.json, 'description')), has);
};
async function later<Result>(ms: number, action: () => Promise<Result>): Promise<Result> {
  world.clock.offsetMs += ms;
  try {
    return await action();
  } finally {
    world.clock.offsetMs -= ms;
  }
}
const roles = (token: string) => world.call('GET', `${world.prefix}/roles`, { token });
const anonymousPath = (query: Record<string, string>) =>
  `${world.prefix}/anonymousTokens?${new URLSearchParams(query)}`;

describe('anonymous token', () => {
  test('is 64 hex digits, and different each time', async () => {
    const tokens = await Promise.all([1, 2, 3].map(() => anonymousToken(world, 'same-device')));
    assert.equal(new Set(tokens).size, 3);
  });

  test('has exactly the envelope and results', async () => {
    const answer = await world.call('GET', anonymousPath({ appKey: app.appKey, deviceUDID: 'shape' }));
    assert.deepEqual(Object.keys(answer.json as object).sort(), ['description', 'errCode', 'results', 'status']);
  });

  test('needs appKey and deviceUDID', async () => {
    refused(await world.call('GET', anonymousPath({ appKey: app.appKey })), 198, /deviceUDID/);
    refused(await world.call('GET', anonymousPath({ deviceUDID: 'd' })), 198, /appKey/);
    refused(await world.call('GET', anonymousPath({ appKey: app.appKey, deviceUDID: '' })), 198, /deviceUDID/);
  });

  test('a wrong key is not quoted', async () => {
    const answer = await world.call('GET', anonymousPath({ appKey: 'my-secret-key', deviceUDID: 'd' }));
    refused(answer, 101);
    assert.ok(!answer.text.includes('my-secret-key'));
  });

  test('lives 24 hours', async () => {
    const token = await anonymousToken(world, 'day-device');
    const level = () => world.call('GET', `${world.prefix}/logLevel?token=${token}`);
    assertEnvelope(await later(24 * hour - 60_000, level), 0);
    refused(await later(24 * hour + 60_000, level), 120);
  });
});

describe('ending the session at the provider', () => {
  const at = (query: Record<string, string>) =>
    `${world.prefix}/auth/oidc/${app.providerName}/EndSession?${new URLSearchParams(query)}`;

  test('returns null if the provider offers no such address', async () => {
    const answer = await world.call('GET', at({ clientId: app.clientId }), {
      token: await anonymousToken(world, 'ends'),
    });
    assertEnvelope(answer, 0);
    assert.equal(valueAt(answer.json, 'results'), null);
  });

  test('leads only to the address of the client, and tells strangers nothing', async () => {
    const token = await anonymousToken(world, 'ends');
    const clientId = app.clientId;
    for (const postLogoutRedirectUri of [
      'https://evil.example/',
      'javascript:alert(1)',
      '//evil.example',
      'http://user@127.0.0.1/',
    ]) {
      refused(await world.call('GET', at({ clientId, postLogoutRedirectUri }), { token }), 198);
    }
    refused(await world.call('GET', at({ clientId: 'nobody' }), { token }), 113);
    refused(await world.call('GET', at({ clientId: '' }), { token }), 198);
    refused(await world.call('GET', at({ clientId })), 121);
    refused(await world.call('GET', at({ clientId }), { token: '0'.repeat(64) }), 121);
  });
});

describe('devices', () => {
  test('registered once; then 161, and the client continues', async () => {
    const token = await anonymousToken(world, 'twice');
    assertEnvelope(await registerDevice(world, token, 'twice'), 0);
    refused(await registerDevice(world, token, 'twice'), 161);
    refused(await registerDevice(world, await anonymousToken(world, 'twice'), 'twice'), 161);
  });

  test('161 still updates push token and name, and the push token is not stored in clear text', async () => {
    const token = await anonymousToken(world, 'renamed');
    assertEnvelope(await registerDevice(world, token, 'renamed', { deviceName: 'Before' }), 0);
    const push = 'push-token-that-is-a-secret';
    world.secrets.push({ text: push, what: 'a push token', known: [] });
    refused(await registerDevice(world, token, 'renamed', { deviceName: 'After', deviceToken: push }), 161);
    const { build, read } = world.server.storage.directory;
    const [device] = await read(build.selectFrom('device').selectAll().where('udid', '=', 'renamed'));
    assert.equal(device?.name, 'After');
    assert.notEqual(device?.push_token_sealed, null);
  });

  test('a device registered in one application is new in the other company', async () => {
    const there = placeOf(world, { prefix: world.foreignPrefix, companyId: 2 });
    const token = await anonymousToken(world, 'twice', there.prefix);
    assertEnvelope(await registerDevice(world, token, 'twice', {}, there.prefix), 0);
  });

  test('needs deviceUDID, and its own token', async () => {
    const token = await anonymousToken(world, 'needs');
    const answer = await world.call('POST', `${world.prefix}/devices`, { token, body: { deviceToken: 'push' } });
    refused(answer, 131, /deviceUDID/);
    refused(await registerDevice(world, 'garbage', 'needs'), 121);
    refused(await registerDevice(world, token, 'needs', {}, world.foreignPrefix), 121);
  });

  test('a device other than that of the token is not registered', async () => {
    const token = await anonymousToken(world, 'mine');
    refused(await registerDevice(world, token, 'theirs'), 160);
  });
});

describe('Authenticate', () => {
  test('redirects to the provider with every parameter', async () => {
    const { token, location } = await beginSignIn(world, 'auth-1');
    const get = (name: string) => location.searchParams.get(name);
    assert.equal(get('client_id'), app.clientId);
    assert.equal(get('response_type'), 'code');
    assert.deepEqual(
      String(get('scope'))
        .split(' ')
        .filter((scope) => ['openid', 'email'].includes(scope)),
      ['openid', 'email'],
    );
    assert.equal(get('state'), sha1(token));
    assert.equal(get('access_type'), 'offline');
    assert.ok(URL.canParse(String(get('redirect_uri'))));
    assert.match(String(get('nonce')), /^.{16,}$/);
    assert.match(String(get('code_challenge')), /^[A-Za-z0-9_-]{43}$/);
    assert.equal(get('code_challenge_method'), 'S256');
    assert.ok(!location.href.includes(token), 'The token stays here.');
  });

  test('answers 200 with the same header for Accept: application/json', async () => {
    const token = await anonymousToken(world, 'auth-2');
    await registerDevice(world, token, 'auth-2');
    const answer = await authenticate(world, token, placeOf(world), 'application/json');
    assert.equal(answer.status, 200);
    assertEnvelope(answer, 0);
    assert.equal(new URL(String(answer.headers.location)).searchParams.get('state'), sha1(token));
  });

  test('nonce and challenge are new each time', async () => {
    const token = await anonymousToken(world, 'auth-3');
    await registerDevice(world, token, 'auth-3');
    const seen = new Set<string>();
    for (let round = 0; round < 3; round++) {
      const location = new URL(String((await authenticate(world, token, placeOf(world))).headers.location));
      seen.add(`${location.searchParams.get('nonce')}`).add(`${location.searchParams.get('code_challenge')}`);
    }
    assert.equal(seen.size, 6);
  });

  test('is refused for missing, unknown or foreign values', async () => {
    const token = await anonymousToken(world, 'auth-4');
    const at = (query: Record<string, string>, prefix = world.prefix, provider = 'idp') =>
      world.call('GET', `${prefix}/auth/oidc/${provider}/Authenticate?${new URLSearchParams(query)}`);
    refused(await at({ clientId: app.clientId }), 198, /authToken/);
    refused(await at({ authToken: token }), 198, /clientId/);
    refused(await at({ authToken: token, clientId: 'nobody' }), 113);
    refused(await at({ authToken: 'garbage', clientId: app.clientId }), 121);
    refused(await at({ authToken: token, clientId: app.clientId }, world.foreignPrefix), 121);
    refused(await later(25 * hour, () => at({ authToken: token, clientId: app.clientId })), 120);
  });
});

describe('Login', () => {
  test('returns the auth info under both spellings', async () => {
    const device = 'login-1';
    const { token, location } = await beginSignIn(world, device);
    const answer = await login(
      world,
      token,
      loginBody(token, device, await codeFor('alice', location), placeOf(world)),
    );
    assertEnvelope(answer, 0);
    assert.deepEqual(Object.keys(answer.json as object).sort(), [
      'authInfo',
      'authInfor',
      'description',
      'errCode',
      'status',
    ]);
    const info = valueAt(answer.json, 'authInfo') as Record<string, unknown>;
    assert.deepEqual(valueAt(answer.json, 'authInfor'), info);
    assert.deepEqual(Object.keys(info).sort(), ['groupsAndRoles', 'userId', 'userInfo', 'userTokens', 'validTime']);
    assert.match(String(info.userTokens), /^[0-9a-f]{64}$/);
    assert.strictEqual(info.validTime, 18_000_000);
    assert.strictEqual(typeof info.userId, 'number');
    assert.deepEqual(info.userInfo, { account: 'alice', fistName: 'Alice', lastName: 'Adams' });
    const groupsAndRoles = info.groupsAndRoles as Record<string, unknown>[];
    assert.deepEqual(
      groupsAndRoles.map((item) => Object.keys(item).sort()),
      groupsAndRoles.map(() => ['description', 'groupId', 'groupName', 'roleId', 'roleName']),
    );
    assert.deepEqual(
      groupsAndRoles.map(({ groupName, roleName }) => `${groupName}: ${roleName}`),
      ['Sales: Admin', 'Sales: Developer', 'Support: User'],
    );
    for (const item of groupsAndRoles) assert.ok(typeof item.groupId === 'number' && typeof item.roleId === 'number');
    assertEnvelope(await roles(String(info.userTokens)), 0);
    world.secrets.push({ text: String(info.userTokens), what: 'a user token', known: [] });
  });

  test('does not use up the anonymous token, and a user token can sign in again', async () => {
    const device = 'login-2';
    const { token, location } = await beginSignIn(world, device);
    const first = await login(world, token, loginBody(token, device, await codeFor('alice', location), placeOf(world)));
    assertEnvelope(first, 0);
    assertEnvelope(await world.call('GET', `${world.prefix}/logLevel?token=${token}`), 0);
    const again = new URL(String((await authenticate(world, token, placeOf(world))).headers.location));
    assertEnvelope(
      await login(world, token, loginBody(token, device, await codeFor('alice', again), placeOf(world))),
      0,
    );

    const user = String(valueAt(first.json, 'authInfo.userTokens'));
    const third = new URL(String((await authenticate(world, user, placeOf(world))).headers.location));
    assert.equal(third.searchParams.get('state'), sha1(user));
    assertEnvelope(await login(world, user, loginBody(user, device, await codeFor('alice', third), placeOf(world))), 0);
  });

  test('accepts texts for numbers, and the other form of the version', async () => {
    const device = 'login-3';
    const { token, location } = await beginSignIn(world, device);
    const body = {
      ...loginBody(token, device, await codeFor('alice', location), placeOf(world)),
      companyId: '1',
      appVersion: '1_0_0',
      isPush: true,
    };
    assertEnvelope(await login(world, token, body), 0);
  });

  const fields: readonly (keyof LoginBody)[] = [
    'companyId',
    'appId',
    'appVersion',
    'authToken',
    'deviceUDID',
    'isPush',
    'clientId',
    'authzCode',
    'authnState',
  ];

  test('Login answers 198: a required field is missing, before any other check', async () => {
    const token = await anonymousToken(world, 'login-198');
    for (const field of fields) {
      const body: Record<string, unknown> = { ...loginBody(token, 'other-device', 'code', placeOf(world)) };
      delete body[field];
      refused(await login(world, token, body), 198, new RegExp(field));
      refused(await login(world, 'garbage', body), 198, new RegExp(field));
      refused(await login(world, token, { ...body, [field]: null }), 198, new RegExp(field));
      if (field !== 'companyId' && field !== 'isPush')
        refused(await login(world, token, { ...body, [field]: '' }), 198, new RegExp(field));
    }
  });

  /** Everything is wrong at first; fixing one fault at a time reaches each check. */
  test('the checks stand in their order', async () => {
    const device = 'login-order';
    const elsewhere = await anonymousToken(world, device, world.foreignPrefix);
    const here = await anonymousToken(world, device);
    const place = placeOf(world);
    const wrong = { ...loginBody('garbage', 'other-device', 'code', place), clientId: 'nobody', authnState: 'wrong' };
    refused(await login(world, 'other garbage', wrong), 121);
    refused(await login(world, here, { ...wrong, authToken: elsewhere }), 112);
    refused(await login(world, elsewhere, { ...wrong, authToken: elsewhere }), 104);
    refused(await login(world, here, { ...wrong, authToken: here }), 160);
    const rightDevice = { ...wrong, authToken: here, deviceUDID: device };
    refused(await login(world, here, rightDevice), 163);
    assertEnvelope(await registerDevice(world, here, device), 0);
    refused(await login(world, here, rightDevice), 113);
    const rightClient = { ...rightDevice, clientId: app.clientId };
    refused(await login(world, here, rightClient), 114);
    const rightState = { ...rightClient, authnState: sha1(here) };
    refused(await login(world, here, rightState), 115);
    assert.equal((await authenticate(world, here, place)).status, 302);
    refused(await login(world, here, { ...rightState, authzCode: 'not-a-code' }), 111);
    refused(await login(world, here, rightState), 115);
  });

  test('Login answers 121: no token, garbage, expired', async () => {
    const token = await anonymousToken(world, 'login-121');
    const body = loginBody(token, 'login-121', 'code', placeOf(world));
    refused(await login(world, 'garbage', { ...body, authToken: 'garbage' }), 121);
    refused(await login(world, undefined, body), 121);
    refused(await later(25 * hour, () => login(world, token, body)), 121);
  });

  test('Login answers 104: the token of another company, application or version', async () => {
    const foreign = await anonymousToken(world, 'login-104', world.foreignPrefix);
    refused(await login(world, foreign, loginBody(foreign, 'login-104', 'code', placeOf(world))), 104);
    const token = await anonymousToken(world, 'login-104');
    const body = loginBody(token, 'login-104', 'code', placeOf(world));
    for (const change of [{ companyId: 2 }, { appId: 'other' }, { appVersion: '9.9.9' }])
      refused(await login(world, token, { ...body, ...change }), 104);
    refused(await login(world, token, body, placeOf(world, { prefix: `/api/1/${app.appId}/9_9_9` })), 104);
  });

  test('Login answers 114: authnState is the SHA-1 of another token', async () => {
    const { token, location } = await beginSignIn(world, 'login-114');
    const body = loginBody(token, 'login-114', await codeFor('alice', location), placeOf(world));
    refused(await login(world, token, { ...body, authnState: sha1(`${token}x`) }), 114);
    assertEnvelope(await login(world, token, { ...body, authnState: sha1(token).toUpperCase() }), 0);
  });

  test('Login answers 115: a code may be tried only once', async () => {
    const { token, location } = await beginSignIn(world, 'login-115');
    const body = loginBody(token, 'login-115', await codeFor('alice', location), placeOf(world));
    assertEnvelope(await login(world, token, body), 0);
    refused(await login(world, token, body), 115);
  });

  test('Login answers 115: of many simultaneous ones exactly one succeeds', async () => {
    const { token, location } = await beginSignIn(world, 'login-race');
    const body = loginBody(token, 'login-race', await codeFor('alice', location), placeOf(world));
    const answers = await Promise.all(Array.from({ length: 6 }, () => login(world, token, body)));
    const codes = answers.map((answer) => valueAt(answer.json, 'errCode')).sort();
    assert.deepEqual(codes, [0, 115, 115, 115, 115, 115]);
  });

  test('Login answers 115: ten minutes later', async () => {
    const { token, location } = await beginSignIn(world, 'login-late');
    const body = loginBody(token, 'login-late', await codeFor('alice', location), placeOf(world));
    refused(await later(601_000, () => login(world, token, body)), 115);
  });

  test('Login answers 111: a code of another flow', async () => {
    const mine = await beginSignIn(world, 'login-111');
    const theirs = await beginSignIn(world, 'login-111b');
    const stolen = await codeFor('alice', theirs.location);
    refused(await login(world, mine.token, loginBody(mine.token, 'login-111', stolen, placeOf(world))), 111);
  });

  test('Login answers 119: a person that the company does not know', async () => {
    const { token, location } = await beginSignIn(world, 'login-119');
    const answer = await login(
      world,
      token,
      loginBody(token, 'login-119', await codeFor('dave', location), placeOf(world)),
    );
    refused(answer, 119);
    assert.ok(!answer.text.includes('dave'));
  });

  test('an unknown provider', async () => {
    const token = await anonymousToken(world, 'login-provider');
    await registerDevice(world, token, 'login-provider');
    const place = placeOf(world, { provider: 'nobody' });
    refused(await authenticate(world, token, place), 113);
    refused(await login(world, token, loginBody(token, 'login-provider', 'code', place), place), 113);
  });
});

describe('sessions', () => {
  test('live five hours from their last use', async () => {
    const used = await world.signIn('alice', 'session-1');
    const unused = await world.signIn('alice', 'session-2');
    for (const hours of [4, 8, 12]) assertEnvelope(await later(hours * hour, () => roles(used.token)), 0);
    refused(await later(17 * hour + 60_000, () => roles(used.token)), 120);
    refused(await later(5 * hour + 60_000, () => roles(unused.token)), 120);
  });

  test('of one person on two devices are two', async () => {
    const first = await world.signIn('alice', 'session-3');
    const second = await world.signIn('alice', 'session-4');
    assertEnvelope(await world.call('POST', `${world.prefix}/auth/logout`, { token: first.token, body: {} }), 0);
    assertEnvelope(await roles(second.token), 0);
  });
});

describe('refresh', () => {
  const refresh = (token: string) => world.call('POST', `${world.prefix}/auth/refresh`, { token, body: {} });

  test('answers like Login, with a new token; the old one works ten more seconds', async () => {
    const { token, id } = await world.signIn('alice', 'refresh-1');
    const answer = await refresh(token);
    assertEnvelope(answer, 0);
    assert.deepEqual(Object.keys(answer.json as object).sort(), [
      'authInfo',
      'authInfor',
      'description',
      'errCode',
      'status',
    ]);
    assert.deepEqual(valueAt(answer.json, 'authInfor'), valueAt(answer.json, 'authInfo'));
    const renewed = String(valueAt(answer.json, 'authInfo.userTokens'));
    assert.notEqual(renewed, token);
    assert.equal(String(valueAt(answer.json, 'authInfo.userId')), id);
    world.secrets.push({ text: renewed, what: 'a refreshed token', known: [] });
    assertEnvelope(await roles(token), 0);
    assertEnvelope(await roles(renewed), 0);
    assertEnvelope(await later(9_000, () => roles(token)), 0);
    assertEnvelope(await later(9_000, () => refresh(token)), 0);
    const over = await later(16_000, () => roles(token));
    assert.ok([120, 121].includes(Number(valueAt(over.json, 'errCode'))), over.text);
    assertEnvelope(await later(16_000, () => roles(renewed)), 0);
  });

  test('two at once both succeed', async () => {
    const { token } = await world.signIn('alice', 'refresh-2');
    const answers = await Promise.all([refresh(token), refresh(token)]);
    for (const answer of answers) {
      assertEnvelope(answer, 0);
      assertEnvelope(await roles(String(valueAt(answer.json, 'authInfo.userTokens'))), 0);
    }
  });

  test('without a body', async () => {
    const { token } = await world.signIn('alice', 'refresh-3');
    assertEnvelope(await world.call('POST', `${world.prefix}/auth/refresh`, { token }), 0);
  });

  test('an anonymous token cannot be refreshed', async () => {
    refused(await refresh(await anonymousToken(world, 'refresh-4')), 121);
  });

  test('nothing lives longer than 30 days', async () => {
    const { token } = await world.signIn('alice', 'refresh-5');
    let current = token;
    let days = 0;
    world.clock.offsetMs = 0;
    try {
      for (; days < 40; days += 0.2) {
        world.clock.offsetMs += 0.2 * 24 * hour;
        const answer = await refresh(current);
        if (valueAt(answer.json, 'errCode') !== 0) {
          refused(answer, 120);
          break;
        }
        current = String(valueAt(answer.json, 'authInfo.userTokens'));
      }
    } finally {
      world.clock.offsetMs = 0;
    }
    assert.ok(days > 29 && days < 31, `ended after ${days} days`);
  });
});

describe('logout', () => {
  const logout = (token: string) => world.call('POST', `${world.prefix}/auth/logout`, { token, body: {} });

  test('ends only this session, at once', async () => {
    const { token } = await world.signIn('alice', 'logout-1');
    assertEnvelope(await roles(token), 0);
    const answer = await logout(token);
    assertEnvelope(answer, 0);
    refused(await roles(token), 121);
    refused(await logout(token), 121);
    assertEnvelope(await roles(world.token('alice')), 0);
  });

  test('also ends tokens left by a refresh', async () => {
    const { token } = await world.signIn('alice', 'logout-2');
    const answer = await world.call('POST', `${world.prefix}/auth/refresh`, { token, body: {} });
    const renewed = String(valueAt(answer.json, 'authInfo.userTokens'));
    assertEnvelope(await logout(renewed), 0);
    refused(await roles(renewed), 121);
    refused(await roles(token), 121);
  });
});
