/** The caller's own sessions: on which devices one is signed in, and ending that (docs/reference/sign-in.md#sessions). */
import Type from 'typebox';
import { faults, type Operation } from './operation.ts';
import { envelope, nothing, text } from './shapes.ts';

const base = {
  tag: 'sign-in',
  token: 'user',
  tokenInQuery: false,
  query: nothing,
  body: null,
  faults: faults.signIn,
} as const;

const session = Type.Object({
  id: text('Names the session.'),
  current: Type.Boolean({ description: 'Whether it is the session of this request.' }),
  appId: text('Application that was signed in to.'),
  appVersion: text('Its version.'),
  deviceUDID: text('Device identifier.'),
  deviceName: Type.Union([Type.String(), Type.Null()], { description: 'Name that the device was registered with.' }),
  osType: Type.Union([Type.String(), Type.Null()], { description: 'Operating system, as registered.' }),
  isPush: Type.Boolean({ description: 'As sent at the sign-in.' }),
  createTime: text('When it began. ISO 8601 with offset.'),
  lastUseTime: text('When it was last used; noted about once a minute.'),
  endTime: text('When it ends unless it is used.'),
});

export const listSessions = {
  ...base,
  name: 'listSessions',
  method: 'GET',
  path: '/auth/sessions',
  summary: 'Where the user is signed in, the last used session first',
  answer: envelope({ results: Type.Array(session) }),
  codes: [0, 110, 120, 121, 201],
} as const satisfies Operation;

export const endSession = {
  ...base,
  name: 'endSession',
  method: 'DELETE',
  path: '/auth/sessions/:id',
  summary: "End one of the user's sessions",
  answer: envelope({}),
  codes: [0, 110, 120, 121, 130, 201],
} as const satisfies Operation;

export const logoutEverywhere = {
  ...base,
  name: 'logoutEverywhere',
  method: 'POST',
  path: '/auth/logout/everywhere',
  summary: 'End every session of the user in the company, this one too',
  answer: envelope({ count: Type.Integer({ description: 'Sessions that ended.' }) }),
  codes: [0, 110, 120, 121, 201],
} as const satisfies Operation;
