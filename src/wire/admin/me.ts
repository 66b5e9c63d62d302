/** Who is signed in to the administration. */
import Type from 'typebox';
import { nothing, optional, text } from '../shapes.ts';
import { type AdminOperation, adminFaults } from './operation.ts';
import { noParams, oneOf, whole } from './shapes.ts';

const membership = Type.Object({
  groupId: whole('Group.'),
  groupName: text('Its name.'),
  roleId: whole('Role that is held there.'),
  roleName: text('Its name.'),
});

export const getMe = {
  name: 'getMe',
  method: 'GET',
  path: '/me',
  tag: 'me',
  summary: 'Who is signed in, and with which roles',
  permission: 'session',
  params: noParams,
  query: nothing,
  body: null,
  answer: oneOf(
    Type.Object({
      kind: text("'administrator' of the installation, or 'user' of a company."),
      id: whole('Id of the administrator or the user.'),
      account: text('Account name.'),
      companyId: optional(whole('Company of a user.')),
      memberships: optional(Type.Array(membership, { description: 'Roles of a user, by group.' })),
    }),
  ),
  codes: [],
  faults: adminFaults.read,
} as const satisfies AdminOperation;
