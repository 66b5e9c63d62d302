/**
 * Groups, roles and names from a provider's claims: what is read, what a sign-in adds and removes, and who may sign in.
 */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, beforeEach, describe, test } from 'node:test';
import { claimsOf } from '../../src/auth/oidc/claims.ts';
import { noClaimMapping } from '../../src/directory/claim-mapping.ts';
import { joinGroup } from '../harness/memberships.ts';
import { type MadeUpProvider, startMadeUpProvider } from './made-up-provider.ts';
import { type AuthWorld, addClient, clientId, loginBody, openWorld, path, refusal } from './world.ts';

let world: AuthWorld;
let provider: MadeUpProvider;
let token: string;

before(async () => {
  world = await openWorld();
  provider = await startMadeUpProvider(nonceOfFlow, clientId);
  await addClient(world, provider.issuer, 'client-secret');
  await world.directory.roles.create({ companyId: 1, name: 'Auditor', permissions: [] });
});
after(async () => {
  await provider.close();
  await world.close();
});
beforeEach(async () => {
  provider.reset();
  await configure({ claimMapping: {}, accountPolicy: null });
});

const configure = (changes: object) => world.directory.providers.update(1, 'notes', 'idp', changes);

async function nonceOfFlow(): Promise<string> {
  const flows = world.db.build.selectFrom('login_flow').select('nonce').where('token_hash', '=', hash('sha256', token));
  return (await world.db.read(flows))[0]?.nonce ?? '';
}

/** A sign-in with these claims from the provider. */
async function signIn(claims: Record<string, unknown>) {
  provider.answers.claims = (own) => ({ ...own, ...claims });
  provider.answers.userInfo = { sub: claims.sub ?? 'alice', email: `${claims.sub}@example.com`, email_verified: false };
  token = await world.anonymous();
  await world.auth.authenticate(path, 'idp', { authToken: token, clientId });
  const { groupsAndRoles, ...info } = await world.auth.login(path, 'idp', token, loginBody(token, 'any-code'));
  return { ...info, roles: groupsAndRoles.map(({ groupName, roleName }) => `${groupName} ${roleName}`) };
}

const mapping = {
  claims: ['groups', 'realm_access.roles'],
  values: {
    sales: { group: 'Sales' },
    '/staff/other': [{ group: 'Other', role: 'Manager' }, { group: 2 }],
    auditors: { group: '1', role: 'Auditor' },
  },
  names: { account: 'preferred_username', given: 'first', family: 'profile.last' },
};

describe('a claim mapping', () => {
  test('is stored with ids, however groups and roles were named', async () => {
    const { claimMapping } = await configure({ claimMapping: mapping });
    assert.deepEqual(claimMapping, {
      claims: ['groups', 'realm_access.roles'],
      values: {
        sales: [{ group: 1 }],
        '/staff/other': [{ group: 2, role: 4 }, { group: 2 }],
        auditors: [{ group: 1, role: 100 }],
      },
      defaultRole: 5,
      keepInStep: true,
      names: { account: 'preferred_username', given: 'first', family: 'profile.last' },
    });
    const [listed] = await world.directory.clients.list(1, 'notes');
    assert.deepEqual(listed?.claimMapping, claimMapping);
    assert.deepEqual((await configure({ claimMapping })).claimMapping, claimMapping, 'what is shown can be set');
  });

  const wrong: Record<string, [mapping: unknown, field: RegExp]> = {
    'no JSON': ['{claims', /^claimMapping: expected a JSON object/],
    'a list': [[], /^claimMapping: /],
    'another field': [{ claim: 'groups' }, /^claimMapping: expected claims, values.*got "claim"/],
    'a claim that is no path': [{ claims: ['groups', 'a..b'] }, /^claimMapping\.claims\[1\]: .*got "a\.\.b"/],
    'a claim that is a number': [{ claims: [7] }, /^claimMapping\.claims\[0\]: .*got 7/],
    'too many claims': [{ claims: Array.from({ length: 9 }, (_, index) => `c${index}`) }, /at most 8 claims/],
    'values without a claim': [{ values: { a: { group: 1 } } }, /^claimMapping\.claims: expected at least one/],
    'a group of nobody': [
      { claims: ['g'], values: { a: { group: 99 } } },
      /^claimMapping\.values\["a"\]\.group: .*got 99/,
    ],
    'no group': [{ claims: ['g'], values: { a: { role: 5 } } }, /^claimMapping\.values\["a"\]\.group: /],
    'an unknown role': [{ claims: ['g'], values: { a: { group: 1, role: 'King' } } }, /\["a"\]\.role: .*got "King"/],
    'an empty list': [{ claims: ['g'], values: { a: [] } }, /^claimMapping\.values\["a"\]: expected 1 to 20/],
    'an empty value': [{ claims: ['g'], values: { '': { group: 1 } } }, /^claimMapping\.values\[""\]: /],
    'too long a value': [{ claims: ['g'], values: { [`${'x'.repeat(301)}`]: { group: 1 } } }, /1 to 300 characters/],
    'too many values': [
      { claims: ['g'], values: Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [`v${n}`, { group: 1 }])) },
      /^claimMapping\.values: expected at most 1000 values, got 1001/,
    ],
    'an unknown default role': [{ defaultRole: 77 }, /^claimMapping\.defaultRole: .*got 77/],
    'no flag': [{ keepInStep: 'yes' }, /^claimMapping\.keepInStep: .*got "yes"/],
    'an unknown name': [{ names: { nick: 'x' } }, /^claimMapping\.names: expected given, family.*got "nick"/],
    'a name that is no path': [{ names: { given: '' } }, /^claimMapping\.names\.given: .*got ""/],
  };
  for (const [what, [given, field]] of Object.entries(wrong)) {
    test(`is refused: ${what}`, async () => {
      await assert.rejects(configure({ claimMapping: given }), (error: Error) => {
        assert.match(error.message, field);
        return refusal('malformed')(error);
      });
    });
  }

  test('of another company cannot be named', async () => {
    const foreign = await world.directory.groups.create({ companyId: 2, name: 'Foreign' });
    for (const group of [foreign.id, 'Foreign']) {
      await assert.rejects(
        configure({ claimMapping: { claims: ['g'], values: { a: { group } } } }),
        refusal('malformed'),
      );
    }
  });
});

describe('what is read from claims', () => {
  const read = (claims: object, names = {}, claimPaths: string[] = ['groups']) => {
    const values = { a: [{ group: 1 }], b: [{ group: 2, role: 6 }], constructor: [{ group: 3 }] };
    return claimsOf(
      { iss: 'https://i.example', sub: 's', ...claims },
      { ...noClaimMapping, claims: claimPaths, values, names },
    );
  };
  const groupsOf = (claims: object, ...paths: string[]) =>
    read(claims, {}, paths).memberships.map(({ groupId, roleId }) => `${groupId}:${roleId}`);

  test('groups are in an array or in a text separated by spaces, at a dotted path', () => {
    assert.deepEqual(groupsOf({ groups: ['b', 'a', 'a', 'c'] }, 'groups'), ['2:6', '1:5']);
    assert.deepEqual(groupsOf({ groups: 'a  b' }, 'groups'), ['1:5', '2:6']);
    assert.deepEqual(groupsOf({ realm: { app: { roles: ['a'] } } }, 'realm.app.roles'), ['1:5']);
    assert.deepEqual(groupsOf({ 'https://x.example/groups': ['a'] }, 'https://x.example/groups'), ['1:5']);
    assert.deepEqual(groupsOf({ access: { 'my.app': { roles: 'b' } } }, 'access.my.app.roles'), ['2:6']);
    assert.deepEqual(groupsOf({ groups: ['a'], roles: 'b' }, 'groups', 'roles'), ['1:5', '2:6']);
  });

  test('anything else lists nothing', () => {
    for (const groups of [undefined, null, 1, true, {}, { a: 'a' }, [], [['a']], [{ a: 1 }, null, 1], '', 'A', 'a,b']) {
      assert.deepEqual(groupsOf({ groups }, 'groups'), [], JSON.stringify(groups));
    }
    assert.deepEqual(groupsOf({ groups: 'a' }, 'groups.length', 'groups.0', 'constructor.name', '__proto__'), []);
    assert.deepEqual(groupsOf({ groups: ['toString', '__proto__', 'constructor'] }, 'groups'), ['3:5']);
  });

  test('claims that the provider offers at another address are reported', () => {
    const overage = { _claim_names: { groups: 'src1' }, _claim_sources: { src1: { endpoint: 'https://g.example' } } };
    assert.deepEqual(read(overage).elsewhere, ['groups']);
    assert.deepEqual(read({ groups: ['a'] }).elsewhere, []);
  });

  test('an e-mail counts when it is verified and cannot be mistaken for another mailbox', () => {
    const email = (claims: object, names = {}) => read(claims, names).verifiedEmail;
    assert.equal(email({ email: 'Ann@Example.com', email_verified: true }), 'ann@example.com');
    assert.equal(
      email({ upn: 'ann@example.com', xms_edov: 'true' }, { email: 'upn', emailVerified: 'xms_edov' }),
      'ann@example.com',
    );
    assert.equal(
      email({ upn: 'ann@example.com', email_verified: true }, { email: 'upn', emailVerified: 'xms_edov' }),
      null,
    );
    assert.equal(email({ email: 'ann@example.com', email_verified: 1 }), null);
    assert.equal(email({ email: 'ann@example.com', xms_edov: 1 }, { emailVerified: 'xms_edov' }), 'ann@example.com');
    assert.equal(email({ email: 'ann@example.com', xms_edov: 0 }, { emailVerified: 'xms_edov' }), null);
    for (const strange of [
      'mar\u212a@example.com',
      'a@b@c',
      'nobody',
      '',
      ' a@b ',
      `${'x'.repeat(250)}@b.example`,
      7,
      null,
      ['a@b'],
    ]) {
      assert.equal(email({ email: strange, email_verified: true }), null, String(strange));
    }
  });
});

describe('a sign-in', () => {
  const dora = { sub: 'dora', preferred_username: 'dora', first: 'Dora', profile: { last: 'Dean' } };
  const auditOf = async (action: string): Promise<Record<string, unknown>[]> => {
    const rows = await world.db.read(world.db.build.selectFrom('audit').selectAll().where('action', '=', action));
    return rows.map(({ outcome, detail }) => ({ outcome, ...JSON.parse(detail) }));
  };

  test('creates an account in the groups of the claims, and keeps it up to date', async () => {
    await configure({ claimMapping: mapping, accountPolicy: 'create' });
    const first = await signIn({ ...dora, groups: ['sales', 'unknown'] });
    assert.deepEqual(first.userInfo, { account: 'dora', fistName: 'Dora', lastName: 'Dean' });
    assert.deepEqual(first.roles, ['Sales User']);
    const more = await signIn({ ...dora, groups: 'sales auditors', realm_access: { roles: ['/staff/other'] } });
    assert.deepEqual(more.roles, ['Sales User', 'Sales Auditor', 'Other Manager', 'Other User']);
    assert.equal(more.userId, first.userId);
    await joinGroup(world.directory.users, first.userId, { groupId: 2, roleId: 6 });
    await joinGroup(world.directory.users, first.userId, { groupId: 1, roleId: 5, source: '' });
    const less = await signIn({ ...dora, first: 'Dorothea', groups: ['auditors'] });
    assert.deepEqual(less.roles, ['Sales User', 'Sales Auditor', 'Other Developer'], 'what is given by hand stays');
    assert.equal(less.userInfo.fistName, 'Dorothea');
    assert.deepEqual(
      (await auditOf('user.create')).map(({ provider }) => provider),
      ['idp'],
    );
    assert.deepEqual((await auditOf('user.claims')).at(-1), {
      outcome: 'done',
      provider: 'idp',
      given: [],
      taken: [
        { groupId: 2, roleId: 4 },
        { groupId: 2, roleId: 5 },
      ],
      renamed: true,
    });
    const before = (await auditOf('user.claims')).length;
    await signIn({ ...dora, first: 'Dorothea', groups: ['auditors'] });
    assert.equal((await auditOf('user.claims')).length, before, 'nothing changed, nothing is written');
  });

  test('changes the revision with the roles, so that changes checked against the former roles fail', async () => {
    await configure({ claimMapping: mapping, accountPolicy: 'create' });
    const { userId } = await signIn({ sub: 'ira', groups: ['sales'] });
    const revisionOf = async () => (await world.directory.users.find(1, userId))?.revision ?? 0;
    const judged = await revisionOf();
    await signIn({ sub: 'ira', groups: ['sales'] });
    assert.equal(await revisionOf(), judged, 'nothing changed');
    await signIn({ sub: 'ira', groups: ['sales', '/staff/other'] });
    const change = world.directory.users.update(1, userId, { firstName: 'Ira', revision: judged });
    await assert.rejects(change, refusal(130));
  });

  test('keeps the last Super Admin of a company, and removes the role once there is another one', async () => {
    const values = { bosses: [{ group: 1, role: 2 }], heads: [{ group: 2, role: 2 }], sales: [{ group: 1, role: 4 }] };
    await configure({ claimMapping: { claims: ['groups'], values }, accountPolicy: 'create' });
    const before = (await auditOf('user.claims')).length;
    const { userId } = await signIn({ sub: 'zoe', groups: ['bosses', 'heads', 'sales'] });
    assert.deepEqual((await signIn({ sub: 'zoe', groups: ['sales'] })).roles, [
      'Sales Super Admin',
      'Other Super Admin',
      'Sales Manager',
    ]);
    assert.equal((await auditOf('user.claims')).length, before, 'nothing was taken');
    assert.deepEqual((await signIn({ sub: 'zoe', groups: ['bosses'] })).roles, ['Sales Super Admin']);
    const other = await world.directory.users.create({
      companyId: 1,
      account: 'yan',
      memberships: [{ groupId: 1, roleId: 2 }],
    });
    assert.deepEqual((await signIn({ sub: 'zoe', groups: ['sales'] })).roles, ['Sales Manager']);
    assert.deepEqual(
      (await world.directory.users.memberships(userId)).map(({ roleId }) => roleId),
      [4],
    );
    await world.db.write([world.db.build.deleteFrom('user').where('id', '=', other.id)]);
  });

  test('of someone who was removed from every group is refused, and removes the groups here too', async () => {
    await configure({ claimMapping: mapping, accountPolicy: 'create' });
    const { userId } = await signIn({ sub: 'emil', groups: ['sales'] });
    await assert.rejects(signIn({ sub: 'emil', groups: [] }), refusal(119));
    assert.deepEqual(await world.directory.users.memberships(userId), []);
    assert.deepEqual((await signIn({ sub: 'emil', groups: ['sales'] })).roles, ['Sales User'], 'and back');
  });

  test('of someone without groups in the claims gives none', async () => {
    await configure({ claimMapping: mapping, accountPolicy: 'create' });
    await signIn({ sub: 'fay', groups: ['sales'] });
    await assert.rejects(signIn({ sub: 'fay', _claim_names: { groups: 'src1' } }), refusal(119));
    assert.ok(world.logged.some((line) => line.includes('does not list the groups')));
  });

  test('only adds if the mapping is not kept in step', async () => {
    await configure({ claimMapping: { ...mapping, keepInStep: false }, accountPolicy: 'create' });
    await signIn({ sub: 'gus', groups: ['sales'] });
    assert.deepEqual((await signIn({ sub: 'gus', groups: ['/staff/other'] })).roles, [
      'Sales User',
      'Other Manager',
      'Other User',
    ]);
    assert.deepEqual((await signIn({ sub: 'gus' })).roles.length, 3);
  });

  test('keeps what another provider gave', async () => {
    await configure({ claimMapping: mapping, accountPolicy: 'create' });
    const { userId } = await signIn({ sub: 'hal', groups: ['sales', '/staff/other'] });
    const other = world.db.build.updateTable('membership').set({ source: 'notes/other' }).where('group_id', '=', 2);
    await world.db.write([other.where('user_id', '=', userId)]);
    assert.deepEqual((await signIn({ sub: 'hal', groups: ['sales'] })).roles, [
      'Sales User',
      'Other Manager',
      'Other User',
    ]);
  });

  test('finds the mapped claims in UserInfo if the ID token has none', async () => {
    await configure({ claimMapping: mapping, accountPolicy: 'create' });
    provider.answers.claims = (own) => ({ ...own, sub: 'ida', email: 'ida@example.com', email_verified: true });
    provider.answers.userInfo = { sub: 'ida', groups: ['sales'], preferred_username: 'ida' };
    token = await world.anonymous();
    await world.auth.authenticate(path, 'idp', { authToken: token, clientId });
    const info = await world.auth.login(path, 'idp', token, loginBody(token, 'any-code'));
    assert.equal(info.userInfo.account, 'ida');
    assert.deepEqual(
      info.groupsAndRoles.map(({ groupName }) => groupName),
      ['Sales'],
    );
  });

  test('applies the policy of the provider before that of the application', async () => {
    const stranger = { sub: 'kim', groups: ['sales'] };
    await configure({ claimMapping: mapping });
    await assert.rejects(signIn(stranger), refusal(119), 'the application refuses');
    await configure({ accountPolicy: 'create' });
    await signIn(stranger);
    const accounts = { accountPolicy: 'create', defaultGroupId: 1, defaultRoleId: 5 } as const;
    await world.directory.applications.update(1, 'notes', accounts);
    await configure({ accountPolicy: 'refuse' });
    await assert.rejects(signIn({ sub: 'lea', groups: ['sales'] }), refusal(119));
    await configure({ accountPolicy: null });
    assert.deepEqual((await signIn({ sub: 'lea', groups: ['/staff/other'] }).catch(() => null))?.roles, undefined);
    assert.equal(
      await world.directory.users.byIdentity(1, provider.issuer, 'lea'),
      null,
      'in no group of the application',
    );
    assert.deepEqual((await signIn({ sub: 'lea' })).roles, ['Sales User'], 'the default where claims give nothing');
    await world.directory.applications.update(1, 'notes', {
      accountPolicy: 'refuse',
      defaultGroupId: null,
      defaultRoleId: null,
    });
  });

  test('names a new account by something that identifies nobody else', async () => {
    await configure({ claimMapping: mapping, accountPolicy: 'create' });
    const host = new URL(provider.issuer).host;
    const nameOf = async (sub: string, account: unknown) =>
      (await signIn({ sub, preferred_username: account, groups: 'sales' })).userInfo.account;
    assert.equal(await nameOf('nan', 'nan'), 'nan');
    assert.equal(await nameOf('other-nan', 'NAN'), `other-nan@${host}`, 'the name is taken');
    assert.equal(await nameOf('digits', '1'), `digits@${host}`, 'it could be taken for an id');
    assert.equal(await nameOf('strange', { $ne: 1 }), `strange@${host}`);
    const long = 'x'.repeat(255);
    assert.equal(await nameOf(long, undefined), `${hash('sha256', long)}@${host}`);
  });

  test('gives a registered person the groups of the claims, and links the identity', async () => {
    await configure({ claimMapping: mapping });
    const bob = { sub: 'bob-at-idp', email: 'bob@example.com', email_verified: true };
    await assert.rejects(signIn({ ...bob, groups: [] }), refusal(119), 'bob is in no group of the application');
    assert.deepEqual((await signIn({ ...bob, groups: ['sales'] })).roles, ['Other User', 'Sales User']);
    await assert.rejects(signIn({ ...bob, groups: [] }), refusal(119));
    assert.equal((await world.directory.users.byIdentity(1, provider.issuer, 'bob-at-idp'))?.account, 'bob');
  });

  test('succeeds when a mapped group or role was removed', async () => {
    await configure({ claimMapping: mapping, accountPolicy: 'create' });
    const gone = { ...mapping, values: { sales: [{ group: 1 }, { group: 4_711 }, { group: 1, role: 4_712 }] } };
    const stored = world.db.build.updateTable('provider').set({ claim_mapping: JSON.stringify(gone) });
    await world.db.write([stored.where('name', '=', 'idp')]);
    for (const _again of [1, 2])
      assert.deepEqual((await signIn({ sub: 'max', groups: 'sales' })).roles, ['Sales User']);
  });
});
