/** `rowhouse group`: groups of users of a company. */
import { operator } from '../actor.ts';
import { createGroup, deleteGroup, updateGroup } from '../administration/groups.ts';
import type { GroupMember } from '../directory/groups.ts';
import { group } from '../entities/people.ts';
import { line, table } from './answer.ts';
import { action, type Command, id } from './command.ts';
import { flagsOf, inputOf, listOf } from './entities.ts';
import { groupFlag, groupOf } from './references.ts';

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
        return listOf(group, groups, `Company ${companyId} has no groups.`);
      },
    }),
    action({
      name: 'add',
      summary: 'Adds a group; "rowhouse app allow" then lets it use an application.',
      flags: {
        company,
        ...flagsOf(group, 'add'),
      },
      async run({ company: companyId, ...values }, context) {
        const made = await createGroup(await context.accounts(), operator, companyId, inputOf(group, 'add', values));
        return line(`Group ${made.id} "${made.name}" was added to company ${companyId}.`, made);
      },
    }),
    action({
      name: 'show',
      summary: 'Shows the members of a group, once for each role.',
      flags: { company, group: groupFlag },
      async run({ company: companyId, group: named }, context) {
        const directory = await context.directory();
        const present = await groupOf(directory, companyId, named);
        const members = await directory.groups.members(companyId, present.id);
        const columns = {
          user: (one: GroupMember) => one.userId,
          account: (one: GroupMember) => one.account,
          role: (one: GroupMember) => one.roleId,
          'role name': (one: GroupMember) => one.roleName,
        };
        const printed = table(members, columns, `Group ${present.id} "${present.name}" has no members.`);
        return { text: printed.text, json: { ...present, members } };
      },
    }),
    action({
      name: 'update',
      summary: 'Changes the name or description of a group.',
      flags: {
        company,
        group: groupFlag,
        ...flagsOf(group, 'update'),
      },
      async run({ company: companyId, group: named, ...values }, context) {
        const deps = await context.accounts();
        const { id: groupId } = await groupOf(deps.directory, companyId, named);
        const changed = await updateGroup(deps, operator, companyId, groupId, inputOf(group, 'update', values));
        return line(`Group ${changed.id} "${changed.name}" was changed.`, changed);
      },
    }),
    action({
      name: 'delete',
      summary: 'Removes a group; its members lose their roles in it, and records keep its id.',
      flags: { company, group: groupFlag },
      async run({ company: companyId, group: named }, context) {
        const deps = await context.accounts();
        const removed = await groupOf(deps.directory, companyId, named);
        await deleteGroup(deps, operator, companyId, removed.id);
        return line(`Group ${removed.id} "${removed.name}" was removed.`, removed);
      },
    }),
  ],
};
