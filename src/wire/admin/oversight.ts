/** What goes on: devices, sessions, log entries of clients, and the audit trail. */
import Type from 'typebox';
import { envelope, nothing, optional, text } from '../shapes.ts';
import { type AdminOperation, adminFaults } from './operation.ts';
import {
  choice,
  companyId,
  filter,
  flag,
  listOf,
  listQuery,
  noParams,
  ofApplication,
  ofCompany,
  orNullText,
  orNullWhole,
  search,
  time,
  whole,
} from './shapes.ts';

const device = Type.Object({
  id: whole('Device id.'),
  deviceUDID: text('Device identifier, as the client sent it.'),
  name: orNullText('Its name.'),
  osType: orNullText('Operating system.'),
  hasPushToken: flag('Whether there is a push token, which is kept sealed and never shown.'),
  createTime: time('When it was registered first.'),
  updateTime: time('When it was registered last.'),
});

const session = Type.Object({
  id: text('Names the session, and opens nothing.'),
  companyId: whole('Company.'),
  appId: text('Application that was signed in to.'),
  appVersion: text('Its version.'),
  userId: whole('User.'),
  account: text('Account name.'),
  deviceUDID: text('Device identifier.'),
  deviceName: orNullText('Name that the device was registered with.'),
  osType: orNullText('Operating system, as registered.'),
  isPush: flag('As sent at the sign-in.'),
  createTime: time('When it began.'),
  lastUseTime: time('When it was last used; noted about once a minute.'),
  endTime: time('When it ends unless it is used.'),
});

const logEntry = Type.Object({
  id: whole('In the order of their coming.'),
  time: time('When it came.'),
  companyId: whole('Company.'),
  appId: text('Application.'),
  appVersion: text('Its version.'),
  userId: whole('User.'),
  deviceUDID: text('Device identifier.'),
  level: text('`ERROR` or `MONITOR`.'),
  message: text('As the client sent it.'),
});

const auditEntry = Type.Object({
  id: whole('In the order of the acts.'),
  time: time('When it was done.'),
  actorKind: text('`operator` (the command line), `administrator`, `user`, or `nobody` (a refused sign-in).'),
  actorId: orNullWhole('Id of the administrator or the user.'),
  actorName: text('Account name.'),
  companyId: orNullWhole('Company that it was done in.'),
  appId: orNullText('Application that it was done to.'),
  address: orNullText('IP address.'),
  action: text('What was done: `user.create`, `session.start`.'),
  target: text('What it was done to.'),
  outcome: text('`done` or `refused`.'),
  detail: Type.Unknown({ description: 'Further facts, without secrets.' }),
});

const period = {
  from: optional(text('Only entries from this time on: ISO 8601, in the configured zone without an offset.')),
  until: optional(text('Only entries before this time.')),
};

const logFilters = {
  ...period,
  appVersion: filter('version, in its dotted form'),
  userId: filter('user, by id'),
  deviceUDID: filter('device'),
  level: filter('level'),
  search: search('the message'),
};

const auditFilters = {
  ...period,
  companyId: filter('company'),
  appId: filter('application'),
  actorKind: filter('kind of actor'),
  actorId: filter('actor, by id'),
  actorName: filter('actor, by account'),
  address: filter('address'),
  action: filter('action'),
  outcome: filter('outcome'),
  search: search('actor, address, action and target'),
};

const base = { query: nothing, body: null, codes: [] } as const;

export const listDevices = {
  ...base,
  tag: 'devices',
  name: 'listDevices',
  method: 'GET',
  path: '/companies/:companyId/applications/:appId/devices',
  summary: 'The devices that are registered for an application',
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
  codes: [105],
  faults: adminFaults.read,
} as const satisfies AdminOperation;

export const forgetDevice = {
  ...base,
  tag: 'devices',
  name: 'forgetDevice',
  method: 'DELETE',
  path: '/companies/:companyId/applications/:appId/devices/:deviceId',
  summary: 'Forget a device: its sessions end, and it registers again before the next sign-in',
  permission: 'device.delete',
  params: Type.Object({ ...ofApplication.properties, deviceId: whole('Device id.', { minimum: 1 }) }),
  answer: envelope({}),
  codes: [105],
  faults: adminFaults.write,
} as const satisfies AdminOperation;

export const listSessions = {
  ...base,
  tag: 'sessions',
  name: 'listUserSessions',
  method: 'GET',
  path: '/companies/:companyId/sessions',
  summary: 'Living sessions of users, the last used first; who may not see those of everybody has to name a user',
  permission: 'session.read',
  params: ofCompany,
  query: listQuery({
    userId: filter('user, by id'),
    account: filter('user, by account'),
    appId: filter('application'),
    appVersion: filter('version'),
    deviceUDID: filter('device'),
    search: search('account and device'),
  }),
  answer: listOf(session),
  faults: adminFaults.read,
} as const satisfies AdminOperation;

export const endSession = {
  ...base,
  tag: 'sessions',
  name: 'endUserSession',
  method: 'DELETE',
  path: '/companies/:companyId/sessions/:sessionId',
  summary: 'End one session of a user, here at once and on other processes within five seconds',
  permission: 'session.end',
  params: Type.Object({ companyId, sessionId: text('As the list shows it.') }),
  answer: envelope({}),
  codes: [201],
  faults: adminFaults.write,
} as const satisfies AdminOperation;

export const endSessions = {
  ...base,
  tag: 'sessions',
  name: 'endUserSessions',
  method: 'POST',
  path: '/companies/:companyId/sessions/end',
  summary: 'End all sessions for which everything that is given holds; with nothing given, those of the whole company',
  permission: 'session.endAll',
  params: ofCompany,
  body: Type.Object({
    userId: optional(whole('Of this user.', { minimum: 1 })),
    deviceUDID: optional(text('Of this device.')),
    appId: optional(text('Of this application.')),
    appVersion: optional(text('Of this version of the application.')),
  }),
  answer: envelope({ count: whole('Sessions that ended.') }),
  codes: [105, 201],
  faults: adminFaults.write,
} as const satisfies AdminOperation;

export const listLogs = {
  ...base,
  tag: 'logs',
  name: 'listLogs',
  method: 'GET',
  path: '/companies/:companyId/applications/:appId/logs',
  summary: 'Log entries that clients of an application sent, the newest first',
  permission: 'log.read',
  params: ofApplication,
  query: listQuery(logFilters),
  answer: listOf(logEntry),
  codes: [105],
  faults: adminFaults.read,
} as const satisfies AdminOperation;

export const exportLogs = {
  ...base,
  tag: 'logs',
  name: 'exportLogs',
  method: 'GET',
  path: '/companies/:companyId/applications/:appId/logs/export',
  summary: 'Every log entry that matches, the oldest first, one JSON object a line',
  permission: 'log.read',
  params: ofApplication,
  query: Type.Object(logFilters),
  answer: logEntry,
  exports: ['application/x-ndjson'],
  codes: [105],
  faults: adminFaults.read,
} as const satisfies AdminOperation;

export const listAudit = {
  ...base,
  tag: 'audit',
  name: 'listAudit',
  method: 'GET',
  path: '/audit',
  summary: 'The audit trail, the newest entries first; for a user what is of the own company',
  permission: 'audit.read',
  params: noParams,
  query: listQuery(auditFilters),
  answer: listOf(auditEntry),
  faults: adminFaults.read,
} as const satisfies AdminOperation;

export const exportAudit = {
  ...base,
  tag: 'audit',
  name: 'exportAudit',
  method: 'GET',
  path: '/audit/export',
  summary: 'Every entry that matches, the oldest first, as one JSON object a line or as CSV (RFC 4180)',
  permission: 'audit.read',
  params: noParams,
  query: Type.Object({ format: optional(choice(['ndjson', 'csv'], '`ndjson` when absent.')), ...auditFilters }),
  answer: auditEntry,
  exports: ['application/x-ndjson', 'text/csv'],
  faults: adminFaults.read,
} as const satisfies AdminOperation;
