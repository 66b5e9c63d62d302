/**
 * Optimistic locks of what administrators change: an old revision changes nothing, and of two simultaneous changes only
 * one succeeds.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../src/errors.ts';
import { refused, scratch } from './scratch.ts';

const issuer = 'https://idp.example.com';
const client = {
  companyId: 1,
  appId: 'a',
  providerName: 'idp',
  clientId: 'c',
  secretSealed: null,
  redirectUri: 'https://app.example.com/signed-in',
} as const;

test('a change that is based on an old revision is refused with 409, and changes nothing', async (t) => {
  const { companies, applications, versions, providers, clients } = (await scratch(t)).directory;
  await applications.create({ companyId: 1, appId: 'a' });
  await versions.create({ companyId: 1, appId: 'a', version: '1.0' });
  await clients.create({ ...client, newProvider: { issuer } });
  const changes: readonly (readonly [string, (revision: number) => Promise<unknown>])[] = [
    ['company 1', (revision) => companies.update(1, { name: `Name ${revision}`, revision })],
    ['application "a"', (revision) => applications.update(1, 'a', { name: `Name ${revision}`, revision })],
    ['application "a"', (revision) => applications.replaceKey(1, 'a', undefined, revision)],
    ['version "1.0"', (revision) => versions.update(1, 'a', '1_0', { development: true, revision })],
    ['provider "idp"', (revision) => providers.update(1, 'a', 'idp', { scopes: 'openid', revision })],
    ['provider "idp"', (revision) => providers.remove(1, 'a', 'idp', revision)],
    ['client "c"', (revision) => clients.update(1, 'a', 'idp', 'c', { secretSealed: 'sealed', revision })],
    ['client "c"', (revision) => clients.remove(1, 'a', 'idp', 'c', revision)],
  ];
  for (const [what, change] of changes) {
    await assert.rejects(change(99), (error: unknown) => {
      assert.ok(error instanceof ServiceError, String(error));
      assert.equal(error.reason, 130);
      assert.equal(error.details.status, 409);
      assert.ok(error.message.includes(`${what} was changed by someone else`), error.message);
      return true;
    });
  }
  assert.equal((await companies.find(1))?.revision, 1);
  assert.equal((await applications.find(1, 'a'))?.revision, 1);
  assert.equal((await versions.find(1, 'a', '1.0'))?.revision, 1);
  assert.equal((await providers.find(1, 'a', 'idp'))?.revision, 1);
  assert.equal((await clients.find(1, 'a', 'idp', 'c'))?.revision, 1);
});

test('of twenty simultaneous changes based on one revision, exactly one succeeds', async (t) => {
  const { companies, applications } = (await scratch(t)).directory;
  await applications.create({ companyId: 1, appId: 'a' });
  const attempts = Array.from({ length: 20 }, (_, number) => `Name ${number}`);
  for (const change of [
    (name: string): Promise<{ readonly revision: number }> => companies.update(1, { name, revision: 1 }),
    (name: string): Promise<{ readonly revision: number }> => applications.update(1, 'a', { name, revision: 1 }),
  ]) {
    const outcomes = await Promise.allSettled(attempts.map(change));
    const done = outcomes.filter((outcome) => outcome.status === 'fulfilled');
    assert.equal(done.length, 1);
    assert.equal(done[0]?.value.revision, 2);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') assert.equal(outcome.reason.details.status, 409, String(outcome.reason));
    }
  }
});

test('the groups of an application are replaced as a whole, with its revision', async (t) => {
  const { applications } = (await scratch(t)).directory;
  await applications.create({ companyId: 1, appId: 'a', groupIds: [1] });
  const changed = await applications.update(1, 'a', { groupIds: [2], revision: 1 });
  assert.deepEqual((await applications.find(1, 'a'))?.groupIds, [2]);
  await refused(applications.update(1, 'a', { groupIds: [1, 3] }), 130, 'no group 3 in company 1');
  assert.deepEqual((await applications.find(1, 'a'))?.groupIds, [2]);
  await applications.update(1, 'a', { accountPolicy: 'create', defaultGroupId: 2, defaultRoleId: 5 });
  await refused(applications.update(1, 'a', { groupIds: [1] }), 'malformed', 'group 2, into which new accounts come');
  await applications.update(1, 'a', { groupIds: [] });
  assert.deepEqual((await applications.find(1, 'a'))?.groupIds, []);
  assert.equal((await applications.find(1, 'a'))?.revision, changed.revision + 2);
});

test('origins are those of browsers and apps, without a path', async (t) => {
  const { applications } = (await scratch(t)).directory;
  await applications.create({ companyId: 1, appId: 'a' });
  const corsOrigins = ['https://app.example.com', 'http://localhost:3000', 'capacitor://localhost'];
  assert.deepEqual((await applications.update(1, 'a', { corsOrigins })).corsOrigins, corsOrigins);
  for (const origin of [
    '*',
    'null',
    '',
    'https://a.example.com/',
    'https://a.example.com/x',
    'a.example.com',
    'https://A.example.com',
    'https://a b',
  ]) {
    await refused(applications.update(1, 'a', { corsOrigins: [origin] }), 'malformed', 'corsOrigins');
  }
  assert.deepEqual((await applications.find(1, 'a'))?.corsOrigins, corsOrigins);
});

test('a provider is removed with its clients, and two issuers never share a redirect address', async (t) => {
  const { applications, providers, clients } = (await scratch(t)).directory;
  await applications.create({ companyId: 1, appId: 'a' });
  const made = await providers.create({ companyId: 1, appId: 'a', name: 'idp', issuer });
  assert.deepEqual([made.scopes, made.accountPolicy, made.revision], ['openid email', null, 1]);
  await refused(
    providers.create({ companyId: 1, appId: 'a', name: 'idp', issuer }),
    'malformed',
    'there is already a provider "idp"',
  );
  await refused(providers.create({ companyId: 1, appId: 'b', name: 'idp', issuer }), 105, '"b"');
  await clients.create(client);
  await clients.create({ ...client, providerName: 'same', newProvider: { issuer } });
  const other = 'https://other.example.com';
  await refused(
    providers.update(1, 'a', 'same', { issuer: other }),
    'malformed',
    'provider "idp" already has this address',
  );
  await providers.remove(1, 'a', 'idp', 1);
  assert.deepEqual(
    (await clients.list(1, 'a')).map(({ providerName }) => providerName),
    ['same'],
  );
  assert.equal((await providers.update(1, 'a', 'same', { issuer: other })).issuer, other);
  await refused(providers.remove(1, 'a', 'idp'), 130, 'no provider "idp"');
});
