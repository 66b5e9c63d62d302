/** OIDC clients and their providers: what belongs together, and what is refused. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refused, scratch } from './scratch.ts';

const client = {
  companyId: 1,
  appId: 'a',
  providerName: 'idp',
  issuer: 'https://idp.example.com',
  clientId: 'sample-client',
  secretSealed: 'sealed',
  redirectUri: 'https://app.example.com/signed-in',
} as const;

async function open(t: Parameters<typeof scratch>[0]) {
  const { directory } = await scratch(t);
  await directory.applications.create({ companyId: 1, appId: 'a' });
  await directory.applications.create({ companyId: 2, appId: 'a' });
  return directory.clients;
}

test('the first client of a provider makes the provider too', async (t) => {
  const clients = await open(t);
  const { issuer: _, ...withoutIssuer } = client;
  await refused(clients.create(withoutIssuer), 'missing', 'issuer');
  assert.equal(await clients.providerExists(1, 'a', 'idp'), false);
  const made = await clients.create(client);
  assert.equal(made.scopes, 'openid email');
  assert.deepEqual(await clients.find(1, 'a', 'idp', 'sample-client'), made);
  assert.equal(await clients.providerExists(1, 'a', 'idp'), true);
  const second = await clients.create({ ...withoutIssuer, clientId: 'second', secretSealed: null });
  assert.equal(second.issuer, client.issuer);
  assert.deepEqual(await clients.list(1, 'a'), [made, second]);
});

test('a client is refused with a reason', async (t) => {
  const clients = await open(t);
  await clients.create(client);
  await refused(clients.create(client), 'malformed', 'provider "idp" has a client "sample-client" already');
  await refused(clients.create({ ...client, companyId: 9 }), 130, 'no company 9');
  await refused(clients.create({ ...client, appId: 'b' }), 105, 'no application "b"');
  const other = { ...client, clientId: 'other' };
  await refused(clients.create({ ...other, issuer: 'https://else.example.com' }), 'malformed', 'has the issuer');
  await refused(clients.create({ ...other, scopes: 'openid' }), 'malformed', 'has the scopes "openid email"');
  for (const issuer of ['http://idp.example.com', 'idp', 'https://idp.example.com/?a=b', 'https://u:p@example.com']) {
    await refused(clients.create({ ...other, providerName: 'new', issuer }), 'malformed', 'issuer');
  }
  for (const redirectUri of ['/signed-in', 'https://app.example.com/#part', 'javascript:alert(1)']) {
    await refused(clients.create({ ...other, redirectUri }), 'malformed', 'redirectUri');
  }
  await refused(clients.create({ ...other, providerName: 'new', scopes: 'email' }), 'malformed', 'scopes');
  await refused(clients.create({ ...other, providerName: 'a/b' }), 'malformed', 'provider');
  await refused(clients.create({ ...other, clientId: 'a b' }), 'malformed', 'clientId');
  assert.equal(await clients.providerExists(1, 'a', 'new'), false);
  assert.equal((await clients.list(1, 'a')).length, 1);
});

test('each issuer of an application has a redirect address of its own', async (t) => {
  const clients = await open(t);
  await clients.create(client);
  const second = { ...client, providerName: 'second', issuer: 'https://second.example.com' };
  await refused(clients.create(second), 'malformed', 'provider "idp" has this address already');
  await clients.create({ ...second, redirectUri: 'app.example:/signed-in' });
  const { redirectUri } = client;
  await refused(clients.update(1, 'a', 'second', 'sample-client', { redirectUri }), 'malformed', 'redirectUri');
  await clients.create({ ...second, companyId: 2 });
});

test('a client is changed in what is given, with its provider, and removed', async (t) => {
  const clients = await open(t);
  await clients.create(client);
  await clients.create({ ...client, companyId: 2 });
  const issuer = 'http://127.0.0.1:4000';
  const changed = await clients.update(1, 'a', 'idp', 'sample-client', { issuer, scopes: 'openid  email openid' });
  assert.deepEqual([changed.issuer, changed.scopes, changed.secretSealed], [issuer, 'openid email', 'sealed']);
  assert.equal((await clients.update(1, 'a', 'idp', 'sample-client', { secretSealed: null })).secretSealed, null);
  const publicOne = { ...changed, secretSealed: null, revision: changed.revision + 1 };
  assert.deepEqual(await clients.find(1, 'a', 'idp', 'sample-client'), publicOne);
  await refused(clients.update(1, 'a', 'idp', 'none', {}), 130, 'no client "none"');
  await clients.remove(1, 'a', 'idp', 'sample-client');
  await refused(clients.remove(1, 'a', 'idp', 'sample-client'), 130, 'no client "sample-client"');
  assert.equal((await clients.find(2, 'a', 'idp', 'sample-client'))?.issuer, client.issuer);
});
