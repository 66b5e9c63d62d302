/** Groups of users, managed with a user token (docs/reference/roles.md#roles-in-groups). */
import Type from 'typebox';
import { faults, type Operation } from './operation.ts';
import { envelope, nothing, optional, pageQuery, requiredText, revision, text } from './shapes.ts';

const group = Type.Object({
  groupId: Type.Integer({ description: 'Group id.' }),
  groupName: text('Name, unique in the company.'),
  description: text('What the group is for.'),
  revision: Type.Integer({ description: 'Goes up with every change.' }),
});

const isAddCurrentApp = optional(
  Type.Boolean({ description: 'Lets the group use the application; one that every group may use stays so.' }),
);

const base = {
  tag: 'groups',
  path: '/groups',
  token: 'user',
  tokenInQuery: false,
  query: nothing,
  body: null,
  faults: faults.general,
} as const;

const one = { ...base, path: '/groups/:id' } as const;
const reading = { ...faults.general, busy: 212 } as const;

export const listGroups = {
  ...base,
  name: 'listGroups',
  method: 'GET',
  summary: 'The groups that the caller may see',
  query: Type.Object(pageQuery),
  answer: envelope({ groups: Type.Array(group), count: Type.Integer({ description: 'How many there are in all.' }) }),
  codes: [0, 110, 120, 121, 122, 131],
  faults: reading,
} as const satisfies Operation;

export const getGroup = {
  ...one,
  name: 'getGroup',
  method: 'GET',
  summary: 'One group',
  answer: envelope({ group }),
  codes: [0, 110, 120, 121, 122, 130, 131],
  faults: reading,
} as const satisfies Operation;

export const createGroup = {
  ...base,
  name: 'createGroup',
  method: 'POST',
  summary: 'Add a group',
  body: Type.Object({
    groupName: requiredText('Name, unique in the company.'),
    description: optional(text('What the group is for.')),
    isAddCurrentApp,
  }),
  answer: envelope({ group }),
  codes: [0, 110, 120, 121, 122, 131],
} as const satisfies Operation;

export const updateGroup = {
  ...one,
  name: 'updateGroup',
  method: 'PUT',
  summary: 'Change a group in what is sent',
  body: Type.Object({
    groupName: optional(text('Name, unique in the company.')),
    description: optional(text('What the group is for.')),
    isAddCurrentApp,
    revision,
  }),
  answer: envelope({ group }),
  codes: [0, 110, 120, 121, 122, 130, 131],
} as const satisfies Operation;

export const deleteGroup = {
  ...one,
  name: 'deleteGroup',
  method: 'DELETE',
  summary: 'Remove a group; its members lose the roles that they hold in it',
  query: Type.Object({ revision }),
  answer: envelope({}),
  codes: [0, 110, 120, 121, 122, 130, 131],
} as const satisfies Operation;
