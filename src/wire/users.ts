/** Users of the company and their roles in groups, managed with a user token (docs/reference/roles.md#roles-in-groups). */
import Type, { type Static } from 'typebox';
import { faults, type Operation } from './operation.ts';
import { envelope, nothing, optional, pageQuery, requiredText, revision, secretText, text } from './shapes.ts';

const groupId = Type.Integer({ description: 'Group id.', minimum: 1 });

const held = Type.Array(
  Type.Object({
    group: Type.Object({ groupId, groupName: text('Name of the group.') }),
    role: Type.Object({ roleId: Type.Integer({ description: 'Role id.' }), roleName: text('Name of the role.') }),
  }),
  { description: 'One item for each role that the user holds in a group.' },
);

const user = Type.Object({
  userId: Type.Integer({ description: 'User id.' }),
  account: text('Account name, unique in the company without regard to case.'),
  email: Type.Union([Type.String(), Type.Null()], { description: 'E-mail address, unique in the company.' }),
  firstName: text('Given name.'),
  lastName: text('Family name.'),
  disabled: Type.Boolean({ description: 'A disabled user is thrown out and cannot sign in.' }),
  revision: Type.Integer({ description: 'Goes up with every change.' }),
  groupRoleMap: held,
});

const groupRoleMap = optional(
  Type.Array(
    Type.Object({
      group: Type.Object({ groupId }),
      role: optional(
        Type.Object({
          roleId: optional(Type.Integer({ description: 'Role id; counts before the name.' })),
          roleName: optional(text('Name of the role, without regard to case and spaces.')),
        }),
      ),
    }),
    {
      description:
        'The roles that the user holds in groups afterwards, one item each. One that names no role stands for those held in the group.',
    },
  ),
);
export type GroupRoleMap = Static<typeof groupRoleMap>;

const columns = {
  email: optional(text('E-mail address; an empty one takes it away.')),
  firstName: optional(text('Given name.')),
  lastName: optional(text('Family name.')),
  password: optional(secretText('Password for applications with local accounts; an empty one changes nothing.')),
  groupRoleMap,
};

const base = {
  tag: 'users',
  path: '/users',
  token: 'user',
  tokenInQuery: false,
  query: nothing,
  body: null,
  faults: faults.general,
} as const;

const one = { ...base, path: '/users/:id' } as const;
const reading = { ...faults.general, busy: 212 } as const;

export const listUsers = {
  ...base,
  name: 'listUsers',
  method: 'GET',
  summary: 'The users that the caller may see',
  query: Type.Object({
    groupId: optional(Type.Integer({ description: 'Users of this group only.' })),
    ...pageQuery,
  }),
  answer: envelope({ users: Type.Array(user), count: Type.Integer({ description: 'How many there are in all.' }) }),
  codes: [0, 110, 120, 121, 122, 131],
  faults: reading,
} as const satisfies Operation;

export const getUser = {
  ...one,
  name: 'getUser',
  method: 'GET',
  summary: 'One user',
  answer: envelope({ user }),
  codes: [0, 110, 120, 121, 122, 130, 131],
  faults: reading,
} as const satisfies Operation;

export const createUser = {
  ...base,
  name: 'createUser',
  method: 'POST',
  summary: 'Add a user',
  body: Type.Object({
    account: requiredText('Account name, unique in the company without regard to case.'),
    ...columns,
  }),
  answer: envelope({ user }),
  codes: [0, 110, 120, 121, 122, 130, 131],
} as const satisfies Operation;

export const updateUser = {
  ...one,
  name: 'updateUser',
  method: 'PUT',
  summary: 'Change a user in what is sent',
  body: Type.Object({
    account: optional(text('Account name, unique in the company without regard to case.')),
    ...columns,
    disabled: optional(Type.Boolean({ description: 'A disabled user is thrown out and cannot sign in.' })),
    revision,
  }),
  answer: envelope({ user }),
  codes: [0, 110, 120, 121, 122, 130, 131],
} as const satisfies Operation;

export const deleteUser = {
  ...one,
  name: 'deleteUser',
  method: 'DELETE',
  summary: 'Remove a user, with sessions and roles; records stay',
  query: Type.Object({ revision }),
  answer: envelope({}),
  codes: [0, 110, 120, 121, 122, 130, 131],
} as const satisfies Operation;
