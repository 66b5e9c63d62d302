/** Who accounts are at identity providers, and linking them anew. */
import Type from 'typebox';
import { nothing, requiredText, text } from '../shapes.ts';
import { administrator, ofAdministrator } from './administrators.ts';
import { type AdminOperation, adminFaults } from './operation.ts';
import { ofUser, user } from './people.ts';
import { basedOn, oneOf } from './shapes.ts';

const base = { query: nothing, body: null, codes: [] } as const;

const identity = Type.Object({
  issuer: text('Issuer of the identity provider.'),
  subject: text('Who the user is there: the claim `sub`.'),
  createTime: text('When it was linked. ISO 8601 with offset.'),
});

export const listUserIdentities = {
  ...base,
  tag: 'users',
  name: 'listUserIdentities',
  method: 'GET',
  path: '/companies/:companyId/users/:userId/identities',
  summary: 'The identities at providers by which a user is known',
  permission: 'identity.read',
  params: ofUser,
  answer: oneOf(Type.Array(identity)),
  faults: adminFaults.read,
} as const satisfies AdminOperation;

export const relinkUser = {
  ...base,
  tag: 'users',
  name: 'relinkUser',
  method: 'POST',
  path: '/companies/:companyId/users/:userId/relink',
  summary:
    "Forget the user's identity at an issuer and end the sessions: the next sign-in there with the user's verified e-mail address is linked",
  permission: 'identity.change',
  params: ofUser,
  body: Type.Object({ revision: basedOn, issuer: requiredText('The issuer, as the list of identities has it.') }),
  answer: oneOf(user),
  faults: adminFaults.write,
} as const satisfies AdminOperation;

export const relinkAdministrator = {
  ...base,
  tag: 'administrators',
  name: 'relinkAdministrator',
  method: 'POST',
  path: '/administrators/:administratorId/relink',
  summary:
    "Forget an administrator's identity and end the sessions: the next sign-in through the identity provider with the verified e-mail address is linked",
  permission: 'administrator.change',
  params: ofAdministrator,
  body: Type.Object({ revision: basedOn }),
  answer: oneOf(administrator),
  faults: adminFaults.write,
} as const satisfies AdminOperation;
