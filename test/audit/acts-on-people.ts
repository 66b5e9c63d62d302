/** Acts on groups, roles, users, their sessions and devices, and on administrators. */
import { type Act, entry, north, one, plainUser, shop } from './act.ts';
import { newPassword, type Subject, type Surfaces } from './surfaces.ts';

const groups: readonly Act[] = [
  {
    name: 'group.create',
    client: ({ name }) => ['POST', '/groups', { groupName: name, description: 'Sells' }],
    admin: ({ name }) => ['createGroup', { params: one, body: { name, description: 'Sells' } }],
    cli: ({ name }) => [`group add --company 1 --name ${name} --description Sells`],
    entry: ({ name }) => entry('group.create', `group "${name}"`, { description: 'Sells' }),
  },
  {
    name: 'group.update',
    make: ({ directory }, name) => directory.groups.create({ companyId: 1, name }),
    client: ({ name, id, revision }) => ['PUT', `/groups/${id}`, { revision, groupName: `${name}-2`, description: '' }],
    admin: ({ name, id: groupId, revision }) => [
      'updateGroup',
      { params: { ...one, groupId }, body: { revision, name: `${name}-2`, description: '' } },
    ],
    cli: ({ name }) => [`group update --company 1 --group ${name} --name ${name}-2 --description=`],
    entry: ({ name, id }) => entry('group.update', `group ${id} "${name}"`, { name: `${name}-2`, description: '' }),
  },
  {
    name: 'group.delete',
    make: ({ directory }, name) => directory.groups.create({ companyId: 1, name }),
    client: ({ id, revision }) => ['DELETE', `/groups/${id}?revision=${revision}`],
    admin: ({ id: groupId, revision }) => ['deleteGroup', { params: { ...one, groupId }, query: { revision } }],
    cli: ({ id }) => [`group delete --company 1 --group ${id}`],
    entry: ({ name, id }) => entry('group.delete', `group ${id} "${name}"`, {}),
  },
];

const reading = { appId: 'shop', table: '*', read: true, add: false, update: false, delete: false };
const makeRole: Act['make'] = async ({ directory }, name) => {
  const { roleId, revision } = await directory.roles.create({ companyId: 1, name, permissions: [] });
  return { id: roleId, revision };
};

const roles: readonly Act[] = [
  {
    name: 'role.create',
    admin: ({ name }) => ['createRole', { params: one, body: { name, description: 'Looks', permissions: [reading] } }],
    cli: ({ name }) => [`role add --company 1 --name ${name} --description Looks --permission shop/*:read`],
    entry: ({ name }) => entry('role.create', `role "${name}"`, { description: 'Looks', permissions: [reading] }),
  },
  {
    name: 'role.update',
    make: makeRole!,
    admin: ({ name, id: roleId, revision }) => {
      const body = { revision, name: `${name}-2`, description: 'Looks', permissions: [reading] };
      return ['updateRole', { params: { ...one, roleId }, body }];
    },
    cli: ({ name }) => [
      `role update --company 1 --role ${name} --name ${name}-2 --description Looks --permission shop/*:read`,
    ],
    entry: ({ name, id }) => {
      const detail = { name: `${name}-2`, description: 'Looks', permissions: [reading] };
      return entry('role.update', `role ${id} "${name}"`, detail);
    },
  },
  {
    name: 'role.delete',
    make: makeRole!,
    admin: ({ id: roleId, revision }) => ['deleteRole', { params: { ...one, roleId }, query: { revision } }],
    cli: ({ id }) => [`role delete --company 1 --role ${id}`],
    entry: ({ name, id }) => entry('role.delete', `role ${id} "${name}"`, {}),
  },
];

const asUser = { groupId: north, roleId: plainUser };
const asManager = { groupId: north, roleId: 4 };
const makeUser: Act['make'] = async ({ directory }, account) => {
  const email = `${account}@example.com`;
  return directory.users.create({ companyId: 1, account, email, memberships: [asUser] });
};
const ofUser = ({ id: userId }: Subject) => ({ ...one, userId });
const sent = (...held: readonly { readonly groupId: number; readonly roleId: number }[]) =>
  held.map(({ groupId, roleId }) => ({ group: { groupId }, role: { roleId } }));
const named = ({ id, name }: Subject) => `user ${id} "${name}"`;
const unchanged = { changed: [], given: [], taken: [], newPassword: false };

function userChange(what: string, client: object, admin: object, line: string, detail: object): Act {
  return {
    name: `user.update, ${what}`,
    make: makeUser!,
    client: ({ id, revision }) => ['PUT', `/users/${id}`, { revision, ...client }],
    admin: (subject) => ['updateUser', { params: ofUser(subject), body: { revision: subject.revision, ...admin } }],
    ...(line === '' ? {} : { cli: ({ name }) => [`user ${line.replace(' ', ` --company 1 --user ${name} `).trim()}`] }),
    entry: (subject) => entry('user.update', named(subject), { ...unchanged, ...detail }),
  };
}

const identity = { issuer: 'https://idp.example.com', subject: 's' };

const users: readonly Act[] = [
  {
    name: 'user.create',
    client: ({ name }) => [
      'POST',
      '/users',
      { account: name, email: `${name}@example.com`, firstName: 'Ann', groupRoleMap: sent(asUser) },
    ],
    admin: ({ name }) => {
      const body = { account: name, email: `${name}@example.com`, firstName: 'Ann', memberships: [asUser] };
      return ['createUser', { params: one, body }];
    },
    cli: ({ name }) => [
      `user add --company 1 --account ${name} --email ${name}@example.com --first-name Ann --group North --role User`,
    ],
    entry: ({ name }) => {
      const detail = { email: `${name}@example.com`, memberships: [asUser], withPassword: false };
      return entry('user.create', `user "${name}"`, detail);
    },
  },
  userChange(
    'columns',
    { email: '', firstName: 'Ann', lastName: '' },
    { email: null, firstName: 'Ann', lastName: '' },
    'update --email= --first-name Ann --last-name=',
    { changed: ['email', 'firstName'] },
  ),
  userChange('disabled', { disabled: true }, { disabled: true }, 'disable ', { changed: ['disabled'] }),
  userChange('enabled', { disabled: false }, { disabled: false }, 'enable ', {}),
  userChange(
    'a role more',
    { groupRoleMap: sent(asUser, asManager) },
    { memberships: [asUser, asManager] },
    'join --group North --role Manager',
    { given: [asManager] },
  ),
  userChange('a role less', { groupRoleMap: [] }, { memberships: [] }, 'leave --group North --role User', {
    taken: [asUser],
  }),
  userChange('every role in a group less', { groupRoleMap: [] }, { memberships: [] }, 'leave --group North', {
    taken: [asUser],
  }),
  userChange('password', { password: newPassword }, { password: newPassword }, '', { newPassword: true }),
  {
    name: 'user.password',
    make: makeUser!,
    cli: ({ name }) => [`user password --company 1 --user ${name}`],
    entry: (subject) => entry('user.password', named(subject), { taken: false }),
  },
  {
    name: 'user.password, taken',
    make: makeUser!,
    cli: ({ name }) => [`user password --company 1 --user ${name} --remove`],
    entry: (subject) => entry('user.password', named(subject), { taken: true }),
  },
  {
    name: 'user.relink',
    async make(surfaces, name) {
      const made = await makeUser!(surfaces, name);
      await surfaces.directory.users.linkIdentity(made.id!, { ...identity, subject: name });
      return made;
    },
    admin: (subject) => {
      const body = { revision: subject.revision, issuer: identity.issuer };
      return ['relinkUser', { params: ofUser(subject), body }];
    },
    cli: ({ name }) => [`user relink --company 1 --user ${name} --issuer ${identity.issuer}`],
    entry: (subject) => entry('user.relink', named(subject), { ...identity, subject: subject.name }),
  },
  {
    name: 'user.delete',
    make: makeUser!,
    client: ({ id, revision }) => ['DELETE', `/users/${id}?revision=${revision}`],
    admin: (subject) => ['deleteUser', { params: ofUser(subject), query: { revision: subject.revision } }],
    cli: ({ name }) => [`user delete --company 1 --user ${name}`],
    entry: (subject) => {
      const held = { ...asUser, groupName: 'North', roleName: 'User' };
      return entry('user.delete', named(subject), { memberships: [held] });
    },
  },
];

const makeSession: Act['make'] = async (surfaces, name) => {
  const { id } = await makeUser!(surfaces, name);
  return { id: id!, more: { sessionId: (await surfaces.session(id!, name)).sessionId } };
};
/** Of the client's own. */
const makeOwnSession: Act['make'] = async (surfaces, name) => ({
  id: surfaces.client.id,
  more: await surfaces.session(surfaces.client.id, name),
});

const sessions: readonly Act[] = [
  {
    name: 'session.revoke, one of a user',
    make: makeSession!,
    admin: ({ more }) => ['endUserSession', { params: { ...one, sessionId: more.sessionId } }],
    cli: ({ more }) => [`session revoke --company 1 --session ${more.sessionId}`],
    entry: ({ more }) => entry('session.revoke', `session ${more.sessionId}`, { ...one, sessionId: more.sessionId }),
  },
  {
    name: 'session.revoke, all of a user',
    make: makeSession!,
    admin: ({ id: userId }) => ['endUserSessions', { params: one, body: { userId } }],
    cli: ({ name }) => [`session revoke --company 1 --user ${name}`],
    entry: ({ id: userId }) => entry('session.revoke', `sessions of user ${userId}`, { ...one, userId }),
  },
  {
    name: 'session.revoke, one of the own',
    make: makeOwnSession!,
    client: ({ more }) => ['DELETE', `/auth/sessions/${more.sessionId}`],
    entry: ({ id: userId, more: { sessionId } }) =>
      entry('session.revoke', `session ${sessionId}`, { ...one, userId, sessionId }),
  },
  {
    name: 'session.end',
    make: makeOwnSession!,
    client: () => ['POST', '/auth/logout'],
    entry: ({ id: userId, more: { sessionId } }) =>
      entry('session.end', `session ${sessionId}`, { ...one, userId, sessionId }),
  },
  {
    name: 'device.delete',
    async make({ world }, udid) {
      const db = world.house.server.storage.directory;
      const device = { company_id: 1, app_id: 'shop', udid, created: 1, updated: 2 };
      const [written] = await db.write([db.build.insertInto('device').values(device).returning('id')]);
      return { id: Number(written?.rows[0]?.id) };
    },
    admin: ({ id: deviceId }) => ['forgetDevice', { params: { ...shop, deviceId } }],
    entry: ({ name, id }) => entry('device.delete', `device ${id} "${name}" of application "shop"`, {}, 'shop'),
  },
];

const ofAdministrator = ({ id: administratorId }: Subject) => ({ administratorId });

async function makeAdministrator({ world }: Surfaces, account: string, more: object = {}): Promise<Partial<Subject>> {
  const db = world.house.server.storage.directory;
  const insert = db.build.insertInto('administrator').values({ account, name: '', created: 1, ...more });
  const [written] = await db.write([insert.returning('id')]);
  return { id: Number(written?.rows[0]?.id) };
}

/** Of no company. */
const administratorEntry = (action: string, detail: object) => (subject: Subject) => ({
  ...entry(`administrator.${action}`, `administrator "${subject.name}"`, { id: subject.id, ...detail }),
  companyId: null,
});

const administrators: readonly Act[] = [
  {
    name: 'administrator.create',
    admin: ({ name }) => [
      'createAdministrator',
      { body: { account: name, email: `${name}@example.com`, password: newPassword } },
    ],
    cli: ({ name }) => [`administrator add --account ${name} --email ${name}@example.com`],
    entry: ({ name }) => {
      const detail = { email: `${name}@example.com`, withPassword: true };
      return { ...entry('administrator.create', `administrator "${name}"`, detail), companyId: null };
    },
  },
  {
    name: 'administrator.update',
    make: makeAdministrator,
    admin: (subject) => [
      'updateAdministrator',
      { params: ofAdministrator(subject), body: { revision: 1, account: `${subject.name}-2`, email: null } },
    ],
    entry: (subject) => administratorEntry('update', { account: `${subject.name}-2` })(subject),
  },
  ...([true, false] as const).map((disabled): Act => {
    const word = disabled ? 'disable' : 'enable';
    return {
      name: `administrator.${word}`,
      make: (surfaces, account) => makeAdministrator(surfaces, account, { disabled: Number(!disabled) }),
      admin: (subject) => [
        'updateAdministrator',
        { params: ofAdministrator(subject), body: { revision: 1, disabled } },
      ],
      cli: ({ name }) => [`administrator ${word} --account ${name}`],
      entry: administratorEntry(word, {}),
    };
  }),
  {
    name: 'administrator.password',
    make: makeAdministrator,
    admin: (subject) => [
      'setAdministratorPassword',
      { params: ofAdministrator(subject), body: { revision: 1, password: newPassword } },
    ],
    cli: ({ name }) => [`administrator password --account ${name}`],
    entry: administratorEntry('password', {}),
  },
  {
    name: 'administrator.password, the own',
    admin: () => ['changeOwnPassword', { body: { current: 'a password for the tests', password: newPassword } }],
    entry: () => administratorEntry('password', {})({ name: 'root', id: 1, revision: 1, more: {} }),
  },
  {
    name: 'administrator.relink',
    make: (surfaces, account) =>
      makeAdministrator(surfaces, account, { email: `${account}@example.com`, ...identity, subject: account }),
    admin: (subject) => ['relinkAdministrator', { params: ofAdministrator(subject), body: { revision: 1 } }],
    cli: ({ name }) => [`administrator relink --account ${name}`],
    entry: administratorEntry('relink', {}),
  },
];

/** Runs last, because it ends the session that the others use. */
const everywhere: Act = {
  name: 'session.end, everywhere',
  make: makeOwnSession!,
  client: () => ['POST', '/auth/logout/everywhere'],
  entry: ({ id: userId }) => entry('session.end', `sessions of user ${userId}`, { ...one, userId }),
};

export const peopleActs: readonly Act[] = [...groups, ...roles, ...users, ...sessions, ...administrators, everywhere];
