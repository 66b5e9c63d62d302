/** `rowhouse group`: groups of users of a company. */
import { createGroup, deleteGroup, updateGroup } from '../administration/groups.ts';
import type { Group, GroupMember } from '../directory/groups.ts';
import { line, table } from './answer.ts';
import { action, type Command, clearable, id, optional, text } from './command.ts';
import { groupFlag, groupOf } from './references.ts';

const operator = { kind: 'operator' } as const;
const company = id('The company.');

export const groupCommand: Command = {
  name: 'group',
  summary: 'Groups of users of a company; records can be visible to groups.',
  actions: [
    action({
      name: 'list',
      summary: 'Lists the groups of a company.',
      flags: { company },
      async run({ company: companyId }, context) {
        const groups = await (await context.directory()).groups.list(companyId);
        const columns = {
          id: (one: Group) => one.id,
          name: (one: Group) => one.name,
          description: (one: Group) => one.description,
        };
        return table(groups, columns, `Company ${companyId} has no groups.`);
      },
    }),
    action({
      name: 'add',
      summary: 'Adds a group; "rowhouse app allow" then lets it use an application.',
      flags: {
        company,
        name: text('<name>', 'Its name, unique in the company.'),
        description: optional(text('<text>', 'What it is for.')),
      },
      async run({ company: companyId, name, description }, context) {
        const deps = await context.accounts();
        const described = description === undefined ? {} : { description };
        const made = await createGroup(deps, operator, companyId, { name, ...described });
        return line(`Group ${made.id} "${made.name}" was added to company ${companyId}.`, made);
      },
    }),
    action({
      name: 'show',
      summary: 'Shows the members of a group, once for each role.',
      flags: { company, group: groupFlag },
      async run({ company: companyId, group: named }, context) {
        const directory = await context.directory();
        const group = await groupOf(directory, companyId, named);
        const members = await directory.groups.members(companyId, group.id);
        const columns = {
          user: (one: GroupMember) => one.userId,
          account: (one: GroupMember) => one.account,
          role: (one: GroupMember) => one.roleId,
          'role name': (one: GroupMember) => one.roleName,
        };
        const printed = table(members, columns, `Group ${group.id} "${group.name}" has no members.`);
        return { text: printed.text, json: { ...group, members } };
      },
    }),
    action({
      name: 'update',
      summary: 'Changes the name or description of a group.',
      flags: {
        company,
        group: groupFlag,
        name: optional(text('<name>', 'The new name.')),
        description: clearable('<text>', 'The new description.'),
      },
      async run({ company: companyId, group: named, name, description }, context) {
        const deps = await context.accounts();
        const { id: groupId } = await groupOf(deps.directory, companyId, named);
        const changed = await updateGroup(deps, operator, companyId, groupId, {
          ...(name === undefined ? {} : { name }),
          ...(description === undefined ? {} : { description }),
        });
        return line(`Group ${changed.id} "${changed.name}" was changed.`, changed);
      },
    }),
    action({
      name: 'delete',
      summary: 'Removes a group; its members lose the roles that they hold in it, and records go on naming it.',
      flags: { company, group: groupFlag },
      async run({ company: companyId, group: named }, context) {
        const deps = await context.accounts();
        const group = await groupOf(deps.directory, companyId, named);
        await deleteGroup(deps, operator, companyId, group.id);
        return line(`Group ${group.id} "${group.name}" was removed.`, group);
      },
    }),
  ],
};
