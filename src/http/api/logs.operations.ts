/** Log entries of clients: sent and read (docs/reference/logs.md). */
import Type from 'typebox';
import { administrationOperations, clientOperations, faults } from '../../operations/define.ts';
import {
  boundedBy,
  envelope,
  filter,
  listOf,
  listQuery,
  ofApplication,
  optional,
  requiredText,
  search,
  text,
  time,
  whole,
} from '../../operations/shapes.ts';

const logBody = Type.Object({
  logLevel: requiredText("'ERROR' or 'MONITOR'.", { [boundedBy]: { enum: ['ERROR', 'MONITOR'] } }),
  message: optional(text('Message content.', { [boundedBy]: { maxLength: 'logMessageBytesMax' } })),
});

const logEntry = Type.Object({
  id: whole('Increases in the order of arrival.'),
  time: time('When it was received.'),
  companyId: whole('Company.'),
  appId: text('Application.'),
  appVersion: text('Its version.'),
  userId: whole('User.'),
  deviceUDID: text('Device identifier.'),
  level: text('`ERROR` or `MONITOR`.'),
  message: text('As the client sent it.'),
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

export const clientLogOperations = clientOperations({ tag: 'logs', faults: { ...faults.general, busy: 131 } })({
  getLogLevel: {
    method: 'GET',
    path: '/logLevel',
    summary: 'Get the log level of the application version',
    caller: 'any',
    tokenInQuery: true,
    answer: envelope({ result: text("'ERROR' or 'MONITOR'.") }),
    codes: [0, 105, 120, 121],
  },
  sendLog: {
    method: 'POST',
    path: '/logs',
    summary: 'Store a log message',
    body: logBody,
    answer: envelope({}),
    codes: [0, 120, 121],
  },
});

export const logOperations = administrationOperations({ tag: 'logs', params: ofApplication, codes: [105] })({
  listLogs: {
    method: 'GET',
    path: '/companies/:companyId/applications/:appId/logs',
    summary: "The log entries of an application's clients, the newest first",
    permission: 'log.read',
    query: listQuery(logFilters),
    answer: listOf(logEntry),
  },
  exportLogs: {
    method: 'GET',
    path: '/companies/:companyId/applications/:appId/logs/export',
    summary: 'Every matching log entry, the oldest first, one JSON object per line',
    permission: 'log.read',
    query: Type.Object(logFilters),
    answer: logEntry,
    exports: ['application/x-ndjson'],
  },
});
