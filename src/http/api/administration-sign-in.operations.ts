/** Signing in to the administration and out again: set-up link, password, identity provider; and who is signed in. */
import Type from 'typebox';
import { administrationOperations, faults } from '../../operations/define.ts';
import { envelope, oneOf, optional, requiredText, secretText, text, time, whole } from '../../operations/shapes.ts';

const required = { minLength: 1 } as const;

const signedIn = oneOf(
  Type.Object({
    csrfToken: text('Send it in the header `x-csrf-token` with every method except GET.'),
    expires: time('The latest end of the session.'),
  }),
);

const membership = Type.Object({
  groupId: whole('Group.'),
  groupName: text('Its name.'),
  roleId: whole('Role held there.'),
  roleName: text('Its name.'),
});

export const administrationSignInOperations = administrationOperations({ tag: 'sign-in', faults: faults.adminSignIn })({
  setUp: {
    method: 'POST',
    path: '/set-up',
    summary: 'Create the first administrator with the link that the service showed at its start, and sign in',
    caller: 'none',
    permission: null,
    body: Type.Object({
      secret: secretText('The part of the link after the #.', required),
      account: requiredText('Account name.'),
      password: secretText('Password; settings passwordLengthMin and passwordLengthMax.', required),
      email: optional(text('E-mail address, for sign-in through the identity provider.')),
      name: optional(text('Display name.')),
    }),
    answer: signedIn,
    codes: [111],
  },
  signIn: {
    method: 'POST',
    path: '/sign-in',
    summary: 'Sign in with a password, as an administrator or as a user of a company; the session is in a cookie',
    caller: 'none',
    permission: null,
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
  },
  beginProviderSignIn: {
    method: 'POST',
    path: '/sign-in/oidc',
    summary:
      'Begin a sign-in at the identity provider of the administrators, which ends at `GET /admin/api/sign-in/callback`',
    caller: 'none',
    permission: null,
    answer: oneOf(Type.Object({ location: text('Where the browser goes.') })),
    codes: [117, 119],
  },
  getSession: {
    method: 'GET',
    path: '/session',
    summary: 'Get the CSRF token of the session, for a reloaded page',
    permission: null,
    answer: oneOf(
      Type.Object({ csrfToken: text('Send it in the header `x-csrf-token` with every method except GET.') }),
    ),
    faults: faults.adminRead,
  },
  signOut: {
    method: 'POST',
    path: '/sign-out',
    summary: 'End the session',
    permission: null,
    answer: envelope({}),
  },
  changeOwnPassword: {
    method: 'PUT',
    path: '/me/password',
    summary: 'Change your own password, which ends all other sessions of the account',
    permission: null,
    body: Type.Object({
      current: secretText('The current password.', required),
      password: secretText('The new one.', required),
    }),
    answer: envelope({}),
    codes: [111],
  },
  getMe: {
    method: 'GET',
    path: '/me',
    tag: 'me',
    summary: 'Get the signed-in person and their roles',
    permission: null,
    answer: oneOf(
      Type.Object({
        kind: text("'administrator' of the installation, or 'user' of a company."),
        id: whole('Id of the administrator or the user.'),
        account: text('Account name.'),
        companyId: optional(whole('Company of a user.')),
        memberships: optional(Type.Array(membership, { description: 'Roles of a user, by group.' })),
        permissions: Type.Array(Type.String(), {
          description:
            'Permissions (docs/reference/permissions.md) that apply to at least one object; each operation states which.',
        }),
      }),
    ),
    faults: faults.adminRead,
  },
});
