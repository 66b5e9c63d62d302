/** `rowhouse role`: the built-in roles, and those of a company. */
import { operator } from '../actor.ts';
import { createRole, deleteRole, rolePermissions, updateRole } from '../administration/roles.ts';
import type { TableRight } from '../caller.ts';
import type { Role, RolePermission } from '../directory/roles.ts';
import { given } from '../entities/entity.ts';
import { aligned, line, table } from './answer.ts';
import {
  action,
  type Command,
  clearable,
  type Flag,
  id,
  optional,
  repeated,
  text,
  toggle,
  UsageError,
} from './command.ts';
import { roleFlag, roleOf } from './references.ts';

const company = id('The company.');

const rights: readonly TableRight[] = ['read', 'add', 'update', 'delete'];
const permissionFlag: Flag<RolePermission> = {
  placeholder: '<app>/<table>:<rights>',
  meaning:
    'Rights on a table of an application: read, add, update and delete, separated by commas, or all, or none; * stands for every table.',
  presence: 'required',
  expected: 'an application, a table and rights, such as "crm/*:read" or "crm/Order:read,add",',
  read: readPermission,
};
const noPermissions = toggle('The role grants nothing on any table.');

function readPermission(written: string): RolePermission | undefined {
  const [, appId, table, list = ''] = /^([^/]+)\/([^/:]+):([a-z,]+)$/i.exec(written) ?? [];
  if (appId === undefined || table === undefined) return undefined;
  const words = list.toLowerCase().split(',');
  const alone = words.length === 1 ? words[0] : undefined;
  if (alone !== 'all' && alone !== 'none' && !words.every((word) => (rights as readonly string[]).includes(word))) {
    return undefined;
  }
  const has = (right: TableRight) => alone === 'all' || words.includes(right);
  return { appId, table, read: has('read'), add: has('add'), update: has('update'), delete: has('delete') };
}

/** @throws UsageError when both flags are given */
function permissionsGiven(
  permissions: readonly RolePermission[],
  isNone: boolean,
): readonly RolePermission[] | undefined {
  if (isNone && permissions.length > 0) throw new UsageError('Give --permission or --no-permissions, not both.');
  return isNone || permissions.length > 0 ? permissions : undefined;
}

function grantsOf({ unrestricted }: Role): string {
  return unrestricted ? 'everything (unrestricted)' : 'its permissions';
}

export const roleCommand: Command = {
  name: 'role',
  summary: 'Roles: six built-in ones, and those of a company, from id 100.',
  actions: [
    action({
      name: 'list',
      summary: 'Lists the roles of a company and the built-in ones.',
      flags: { company },
      async run({ company: companyId }, context) {
        const roles = await (await context.directory()).roles.list(companyId);
        const columns = {
          id: (one: Role) => one.roleId,
          name: (one: Role) => one.roleName,
          company: (one: Role) => one.companyId,
          'grants on tables': grantsOf,
          description: (one: Role) => one.description,
        };
        return table(roles, columns, 'There are no roles.');
      },
    }),
    action({
      name: 'show',
      summary: 'Shows a role and its permissions on tables.',
      flags: { company, role: roleFlag },
      async run({ company: companyId, role: named }, context) {
        const deps = await context.accounts();
        const role = await roleOf(deps.directory, companyId, named);
        const permissions = await rolePermissions(deps, operator, companyId, role.roleId);
        const fields: [string, string | number | null][] = [
          ['role', role.roleId],
          ['name', role.roleName],
          ['company', role.companyId],
          ['description', role.description],
          ['grants', role.unrestricted || permissions.length > 0 ? grantsOf(role) : 'nothing'],
        ];
        for (const one of permissions) {
          const granted = rights.filter((right) => one[right]).join(',') || 'none';
          fields.push(['permission', `${one.appId}/${one.table}:${granted}`]);
        }
        return line(aligned(fields), { ...role, permissions });
      },
    }),
    action({
      name: 'add',
      summary: 'Adds a custom role with its permissions on tables.',
      flags: {
        company,
        name: text('<name>', 'Its name.'),
        description: optional(text('<text>', 'Its purpose.')),
        permission: repeated(permissionFlag),
        noPermissions,
      },
      async run({ company: companyId, name, description, permission, noPermissions: isNone }, context) {
        const permissions = permissionsGiven(permission, isNone);
        if (permissions === undefined) {
          throw new UsageError('Give the permissions of the role with --permission, or none with --no-permissions.');
        }
        const role = { name, ...given({ description }), permissions };
        const made = await createRole(await context.accounts(), operator, companyId, role);
        return line(`Role ${made.roleId} "${made.roleName}" was added to company ${companyId}.`, made);
      },
    }),
    action({
      name: 'update',
      summary: 'Changes the name, the description or all permissions on tables of a custom role.',
      flags: {
        company,
        role: roleFlag,
        name: optional(text('<name>', 'The new name.')),
        description: clearable('<text>', 'The new description.'),
        permission: repeated({
          ...permissionFlag,
          meaning: `${permissionFlag.meaning} Replaces the earlier permissions.`,
        }),
        noPermissions,
      },
      async run({ company: companyId, role: named, name, description, permission, noPermissions: isNone }, context) {
        const permissions = permissionsGiven(permission, isNone);
        const deps = await context.accounts();
        const { roleId } = await roleOf(deps.directory, companyId, named);
        const changes = given({ name, description, permissions });
        const changed = await updateRole(deps, operator, companyId, roleId, changes);
        return line(`Role ${roleId} "${changed.roleName}" was changed.`, changed);
      },
    }),
    action({
      name: 'delete',
      summary: 'Removes a custom role that nobody holds.',
      flags: { company, role: roleFlag },
      async run({ company: companyId, role: named }, context) {
        const deps = await context.accounts();
        const role = await roleOf(deps.directory, companyId, named);
        await deleteRole(deps, operator, companyId, role.roleId);
        return line(`Role ${role.roleId} "${role.roleName}" was removed.`, role);
      },
    }),
  ],
};
