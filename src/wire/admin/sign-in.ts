/** Getting in to the administration and out again: set-up link, password, identity provider. */
import Type from 'typebox';
import { envelope, nothing, optional, requiredText, secretText, text } from '../shapes.ts';
import { type AdminOperation, adminFaults } from './operation.ts';
import { noParams, oneOf, time } from './shapes.ts';

const required = { minLength: 1 } as const;
const base = { tag: 'sign-in', params: noParams, query: nothing, body: null, faults: adminFaults.signIn } as const;

const signedIn = oneOf(
  Type.Object({
    csrfToken: text('To be sent as the header `x-csrf-token` with everything but GET.'),
    expires: time('When the session ends at the latest.'),
  }),
);

export const setUp = {
  ...base,
  name: 'setUp',
  method: 'POST',
  path: '/set-up',
  summary: 'Make the first administrator with the link that the service showed at its start, and sign in',
  permission: 'open',
  body: Type.Object({
    secret: secretText('What stands behind the # of the link.', required),
    account: requiredText('Account name.'),
    password: secretText('Password; settings passwordLengthMin and passwordLengthMax.', required),
    email: optional(text('E-mail address, for sign-in through the identity provider.')),
    name: optional(text('Name to show.')),
  }),
  answer: signedIn,
  codes: [111],
} as const satisfies AdminOperation;

export const signIn = {
  ...base,
  name: 'signIn',
  method: 'POST',
  path: '/sign-in',
  summary: 'Sign in with a password, as an administrator or as a user of a company; the session is in a cookie',
  permission: 'open',
  body: Type.Object({
    account: requiredText('Account name.'),
    password: secretText('Password.', required),
    companyId: optional(
      Type.Integer({
        description: 'Company of a user; absent for an administrator.',
        minimum: 1,
        maximum: 2_147_483_647,
      }),
    ),
  }),
  answer: signedIn,
  codes: [111, 119],
} as const satisfies AdminOperation;

export const beginProviderSignIn = {
  ...base,
  name: 'beginProviderSignIn',
  method: 'POST',
  path: '/sign-in/oidc',
  summary:
    'Begin a sign-in at the identity provider of the administrators, which ends at `GET /admin/api/sign-in/callback`',
  permission: 'open',
  answer: oneOf(Type.Object({ location: text('Where the browser goes.') })),
  codes: [117, 119],
} as const satisfies AdminOperation;

export const getSession = {
  ...base,
  name: 'getSession',
  method: 'GET',
  path: '/session',
  summary: 'The CSRF token of the session, for a page that was loaded anew',
  permission: 'session',
  answer: oneOf(Type.Object({ csrfToken: text('To be sent as the header `x-csrf-token` with everything but GET.') })),
  codes: [],
  faults: adminFaults.read,
} as const satisfies AdminOperation;

export const signOut = {
  ...base,
  name: 'signOut',
  method: 'POST',
  path: '/sign-out',
  summary: 'End the session',
  permission: 'session',
  answer: envelope({}),
  codes: [],
} as const satisfies AdminOperation;

export const changeOwnPassword = {
  ...base,
  name: 'changeOwnPassword',
  method: 'PUT',
  path: '/me/password',
  summary: 'Change the own password, which ends all other sessions of the account',
  permission: 'session',
  body: Type.Object({
    current: secretText('The present password.', required),
    password: secretText('The new one.', required),
  }),
  answer: envelope({}),
  codes: [111],
} as const satisfies AdminOperation;
