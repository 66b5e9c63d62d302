/** Users of a company, the roles that they hold (docs/reference/roles.md#roles-in-groups), and who they are at providers. */
import Type, { type Static } from 'typebox';
import { user } from '../../entities/people.ts';
import { administrationOperations, clientOperations, faults } from '../../operations/define.ts';
import { operationsOn } from '../../operations/entities.ts';
import {
  basedOn,
  companyId,
  envelope,
  listQuery,
  ofCompany,
  oneOf,
  optional,
  optionalRevision,
  pageQuery,
  requiredText,
  secretText,
  text,
  whole,
} from '../../operations/shapes.ts';

const groupId = Type.Integer({ description: 'Group id.', minimum: 1 });

const held = Type.Array(
  Type.Object({
    group: Type.Object({ groupId, groupName: text('Name of the group.') }),
    role: Type.Object({ roleId: Type.Integer({ description: 'Role id.' }), roleName: text('Name of the role.') }),
  }),
  { description: 'One item for each role that the user holds in a group.' },
);

const clientUser = Type.Object({
  userId: Type.Integer({ description: 'User id.' }),
  account: text('Account name, unique in the company without regard to case.'),
  email: Type.Union([Type.String(), Type.Null()], { description: 'E-mail address, unique in the company.' }),
  firstName: text('Given name.'),
  lastName: text('Family name.'),
  disabled: Type.Boolean({ description: 'A disabled user loses all sessions and cannot sign in.' }),
  revision: Type.Integer({ description: 'Incremented by every change.' }),
  groupRoleMap: held,
});

const groupRoleMap = optional(
  Type.Array(
    Type.Object({
      group: Type.Object({ groupId }),
      role: optional(
        Type.Object({
          roleId: optional(Type.Integer({ description: 'Role id; takes precedence over the name.' })),
          roleName: optional(text('Name of the role, without regard to case and spaces.')),
        }),
      ),
    }),
    {
      description:
        "The user's roles in groups, complete, one item each. An item without a role keeps the roles held in the group.",
    },
  ),
);
export type GroupRoleMap = Static<typeof groupRoleMap>;

const columns = {
  email: optional(text('E-mail address; an empty one removes it.')),
  firstName: optional(text('Given name.')),
  lastName: optional(text('Family name.')),
  password: optional(secretText('Password for applications with local accounts; an empty one changes nothing.')),
  groupRoleMap,
};

const id = (what: string) => whole(`Id of the ${what}.`, { minimum: 1 });
const ofUser = Type.Object({ companyId, userId: id('user') });

const membership = Type.Object({
  groupId: whole('Group.'),
  groupName: text('Its name.'),
  roleId: whole('Role held there.'),
  roleName: text('Its name.'),
});

const { adding, changing, filters, list, read, add, change, remove, one } = operationsOn(user, {
  memberships: Type.Array(membership, { description: 'All roles of the user, by group.' }),
});
const groupRole = Type.Object({ groupId: id('group'), roleId: id('role') });

const further = {
  password: optional(secretText('Password, for applications with local accounts.')),
  memberships: optional(Type.Array(groupRole, { description: 'The complete list of roles, by group.' })),
};
const { account, disabled, ...changed } = changing;

const identity = Type.Object({
  issuer: text('Issuer of the identity provider.'),
  subject: text('Identifies the user there: the claim `sub`.'),
  createTime: text('When it was linked. ISO 8601 with offset.'),
});

export const clientUserOperations = clientOperations({ tag: 'users' })({
  listUsers: {
    method: 'GET',
    path: '/users',
    summary: 'The users that the caller may see',
    permission: 'user.read',
    query: Type.Object({
      groupId: optional(Type.Integer({ description: 'Users of this group only.' })),
      ...pageQuery,
    }),
    answer: envelope({
      users: Type.Array(clientUser),
      count: Type.Integer({ description: 'The total number.' }),
    }),
    codes: [0, 110, 120, 121, 122, 131],
    faults: faults.list,
  },
  getUser: {
    method: 'GET',
    path: '/users/:id',
    summary: 'One user',
    permission: 'user.read',
    answer: envelope({ user: clientUser }),
    codes: [0, 110, 120, 121, 122, 130, 131],
    faults: faults.list,
  },
  createUser: {
    method: 'POST',
    path: '/users',
    summary: 'Add a user',
    permission: 'user.create',
    body: Type.Object({
      account: requiredText('Account name, unique in the company without regard to case.'),
      ...columns,
    }),
    answer: envelope({ user: clientUser }),
    codes: [0, 110, 120, 121, 122, 130, 131],
  },
  updateUser: {
    method: 'PUT',
    path: '/users/:id',
    summary: 'Change the given members of a user',
    permission: 'user.rename',
    body: Type.Object({
      account: optional(text('Account name, unique in the company without regard to case.')),
      ...columns,
      disabled: optional(Type.Boolean({ description: 'A disabled user loses all sessions and cannot sign in.' })),
      revision: optionalRevision,
    }),
    answer: envelope({ user: clientUser }),
    codes: [0, 110, 120, 121, 122, 130, 131],
  },
  deleteUser: {
    method: 'DELETE',
    path: '/users/:id',
    summary: 'Remove a user, with sessions and roles; records stay',
    permission: 'user.delete',
    query: Type.Object({ revision: optionalRevision }),
    answer: envelope({}),
    codes: [0, 110, 120, 121, 122, 130, 131],
  },
});

export const userOperations = administrationOperations({ tag: 'users', params: ofUser })({
  listUsers: {
    ...list({
      path: '/companies/:companyId/users',
      summary: 'The users of a company that the caller may see',
      permission: 'user.read',
      params: ofCompany,
    }),
    query: listQuery({ groupId: optional(whole('Only users of this group.', { minimum: 1 })), ...filters }),
  },
  createUser: add({
    path: '/companies/:companyId/users',
    summary: 'Add a user, with roles',
    permission: 'user.create',
    params: ofCompany,
    body: Type.Object({ ...adding, ...further }),
  }),
  getUser: read({
    path: '/companies/:companyId/users/:userId',
    summary: 'One user, with all roles',
    permission: 'user.read',
  }),
  updateUser: change({
    path: '/companies/:companyId/users/:userId',
    summary:
      'Change a user. Roles need `membership.change`, all else except the names `user.update`. A new password ends every session',
    permission: 'user.rename',
    body: Type.Object({ revision: basedOn, account, disabled, ...changed, ...further }),
  }),
  deleteUser: remove({
    path: '/companies/:companyId/users/:userId',
    summary: 'Remove a user; the sessions end, the records stay',
    permission: 'user.delete',
  }),
  listUserIdentities: {
    method: 'GET',
    path: '/companies/:companyId/users/:userId/identities',
    summary: 'The identities at providers that are linked to a user',
    permission: 'identity.read',
    answer: oneOf(Type.Array(identity)),
  },
  relinkUser: {
    method: 'POST',
    path: '/companies/:companyId/users/:userId/relink',
    summary:
      "Remove the user's identity at an issuer and end the sessions: the next sign-in there with the user's verified e-mail address is linked",
    permission: 'identity.change',
    body: Type.Object({ revision: basedOn, issuer: requiredText('The issuer, from the list of identities.') }),
    answer: oneOf(one),
  },
});
