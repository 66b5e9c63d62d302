/**
 * How often one PUT of the administration reads the directory: at most three times, apart from authenticating the
 * session.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { operationsOf } from '../../src/http/api/operations.ts';
import { type AdminWorld, type Asked, openAdminWorld, type Who } from './world.ts';

const readsMax = 3;

const shop = { companyId: 1, appId: 'shop' };
const provider = { ...shop, provider: 'idp' };
const client = { ...provider, clientId: 'web' };
const password = 'a password that nobody guesses';

let issuers = 0;

interface Put {
  readonly name: string;
  readonly who: readonly Who[];
  readonly ask: (world: AdminWorld) => Asked;
}

const puts: readonly Put[] = [
  { name: 'updateCompany', who: ['root', 'superAdmin'], ask: () => ({ params: shop, body: { name: 'Uno' } }) },
  {
    name: 'updateApplication',
    who: ['root', 'superAdmin'],
    ask: ({ north: groupId }) => {
      const groups = { groupIds: [groupId], defaultGroupId: groupId, defaultRoleId: 5 };
      return { params: shop, body: { name: 'Shop', accountPolicy: 'create', localAccounts: false, ...groups } };
    },
  },
  { name: 'updateApplication', who: ['appAdmin'], ask: () => ({ params: shop, body: { name: 'Shop' } }) },
  {
    name: 'updateVersion',
    who: ['root', 'superAdmin', 'appAdmin'],
    ask: () => ({ params: { ...shop, version: '1_0' }, body: { development: false } }),
  },
  {
    name: 'updateProvider',
    who: ['root', 'superAdmin'],
    ask: ({ north: group }) => {
      const claimMapping = { claims: ['groups'], values: { sellers: [{ group, role: 5 }] } };
      return { params: provider, body: { issuer: `https://idp${++issuers}.example.com`, claimMapping } };
    },
  },
  {
    name: 'updateClient',
    who: ['root', 'superAdmin'],
    ask: () => ({ params: client, body: { redirectUri: 'https://app.example.com/back', secret: 'a secret' } }),
  },
  {
    name: 'updateGroup',
    who: ['root', 'superAdmin'],
    ask: ({ north: groupId }) => ({ params: { ...shop, groupId }, body: { name: 'Nord', description: 'Cold.' } }),
  },
  {
    name: 'updateRole',
    who: ['root', 'superAdmin'],
    ask: ({ customRole: roleId }) => ({ params: { ...shop, roleId }, body: { name: 'Judge', permissions: [] } }),
  },
  {
    name: 'updateUser',
    who: ['root', 'superAdmin', 'admin'],
    ask: (world) => {
      const memberships = [{ groupId: world.north, roleId: 5 }];
      const names = { account: 'user', firstName: 'U', email: 'user@example.com' };
      return { params: { ...shop, userId: world.userId('user') }, body: { ...names, password, memberships } };
    },
  },
  { name: 'updateAdministrator', who: ['root'], ask: () => ({ params: { administratorId: 1 }, body: { name: 'R' } }) },
  {
    name: 'setAdministratorPassword',
    who: ['root'],
    ask: () => ({ params: { administratorId: 2 }, body: { password } }),
  },
];

describe('reads of one PUT', { concurrency: false }, () => {
  let world: AdminWorld;
  before(async () => {
    world = await openAdminWorld();
    world.house.secrets.push(password);
    await world.result('root', 'createAdministrator', { body: { account: 'second' } });
    await world.result('root', 'createProvider', {
      params: shop,
      body: { name: 'idp', issuer: 'https://idp.example.com' },
    });
    const body = { clientId: 'web', redirectUri: 'https://app.example.com/' };
    await world.result('root', 'createClient', { params: provider, body });
  });
  after(() => world.close());

  test('every PUT on a resource is covered', () => {
    const all = operationsOf('administration').flatMap(({ method, name }) => (method === 'PUT' ? [name] : []));
    const counted = new Set([...puts.map(({ name }) => name), 'changeOwnPassword']);
    assert.deepEqual([...counted].sort(), all.sort());
  });

  for (const { name, who, ask } of puts) {
    for (const one of who) {
      test(`${name} of ${one}`, async (t) => {
        const asked = ask(world);
        const present = name === 'setAdministratorPassword' ? 'getAdministrator' : name.replace('update', 'get');
        const { revision } = await world.result(one, present, { params: asked.params ?? {} });
        const body = { ...(asked.body as object), revision };
        const read = t.mock.method(world.house.server.storage.directory, 'read');
        await world.result(one, name, { ...asked, body });
        const statements = read.mock.calls.map((call) => call.arguments[0].compile().sql);
        assert.ok(statements.length > 0 && statements.length <= readsMax, statements.join('\n'));
      });
    }
  }
});
