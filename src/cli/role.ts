/** `rowhouse role`: the built-in roles, and those of a company. */
import { createRole, deleteRole, updateRole } from '../administration/roles.ts';
import type { Role } from '../directory/roles.ts';
import { line, table } from './answer.ts';
import { action, type Command, clearable, id, optional, text } from './command.ts';
import { roleFlag, roleOf } from './references.ts';

const operator = { kind: 'operator' } as const;
const company = id('The company.');

export const roleCommand: Command = {
  name: 'role',
  summary: 'Roles: six built-in ones, and those of a company, from id 100.',
  actions: [
    action({
      name: 'list',
      summary: 'Lists the roles that a company sees.',
      flags: { company },
      async run({ company: companyId }, workplace) {
        const roles = await (await workplace.directory()).roles.list(companyId);
        const columns = {
          id: (one: Role) => one.roleId,
          name: (one: Role) => one.roleName,
          company: (one: Role) => one.companyId,
          description: (one: Role) => one.description,
        };
        return table(roles, columns, 'There are no roles.');
      },
    }),
    action({
      name: 'add',
      summary:
        'Adds a role of a company; it grants everything on every table until permissions are given to it, which only the administration interface does and shows.',
      flags: {
        company,
        name: text('<name>', 'Its name.'),
        description: optional(text('<text>', 'What it is for.')),
      },
      async run({ company: companyId, name, description }, workplace) {
        const described = description === undefined ? {} : { description };
        const made = await createRole(await workplace.accounts(), operator, companyId, { name, ...described });
        return line(`Role ${made.roleId} "${made.roleName}" was added to company ${companyId}.`, made);
      },
    }),
    action({
      name: 'update',
      summary: "Changes the name or description of a company's own role.",
      flags: {
        company,
        role: roleFlag,
        name: optional(text('<name>', 'The new name.')),
        description: clearable('<text>', 'The new description.'),
      },
      async run({ company: companyId, role: named, name, description }, workplace) {
        const rooms = await workplace.accounts();
        const { roleId } = await roleOf(rooms.directory, companyId, named);
        const changed = await updateRole(rooms, operator, companyId, roleId, {
          ...(name === undefined ? {} : { name }),
          ...(description === undefined ? {} : { description }),
        });
        return line(`Role ${roleId} "${changed.roleName}" was changed.`, changed);
      },
    }),
    action({
      name: 'delete',
      summary: "Removes a company's own role that nobody holds.",
      flags: { company, role: roleFlag },
      async run({ company: companyId, role: named }, workplace) {
        const rooms = await workplace.accounts();
        const role = await roleOf(rooms.directory, companyId, named);
        await deleteRole(rooms, operator, companyId, role.roleId);
        return line(`Role ${role.roleId} "${role.roleName}" was removed.`, role);
      },
    }),
  ],
};
