/** Where users are signed in, and on which devices. */
import Type from 'typebox';
import { administrationOperations, clientOperations, faults } from '../../operations/define.ts';
import {
  companyId,
  envelope,
  filter,
  flag,
  listOf,
  listQuery,
  ofApplication,
  ofCompany,
  optional,
  orNullText,
  search,
  text,
  time,
  whole,
} from '../../operations/shapes.ts';

const ownSession = Type.Object({
  id: text('Identifies the session.'),
  current: Type.Boolean({ description: 'Whether it is the session of this request.' }),
  appId: text('Application that the user signed in to.'),
  appVersion: text('Its version.'),
  deviceUDID: text('Device identifier.'),
  deviceName: Type.Union([Type.String(), Type.Null()], { description: 'Name that the device was registered with.' }),
  osType: Type.Union([Type.String(), Type.Null()], { description: 'Operating system, as registered.' }),
  isPush: Type.Boolean({ description: 'As sent at the sign-in.' }),
  createTime: text('When it began. ISO 8601 with offset.'),
  lastUseTime: text('When it was last used; recorded about once a minute.'),
  endTime: text('When it ends if it is not used again.'),
});

const device = Type.Object({
  id: whole('Device id.'),
  deviceUDID: text('Device identifier, as the client sent it.'),
  name: orNullText('Its name.'),
  osType: orNullText('Operating system.'),
  hasPushToken: flag('Whether there is a push token, which is stored sealed and never shown.'),
  createTime: time('When it was first registered.'),
  updateTime: time('When it was last registered.'),
});

const session = Type.Object({
  id: text('Identifies the session; grants no access.'),
  companyId: whole('Company.'),
  appId: text('Application that the user signed in to.'),
  appVersion: text('Its version.'),
  userId: whole('User.'),
  account: text('Account name.'),
  deviceUDID: text('Device identifier.'),
  deviceName: orNullText('Name that the device was registered with.'),
  osType: orNullText('Operating system, as registered.'),
  isPush: flag('As sent at the sign-in.'),
  createTime: time('When it began.'),
  lastUseTime: time('When it was last used; recorded about once a minute.'),
  endTime: time('When it ends if it is not used again.'),
});

export const ownSessionOperations = clientOperations({ tag: 'sign-in', faults: faults.signIn })({
  logoutEverywhere: {
    method: 'POST',
    path: '/auth/logout/everywhere',
    summary: 'End every session of the user in the company, including this one',
    answer: envelope({ count: Type.Integer({ description: 'Sessions that ended.' }) }),
    codes: [0, 110, 120, 121, 201],
  },
  listSessions: {
    method: 'GET',
    path: '/auth/sessions',
    summary: "List the user's sessions, the last used first",
    answer: envelope({ results: Type.Array(ownSession) }),
    codes: [0, 110, 120, 121, 201],
  },
  endSession: {
    method: 'DELETE',
    path: '/auth/sessions/:id',
    summary: "End one of the user's sessions",
    answer: envelope({}),
    codes: [0, 110, 120, 121, 130, 201],
  },
});

export const deviceOperations = administrationOperations({ tag: 'devices', codes: [105] })({
  listDevices: {
    method: 'GET',
    path: '/companies/:companyId/applications/:appId/devices',
    summary: 'The devices registered for an application',
    permission: 'device.read',
    params: ofApplication,
    query: listQuery({
      id: filter('id'),
      deviceUDID: filter('identifier'),
      name: filter('name'),
      osType: filter('operating system'),
      search: search('identifier and name'),
    }),
    answer: listOf(device),
  },
  forgetDevice: {
    method: 'DELETE',
    path: '/companies/:companyId/applications/:appId/devices/:deviceId',
    summary: 'Remove a device: its sessions end, and it must register again before the next sign-in',
    permission: 'device.delete',
    params: Type.Object({ ...ofApplication.properties, deviceId: whole('Device id.', { minimum: 1 }) }),
    answer: envelope({}),
  },
});

export const sessionOperations = administrationOperations({ tag: 'sessions', params: ofCompany })({
  listUserSessions: {
    method: 'GET',
    path: '/companies/:companyId/sessions',
    summary: 'Active sessions of users, the last used first; a caller who may not see all sessions must name a user',
    permission: 'session.read',
    query: listQuery({
      userId: filter('user, by id'),
      account: filter('user, by account'),
      appId: filter('application'),
      appVersion: filter('version'),
      deviceUDID: filter('device'),
      search: search('account and device'),
    }),
    answer: listOf(session),
  },
  endUserSession: {
    method: 'DELETE',
    path: '/companies/:companyId/sessions/:sessionId',
    summary: 'End one session of a user; the answering process refuses it at once, others within five seconds',
    permission: 'session.end',
    params: Type.Object({ companyId, sessionId: text('From the list of sessions.') }),
    answer: envelope({}),
    codes: [201],
  },
  endUserSessions: {
    method: 'POST',
    path: '/companies/:companyId/sessions/end',
    summary: 'End all sessions that match all given members; without any, those of the whole company',
    permission: 'session.end',
    body: Type.Object({
      userId: optional(whole('Of this user.', { minimum: 1 })),
      deviceUDID: optional(text('Of this device.')),
      appId: optional(text('Of this application.')),
      appVersion: optional(text('Of this version of the application.')),
    }),
    answer: envelope({ count: whole('Sessions that ended.') }),
    codes: [105, 201],
  },
});
