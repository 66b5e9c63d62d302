/**
 * Administrators who sign in through an identity provider: a certified one, and one whose answers can all be falsified.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { Actor } from '../../src/actor.ts';
import {
  administratorNamed,
  createAdministrator,
  updateAdministrator,
} from '../../src/administration/administrators.ts';
import { relinkAdministrator, warnOfOtherIssuer } from '../../src/administration/identities.ts';
import { type DemoProvider, startDemoProvider } from '../../src/demo/provider.ts';
import { signInAtProvider } from '../../src/demo/sign-in.ts';
import { type Answers, type MadeUpProvider, startMadeUpProvider } from '../auth/made-up-provider.ts';
import type { Answer } from '../harness/client.ts';
import { type Browser, type House, openHouse, outcome, password, trail } from './house.ts';

const operator: Actor = { kind: 'operator' };
const publicUrl = 'http://rowhouse.example';
const client = { clientId: 'the-administration', clientSecret: 'a secret of the client of the administration' };

async function begin(browser: Browser): Promise<URL> {
  const answer = await browser.call('POST', '/sign-in/oidc');
  assert.equal(outcome(answer), '0 200', answer.text);
  return new URL((answer.json as { results: { location: string } }).results.location);
}

const back = (browser: Browser, parameters: URLSearchParams) =>
  browser.call('GET', `/sign-in/callback?${parameters.toString()}`);

/** The target of the redirect, below the page of the administration; '' when signed in. */
function sentTo({ status, headers }: Answer): string {
  assert.equal(status, 303);
  assert.match(String(headers.location), /^\/admin\//);
  return String(headers.location).slice('/admin/'.length);
}

const me = async (browser: Browser) => outcome(await browser.call('GET', '/me'));

describe('with a certified provider', () => {
  let provider: DemoProvider;
  let house: House;
  before(async () => {
    const redirectUris = [`${publicUrl}/admin/api/sign-in/callback`];
    provider = await startDemoProvider({ port: 0, clients: [{ ...client, redirectUris }], log: console });
    house = await openHouse({
      publicUrl,
      adminIssuer: provider.issuer,
      adminClientId: client.clientId,
      adminClientSecret: client.clientSecret,
    });
    house.secrets.push(client.clientSecret);
    const { administration } = house.server;
    await createAdministrator(administration, operator, { account: 'alice', email: 'Alice@example.com' });
    const bob = await createAdministrator(administration, operator, { account: 'bob', email: 'bob@example.com' });
    await updateAdministrator(administration, operator, bob.id, { disabled: true });
  });
  after(async () => {
    await house.close();
    await provider.close();
  });

  async function walk(browser: Browser, login: string): Promise<Answer> {
    const location = await begin(browser);
    return back(browser, await signInAtProvider(location.href, login, 'any'));
  }

  test('a person registered with the verified address signs in, and is identified by the identity from then on', async () => {
    const browser = house.browser();
    const answer = await walk(browser, 'alice');
    assert.equal(sentTo(answer), '');
    const cookies = (answer.headers['set-cookie'] ?? []).map((text) => text.replace(/[0-9a-f]{64}/, '…'));
    assert.deepEqual(cookies, [
      'rowhouse_admin=…; Path=/admin; HttpOnly; SameSite=Strict',
      'rowhouse_admin_flow=; Path=/admin; HttpOnly; SameSite=Lax; Max-Age=0',
    ]);
    assert.equal(await me(browser), '0 200');
    const db = house.server.storage.directory;
    const row = async () =>
      (await db.read(db.build.selectFrom('administrator').selectAll().where('account', '=', 'alice')))[0];
    assert.deepEqual([(await row())?.issuer, (await row())?.subject], [provider.issuer, 'alice']);
    await db.write([db.build.updateTable('administrator').set({ email: null }).where('account', '=', 'alice')]);
    assert.equal(sentTo(await walk(house.browser(), 'alice')), '');
    const entries = await trail(house.server);
    assert.equal(entries.filter((entry) => entry === 'done administrator.link by administrator alice').length, 1);
    assert.ok(entries.includes('done administration.signIn by administrator alice'));
  });

  test('a person who is not registered, or is disabled, is refused', async () => {
    for (const login of ['carol', 'bob']) {
      const browser = house.browser();
      const answer = await walk(browser, login);
      assert.equal(sentTo(answer), '#refused=119');
      assert.equal(await me(browser), '121 401');
    }
    assert.ok((await trail(house.server)).includes('refused administration.signIn by nobody '));
  });

  test('the return is only valid for the browser that began, once, and for a few minutes', async () => {
    const [victim, mallory] = [house.browser(), house.browser()];
    const location = await begin(mallory);
    const parameters = await signInAtProvider(location.href, 'alice', 'any');
    await begin(victim);
    assert.equal(sentTo(await back(victim, parameters)), '#refused=115');
    assert.equal(sentTo(await back(house.browser(), parameters)), '#refused=115');

    const browser = house.browser();
    const begun = await begin(browser);
    const answer = await signInAtProvider(begun.href, 'alice', 'any');
    const flowCookie = browser.cookies.get('rowhouse_admin_flow') ?? '';
    assert.equal(sentTo(await back(browser, answer)), '');
    browser.cookies.set('rowhouse_admin_flow', flowCookie);
    assert.equal(sentTo(await back(browser, answer)), '#refused=115');

    const slow = house.browser();
    const late = await signInAtProvider((await begin(slow)).href, 'alice', 'any');
    house.clock.ms += 601_000;
    assert.equal(sentTo(await back(slow, late)), '#refused=115');
    house.clock.ms -= 601_000;
  });

  test('the address at the provider has a challenge, a nonce and a state, but no secret', async () => {
    const browser = house.browser();
    const answer = await browser.call('POST', '/sign-in/oidc');
    assert.match(
      answer.headers['set-cookie']?.[0] ?? '',
      /^rowhouse_admin_flow=[0-9a-f]{64}; Path=\/admin; HttpOnly; SameSite=Lax; Max-Age=600$/,
    );
    const { searchParams } = await begin(browser);
    assert.deepEqual([...searchParams.keys()].sort(), [
      'client_id',
      'code_challenge',
      'code_challenge_method',
      'nonce',
      'redirect_uri',
      'response_type',
      'scope',
      'state',
    ]);
    assert.notEqual(searchParams.get('state'), browser.cookies.get('rowhouse_admin_flow'));
  });
});

describe('with a provider that lies', () => {
  let provider: MadeUpProvider;
  let house: House;
  let nonce = '';
  before(async () => {
    provider = await startMadeUpProvider(async () => nonce, client.clientId);
    house = await openHouse({ publicUrl, adminIssuer: provider.issuer, adminClientId: client.clientId });
    await createAdministrator(house.server.administration, operator, {
      account: 'alice',
      email: 'alice@example.com',
      password,
    });
  });
  after(async () => {
    await house.close();
    await provider.close();
  });
  beforeEach(async () => {
    provider.reset();
    const db = house.server.storage.directory;
    await db.write([db.build.updateTable('administrator').set({ issuer: null, subject: null })]);
  });

  async function walk(changes: Record<string, string> = {}): Promise<string> {
    const browser = house.browser();
    const { searchParams } = await begin(browser);
    nonce = searchParams.get('nonce') ?? '';
    const state = searchParams.get('state') ?? '';
    return sentTo(await back(browser, new URLSearchParams({ code: 'a-code', state, ...changes })));
  }

  test('signs in when everything is valid', async () => {
    assert.equal(await walk(), '');
    assert.equal(await walk({ iss: provider.issuer, session_state: 'what Keycloak adds' }), '');
  });

  test('is refused when anything is wrong', async () => {
    const claims = (change: object) => ({ claims: (own: object) => ({ ...own, ...change }) });
    const spoiled: readonly (readonly [what: string, code: number, Partial<Answers>, Record<string, string>?])[] = [
      ['an address that is not verified', 119, { userInfo: { ...verified, email_verified: false } }],
      ['no address', 119, { userInfo: { sub: 'alice' } }],
      ['another address', 119, { userInfo: { ...verified, email: 'eve@example.com' } }],
      ['what is said of another subject', 116, { userInfo: { ...verified, sub: 'eve' } }],
      ['another audience', 116, claims({ aud: 'another' })],
      ['another nonce', 116, claims({ nonce: 'another' })],
      ['an expired token', 116, claims({ exp: 1 })],
      ['an unsigned token', 116, { header: { alg: 'none' } }],
      ['a refused code', 111, { token: { status: 400, body: '{"error":"invalid_grant"}' } }],
      ['a provider that fails', 117, { token: { status: 500, body: '{}' } }],
      ['a refusal', 111, {}, { error: 'access_denied', code: '' }],
      ['an answer of another issuer', 115, {}, { iss: 'https://other.example' }],
      ['another state', 115, {}, { state: 'f'.repeat(64) }],
    ];
    for (const [what, code, lie, changes] of spoiled) {
      provider.reset();
      Object.assign(provider.answers, lie);
      assert.equal(await walk(changes), `#refused=${code}`, what);
    }
  });

  /** The reason for the last refusal in the log. */
  const reason = () => {
    const lines = house.logged.map((line) => JSON.parse(line)).filter((line) => typeof line.reason === 'string');
    return String(lines.at(-1)?.reason);
  };

  test('the same address with another subject is another person, until an administrator has it relinked', async () => {
    assert.equal(await walk(), '');
    provider.answers.claims = (claims) => ({ ...claims, sub: 'another' });
    provider.answers.userInfo = { ...verified, sub: 'another' };
    assert.equal(await walk(), '#refused=119');
    assert.match(reason(), /has another identity at the provider; "rowhouse administrator relink"/);
    const { administration } = house.server;
    const { id } = await administratorNamed(administration, operator, 'alice');
    await relinkAdministrator(administration, operator, id);
    provider.answers.userInfo = { ...verified, sub: 'another', email_verified: false };
    assert.equal(await walk(), '#refused=119', 'still only by a verified address');
    assert.match(reason(), /e-mail not verified/);
    provider.answers.userInfo = { ...verified, sub: 'another' };
    assert.equal(await walk(), '');
    provider.answers.claims = (claims) => claims;
    provider.answers.userInfo = verified;
    assert.equal(await walk(), '#refused=119', 'the former identity is nobody now');
    const entries = await trail(house.server);
    assert.equal(entries.filter((entry) => entry.startsWith('done administrator.relink')).length, 1);
  });

  test('another adminIssuer locks nobody out: the start warns, and relinking restores access', async () => {
    const { administration, storage } = house.server;
    const { id } = await administratorNamed(administration, operator, 'alice');
    const db = storage.directory;
    const former = { issuer: 'https://former.example.com', subject: 'alice' };
    await db.write([db.build.updateTable('administrator').set(former).where('id', '=', id)]);
    const warned: unknown[] = [];
    const log = { warn: (...line: unknown[]) => void warned.push(line) };
    await warnOfOtherIssuer(storage, { adminIssuer: provider.issuer }, log as never);
    assert.match(JSON.stringify(warned), /administratorIds.*rowhouse administrator relink/);
    assert.equal(await walk(), '#refused=119');
    assert.match(reason(), /an identity at https:\/\/former\.example\.com/);
    await relinkAdministrator(administration, operator, id);
    assert.equal(await walk(), '');
    warned.length = 0;
    await warnOfOtherIssuer(storage, { adminIssuer: `${provider.issuer}/` }, log as never);
    assert.deepEqual(warned, []);
  });
});

test('without a provider in the settings there is no such sign-in', async (context) => {
  const house = await openHouse();
  context.after(() => house.close());
  assert.equal(outcome(await house.browser().call('POST', '/sign-in/oidc')), '119 403');
  assert.equal(sentTo(await house.browser().call('GET', '/sign-in/callback?code=x&state=y')), '#refused=119');
});

const verified = { sub: 'alice', email: 'alice@example.com', email_verified: true };
