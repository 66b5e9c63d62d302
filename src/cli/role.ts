/** `rowhouse role`: the built-in roles, and those of a company. */
import type { Role } from '../directory/roles.ts';
import { line, table } from './answer.ts';
import { action, type Command, clearable, id, optional, text } from './command.ts';
import { roleFlag, roleOf } from './references.ts';

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
      summary: 'Adds a role of a company.',
      flags: {
        company,
        name: text('<name>', 'Its name.'),
        description: optional(text('<text>', 'What it is for.')),
      },
      async run({ company: companyId, name, description }, workplace) {
        const described = description === undefined ? {} : { description };
        const made = await (await workplace.directory()).roles.create({ companyId, name, ...described });
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
        const directory = await workplace.directory();
        const { roleId } = await roleOf(directory, companyId, named);
        const changed = await directory.roles.update(companyId, roleId, {
          ...(name === undefined ? {} : { name }),
          ...(description === undefined ? {} : { description }),
        });
        return line(`Role ${roleId} "${changed.roleName}" was changed.`, changed);
      },
    }),
  ],
};
