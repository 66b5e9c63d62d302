/** OIDC clients and their providers: their relations, and refusals. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refused, scratch } from './scratch.ts';

const issuer = 'https://idp.example.com';
const client = {
  companyId: 1,
  appId: 'a',
  providerName: 'idp',
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

test('a client is created with its provider, or at an existing one', async (t) => {
  const clients = await open(t);
  await refused(clients.create(client), 130, 'no provider "idp" in application "a"');
  const made = await clients.create({ ...client, newProvider: { issuer } });
  assert.deepEqual([made.issuer, made.scopes], [issuer, 'openid email']);
  assert.deepEqual(await clients.find(1, 'a', 'idp', 'sample-client'), made);
  const second = await clients.create({ ...client, clientId: 'second', secretSealed: null });
  assert.equal(second.issuer, issuer);
  assert.deepEqual(await clients.list(1, 'a'), [made, second]);
});

test('a client is refused with a reason', async (t) => {
  const clients = await open(t);
  await clients.create({ ...client, newProvider: { issuer } });
  await refused(clients.create(client), 'malformed', 'provider "idp" already has a client "sample-client"');
  await refused(clients.create({ ...client, companyId: 9 }), 130, 'no company 9');
  await refused(clients.create({ ...client, appId: 'b' }), 105, 'no application "b"');
  const other = { ...client, clientId: 'other' };
  await refused(
    clients.create({ ...other, newProvider: { issuer } }),
    'malformed',
    'there is already a provider "idp"',
  );
  const atNew = { ...other, providerName: 'new' };
  for (const wrong of ['http://idp.example.com', 'idp', 'https://idp.example.com/?a=b', 'https://u:p@example.com']) {
    await refused(clients.create({ ...atNew, newProvider: { issuer: wrong } }), 'malformed', 'issuer');
  }
  for (const redirectUri of ['/signed-in', 'https://app.example.com/#part', 'javascript:alert(1)']) {
    await refused(clients.create({ ...other, redirectUri }), 'malformed', 'redirectUri');
  }
  await refused(clients.create({ ...atNew, newProvider: { issuer, scopes: 'email' } }), 'malformed', 'scopes');
  await refused(clients.create({ ...atNew, providerName: 'a/b', newProvider: { issuer } }), 'malformed', 'provider');
  await refused(clients.create({ ...other, clientId: 'a b' }), 'malformed', 'clientId');
  assert.equal((await clients.list(1, 'a')).length, 1);
});

test('each issuer of an application has its own redirect address', async (t) => {
  const clients = await open(t);
  await clients.create({ ...client, newProvider: { issuer } });
  const newProvider = { issuer: 'https://second.example.com' };
  const second = { ...client, providerName: 'second', newProvider };
  await refused(clients.create(second), 'malformed', 'provider "idp" already has this address');
  await clients.create({ ...second, redirectUri: 'app.example:/signed-in' });
  const { redirectUri } = client;
  await refused(clients.update(1, 'a', 'second', 'sample-client', { redirectUri }), 'malformed', 'redirectUri');
  await clients.create({ ...second, companyId: 2 });
});

test('the given fields of a client and its provider are changed, and it is removed', async (t) => {
  const clients = await open(t);
  for (const companyId of [1, 2]) await clients.create({ ...client, companyId, newProvider: { issuer } });
  const changes = { issuer: 'http://127.0.0.1:4000', scopes: 'openid  email openid' };
  const moved = await clients.update(1, 'a', 'idp', 'sample-client', {}, changes);
  assert.deepEqual([moved.issuer, moved.scopes, moved.revision], [changes.issuer, 'openid email', 1]);
  const both = await clients.update(1, 'a', 'idp', 'sample-client', { secretSealed: null }, { scopes: 'openid' });
  assert.deepEqual([both.scopes, both.secretSealed, both.revision], ['openid', null, 2]);
  assert.deepEqual(await clients.find(1, 'a', 'idp', 'sample-client'), both);
  const redirectUri = 'no address';
  await refused(
    clients.update(1, 'a', 'idp', 'sample-client', { redirectUri }, { scopes: 'openid email' }),
    'malformed',
    'redirectUri',
  );
  assert.deepEqual(await clients.find(1, 'a', 'idp', 'sample-client'), both, 'both or none');
  await refused(clients.update(1, 'a', 'idp', 'none', {}), 130, 'no client "none"');
  await clients.remove(1, 'a', 'idp', 'sample-client');
  await refused(clients.remove(1, 'a', 'idp', 'sample-client'), 130, 'no client "sample-client"');
  assert.equal((await clients.find(2, 'a', 'idp', 'sample-client'))?.issuer, issuer);
});
