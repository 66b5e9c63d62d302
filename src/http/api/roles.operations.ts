/** Roles, and what custom ones grant on tables (for clients: docs/reference/roles.md). */
import Type from 'typebox';
import { role } from '../../entities/people.ts';
import { administrationOperations, clientOperations, faults } from '../../operations/define.ts';
import { operationsOn } from '../../operations/entities.ts';
import {
  basedOn,
  companyId,
  envelope,
  flag,
  ofCompany,
  oneOf,
  optional,
  requiredText,
  text,
  whole,
} from '../../operations/shapes.ts';

const id = (what: string) => whole(`Id of the ${what}.`, { minimum: 1 });
const ofRole = Type.Object({ companyId, roleId: id('role') });

const right = (what: string) => flag(`Whether it permits ${what}.`);
const permission = Type.Object({
  appId: requiredText('Application.'),
  table: requiredText('Table; `*` stands for every table.'),
  read: right('reading'),
  add: right('adding'),
  update: right('updating'),
  delete: right('deleting'),
});

const permissions = Type.Array(permission, {
  description: 'Its permissions on tables; an empty list grants nothing.',
});

const { adding, changing, list, add, read, change, remove } = operationsOn(role);

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
  listCompanyRoles: list({
    path: '/companies/:companyId/roles',
    summary: "The built-in roles and the company's own",
    permission: 'role.read',
    params: ofCompany,
  }),
  createRole: add({
    path: '/companies/:companyId/roles',
    summary: 'Add a custom role, with its permissions on tables',
    permission: 'role.change',
    params: ofCompany,
    body: Type.Object({ name: adding.roleName, description: adding.description, permissions }),
    codes: [105],
  }),
  getRole: read({
    path: '/companies/:companyId/roles/:roleId',
    summary: 'One role',
    permission: 'role.read',
  }),
  updateRole: change({
    path: '/companies/:companyId/roles/:roleId',
    summary: 'Change a custom role, or its permissions on tables',
    permission: 'role.change',
    body: Type.Object({
      revision: basedOn,
      name: changing.roleName,
      description: changing.description,
      permissions: optional(permissions),
    }),
    codes: [105],
  }),
  deleteRole: remove({
    path: '/companies/:companyId/roles/:roleId',
    summary: 'Remove a custom role that nobody holds',
    permission: 'role.change',
  }),
  listRolePermissions: {
    method: 'GET',
    path: '/companies/:companyId/roles/:roleId/permissions',
    summary: 'The permissions of a custom role on tables; an `unrestricted` role has no list and grants everything',
    permission: 'role.permissions',
    answer: oneOf(permissions),
  },
});
