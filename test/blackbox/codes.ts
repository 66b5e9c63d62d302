/**
 * Which operation returns which code, and how each is provoked by requests, or why it can't be
 * (docs/reference/codes.md). The reference in docs/ is made from this table, and codes.test.ts sends every case of it.
 */
import type { Case } from '../harness/cases.ts';

export type OperationName =
  | 'Query (older form)'
  | 'Query (expressions)'
  | 'Count'
  | 'addData'
  | 'updateData'
  | 'deleteData'
  | 'putData'
  | 'Batch of operations'
  | 'Get one record'
  | 'Anonymous token'
  | 'Register device'
  | 'Authenticate'
  | 'Login'
  | 'Login with a password'
  | 'Refresh'
  | 'Logout'
  | 'Get log level'
  | 'Send log'
  | 'List roles'
  | 'Define tables'
  | 'Describe tables';

export type CodeRow = { readonly operation: OperationName; readonly code: number } & (
  | { readonly test: Case }
  /** `file: test`, for what takes more than one request. */
  | { readonly provokedBy: string }
  /** Why requests can't provoke it. */
  | { readonly reason: string }
);

const query = [0, 102, 110, 120, 121, 122, 132, 198, 212];

/** The codes that the interface lists for each operation. */
export const listedCodes: Readonly<Record<OperationName, readonly number[]>> = {
  'Query (older form)': query,
  'Query (expressions)': query,
  Count: query,
  addData: [0, 102, 110, 120, 121, 122, 131, 210, 211, 212],
  updateData: [0, 102, 110, 120, 121, 122, 130, 131, 210, 211, 212],
  deleteData: [0, 110, 120, 121, 122, 130, 198, 202, 210, 211, 212, 220],
  putData: [0, 102, 110, 120, 121, 122, 130, 131, 210, 211, 212],
  'Batch of operations': [0, 102, 110, 120, 121, 122, 130, 131, 210, 211, 212],
  'Get one record': [0, 102, 110, 120, 121, 122, 130, 198, 212],
  'Anonymous token': [0, 101, 198, 201],
  'Register device': [0, 120, 121, 131, 161, 206],
  Authenticate: [0, 106, 113, 117, 120, 121, 198],
  Login: [0, 104, 106, 111, 112, 113, 114, 115, 116, 117, 119, 121, 160, 163, 198, 201],
  'Login with a password': [0, 104, 106, 111, 119, 121, 160, 198, 201],
  Refresh: [0, 110, 120, 121],
  Logout: [0, 110, 120, 121],
  'Get log level': [0, 105, 120, 121],
  'Send log': [0, 110, 120, 121, 131],
  'List roles': [0, 110, 120, 121, 122, 132],
  'Define tables': [0, 110, 120, 121, 122, 131],
  'Describe tables': [0, 110, 120, 121, 122],
};

type Request = Omit<Case, 'name' | 'code'>;

const hour = 3_600_000;
const expiredUser = { later: 6 * hour } as const;
const expiredAnonymous = { token: '{{anonymous}}', later: 25 * hour } as const;

const olderBody = { objectNames: ['Item'], returnedObjectNames: ['Item'] };
const expressionBody = { from: { phyName: 'Item', alias: 't' } };
const badWhere = { ...expressionBody, where: { expression: { source: '#t.nope = 1', params: [] } } };
const unknownFrom = { from: { phyName: 'Nothing', alias: 't' } };
const someTime = '2014-01-23T14:44:36.516+07:00';

const older: Request = { method: 'POST', path: 'data/query', body: olderBody };
const expression: Request = { method: 'POST', path: 'data/query/Item', body: expressionBody };
const count: Request = { method: 'POST', path: 'data/query/Item/count', body: expressionBody };
const add: Request = {
  method: 'POST',
  path: 'data/batch/addData',
  body: { objectName: 'Item', data: [{ name: 'matrix' }] },
};
const update: Request = {
  method: 'POST',
  path: 'data/batch/updateData',
  body: { objectName: 'Item', data: [{ objectId: 'm1', name: 'changed', serverUpdateTime: '{{time.m1}}' }] },
};
const remove: Request = {
  method: 'POST',
  path: 'data/batch/deleteData',
  body: { objectName: 'Item', objectIds: [{ objectId: 'm2', serverUpdateTime: '{{time.m2}}' }] },
};
const put: Request = {
  method: 'POST',
  path: 'data/batch/putData',
  body: { objectName: 'Item', data: [{ objectId: 'put' }] },
};
const batch: Request = {
  method: 'POST',
  path: 'data/batch',
  body: { operations: [{ op: 'add', objectName: 'Item', data: [{ name: 'matrix' }] }] },
};
const single: Request = { method: 'GET', path: 'data/Item/i1' };
const logLevel: Request = { method: 'GET', path: 'logLevel' };
const sendLog: Request = { method: 'POST', path: 'logs', body: { logLevel: 'ERROR', message: 'matrix' } };
const roles: Request = { method: 'GET', path: 'roles' };
const define: Request = { method: 'POST', path: 'schemas', body: { tables: [] } };
const describe: Request = { method: 'GET', path: 'schemas' };

function row(operation: OperationName, code: number, request: Request & { readonly bare?: true }): CodeRow {
  const { bare, ...rest } = request;
  return { operation, code, test: { ...rest, name: `${operation}: ${code}`, code: bare === true ? 'bare' : code } };
}
const reason = (operation: OperationName, code: number, text: string): CodeRow => ({ operation, code, reason: text });
const elsewhere = (operation: OperationName, code: number, provokedBy: string): CodeRow => ({
  operation,
  code,
  provokedBy,
});

/** The three ways in which authentication fails, the same for every operation that needs a user. */
function unsettled(operation: OperationName, request: Request): CodeRow[] {
  return [
    row(operation, 110, { ...request, token: '{{gone.token}}' }),
    row(operation, 120, { ...request, ...expiredUser }),
    row(operation, 121, { ...request, token: 'no-such-token' }),
  ];
}

const inside = {
  saving: 'Only a fault of the disk or of the service database causes it, which a client cannot provoke.',
  writesReadFirst:
    'A write answers 210 if the database is unreachable; its reads are part of the same transaction, so 212 never occurs.',
  deleteFault: 'Only an internal fault causes it: a delete that the database refuses for a reason without a code.',
};

const tooManyRows = 'limits.test.ts: a result above the configured size is refused, never truncated';
const pastTime = 'limits.test.ts: a query past its time limit is stopped';
const queueFull = 'limits.test.ts: a full write queue answers 210 and when to try again';
const notPermitted = 'table-rights.test.ts: every operation is refused without its right, and allowed with it';
const passwordChecks = 'local-login.test.ts: errors are answered in the order of the checks';
const loginChecks = 'sign-in.test.ts: the checks stand in their order';

export const codeRows: readonly CodeRow[] = [
  row('Query (older form)', 0, older),
  row('Query (older form)', 102, { ...older, body: { objectNames: ['Nothing'], returnedObjectNames: ['Nothing'] } }),
  ...unsettled('Query (older form)', older),
  elsewhere('Query (older form)', 122, notPermitted),
  row('Query (older form)', 132, { ...older, body: { ...olderBody, pageIndex: 0 } }),
  row('Query (older form)', 198, { ...older, body: { objectNames: ['Item'] } }),
  elsewhere('Query (older form)', 212, tooManyRows),

  row('Query (expressions)', 0, { ...expression, bare: true }),
  row('Query (expressions)', 102, { ...expression, path: 'data/query/Nothing', body: unknownFrom }),
  ...unsettled('Query (expressions)', expression),
  elsewhere('Query (expressions)', 122, notPermitted),
  row('Query (expressions)', 132, { ...expression, body: badWhere }),
  row('Query (expressions)', 198, { ...expression, body: {} }),
  elsewhere('Query (expressions)', 212, tooManyRows),

  row('Count', 0, count),
  row('Count', 102, { ...count, path: 'data/query/Nothing/count', body: unknownFrom }),
  ...unsettled('Count', count),
  elsewhere('Count', 122, notPermitted),
  row('Count', 132, { ...count, body: badWhere }),
  row('Count', 198, { ...count, body: {} }),
  elsewhere('Count', 212, pastTime),

  row('addData', 0, { ...add, body: { objectName: 'Item', transactionId: 'matrix', data: [{ name: 'matrix' }] } }),
  row('addData', 102, { ...add, body: { objectName: 'Nothing', data: [{ name: 'matrix' }] } }),
  ...unsettled('addData', add),
  elsewhere('addData', 122, notPermitted),
  row('addData', 131, { ...add, body: { objectName: 'Item', data: [{ nope: 'x' }] } }),
  elsewhere('addData', 210, queueFull),
  row('addData', 211, { ...add, body: { objectName: 'Item', transactionId: 'matrix', data: [{ name: 'matrix' }] } }),
  reason('addData', 212, inside.writesReadFirst),

  row('updateData', 0, update),
  row('updateData', 102, {
    ...update,
    body: { objectName: 'Nothing', data: [{ objectId: 'x', serverUpdateTime: someTime }] },
  }),
  ...unsettled('updateData', update),
  elsewhere('updateData', 122, notPermitted),
  row('updateData', 130, { ...update, status: 409 }),
  row('updateData', 131, { ...update, body: { objectName: 'Item', data: [{ objectId: 'm1' }] } }),
  elsewhere('updateData', 210, queueFull),
  row('updateData', 211, { ...update, body: { objectName: 'Item', transactionId: 'matrix', data: [{}] } }),
  reason('updateData', 212, inside.writesReadFirst),

  row('deleteData', 0, remove),
  ...unsettled('deleteData', remove),
  elsewhere('deleteData', 122, notPermitted),
  row('deleteData', 130, { ...remove, status: 404 }),
  row('deleteData', 198, { ...remove, body: { objectName: 'Item' } }),
  row('deleteData', 202, {
    ...remove,
    body: { objectName: 'Nothing', objectIds: [{ objectId: 'x', serverUpdateTime: someTime }] },
  }),
  elsewhere('deleteData', 210, queueFull),
  row('deleteData', 211, {
    ...remove,
    body: { objectName: 'Item', transactionId: 'matrix', objectIds: [{ objectId: 'x', serverUpdateTime: someTime }] },
  }),
  reason('deleteData', 212, inside.writesReadFirst),
  reason('deleteData', 220, inside.deleteFault),

  row('putData', 0, put),
  row('putData', 102, { ...put, body: { objectName: 'Nothing', data: [{ objectId: 'x' }] } }),
  ...unsettled('putData', put),
  elsewhere('putData', 122, notPermitted),
  // It is there by now.
  row('putData', 130, { ...put, status: 409 }),
  row('putData', 131, { ...put, body: { objectName: 'Item', data: [{}] } }),
  elsewhere('putData', 210, queueFull),
  row('putData', 211, { ...put, body: { objectName: 'Item', transactionId: 'matrix', data: [{}] } }),
  reason('putData', 212, inside.writesReadFirst),

  row('Batch of operations', 0, batch),
  row('Batch of operations', 102, {
    ...batch,
    body: { operations: [{ op: 'add', objectName: 'Nothing', data: [{}] }] },
  }),
  ...unsettled('Batch of operations', batch),
  elsewhere('Batch of operations', 122, notPermitted),
  row('Batch of operations', 130, {
    ...batch,
    status: 404,
    body: {
      operations: [{ op: 'update', objectName: 'Item', data: [{ objectId: 'none', serverUpdateTime: someTime }] }],
    },
  }),
  row('Batch of operations', 131, { ...batch, body: { operations: [] } }),
  elsewhere('Batch of operations', 210, queueFull),
  row('Batch of operations', 211, {
    ...batch,
    body: { transactionId: 'matrix', operations: [{ op: 'put', objectName: 'Item', data: [{}] }] },
  }),
  reason('Batch of operations', 212, inside.writesReadFirst),

  row('Get one record', 0, { ...single, bare: true }),
  row('Get one record', 102, { ...single, path: 'data/Nothing/i1' }),
  ...unsettled('Get one record', single),
  elsewhere('Get one record', 122, notPermitted),
  row('Get one record', 130, { ...single, path: 'data/Item/nobody', status: 404 }),
  reason(
    'Get one record',
    198,
    'Table and id are segments of the path; without them it is a different request (199). A missing token is 121.',
  ),
  reason('Get one record', 212, 'One record never exceeds a limit; only an unreachable database causes it.'),

  row('Anonymous token', 0, {
    as: 'nobody',
    method: 'GET',
    path: 'anonymousTokens?appKey={{appKey}}&deviceUDID=matrix',
  }),
  row('Anonymous token', 101, { as: 'nobody', method: 'GET', path: 'anonymousTokens?appKey=wrong&deviceUDID=matrix' }),
  row('Anonymous token', 198, { as: 'nobody', method: 'GET', path: 'anonymousTokens?appKey={{appKey}}' }),
  reason('Anonymous token', 201, inside.saving),

  row('Register device', 0, {
    token: '{{anonymous}}',
    method: 'POST',
    path: 'devices',
    body: { deviceToken: 'push', deviceUDID: 'matrix-device', deviceName: 'Matrix', osType: 'test' },
  }),
  row('Register device', 161, {
    token: '{{anonymous}}',
    method: 'POST',
    path: 'devices',
    body: { deviceToken: 'push', deviceUDID: 'matrix-device', deviceName: 'Matrix', osType: 'test' },
  }),
  row('Register device', 131, { token: '{{anonymous}}', method: 'POST', path: 'devices', body: {} }),
  row('Register device', 120, {
    ...expiredAnonymous,
    method: 'POST',
    path: 'devices',
    body: { deviceUDID: 'matrix-device' },
  }),
  row('Register device', 121, {
    token: 'no-such-token',
    method: 'POST',
    path: 'devices',
    body: { deviceUDID: 'matrix-device' },
  }),
  reason('Register device', 206, inside.saving),

  row('Authenticate', 0, {
    as: 'nobody',
    method: 'GET',
    path: 'auth/oidc/idp/Authenticate?authToken={{anonymous}}&clientId={{clientId}}',
    headers: { accept: 'application/json' },
  }),
  elsewhere('Authenticate', 106, 'codes.test.ts: a version that was switched off answers 106'),
  row('Authenticate', 113, {
    as: 'nobody',
    method: 'GET',
    path: 'auth/oidc/idp/Authenticate?authToken={{anonymous}}&clientId=nobody',
  }),
  elsewhere('Authenticate', 117, 'providers.test.ts: a provider that cannot be reached answers 117'),
  row('Authenticate', 120, {
    as: 'nobody',
    later: 25 * hour,
    method: 'GET',
    path: 'auth/oidc/idp/Authenticate?authToken={{anonymous}}&clientId={{clientId}}',
  }),
  row('Authenticate', 121, {
    as: 'nobody',
    method: 'GET',
    path: 'auth/oidc/idp/Authenticate?authToken=no-such-token&clientId={{clientId}}',
  }),
  row('Authenticate', 198, { as: 'nobody', method: 'GET', path: 'auth/oidc/idp/Authenticate?authToken={{anonymous}}' }),

  elsewhere('Login', 0, 'sign-in.test.ts: returns the auth info under both spellings'),
  ...[104, 111, 112, 113, 114, 115, 121, 160, 163].map((code) => elsewhere('Login', code, loginChecks)),
  elsewhere('Login', 106, 'codes.test.ts: a version that was switched off answers 106'),
  elsewhere('Login', 116, 'providers.test.ts: an invalid ID token answers 116'),
  elsewhere('Login', 117, 'providers.test.ts: a provider that cannot be reached answers 117'),
  elsewhere('Login', 119, 'codes.test.ts: an account that was disabled answers 119'),
  elsewhere('Login', 198, 'sign-in.test.ts: Login answers 198: a required field is missing, before any other check'),
  reason('Login', 201, inside.saving),

  elsewhere('Login with a password', 0, 'local-login.test.ts: the answer is that of Login, and its token works'),
  ...[104, 106, 111, 121, 160, 198].map((code) => elsewhere('Login with a password', code, passwordChecks)),
  elsewhere('Login with a password', 119, 'local-login.test.ts: an application takes no passwords unless enabled'),
  reason('Login with a password', 201, inside.saving),

  elsewhere('Refresh', 0, 'sign-in.test.ts: answers like Login, with a new token; the old one works ten more seconds'),
  ...unsettled('Refresh', { method: 'POST', path: 'auth/refresh', body: {} }),
  elsewhere('Logout', 0, 'sign-in.test.ts: ends only this session, at once'),
  ...unsettled('Logout', { method: 'POST', path: 'auth/logout', body: {} }),

  row('Get log level', 0, logLevel),
  elsewhere('Get log level', 105, 'codes.test.ts: an application that was switched off answers 105'),
  row('Get log level', 120, { ...logLevel, ...expiredUser }),
  row('Get log level', 121, { ...logLevel, token: 'no-such-token' }),

  row('Send log', 0, sendLog),
  ...unsettled('Send log', sendLog),
  row('Send log', 131, { ...sendLog, body: { logLevel: 'LOUD', message: 'matrix' } }),

  row('List roles', 0, roles),
  ...unsettled('List roles', roles),
  reason('List roles', 122, 'Every user may list the roles.'),
  reason('List roles', 132, 'The operation takes no query.'),

  row('Define tables', 0, define),
  ...unsettled('Define tables', define),
  row('Define tables', 122, { ...define, as: 'bob' }),
  row('Define tables', 131, { ...define, body: { tables: 'none' } }),

  row('Describe tables', 0, describe),
  ...unsettled('Describe tables', describe),
  row('Describe tables', 122, { ...describe, as: 'bob' }),
];
