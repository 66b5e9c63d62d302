/**
 * Sign-in through a real Keycloak, named by a setting (`npm run test:keycloak`). Not part of the suite, because it
 * requires a Keycloak.
 */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { relinkUser } from '../../src/administration/identities.ts';
import { type House, openHouse } from '../administration/house.ts';
import { type Answer, type Client, openClient } from '../harness/client.ts';
import { valueAt } from '../harness/match.ts';
import { clientSecret, makeRealm, openBrowser, type Realm, redirectUri } from './realm.ts';

const prefix = '/api/1/crm/1_0_0';
const appKey = 'key-of-the-application';
let realm: Realm;
let house: House;
let client: Client;

before(async () => {
  realm = await makeRealm();
  house = await openHouse();
  client = openClient(house.server.url);
  const { companies, groups, applications, versions, users, clients } = house.server.directory;
  await companies.create({ name: 'Acme' });
  for (const name of ['Sales', 'Support']) await groups.create({ companyId: 1, name });
  await applications.create({ companyId: 1, appId: 'crm', appKey, groupIds: [1] });
  await versions.create({ companyId: 1, appId: 'crm', version: '1.0.0' });
  await users.create({ companyId: 1, account: 'ann', email: 'ann@example.com' });
  await users.create({ companyId: 1, account: 'ben', email: 'ben@example.com' });
  const claimMapping = { claims: ['groups'], values: { '/sales': { group: 'Sales', role: 'Manager' } } };
  const common = { companyId: 1, appId: 'crm', providerName: 'idp' };
  const newProvider = { issuer: realm.issuer, claimMapping };
  const secretSealed = house.server.administration.seal.seal(clientSecret);
  await clients.create({ ...common, clientId: 'crm-web', redirectUri, secretSealed, newProvider });
  await clients.create({ ...common, clientId: 'crm-phone', redirectUri, secretSealed: null });
});
after(async () => {
  client?.close();
  await house?.close();
  await realm?.remove();
});

let devices = 0;
async function begin(clientId: string) {
  const deviceUDID = `device-${devices++}`;
  const query = new URLSearchParams({ appKey, deviceUDID });
  const token = String(valueAt((await client.call('GET', `${prefix}/anonymousTokens?${query}`)).json, 'results'));
  await client.call('POST', `${prefix}/devices`, { token, body: { deviceUDID } });
  const asked = new URLSearchParams({ authToken: token, clientId });
  const { headers } = await client.call('GET', `${prefix}/auth/oidc/idp/Authenticate?${asked}`);
  return { token, deviceUDID, clientId, location: String(headers.location) };
}

async function signIn(username: string, clientId = 'crm-web', browser = openBrowser()): Promise<Answer> {
  const { token, deviceUDID, location } = await begin(clientId);
  const returned = await browser.signIn(location, username);
  const body = {
    companyId: 1,
    appId: 'crm',
    appVersion: '1.0.0',
    authToken: token,
    deviceUDID,
    isPush: 'false',
    clientId,
    authzCode: returned.get('code'),
    authnState: hash('sha1', token),
    iss: returned.get('iss'),
  };
  assert.equal(returned.get('state'), hash('sha1', token));
  return client.call('POST', `${prefix}/auth/oidc/idp/Login`, { token, body });
}

const codeOf = ({ json }: Answer) => valueAt(json, 'errCode');

test('clients with and without a secret sign a person in, with PKCE required, and groups from signed UserInfo', async () => {
  await realm.addUser({ name: 'ann', isVerified: true, groups: ['/sales'] });
  for (const clientId of ['crm-web', 'crm-phone']) {
    const answer = await signIn('ann', clientId);
    assert.equal(codeOf(answer), 0, answer.text);
    assert.equal(valueAt(answer.json, 'authInfo.userInfo.account'), 'ann');
    assert.equal(valueAt(answer.json, 'authInfo.groupsAndRoles.0.roleName'), 'Manager');
  }
});

test('an e-mail address that Keycloak did not verify matches nobody, and the log says so', async () => {
  await realm.addUser({ name: 'ben', isVerified: false, groups: ['/sales'] });
  assert.equal(codeOf(await signIn('ben')), 119);
  assert.ok(house.logged.some((line) => line.includes('e-mail not verified')));
});

test('keys that Keycloak rotates lock nobody out', async () => {
  await realm.rotateKeys();
  assert.equal(codeOf(await signIn('ann')), 0);
});

test('a user recreated in Keycloak is only linked by an administrative act', async () => {
  await realm.addUser({ name: 'ann', isVerified: true, groups: ['/sales'] });
  assert.equal(codeOf(await signIn('ann')), 119);
  const { administration } = house.server;
  await relinkUser(administration, { kind: 'operator' }, { companyId: 1, userId: 1, issuer: realm.issuer });
  assert.equal(codeOf(await signIn('ann')), 0);
});

test("logging out here leaves Keycloak's session, and EndSession ends it", async () => {
  const browser = openBrowser();
  const token = String(valueAt((await signIn('ann', 'crm-web', browser)).json, 'authInfo.userTokens'));
  const query = new URLSearchParams({ clientId: 'crm-web', postLogoutRedirectUri: redirectUri });
  const asked = await client.call('GET', `${prefix}/auth/oidc/idp/EndSession?${query}`, { token });
  assert.equal(codeOf(await client.call('POST', `${prefix}/auth/logout`, { token })), 0);
  const again = await browser.go((await begin('crm-web')).location);
  assert.equal(again.page, null, 'Keycloak asks for no password as long as its session lives');

  const { url, page } = await browser.go(String(valueAt(asked.json, 'results')));
  assert.ok(page !== null, 'without an ID token Keycloak asks for a confirmation');
  const ended = await browser.submit(page, { confirmLogout: 'Logout' }, url);
  assert.equal(ended.url.href.split('?')[0], redirectUri);
  assert.match((await browser.go((await begin('crm-web')).location)).page ?? '', /password/i);
});
