/** What a provider may not send: every way in which an ID token, UserInfo or the answer itself can be wrong. */
import assert from 'node:assert/strict';
import { generateKeyPairSync, hash, randomBytes } from 'node:crypto';
import { after, before, beforeEach, describe, test } from 'node:test';
import { relinkUser } from '../../src/administration/identities.ts';
import { openAdminSessions } from '../../src/administration/sessions.ts';
import { type Answers, type MadeUpProvider, startMadeUpProvider } from './made-up-provider.ts';
import {
  type AuthWorld,
  addClient,
  atIssuer,
  clientId,
  loginBody,
  openWorld,
  path,
  redirectUri,
  refusal,
} from './world.ts';

let world: AuthWorld;
let provider: MadeUpProvider;
let token: string;

before(async () => {
  world = await openWorld({ providerTimeMs: 3_000 });
  provider = await startMadeUpProvider(nonceOfFlow, clientId);
  await addClient(world, provider.issuer, 'client-secret');
});
after(async () => {
  await provider.close();
  await world.close();
});
beforeEach(async () => {
  provider.reset();
  token = await world.anonymous();
  await world.auth.authenticate(path, 'idp', { authToken: token, clientId });
});

async function nonceOfFlow(): Promise<string> {
  const flows = world.db.build.selectFrom('login_flow').select('nonce').where('token_hash', '=', hash('sha256', token));
  return (await world.db.read(flows))[0]?.nonce ?? '';
}
const login = () => world.auth.login(path, 'idp', token, loginBody(token, 'any-code'));

test('the provider is accepted when nothing is wrong', async () => {
  assert.equal((await login()).userInfo.account, 'alice');
});

describe('116: the ID token', () => {
  const seconds = () => Math.floor(Date.now() / 1_000);
  const wrongClaims: Record<string, Record<string, unknown>> = {
    'names another issuer': { iss: 'https://evil.example' },
    'is for another client': { aud: 'other-client' },
    'is for us and for someone else, without azp': { aud: [clientId, 'other-client'] },
    'was made for another client (azp)': { azp: 'other-client' },
    'has another nonce': { nonce: 'another' },
    'has no nonce': { nonce: undefined },
    'has expired': { exp: seconds() - 60 },
    'has no expiry': { exp: undefined },
    'was issued in the future': { iat: seconds() + 600 },
    'has no time of issue': { iat: undefined },
    'belongs to another access token': { at_hash: 'AAAAAAAAAAAAAAAAAAAAAA' },
    'names nobody': { sub: '' },
    'names nobody at all': { sub: undefined },
  };
  for (const [what, changes] of Object.entries(wrongClaims)) {
    test(what, async () => {
      provider.answers.claims = (claims) => ({ ...claims, ...changes });
      await assert.rejects(login(), refusal(116));
    });
  }

  test('is signed with a key that the provider does not publish', async () => {
    provider.answers.signer = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    await assert.rejects(login(), refusal(116));
  });

  test('is not signed, or with the client secret', async () => {
    provider.answers.header = { alg: 'none' };
    await assert.rejects(login(), refusal(116));
    await world.auth.authenticate(path, 'idp', { authToken: token, clientId });
    provider.answers.header = { alg: 'HS256' };
    await assert.rejects(login(), refusal(116));
  });

  test('is not there', async () => {
    provider.answers.token = { status: 200, body: '{"access_token":"a","token_type":"Bearer"}' };
    await assert.rejects(login(), refusal(116));
  });
});

describe('UserInfo', () => {
  const inSales = { groupId: 1, roleId: 5 };

  test('about another subject is refused with 116', async () => {
    provider.answers.userInfo = { sub: 'bob', email: 'alice@example.com', email_verified: true };
    await assert.rejects(login(), refusal(116));
  });

  test('is accepted when it is signed', async () => {
    await world.directory.users.create({
      companyId: 1,
      account: 'signe',
      email: 'signe@example.com',
      memberships: [inSales],
    });
    provider.answers.claims = (claims) => ({ ...claims, sub: 'signe-at-idp' });
    provider.answers.userInfo = { sub: 'signe-at-idp', email: 'signe@example.com', email_verified: true };
    provider.answers.signedUserInfo = {};
    assert.equal((await login()).userInfo.account, 'signe');
  });

  const wrong: Record<string, NonNullable<Answers['signedUserInfo']>> = {
    'by a key that the provider does not publish': {
      signer: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
    },
    'by nobody': { header: { alg: 'none' } },
    'by an algorithm that anybody could use': { header: { alg: 'HS256' } },
    'for another client': { claims: { aud: 'another' } },
    'for no client': { claims: { aud: undefined } },
    'by another issuer': { claims: { iss: 'https://evil.example' } },
    'by no issuer': { claims: { iss: undefined } },
    'about another subject': { claims: { sub: 'bob' } },
    'and is over': { claims: { exp: 1 } },
  };
  for (const [what, token] of Object.entries(wrong)) {
    test(`that is signed ${what} is refused with 116`, async () => {
      provider.answers.signedUserInfo = token;
      await assert.rejects(login(), refusal(116));
    });
  }

  test('is not requested when the ID token has the e-mail', async () => {
    provider.answers.claims = (claims) => ({ ...claims, email: 'alice@example.com', email_verified: true });
    await login();
    assert.equal(provider.asked.get('/me'), undefined);
  });

  test('with an e-mail opens the account of that address only when it is verified', async () => {
    const email = 'erin@example.com';
    await world.directory.users.create({ companyId: 1, account: 'erin', email, memberships: [inSales] });
    provider.answers.claims = (claims) => ({ ...claims, sub: 'subject-of-erin' });
    for (const verified of [false, undefined, 'false', 1]) {
      provider.answers.userInfo = { sub: 'subject-of-erin', email, email_verified: verified };
      world.logged.length = 0;
      await assert.rejects(login(), refusal(119));
      const refused = world.logged.map((line) => JSON.parse(line)).find(({ reason }) => reason !== undefined);
      assert.match(refused?.reason, /e-mail not verified/);
      assert.deepEqual([refused.companyId, refused.appId, refused.provider], [1, 'notes', 'idp']);
      assert.ok(!JSON.stringify(refused).includes(email), 'the address stays out of the log');
      await world.auth.authenticate(path, 'idp', { authToken: token, clientId });
    }
    provider.answers.userInfo = { sub: 'subject-of-erin', email: 'Erin@Example.com', email_verified: true };
    assert.equal((await login()).userInfo.account, 'erin');
  });
});

test('a new subject with the same verified e-mail is refused until an administrator has the account relinked', async () => {
  const email = 'frida@example.com';
  const memberships = [{ groupId: 1, roleId: 5 }];
  const { id: userId } = await world.directory.users.create({ companyId: 1, account: 'frida', email, memberships });
  const signInAs = async (sub: string) => {
    await world.auth.authenticate(path, 'idp', { authToken: token, clientId });
    provider.answers.claims = (claims) => ({ ...claims, sub, email, email_verified: true });
    return login();
  };
  const old = await signInAs('frida-1');
  assert.equal(old.userInfo.account, 'frida');
  await assert.rejects(signInAs('frida-2'), refusal(119));

  const { db, directory, settings, clock } = world;
  const environment = { now: () => clock.ms, random: randomBytes };
  const sessions = openAdminSessions({ db, directory, settings, environment });
  const deps = { ...world, environment, sessions };
  await relinkUser(deps, { kind: 'operator' }, { companyId: 1, userId, issuer: provider.issuer });
  await assert.rejects(
    world.auth.settle(path, old.userTokens, 'user'),
    refusal(121),
    'the sessions of before are over',
  );
  assert.equal((await signInAs('frida-2')).userId, userId);
  await assert.rejects(signInAs('frida-1'), refusal(119));

  // Relinked between looking up the account and saving the session.
  const users = world.directory.users as { describedMemberships: typeof world.directory.users.describedMemberships };
  const { describedMemberships } = users;
  users.describedMemberships = async (id) => {
    users.describedMemberships = describedMemberships;
    await relinkUser(deps, { kind: 'operator' }, { companyId: 1, userId, issuer: provider.issuer });
    return describedMemberships(id);
  };
  await assert.rejects(signInAs('frida-2'), refusal(201));
});

test('the address that ends the session at the provider names the client, and nothing about the user or the token', async () => {
  const caller = await world.auth.settle(path, token, 'any');
  const address = async (postLogoutRedirectUri?: string) =>
    new URL(String(await world.auth.endSessionAddress(caller, 'idp', { clientId, postLogoutRedirectUri })));
  assert.equal((await address()).href, `${provider.issuer}/end?of=session&client_id=${clientId}`);
  for (const wanted of [redirectUri, new URL('/goodbye', redirectUri).href]) {
    assert.equal((await address(wanted)).searchParams.get('post_logout_redirect_uri'), wanted);
  }
  await assert.rejects(address('https://evil.example/'), refusal('malformed'));
});

describe('a refusal of the code is distinguished from an unreachable provider', () => {
  const cases = [
    { what: 'an OAuth error', status: 400, body: '{"error":"invalid_grant"}', code: 111 },
    { what: 'a client that is not known', status: 401, body: '{"error":"invalid_client"}', code: 111 },
    { what: 'a server error', status: 500, body: '{"error":"server_error"}', code: 117 },
    { what: 'a redirect', status: 302, body: '', code: 117 },
    { what: 'a page', status: 200, body: '<html></html>', code: 117 },
  ] as const;
  for (const { what, status, body, code } of cases) {
    test(`${what}: ${code}`, async () => {
      provider.answers.token = { status, body };
      await assert.rejects(login(), refusal(code));
    });
  }

  test('keys that cannot be fetched: 117', async (context) => {
    const other = await startMadeUpProvider(nonceOfFlow, clientId);
    context.after(() => other.close());
    other.answers.keys = { status: 503, body: '' };
    await atIssuer(world, token, other.issuer, () => assert.rejects(login(), refusal(117)));
  });
});

test('a rotated key is fetched at once, but not more than once a minute', async () => {
  await login();
  const keysAsked = () => provider.asked.get('/keys') ?? 0;
  const signInAgain = async () => {
    await world.auth.authenticate(path, 'idp', { authToken: token, clientId });
    return login();
  };
  provider.asked.clear();
  provider.rotateKey();
  await signInAgain();
  await signInAgain();
  assert.equal(keysAsked(), 1);
  provider.rotateKey();
  await assert.rejects(signInAgain(), refusal(116), 'the keys were fetched less than a minute ago');
  assert.equal(keysAsked(), 1);
  world.clock.ms += 60_000;
  await signInAgain();
  assert.equal(keysAsked(), 2);
});

test('a known but unusable key causes no fetch, so that a rotated one is found in the same minute', async () => {
  const signInAgain = async () => {
    await world.auth.authenticate(path, 'idp', { authToken: token, clientId });
    return login();
  };
  world.clock.ms += 60_000;
  await signInAgain();
  provider.asked.clear();
  provider.answers.header = { kid: 'odd' };
  await assert.rejects(signInAgain(), refusal(116));
  assert.equal(provider.asked.get('/keys'), undefined);
  provider.answers.header = {};
  provider.rotateKey();
  await signInAgain();
  assert.equal(provider.asked.get('/keys'), 1);
});

test('no answer in time: 117, with the reason', async (context) => {
  const slow = await startMadeUpProvider(() => new Promise(() => {}), clientId);
  context.after(() => slow.close());
  await atIssuer(world, token, slow.issuer, () => assert.rejects(login(), refusal(117)));
  const warning = world.logged.map((line) => JSON.parse(line)).find(({ issuer }) => issuer === slow.issuer);
  assert.equal(warning.failing, 'slow');
});

test('a provider over plain http is only accepted on this machine', async () => {
  await atIssuer(world, token, 'http://192.0.2.1', () => assert.rejects(login(), refusal(117)));
  assert.ok(world.logged.some((line) => line.includes('only requests to HTTPS are allowed')));
});
