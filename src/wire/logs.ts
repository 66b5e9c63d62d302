/** Client logs (docs/reference/logs.md). */
import Type from 'typebox';
import { faults, type Operation } from './operation.ts';
import { boundedBy, envelope, nothing, optional, requiredText, text } from './shapes.ts';

const logBody = Type.Object({
  logLevel: requiredText("'ERROR' or 'MONITOR'.", { [boundedBy]: { enum: ['ERROR', 'MONITOR'] } }),
  message: optional(text('Message content.', { [boundedBy]: { maxLength: 'logMessageBytesMax' } })),
});

export const getLogLevel = {
  name: 'getLogLevel',
  method: 'GET',
  path: '/logLevel',
  tag: 'logs',
  summary: 'The log level of the application version',
  token: 'any',
  tokenInQuery: true,
  query: nothing,
  body: null,
  answer: envelope({ result: text("'ERROR' or 'MONITOR'.") }),
  codes: [0, 105, 120, 121],
  faults: { ...faults.general, busy: 131 },
} as const satisfies Operation;

export const sendLog = {
  name: 'sendLog',
  method: 'POST',
  path: '/logs',
  tag: 'logs',
  summary: 'Keep a log message',
  token: 'user',
  tokenInQuery: false,
  query: nothing,
  body: logBody,
  answer: envelope({}),
  codes: [0, 120, 121],
  faults: { ...faults.general, busy: 131 },
} as const satisfies Operation;
