/** Groups of users (for clients: docs/reference/roles.md#roles-in-groups). */
import Type from 'typebox';
import { group } from '../../entities/people.ts';
import { administrationOperations, clientOperations, faults } from '../../operations/define.ts';
import { operationsOn } from '../../operations/entities.ts';
import {
  basedOn,
  companyId,
  envelope,
  ofCompany,
  oneOf,
  optional,
  optionalRevision,
  pageQuery,
  requiredText,
  text,
  whole,
} from '../../operations/shapes.ts';

const clientGroup = Type.Object({
  groupId: Type.Integer({ description: 'Group id.' }),
  groupName: text('Name, unique in the company.'),
  description: text('What the group is for.'),
  revision: Type.Integer({ description: 'Incremented by every change.' }),
});

const isAddCurrentApp = optional(
  Type.Boolean({
    description:
      'Lets the group use the application. An application that every group may use stays open to all groups.',
  }),
);

const id = (what: string) => whole(`Id of the ${what}.`, { minimum: 1 });
const ofGroup = Type.Object({ companyId, groupId: id('group') });

const { adding, changing, list, add, read, change, remove } = operationsOn(group);

export const clientGroupOperations = clientOperations({ tag: 'groups' })({
  listGroups: {
    method: 'GET',
    path: '/groups',
    summary: 'The groups that the caller may see',
    permission: 'group.read',
    query: Type.Object(pageQuery),
    answer: envelope({
      groups: Type.Array(clientGroup),
      count: Type.Integer({ description: 'The total number.' }),
    }),
    codes: [0, 110, 120, 121, 122, 131],
    faults: faults.list,
  },
  getGroup: {
    method: 'GET',
    path: '/groups/:id',
    summary: 'One group',
    permission: 'group.read',
    answer: envelope({ group: clientGroup }),
    codes: [0, 110, 120, 121, 122, 130, 131],
    faults: faults.list,
  },
  createGroup: {
    method: 'POST',
    path: '/groups',
    summary: 'Add a group',
    permission: 'group.create',
    body: Type.Object({
      groupName: requiredText('Name, unique in the company.'),
      description: optional(text('What the group is for.')),
      isAddCurrentApp,
    }),
    answer: envelope({ group: clientGroup }),
    codes: [0, 110, 120, 121, 122, 131],
  },
  updateGroup: {
    method: 'PUT',
    path: '/groups/:id',
    summary: 'Change the given members of a group',
    permission: 'group.update',
    body: Type.Object({
      groupName: optional(text('Name, unique in the company.')),
      description: optional(text('What the group is for.')),
      isAddCurrentApp,
      revision: optionalRevision,
    }),
    answer: envelope({ group: clientGroup }),
    codes: [0, 110, 120, 121, 122, 130, 131],
  },
  deleteGroup: {
    method: 'DELETE',
    path: '/groups/:id',
    summary: 'Remove a group; its members lose their roles in it',
    permission: 'group.delete',
    query: Type.Object({ revision: optionalRevision }),
    answer: envelope({}),
    codes: [0, 110, 120, 121, 122, 130, 131],
  },
});

export const groupOperations = administrationOperations({ tag: 'groups', params: ofGroup })({
  listGroups: list({
    path: '/companies/:companyId/groups',
    summary: 'The groups of a company that the caller may see',
    permission: 'group.read',
    params: ofCompany,
  }),
  createGroup: add({
    path: '/companies/:companyId/groups',
    summary: 'Add a group',
    permission: 'group.create',
    params: ofCompany,
    body: Type.Object(adding),
  }),
  getGroup: read({
    path: '/companies/:companyId/groups/:groupId',
    summary: 'One group',
    permission: 'group.read',
  }),
  listGroupMembers: {
    method: 'GET',
    path: '/companies/:companyId/groups/:groupId/members',
    summary: 'The users in a group, once for each role that they hold there',
    permission: 'user.read',
    answer: oneOf(
      Type.Array(
        Type.Object({
          userId: whole('User.'),
          account: text('Account name.'),
          roleId: whole('Role held in the group.'),
          roleName: text('Its name.'),
        }),
      ),
    ),
  },
  updateGroup: change({
    path: '/companies/:companyId/groups/:groupId',
    summary: 'Change a group',
    permission: 'group.update',
    body: Type.Object({ revision: basedOn, ...changing }),
  }),
  deleteGroup: remove({
    path: '/companies/:companyId/groups/:groupId',
    summary: 'Remove a group: its members lose their roles in it; records keep its id',
    permission: 'group.delete',
  }),
});
