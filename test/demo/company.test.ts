/** The demo's data: exactly what the tutorial names, and left alone when the demo starts again. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { openSeal } from '../../src/auth/seal.ts';
import { demoApp, seedDemo } from '../../src/demo/company.ts';
import { appKeyHash } from '../../src/directory/applications.ts';
import { emptyDirectory, refused } from '../directory/scratch.ts';
import { leaveGroup } from '../harness/memberships.ts';

async function open(t: TestContext) {
  const deps = await emptyDirectory(t);
  const seal = openSeal(deps.settings, deps.environment);
  const seed = (addresses: { issuer?: string; redirectUri?: string; clientSecret?: string } = {}) =>
    seedDemo({
      ...deps,
      seal,
      issuer: 'http://127.0.0.1:4000',
      redirectUri: 'http://127.0.0.1:8080/signed-in',
      clientSecret: 'first secret',
      ...addresses,
    });
  const notes = async (spaceId: number) => {
    const { tables } = await deps.storage.spaces.definition(spaceId);
    return tables
      .get('DemoNote')
      ?.columns.slice(9)
      .map(({ name }) => name);
  };
  return { ...deps, seal, seed, notes };
}

test('an empty folder gets the two companies of the demo', async (t) => {
  const { directory, seed, notes, seal } = await open(t);
  await seed();
  const { users, groups, roles, applications, versions, clients } = directory;
  assert.deepEqual(
    (await groups.list(1)).map(({ id, name }) => [id, name]),
    [
      [1, 'Sales'],
      [2, 'Support'],
    ],
  );
  assert.deepEqual(
    (await groups.list(2)).map(({ id, companyId, name }) => ({ id, companyId, name })),
    [{ id: 3, companyId: 2, name: 'Sales' }],
  );
  const people = [...(await users.list(1)), ...(await users.list(2))];
  assert.deepEqual(
    people.map(({ id, account, email }) => [id, account, email]),
    ['alice', 'bob', 'carol', 'dave'].map((name, index) => [index + 1, name, `${name}@example.com`]),
  );
  const held = await Promise.all(people.map(({ id }) => users.memberships(id)));
  assert.deepEqual(
    held.map((memberships) => memberships.map(({ groupId, roleName }) => `${groupId} ${roleName}`)),
    [['1 Admin', '1 Developer'], ['1 User'], ['2 User'], ['3 User', '3 Developer']],
  );
  assert.deepEqual((await roles.list(1)).at(-1)?.roleId, 100);
  assert.equal((await roles.list(2)).length, 6);
  const spaces = new Set<number>();
  for (const companyId of [1, 2]) {
    const application = await applications.find(companyId, 'sampleApp');
    assert.equal(application?.appKeyHash, appKeyHash('demo-app-key'));
    assert.deepEqual((await applications.find(companyId, 'sampleApp'))?.groupIds, companyId === 1 ? [1, 2] : [3]);
    const version = await versions.find(companyId, 'sampleApp', '1.0.0');
    assert.equal(version?.development, true);
    assert.deepEqual(await notes(version?.spaceId ?? 0), ['title', 'body', 'priority', 'done']);
    spaces.add(version?.spaceId ?? 0);
    const client = await clients.find(companyId, 'sampleApp', 'idp', 'sample-client');
    assert.equal(seal.open(client?.secretSealed ?? ''), 'first secret');
  }
  assert.equal(spaces.size, 2);
});

test('starting again renews the addresses and keeps everything else', async (t) => {
  const { directory, storage, seed, seal } = await open(t);
  await seed();
  await directory.users.update(1, 2, { firstName: 'Robert', disabled: true });
  await directory.groups.create({ companyId: 1, name: 'Own group' });
  await directory.companies.update(1, { name: 'My company' });
  await leaveGroup(directory.users, 1, { groupId: 1, roleId: 6 });
  const before = await storage.spaces.definition(1);
  await seed({ issuer: 'http://127.0.0.1:4001', redirectUri: 'http://127.0.0.1:1/signed-in', clientSecret: 'second' });

  const bob = await directory.users.find(1, 2);
  assert.deepEqual([bob?.firstName, bob?.disabled], ['Robert', true]);
  assert.equal((await directory.groups.list(1)).length, 3);
  assert.equal((await directory.companies.find(1))?.name, 'My company');
  assert.equal((await directory.users.memberships(1)).length, 1);
  assert.equal((await storage.spaces.definition(1)).version, before.version);
  const { providerName, clientId, appId } = demoApp;
  const client = await directory.clients.find(1, appId, providerName, clientId);
  assert.deepEqual(
    [client?.issuer, client?.redirectUri, seal.open(client?.secretSealed ?? '')],
    ['http://127.0.0.1:4001', 'http://127.0.0.1:1/signed-in', 'second'],
  );
});

test("the demo's known key is never added to another company", async (t) => {
  const { directory, seed } = await open(t);
  await directory.companies.create({ id: 2, name: 'A real company' });
  await refused(seed(), 'malformed', "company 2 of this data folder is not the demo's");
  assert.deepEqual(await directory.applications.list(2), []);
  assert.equal(await directory.companies.find(1), null);
});
