/**
 * A trial of a provider's sign-in: a certified provider passes every check, and each fault of another one fails its
 * check.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { after, before, beforeEach, test } from 'node:test';
import { type DemoProvider, startDemoProvider } from '../../src/demo/provider.ts';
import { signInAtProvider } from '../../src/demo/sign-in.ts';
import { type Answers, type MadeUpProvider, startMadeUpProvider } from '../auth/made-up-provider.ts';
import { valueAt } from '../harness/match.ts';
import { type Browser, type House, openHouse, password, trail } from './house.ts';

const redirectUri = 'https://shop.example.com/signed-in';
const client = { clientId: 'shop', clientSecret: 'a secret of the client of the shop' };
const all = ['discovery', 'issuer', 'keys', 'redirect', 'code', 'nonce', 'signature', 'token', 'claims'];

let certified: DemoProvider;
let spoiled: MadeUpProvider;
let house: House;
let root: Browser;
/** Nonce of the trial under way. */
let nonce = '';

before(async () => {
  certified = await startDemoProvider({ port: 0, clients: [{ ...client, redirectUris: [redirectUri] }], log: console });
  spoiled = await startMadeUpProvider(async () => nonce, client.clientId);
  house = await openHouse();
  house.secrets.push(client.clientSecret);
  root = await house.setUp();
  await call('POST', '/companies', { name: 'One' });
  await call('POST', '/companies/1/applications', { appId: 'shop', localAccounts: true });
  for (const [name, issuer] of [
    ['idp', certified.issuer],
    ['spoiled', spoiled.issuer],
    ['nowhere', `${spoiled.issuer}/nowhere`],
  ] as const) {
    await call('POST', '/companies/1/applications/shop/providers', { name, issuer });
    const body = { clientId: client.clientId, redirectUri: `${redirectUri}${name === 'idp' ? '' : `/${name}`}` };
    await call('POST', `/companies/1/applications/shop/providers/${name}/clients`, {
      ...body,
      secret: client.clientSecret,
    });
  }
});

after(async () => {
  await house.close();
  await spoiled.close();
  await certified.close();
});

beforeEach(() => spoiled.reset());

async function call(method: string, path: string, body?: unknown, browser = root): Promise<unknown> {
  const { status, text, json } = await browser.call(method, path, body);
  assert.equal(status, 200, text);
  return valueAt(json, 'results');
}

const pathOf = (provider: string) => `/companies/1/applications/shop/providers/${provider}/clients/shop/trial`;

interface Outcome {
  readonly check: string;
  readonly failure: string | null;
}

interface Begun {
  readonly checks: readonly Outcome[];
  readonly location: string;
  readonly trial: string;
}

async function begin(provider: string): Promise<Begun> {
  const begun = (await call('POST', pathOf(provider))) as Begun;
  if (begun.trial !== null) house.secrets.push(begun.trial);
  return begun;
}

/** The address with which the provider sends the person's browser back. */
function redirected(parameters: Readonly<Record<string, string>>, provider = '/spoiled'): string {
  if (parameters.code !== undefined) house.secrets.push(parameters.code);
  return `${redirectUri}${provider}?${new URLSearchParams(parameters)}`;
}

const passed = (checks: readonly Outcome[]) =>
  checks.filter(({ failure }) => failure === null).map(({ check }) => check);

async function entries(): Promise<unknown[]> {
  return ((await call('GET', '/audit?action=client.try')) as object[]).map((entry) => valueAt(entry, 'detail'));
}

test('a sign-in at a certified provider passes every check, shows the claims, and signs nobody in', async () => {
  const { checks, location, trial } = await begin('idp');
  assert.deepEqual(passed(checks), all.slice(0, 3));
  const parameters = await signInAtProvider(location, 'alice', 'any');
  const address = redirected(Object.fromEntries(parameters), '');
  const finished = (await call('POST', `${pathOf('idp')}/finish`, { trial, address })) as object;
  assert.deepEqual(passed(valueAt(finished, 'checks') as Outcome[]), all.slice(3));
  assert.equal(valueAt(finished, 'received.email'), 'alice@example.com');
  assert.equal(valueAt(finished, 'account.verifiedEmail'), 'alice@example.com');
  assert.ok(!JSON.stringify(finished).includes(parameters.get('code') as string));
  assert.deepEqual(await call('GET', '/companies/1/users'), []);
  assert.deepEqual((await entries()).slice(0, 2), [
    { checks: 6, failed: null },
    { checks: 3, failed: null },
  ]);
  const used = (await call('POST', `${pathOf('idp')}/finish`, { trial, address })) as object;
  assert.match(String(valueAt(used, 'checks.1.failure')), /refused the code.*invalid_grant/);
});

const verified = { sub: 'alice', email: 'alice@example.com', email_verified: true };
const otherClaims = (changes: object): Answers['claims'] => {
  return (claims) => ({ ...claims, ...changes });
};

/** The provider's fault, the check that fails, and its message. */
const faults: readonly (readonly [what: string, changes: Partial<Answers>, check: string, failure: RegExp])[] = [
  ['a refused code', { token: { status: 400, body: '{"error": "invalid_client"}' } }, 'code', /invalid_client/],
  ['a token endpoint that is down', { token: { status: 503, body: '' } }, 'code', /cannot be reached/],
  ['another nonce', { claims: otherClaims({ nonce: 'another' }) }, 'nonce', /nonce/],
  ['an unknown key', { header: { kid: 'unknown' } }, 'signature', /key/],
  ['no signature', { header: { alg: 'none' } }, 'token', /alg/],
  ['another audience', { claims: otherClaims({ aud: 'another' }) }, 'token', /aud/],
  ['an expired token', { claims: otherClaims({ exp: 1_000_000_000 }) }, 'token', /exp/],
  ['another at_hash', { claims: otherClaims({ at_hash: 'another' }) }, 'token', /at_hash/],
  ['the claims of another person', { userInfo: { ...verified, sub: 'bob' } }, 'claims', /sub/],
];

test('each fault of a provider fails its own check, with the reason', async () => {
  for (const [what, changes, check, failure] of faults) {
    spoiled.reset();
    Object.assign(spoiled.answers, changes);
    const { location, trial } = await begin('spoiled');
    const sent = new URL(location).searchParams;
    nonce = sent.get('nonce') as string;
    const address = redirected({ code: `code-for-${check}-${what.length}`, state: sent.get('state') as string });
    const { checks, received } = (await call('POST', `${pathOf('spoiled')}/finish`, { trial, address })) as {
      checks: Outcome[];
      received: unknown;
    };
    const [last] = checks.slice(-1);
    assert.equal(last?.check, check, `${what}: ${JSON.stringify(checks)}`);
    assert.match(String(last?.failure), failure, what);
    assert.equal(received, null, what);
  }
});

test('the provider metadata is fetched each time and shown', async () => {
  spoiled.answers.keys = { status: 200, body: '{"keys": []}' };
  const withoutKeys = await begin('spoiled');
  assert.deepEqual(passed(withoutKeys.checks), ['discovery', 'issuer']);
  assert.match(String(withoutKeys.checks[2]?.failure), /no keys/);
  assert.equal(withoutKeys.location, null);
  spoiled.reset();
  assert.deepEqual(passed((await begin('spoiled')).checks), all.slice(0, 3));
  const nowhere = await begin('nowhere');
  assert.deepEqual(
    nowhere.checks.map(({ check }) => check),
    ['discovery'],
  );
  assert.match(String(nowhere.checks[0]?.failure), /404/);
  assert.deepEqual((await entries())[0], { checks: 1, failed: 'discovery' });
});

test('a closed port, one that speaks no TLS and one that hangs up are told alike, with the cause in the log', async () => {
  const mute = createTcpServer().listen(0, '127.0.0.1');
  const closed = createTcpServer().listen(0, '127.0.0.1');
  await Promise.all([once(mute, 'listening'), once(closed, 'listening')]);
  mute.on('connection', (socket) => socket.destroy());
  const portOf = (server: TcpServer) => (server.address() as AddressInfo).port;
  const issuers = {
    closed: `https://127.0.0.1:${portOf(closed)}`,
    plain: `https://127.0.0.1:${new URL(spoiled.issuer).port}`,
    mute: `https://127.0.0.1:${portOf(mute)}`,
  };
  closed.close();
  const told = new Set<string>();
  for (const [name, issuer] of Object.entries(issuers)) {
    await call('POST', '/companies/1/applications/shop/providers', { name, issuer });
    const body = { clientId: client.clientId, redirectUri: `${redirectUri}/${name}` };
    await call('POST', `/companies/1/applications/shop/providers/${name}/clients`, body);
    const { checks } = await begin(name);
    const [, text = '', id = ''] = /^(.*) under request (.+)\.$/.exec(String(checks[0]?.failure)) ?? [];
    told.add(`${checks[0]?.check}: ${text}`);
    const lines = house.logged.map((line) => JSON.parse(line) as { request?: string; reason?: string });
    assert.ok(
      lines.some(({ request, reason }) => request === id && reason?.includes('could not be reached')),
      name,
    );
  }
  mute.close();
  assert.deepEqual(
    [...told],
    ["discovery: The identity provider could not be reached. The service's log has the cause"],
  );
});

test('the address must be that of the redirect of this trial', async () => {
  const { location, trial } = await begin('spoiled');
  const state = new URL(location).searchParams.get('state') as string;
  const cases: readonly (readonly [address: string, failure: RegExp])[] = [
    [redirected({ code: 'code-elsewhere', state }, '/elsewhere'), /begins with https:/],
    ['no address', /begins with https:/],
    [redirected({ error: 'access_denied', state }), /access_denied/],
    [redirected({ error: '<script>', state }), /no known error/],
    [redirected({ code: 'code-of-another', state: 'another' }), /state/],
    [redirected({ code: 'code-of-another-issuer', state, iss: 'https://other.example.com' }), /iss/],
    [redirected({ state }), /expected a code/],
  ];
  for (const [address, failure] of cases) {
    const { checks } = (await call('POST', `${pathOf('spoiled')}/finish`, { trial, address })) as Begun;
    assert.equal(checks[0]?.check, 'redirect');
    assert.match(String(checks[0]?.failure), failure, address);
  }
  assert.equal(spoiled.asked.get('/token'), undefined);
});

test('a trial is valid for one person, one client and a short time', async () => {
  const { location, trial } = await begin('spoiled');
  const state = new URL(location).searchParams.get('state') as string;
  const address = redirected({ code: 'code-of-a-trial', state });
  const refused = async (browser: Browser, provider: string, sent: string) => {
    const { status, text } = await browser.call('POST', `${pathOf(provider)}/finish`, { trial: sent, address });
    assert.equal(status, 400, text);
    assert.match(text, /a trial that you recently began/);
    assert.ok(!text.includes('code-of-a-trial') && !text.includes(sent), text);
  };
  await refused(root, 'idp', trial);
  await refused(root, 'spoiled', `${trial}x`);
  await call('POST', '/administrators', { account: 'other', password });
  const other = house.browser();
  await other.signIn('other');
  await refused(other, 'spoiled', trial);
  house.clock.ms += house.settings.loginFlowLifeMs;
  await refused(root, 'spoiled', trial);
  assert.ok((await trail(house.server)).includes('done client.try by administrator root'));
});
