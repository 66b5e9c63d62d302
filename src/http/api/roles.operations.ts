/** Roles, and what custom ones grant on tables (for clients: docs/reference/roles.md). */
import Type from 'typebox';
import { administrationOperations, clientOperations, faults } from '../../operations/define.ts';
import {
  basedOn,
  companyId,
  envelope,
  filter,
  flag,
  listOf,
  listQuery,
  ofCompany,
  oneOf,
  optional,
  orNullWhole,
  requiredText,
  revision,
  revisionQuery,
  search,
  text,
  whole,
} from '../../operations/shapes.ts';

const id = (what: string) => whole(`Id of the ${what}.`, { minimum: 1 });
const ofRole = Type.Object({ companyId, roleId: id('role') });

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

export const clientRoleOperations = clientOperations({ tag: 'roles' })({
  listRoles: {
    method: 'GET',
    path: '/roles',
    summary: "The built-in roles and the company's own",
    answer: envelope({
      results: Type.Array(
        Type.Object({
          roleId: Type.Integer({ description: 'Role id.' }),
          roleName: text('Role name.'),
          description: text('What the role is for.'),
          companyId: Type.Union([Type.Integer(), Type.Null()], { description: 'Null for built-in roles.' }),
        }),
      ),
    }),
    codes: [0, 120, 121, 122, 132],
    faults: { ...faults.general, malformed: 132, busy: 132 },
  },
});

export const roleOperations = administrationOperations({ tag: 'roles', params: ofRole })({
  listCompanyRoles: {
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
  },
  createRole: {
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
  },
  getRole: {
    method: 'GET',
    path: '/companies/:companyId/roles/:roleId',
    summary: 'One role',
    permission: 'role.read',
    answer: oneOf(role),
  },
  updateRole: {
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
  },
  deleteRole: {
    method: 'DELETE',
    path: '/companies/:companyId/roles/:roleId',
    summary: 'Remove a custom role that nobody holds',
    permission: 'role.change',
    query: revisionQuery,
    answer: envelope({}),
  },
  listRolePermissions: {
    method: 'GET',
    path: '/companies/:companyId/roles/:roleId/permissions',
    summary: 'What a custom role grants on tables; an `unrestricted` one has no list, and grants everything',
    permission: 'role.permissions',
    answer: oneOf(permissions),
  },
});
