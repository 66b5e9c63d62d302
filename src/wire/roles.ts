/** Roles (docs/reference/roles.md). */
import Type from 'typebox';
import { faults, type Operation } from './operation.ts';
import { envelope, nothing, text } from './shapes.ts';

export const listRoles = {
  name: 'listRoles',
  method: 'GET',
  path: '/roles',
  tag: 'roles',
  summary: "The built-in roles and the company's own",
  token: 'user',
  tokenInQuery: false,
  query: nothing,
  body: null,
  answer: envelope({
    results: Type.Array(
      Type.Object({
        roleId: Type.Integer({ description: 'Role id.' }),
        roleName: text('Role name.'),
        description: text('What the role is for.'),
        companyId: Type.Union([Type.Integer(), Type.Null()], { description: 'Null for built-in roles.' }),
      }),
    ),
  }),
  codes: [0, 120, 121, 122, 132],
  faults: { ...faults.general, malformed: 132, busy: 132 },
} as const satisfies Operation;
