/** The demo's identity provider: a real OpenID provider, quiet, with one plain form. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, test } from 'node:test';
import * as oauth from 'oauth4webapi';
import { fetchWithCookies, newCookieJar } from '../../src/demo/cookie-jar.ts';
import { type DemoProvider, startDemoProvider } from '../../src/demo/provider.ts';
import { signInAtProvider } from '../../src/demo/sign-in.ts';

const redirectUri = 'http://127.0.0.1:8080/signed-in';
const client = { clientId: 'sample-client', clientSecret: 'a-secret-of-the-demo', redirectUris: [redirectUri] };
const verifier = 'v'.repeat(43);
const noise: string[] = [];
let provider: DemoProvider;
const silent = { error: (...entry: unknown[]) => void noise.push(JSON.stringify(entry)) };
const original = { info: console.info, warn: console.warn };

before(async () => {
  console.info = (text: string) => void noise.push(text);
  console.warn = (text: string) => void noise.push(text);
  provider = await startDemoProvider({ port: 0, clients: [client], log: silent });
});
after(async () => {
  Object.assign(console, original);
  await provider.close();
});

function authorizationUrl(changes: Record<string, string> = {}): URL {
  const url = new URL('/auth', provider.issuer);
  const parameters = {
    client_id: client.clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid email profile',
    state: 'some-state',
    access_type: 'offline',
    nonce: 'some-nonce',
    code_challenge: hash('sha256', verifier, 'base64url'),
    code_challenge_method: 'S256',
    ...changes,
  };
  for (const [name, value] of Object.entries(parameters)) if (value !== '') url.searchParams.set(name, value);
  return url;
}

test('signs a person in and reports who it is', async () => {
  for (const login of ['alice', 'bob@example.com', 'Carol']) {
    const returned = await signInAtProvider(authorizationUrl().href, login, 'any');
    assert.equal(returned.get('state'), 'some-state');
    const insecure = { [oauth.allowInsecureRequests]: true };
    const issuer = new URL(provider.issuer);
    const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure));
    const oauthClient = { client_id: client.clientId };
    const tokens = await oauth.processAuthorizationCodeResponse(
      server,
      oauthClient,
      await oauth.authorizationCodeGrantRequest(
        server,
        oauthClient,
        oauth.ClientSecretBasic(client.clientSecret),
        oauth.validateAuthResponse(server, oauthClient, returned, 'some-state'),
        redirectUri,
        verifier,
        insecure,
      ),
      { expectedNonce: 'some-nonce', requireIdToken: true },
    );
    const name = login.replace('@example.com', '').toLowerCase();
    const claims = oauth.getValidatedIdTokenClaims(tokens);
    assert.equal(claims?.sub, name);
    const answer = await oauth.userInfoRequest(server, oauthClient, tokens.access_token, insecure);
    const info = await oauth.processUserInfoResponse(server, oauthClient, name, answer);
    assert.equal(info.email, `${name}@example.com`);
    assert.equal(info.email_verified, true);
    assert.ok(info.given_name && info.family_name);
  }
});

test('asks again at every sign-in, so that one browser can be alice and then bob', async () => {
  const jar = newCookieJar();
  for (const login of ['alice', 'bob']) {
    const toForm = await fetchWithCookies(jar, authorizationUrl(), null);
    const formUrl = new URL(toForm.headers.get('location')!, provider.issuer);
    const page = await (await fetchWithCookies(jar, formUrl, null)).text();
    assert.match(page, /<form method="post">/);
    assert.doesNotMatch(page, /<script/);
    const done = await fetchWithCookies(jar, formUrl, new URLSearchParams({ login, password: 'x' }));
    const resume = await fetchWithCookies(jar, new URL(done.headers.get('location')!, provider.issuer), null);
    const home = new URL(resume.headers.get('location')!);
    assert.ok(home.href.startsWith(redirectUri) && home.searchParams.has('code'), home.pathname);
  }
});

test('shows the form again for an unknown name, with the name escaped', async () => {
  const jar = newCookieJar();
  const toForm = await fetchWithCookies(jar, authorizationUrl(), null);
  const formUrl = new URL(toForm.headers.get('location')!, provider.issuer);
  const again = await fetchWithCookies(jar, formUrl, new URLSearchParams({ login: '<mallory>', password: 'x' }));
  const page = await again.text();
  assert.equal(again.status, 200);
  assert.match(page, /<form/);
  assert.match(page, /nobody named/);
  assert.ok(page.includes('&#60;mallory&#62;') && !page.includes('<mallory>'));
  await assert.rejects(signInAtProvider(authorizationUrl().href, 'mallory', 'x'), /does not know "mallory"/);
});

test('requires PKCE and the redirect address', async () => {
  const withoutPkce = authorizationUrl({ code_challenge: '', code_challenge_method: '' }).href;
  await assert.rejects(signInAtProvider(withoutPkce, 'alice', 'x'), /refused the sign-in: invalid_request/);
  const elsewhere = await fetch(authorizationUrl({ redirect_uri: 'http://127.0.0.1:1/elsewhere' }), {
    redirect: 'manual',
  });
  assert.equal(elsewhere.status, 400);
  assert.match(await elsewhere.text(), /redirect_uri/);
});

test('an expired interaction is reported', async () => {
  const response = await fetch(`${provider.issuer}/interaction/unknown`);
  assert.equal(response.status, 400);
  assert.match(await response.text(), /This sign-in is over/);
});

test('writes nothing to the console', () => {
  assert.deepEqual(noise, []);
});
