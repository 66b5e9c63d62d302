/** Signing in as a user of an application: tokens, devices, sign-in through a provider (docs/reference/sign-in.md). */
import Type from 'typebox';
import { clientOperations, faults } from '../../operations/define.ts';
import { envelope, optional, requiredText, secretText, text } from '../../operations/shapes.ts';

const required = { minLength: 1 } as const;

const anonymousTokenQuery = Type.Object({
  appKey: secretText('Key of the application.', required),
  deviceUDID: requiredText('Device identifier, up to 200 characters.'),
});

const deviceBody = Type.Object({
  deviceToken: optional(secretText('Push token of the device.')),
  deviceUDID: requiredText('Device identifier, as in the request for the anonymous token.'),
  deviceName: optional(text('Display name.')),
  osType: optional(text('Operating system.')),
});

const authenticateQuery = Type.Object({
  authToken: secretText('Anonymous or user token.', required),
  clientId: requiredText('Client id configured at the identity provider.'),
});

const loginBody = Type.Object({
  companyId: Type.Integer({ description: 'Company of the user.' }),
  appId: requiredText('Application id.'),
  appVersion: requiredText('Application version, `1.0.0` or `1_0_0`.'),
  authToken: secretText('The anonymous token, the same as in the header.', required),
  deviceUDID: requiredText('Device identifier.'),
  isPush: Type.Boolean({ description: "'true' or 'false'." }),
  clientId: requiredText('Client id configured at the identity provider.'),
  authzCode: secretText('Value of the query parameter `code` of the redirect address.', required),
  authnState: requiredText('SHA-1 of the anonymous token, in hexadecimal.'),
  iss: optional(text('The response parameter `iss`, if the client forwards it.')),
});

const authInfo = Type.Object({
  userTokens: text('User token used for later calls.'),
  validTime: Type.Integer({ description: 'Validity of the token in milliseconds, counted from the last use.' }),
  userId: Type.Integer({ description: 'User id.' }),
  userInfo: Type.Object({
    account: text('Account name.'),
    fistName: text('Given name (spelled so).'),
    lastName: text('Family name.'),
  }),
  groupsAndRoles: Type.Array(
    Type.Object({
      groupId: Type.Integer({ description: 'Group id.' }),
      groupName: text('Name of the group.'),
      roleName: text('The role that the user holds there.'),
      roleId: Type.Integer({ description: 'Id of that role.' }),
      description: text('What the role is for.'),
    }),
    { description: 'Every role that the user holds, in the order in which they were given.' },
  ),
});

const loggedIn = envelope({ authInfo, authInfor: authInfo });

const localLoginBody = Type.Object({
  username: requiredText('Account.'),
  password: secretText('Password of the account.', required),
  companyId: Type.Integer({ description: 'Company of the user.' }),
  appId: requiredText('Application id.'),
  appVersion: requiredText('Application version, `1.0.0` or `1_0_0`.'),
  deviceUDID: requiredText('Device identifier, as in the request for the anonymous token.'),
  isPush: optional(Type.Boolean({ description: "'true' or 'false'." })),
});

export const signInOperations = clientOperations({ tag: 'sign-in', faults: faults.signIn })({
  anonymousToken: {
    method: 'GET',
    path: '/anonymousTokens',
    summary: 'Get an anonymous token',
    caller: 'none',
    query: anonymousTokenQuery,
    answer: envelope({ results: text('The token, 64 hex digits.') }),
    codes: [0, 101, 198, 201],
  },
  registerDevice: {
    method: 'POST',
    path: '/devices',
    summary: 'Register the device',
    caller: 'any',
    body: deviceBody,
    answer: envelope({}),
    codes: [0, 110, 120, 121, 131, 160, 161, 206],
    faults: faults.device,
  },
  authenticate: {
    method: 'GET',
    path: '/auth/oidc/:provider/Authenticate',
    summary: "Get the provider's authentication address, in the header `Location`",
    caller: 'none',
    query: authenticateQuery,
    redirects: true,
    answer: envelope({}),
    codes: [0, 106, 113, 117, 120, 121, 198],
  },
  endProviderSession: {
    method: 'GET',
    path: '/auth/oidc/:provider/EndSession',
    summary:
      'Answers the address at which the browser ends its session at the provider; null if the provider has none. Log out here as well',
    caller: 'any',
    query: Type.Object({
      clientId: requiredText('Client id configured at the identity provider.'),
      postLogoutRedirectUri: optional(
        text(
          "The address to which the provider sends the browser afterwards; it must have the scheme, host and port of the client's redirect address.",
        ),
      ),
    }),
    answer: envelope({ results: Type.Union([Type.String(), Type.Null()], { description: 'The address.' }) }),
    codes: [0, 110, 113, 117, 120, 121, 198],
  },
  login: {
    method: 'POST',
    path: '/auth/oidc/:provider/Login',
    summary: 'Sign in with the code of the provider',
    caller: 'none',
    body: loginBody,
    answer: loggedIn,
    codes: [0, 104, 106, 111, 112, 113, 114, 115, 116, 117, 119, 121, 160, 163, 198, 201],
  },
  localLogin: {
    method: 'POST',
    path: '/auth/login',
    summary: 'Sign in with account and password, if the application allows it',
    caller: 'none',
    body: localLoginBody,
    answer: loggedIn,
    codes: [0, 104, 106, 111, 119, 121, 160, 198, 201],
  },
  refresh: {
    method: 'POST',
    path: '/auth/refresh',
    summary: 'Get a new user token; the old one works for ten more seconds',
    answer: loggedIn,
    codes: [0, 110, 120, 121, 201],
  },
  logout: {
    method: 'POST',
    path: '/auth/logout',
    summary: 'End the session',
    answer: envelope({}),
    codes: [0, 110, 120, 121, 201],
  },
});
