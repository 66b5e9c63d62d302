/**
 * Sign-in at a provider that sends false answers or is down, over HTTP (docs/reference/sign-in.md; RFC 9700 §4.4.2.2).
 */
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { after, before, beforeEach, test } from 'node:test';
import { type MadeUpProvider, startMadeUpProvider } from '../auth/made-up-provider.ts';
import { assertEnvelope, statusOfCode } from '../harness/cases.ts';
import type { Answer } from '../harness/client.ts';
import { valueAt } from '../harness/match.ts';
import {
  anonymousToken,
  authenticate,
  beginSignIn,
  login,
  loginBody,
  placeOf,
  registerDevice,
} from '../harness/sign-in.ts';
import { app, startWorld, type World } from '../harness/world.ts';

let world: World;
let provider: MadeUpProvider;
let nonce = '';
before(async () => {
  world = await startWorld({ people: ['alice'] });
  provider = await startMadeUpProvider(async () => nonce, 'made-up-client');
  const register = (providerName: string, issuer: string) =>
    world.server.directory.clients.create({
      companyId: 1,
      appId: app.appId,
      providerName,
      newProvider: { issuer },
      clientId: 'made-up-client',
      secretSealed: null,
      redirectUri: `http://127.0.0.1:9/${providerName}`,
    });
  await register('other', provider.issuer);
  // Port 9 is "discard", where nothing answers.
  await register('away', 'http://127.0.0.1:9');
});
after(async () => {
  await provider.close();
  await world.close();
});
beforeEach(() => provider.reset());

let devices = 0;
async function signIn(): Promise<Answer> {
  const device = `provider-${devices++}`;
  const place = placeOf(world, { provider: 'other', clientId: 'made-up-client' });
  const { token, location } = await beginSignIn(world, device, place);
  nonce = String(location.searchParams.get('nonce'));
  return login(world, token, loginBody(token, device, 'any-code', place), place);
}

function refused(answer: Answer, code: number): void {
  assertEnvelope(answer, code);
  assert.equal(answer.status, statusOfCode[code]);
}

test('a second provider under its own name, with its own redirect address', async () => {
  const answer = await signIn();
  assertEnvelope(answer, 0);
  assert.equal(valueAt(answer.json, 'authInfo.userInfo.account'), 'alice');
});

test('an invalid ID token answers 116', async () => {
  const seconds = Math.floor(Date.now() / 1_000);
  const spoilt: Record<string, () => void> = {
    'another nonce': () => {
      provider.answers.claims = (claims) => ({ ...claims, nonce: 'x' });
    },
    'no nonce': () => {
      provider.answers.claims = ({ nonce: _gone, ...claims }) => claims;
    },
    'another audience': () => {
      provider.answers.claims = (claims) => ({ ...claims, aud: 'somebody' });
    },
    'another issuer': () => {
      provider.answers.claims = (claims) => ({ ...claims, iss: 'https://example.com' });
    },
    expired: () => {
      provider.answers.claims = (claims) => ({ ...claims, iat: seconds - 7_200, exp: seconds - 3_600 });
    },
    'another authorized party': () => {
      provider.answers.claims = (claims) => ({ ...claims, aud: ['made-up-client', 'x'], azp: 'x' });
    },
    'a wrong at_hash': () => {
      provider.answers.claims = (claims) => ({ ...claims, at_hash: 'AAAAAAAAAAAAAAAAAAAAAA' });
    },
    'a foreign key': () => {
      provider.answers.signer = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    },
    'no signature': () => {
      provider.answers.header = { alg: 'none' };
    },
  };
  for (const [what, spoil] of Object.entries(spoilt)) {
    provider.reset();
    spoil();
    const answer = await signIn();
    assert.equal(valueAt(answer.json, 'errCode'), 116, `${what}: ${answer.text}`);
    refused(answer, 116);
  }
});

test('an e-mail that the provider has not verified opens no account', async () => {
  provider.answers.claims = (claims) => ({
    ...claims,
    sub: 'stranger',
    email: 'bob@example.com',
    email_verified: false,
  });
  provider.answers.userInfo = { sub: 'stranger', email: 'bob@example.com', email_verified: false };
  refused(await signIn(), 119);
});

test('a provider that refuses the code answers 111', async () => {
  provider.answers.token = { status: 400, body: '{"error":"invalid_grant"}' };
  refused(await signIn(), 111);
});

test('a provider that cannot be reached answers 117', async () => {
  provider.answers.token = { status: 503, body: 'away' };
  refused(await signIn(), 117);
  const place = placeOf(world, { provider: 'away', clientId: 'made-up-client' });
  const token = await anonymousToken(world, 'away-device');
  await registerDevice(world, token, 'away-device');
  refused(await authenticate(world, token, place), 117);
});
