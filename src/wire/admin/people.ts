/** Groups, users with the roles that they hold, and roles with what they grant. */
import Type from 'typebox';
import { envelope, nothing, optional, requiredText, secretText, text } from '../shapes.ts';
import { type AdminOperation, adminFaults } from './operation.ts';
import {
  basedOn,
  companyId,
  filter,
  flag,
  listOf,
  listQuery,
  ofCompany,
  oneOf,
  orNullText,
  orNullWhole,
  revision,
  revisionQuery,
  search,
  whole,
} from './shapes.ts';

const id = (what: string) => whole(`Id of the ${what}.`, { minimum: 1 });
const ofGroup = Type.Object({ companyId, groupId: id('group') });
export const ofUser = Type.Object({ companyId, userId: id('user') });
const ofRole = Type.Object({ companyId, roleId: id('role') });

const group = Type.Object({
  id: whole('Group id.'),
  companyId: whole('Company.'),
  name: text('Its name.'),
  description: text('What it is for.'),
  revision,
});

const membership = Type.Object({
  groupId: whole('Group.'),
  groupName: text('Its name.'),
  roleId: whole('Role that is held there.'),
  roleName: text('Its name.'),
});

export const user = Type.Object({
  id: whole('User id.'),
  companyId: whole('Company.'),
  account: text('Account name, unique in the company without regard to case.'),
  email: orNullText('E-mail address, lower case.'),
  firstName: text('Given name.'),
  lastName: text('Family name.'),
  disabled: flag('Whether sign-in and tokens are refused.'),
  hasPassword: flag('Whether a password is stored.'),
  memberships: Type.Array(membership, { description: 'Every role that is held, by group.' }),
  revision,
});

const groupRole = Type.Object({ groupId: id('group'), roleId: id('role') });

const userGiven = {
  email: optional(orNullText('E-mail address.')),
  firstName: optional(text('Given name.')),
  lastName: optional(text('Family name.')),
  password: optional(secretText('Password, for applications with local accounts.')),
  memberships: optional(Type.Array(groupRole, { description: 'Every role that is held afterwards, by group.' })),
};

const right = (what: string) => flag(`Whether it permits ${what}.`);
const permission = Type.Object({
  appId: requiredText('Application.'),
  table: requiredText('Table; `*` stands for every one.'),
  read: right('reading'),
  add: right('adding'),
  update: right('updating'),
  delete: right('deleting'),
});

const role = Type.Object({
  roleId: whole('Role id: built-in ones from 1 to 6, custom ones from 100.'),
  roleName: text('Its name.'),
  description: text('What it is for.'),
  companyId: orNullWhole('Company; null for a built-in role.'),
  unrestricted: flag(
    'Whether it grants everything on every table: built-in roles do, and custom ones that were made without permissions before these were required, until permissions are set.',
  ),
  revision,
});

const permissions = Type.Array(permission, {
  description: 'What it grants on tables; an empty list grants nothing.',
});

const groups = { tag: 'groups', query: nothing, body: null, codes: [], params: ofGroup } as const;
const users = { tag: 'users', query: nothing, body: null, codes: [], params: ofUser } as const;
const roles = { tag: 'roles', query: nothing, body: null, codes: [], params: ofRole } as const;

export const listGroups = {
  ...groups,
  name: 'listGroups',
  method: 'GET',
  path: '/companies/:companyId/groups',
  summary: 'The groups of a company that may be seen',
  permission: 'group.read',
  params: ofCompany,
  query: listQuery({ id: filter('id'), name: filter('name'), search: search('name and description') }),
  answer: listOf(group),
  faults: adminFaults.read,
} as const satisfies AdminOperation;

export const createGroup = {
  ...groups,
  name: 'createGroup',
  method: 'POST',
  path: '/companies/:companyId/groups',
  summary: 'Add a group',
  permission: 'group.create',
  params: ofCompany,
  body: Type.Object({ name: requiredText('Its name.'), description: optional(text('What it is for.')) }),
  answer: oneOf(group),
  faults: adminFaults.write,
} as const satisfies AdminOperation;

export const getGroup = {
  ...groups,
  name: 'getGroup',
  method: 'GET',
  path: '/companies/:companyId/groups/:groupId',
  summary: 'One group',
  permission: 'group.read',
  answer: oneOf(group),
  faults: adminFaults.read,
} as const satisfies AdminOperation;

export const listGroupMembers = {
  ...groups,
  name: 'listGroupMembers',
  method: 'GET',
  path: '/companies/:companyId/groups/:groupId/members',
  summary: 'The users in a group, once for each role that they hold there',
  permission: 'user.read',
  answer: oneOf(
    Type.Array(
      Type.Object({
        userId: whole('User.'),
        account: text('Account name.'),
        roleId: whole('Role that is held in the group.'),
        roleName: text('Its name.'),
      }),
    ),
  ),
  faults: adminFaults.read,
} as const satisfies AdminOperation;

export const updateGroup = {
  ...groups,
  name: 'updateGroup',
  method: 'PUT',
  path: '/companies/:companyId/groups/:groupId',
  summary: 'Change a group',
  permission: 'group.update',
  body: Type.Object({
    revision: basedOn,
    name: optional(text('Another name.')),
    description: optional(text('What it is for.')),
  }),
  answer: oneOf(group),
  faults: adminFaults.write,
} as const satisfies AdminOperation;

export const deleteGroup = {
  ...groups,
  name: 'deleteGroup',
  method: 'DELETE',
  path: '/companies/:companyId/groups/:groupId',
  summary: 'Remove a group: its members lose the roles that they hold in it; records go on naming it',
  permission: 'group.delete',
  query: revisionQuery,
  answer: envelope({}),
  faults: adminFaults.write,
} as const satisfies AdminOperation;

export const listUsers = {
  ...users,
  name: 'listUsers',
  method: 'GET',
  path: '/companies/:companyId/users',
  summary: 'The users of a company that may be seen',
  permission: 'user.read',
  params: ofCompany,
  query: listQuery({
    groupId: optional(whole('Only users of this group.', { minimum: 1 })),
    id: filter('id'),
    account: filter('account'),
    email: filter('e-mail address'),
    firstName: filter('given name'),
    lastName: filter('family name'),
    disabled: filter('state, `true` or `false`'),
    search: search('account, e-mail address and names'),
  }),
  answer: listOf(user),
  faults: adminFaults.read,
} as const satisfies AdminOperation;

export const createUser = {
  ...users,
  name: 'createUser',
  method: 'POST',
  path: '/companies/:companyId/users',
  summary: 'Add a user, with the roles that the user holds',
  permission: 'user.create',
  params: ofCompany,
  body: Type.Object({ account: requiredText('Account name.'), ...userGiven }),
  answer: oneOf(user),
  faults: adminFaults.write,
} as const satisfies AdminOperation;

export const getUser = {
  ...users,
  name: 'getUser',
  method: 'GET',
  path: '/companies/:companyId/users/:userId',
  summary: 'One user, with every role that is held',
  permission: 'user.read',
  answer: oneOf(user),
  faults: adminFaults.read,
} as const satisfies AdminOperation;

export const updateUser = {
  ...users,
  name: 'updateUser',
  method: 'PUT',
  path: '/companies/:companyId/users/:userId',
  summary:
    'Change a user; other roles need `membership.change`, everything but the names `user.update`; another password ends every session',
  permission: 'user.rename',
  body: Type.Object({
    revision: basedOn,
    account: optional(text('Another account name.')),
    disabled: optional(flag('True refuses sign-in and tokens within five seconds.')),
    ...userGiven,
  }),
  answer: oneOf(user),
  faults: adminFaults.write,
} as const satisfies AdminOperation;

export const deleteUser = {
  ...users,
  name: 'deleteUser',
  method: 'DELETE',
  path: '/companies/:companyId/users/:userId',
  summary: 'Remove a user; the sessions end, the records stay',
  permission: 'user.delete',
  query: revisionQuery,
  answer: envelope({}),
  faults: adminFaults.write,
} as const satisfies AdminOperation;

export const listAllRoles = {
  ...roles,
  name: 'listCompanyRoles',
  method: 'GET',
  path: '/companies/:companyId/roles',
  summary: "The built-in roles and the company's own",
  permission: 'role.read',
  params: ofCompany,
  query: listQuery({
    roleId: filter('id'),
    roleName: filter('name'),
    unrestricted: filter('reach, `true` or `false`'),
    search: search('name and description'),
  }),
  answer: listOf(role),
  faults: adminFaults.read,
} as const satisfies AdminOperation;

export const createRole = {
  ...roles,
  name: 'createRole',
  method: 'POST',
  path: '/companies/:companyId/roles',
  summary: 'Add a custom role, with what it grants on tables',
  permission: 'role.change',
  params: ofCompany,
  body: Type.Object({
    name: requiredText('Its name.'),
    description: optional(text('What it is for.')),
    permissions,
  }),
  answer: oneOf(role),
  codes: [105],
  faults: adminFaults.write,
} as const satisfies AdminOperation;

export const getRole = {
  ...roles,
  name: 'getRole',
  method: 'GET',
  path: '/companies/:companyId/roles/:roleId',
  summary: 'One role',
  permission: 'role.read',
  answer: oneOf(role),
  faults: adminFaults.read,
} as const satisfies AdminOperation;

export const updateRole = {
  ...roles,
  name: 'updateRole',
  method: 'PUT',
  path: '/companies/:companyId/roles/:roleId',
  summary: 'Change a custom role, or what it grants on tables',
  permission: 'role.change',
  body: Type.Object({
    revision: basedOn,
    name: optional(text('Another name.')),
    description: optional(text('What it is for.')),
    permissions: optional(permissions),
  }),
  answer: oneOf(role),
  codes: [105],
  faults: adminFaults.write,
} as const satisfies AdminOperation;

export const deleteRole = {
  ...roles,
  name: 'deleteRole',
  method: 'DELETE',
  path: '/companies/:companyId/roles/:roleId',
  summary: 'Remove a custom role that nobody holds',
  permission: 'role.change',
  query: revisionQuery,
  answer: envelope({}),
  faults: adminFaults.write,
} as const satisfies AdminOperation;

export const listRolePermissions = {
  ...roles,
  name: 'listRolePermissions',
  method: 'GET',
  path: '/companies/:companyId/roles/:roleId/permissions',
  summary: 'What a custom role grants on tables; an `unrestricted` one has no list, and grants everything',
  permission: 'role.permissions',
  answer: oneOf(permissions),
  faults: adminFaults.read,
} as const satisfies AdminOperation;
