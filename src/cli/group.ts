/** `rowhouse group`: groups of users of a company. */
import type { Group, GroupMember } from '../directory/groups.ts';
import { line, table } from './answer.ts';
import { action, type Command, id, text } from './command.ts';
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
      async run({ company: companyId }, workplace) {
        const groups = await (await workplace.directory()).groups.list(companyId);
        const columns = { id: (one: Group) => one.id, name: (one: Group) => one.name };
        return table(groups, columns, `Company ${companyId} has no groups.`);
      },
    }),
    action({
      name: 'add',
      summary: 'Adds a group; "rowhouse app allow" then lets it use an application.',
      flags: { company, name: text('<name>', 'Its name, unique in the company.') },
      async run({ company: companyId, name }, workplace) {
        const made = await (await workplace.directory()).groups.create({ companyId, name });
        return line(`Group ${made.id} "${made.name}" was added to company ${companyId}.`, made);
      },
    }),
    action({
      name: 'show',
      summary: 'Shows the members of a group, once for each role.',
      flags: { company, group: groupFlag },
      async run({ company: companyId, group: named }, workplace) {
        const directory = await workplace.directory();
        const group = await groupOf(directory, companyId, named);
        const members = await directory.groups.members(companyId, group.id);
        const columns = {
          user: (one: GroupMember) => one.userId,
          account: (one: GroupMember) => one.account,
          role: (one: GroupMember) => one.roleId,
          'role name': (one: GroupMember) => one.roleName,
        };
        const shown = table(members, columns, `Group ${group.id} "${group.name}" has no members.`);
        return { text: shown.text, json: { ...group, members } };
      },
    }),
    action({
      name: 'update',
      summary: 'Gives a group another name.',
      flags: { company, group: groupFlag, name: text('<name>', 'The new name.') },
      async run({ company: companyId, group: named, name }, workplace) {
        const directory = await workplace.directory();
        const group = await groupOf(directory, companyId, named);
        const changed = await directory.groups.update(companyId, group.id, { name });
        return line(`Group ${changed.id} is called "${changed.name}" now.`, changed);
      },
    }),
  ],
};
