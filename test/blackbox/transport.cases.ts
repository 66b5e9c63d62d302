/**
 * Checks before any feature: routes, tokens, bodies, encodings (docs/reference/requests.md). `Item` is a defined table
 * with a record `i1`.
 */
import type { Case } from '../harness/cases.ts';

const addPath = 'data/batch/addData';
const utf8 = (text: string) => Buffer.from(text, 'utf8');
const withBytes = (before: string, bytes: readonly number[], after: string) =>
  Buffer.concat([utf8(before), Buffer.from(bytes), utf8(after)]);

const post = (name: string, path: string, more: Partial<Case> & Pick<Case, 'code'>): Case => ({
  name,
  method: 'POST',
  path,
  ...more,
});

/** A body nested to this total depth. */
function nested(depth: number): string {
  // The body, the list and the record are three levels already.
  const inner = depth - 3;
  return `{"objectName":"Item","data":[{"objectId":"deep${depth}","extra":${'['.repeat(inner)}${']'.repeat(inner)}}]}`;
}

/** Every operation that needs a user token: method, path, a valid body, an invalid one. */
export const userOperations: readonly {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}[] = [
  {
    name: 'older query',
    method: 'POST',
    path: 'data/query',
    body: { objectNames: ['Item'], returnedObjectNames: ['Item'] },
  },
  { name: 'add', method: 'POST', path: addPath, body: { objectName: 'Item', data: [{ name: 'never' }] } },
  {
    name: 'update',
    method: 'POST',
    path: 'data/batch/updateData',
    body: {
      objectName: 'Item',
      data: [{ objectId: 'i1', name: 'never', serverUpdateTime: '2014-01-23T14:44:36.516+07:00' }],
    },
  },
  {
    name: 'delete',
    method: 'POST',
    path: 'data/batch/deleteData',
    body: { objectName: 'Item', objectIds: [{ objectId: 'i1', serverUpdateTime: '2014-01-23T14:44:36.516+07:00' }] },
  },
  { name: 'single GET', method: 'GET', path: 'data/Item/i1' },
  {
    name: 'expression query',
    method: 'POST',
    path: 'data/query/Item',
    body: { from: { phyName: 'Item', alias: 't' } },
  },
  { name: 'count', method: 'POST', path: 'data/query/Item/count', body: { from: { phyName: 'Item', alias: 't' } } },
  { name: 'send log', method: 'POST', path: 'logs', body: { logLevel: 'ERROR', message: 'never' } },
  { name: 'list roles', method: 'GET', path: 'roles' },
  { name: 'define tables', method: 'POST', path: 'schemas', body: { tables: [] } },
  { name: 'describe tables', method: 'GET', path: 'schemas' },
  { name: 'refresh', method: 'POST', path: 'auth/refresh', body: {} },
  { name: 'logout', method: 'POST', path: 'auth/logout', body: {} },
];

/** Invalid tokens; each must get 121, always with the same answer. */
export const wrongTokens: readonly { readonly name: string; readonly token: string | undefined }[] = [
  { name: 'none', token: undefined },
  { name: 'garbage', token: 'garbage' },
  { name: '64 zeros', token: '0'.repeat(64) },
  { name: 'a token of another company', token: '{{dave.token}}' },
  { name: 'a token with a space', token: '{{alice.token}} x' },
  { name: 'a token in capitals', token: '{{alice.tokenInCapitals}}' },
  { name: 'the hash of a token', token: '{{alice.tokenHash}}' },
  { name: 'SQL', token: "' OR '1'='1" },
  { name: 'very long', token: 'a'.repeat(4_000) },
];

/** Unknown addresses. */
export const routeCases: readonly Case[] = [
  ...(
    [
      ['GET', '/api'],
      ['GET', '/api/1'],
      ['GET', '/nothing/here'],
      ['POST', '/api/x/y/z'],
    ] as const
  ).map(
    ([method, path]): Case => ({ name: `no such request: ${method} ${path}`, as: 'nobody', method, path, code: 199 }),
  ),
  ...(
    [
      ['GET', 'nothing', 404],
      ['GET', 'data/batch/addData/more/x', 404],
      ['GET', 'data/query', 405],
      ['PUT', addPath, 405],
      ['DELETE', 'data/Item/i1', 405],
      ['PATCH', 'data/Item/i1', 405],
      ['POST', 'roles', 405],
      ['PUT', 'schemas', 405],
      ['POST', 'data/batch/adddata', 405],
      ['POST', 'auth/oidc/idp/Nothing', 404],
    ] as const
  ).map(
    ([method, path, status]): Case => ({ name: `no such request: ${method} ${path}`, method, path, code: 199, status }),
  ),
  ...(
    [
      ['POST', 'data/batch/adddata', 405, 'Did you mean \\"addData\\"?'],
      ['POST', 'data/qery/Item', 405, 'Did you mean \\"query\\"?'],
      ['GET', 'rolls', 404, 'Did you mean \\"roles\\"?'],
      ['GET', 'data/Item', 404, '/docs/api'],
    ] as const
  ).map(
    ([method, path, status, text]): Case => ({
      name: `misspelt: ${method} ${path}`,
      ...{ method, path, code: 199, status, has: [text] },
    }),
  ),
  { name: 'a query with GET', method: 'GET', path: 'data/query/Item', code: 102, has: ['sent with POST'] },
];

export const bodyCases: readonly Case[] = [
  // Anything but a JSON object
  post('body: broken JSON', addPath, { raw: '{"objectName":', code: 131, has: [/JSON/] }),
  post('body: broken JSON on a query', 'data/query/Item', { raw: '{"from":', code: 132, has: [/JSON/] }),
  post('body: broken JSON on delete', 'data/batch/deleteData', { raw: '{{', code: 198, has: [/JSON/] }),
  post('body: broken JSON does not come back', addPath, {
    raw: '{"objectName": canary-in-the-body',
    code: 131,
    hasNot: ['canary-in-the-body'],
  }),
  post('body: nothing', addPath, { raw: '', code: 131 }),
  post('body: only spaces', addPath, { raw: '   ', code: 131 }),
  post('body: null', addPath, { raw: 'null', code: 131, has: [/object/] }),
  post('body: a list', addPath, { raw: '[]', code: 131, has: [/object/] }),
  post('body: a text', addPath, { raw: '"x"', code: 131, has: [/object/] }),
  post('body: a number', addPath, { raw: '1', code: 131, has: [/object/] }),
  post('body: two values', addPath, { raw: '{} {}', code: 131, has: [/JSON/] }),
  post('body: a trailing comma', addPath, { raw: '{"objectName":"Item",}', code: 131, has: [/JSON/] }),
  post('body: a comment', addPath, { raw: '{/* x */}', code: 131, has: [/JSON/] }),
  post('body: a form', addPath, {
    raw: 'objectName=Item',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    code: 131,
    has: [/application\/json/],
  }),
  post('body: plain text', addPath, {
    raw: '{"objectName":"Item","data":[{"objectId":"plain"}]}',
    headers: { 'content-type': 'text/plain' },
    code: 131,
    has: [/application\/json/],
  }),
  post('body: no Content-Type is JSON', 'data/query/Item/count', {
    raw: '{"from":{"phyName":"Item","alias":"t"}}',
    headers: { 'content-type': '' },
    code: 0,
  }),
  post('body: an empty Content-Type is JSON', 'data/query/Item/count', {
    raw: '{"from":{"phyName":"Item","alias":"t"}}',
    headers: { 'content-type': ' ' },
    code: 0,
  }),
  ...['nonsense', 'application/', '; charset=utf-8', 'multipart/form-data'].map((type) =>
    post(`body: the Content-Type ${type}`, addPath, {
      raw: '{}',
      headers: { 'content-type': type },
      code: 131,
      has: ['application/json'],
    }),
  ),
  post('body: an expectation that nobody knows is passed over', 'data/query/Item/count', {
    body: { from: { phyName: 'Item', alias: 't' } },
    headers: { expect: 'miracles' },
    code: 0,
  }),
  post('body: JSON with a charset', 'data/query/Item/count', {
    body: { from: { phyName: 'Item', alias: 't' } },
    headers: { 'content-type': 'application/json; charset=UTF-8' },
    code: 0,
  }),
  post('body: JSON in another charset', 'data/query/Item/count', {
    body: { from: { phyName: 'Item', alias: 't' } },
    headers: { 'content-type': 'application/json; charset=latin1' },
    code: 132,
  }),

  // Bytes that are not UTF-8, characters that no engine stores
  post('encoding: a byte that is no UTF-8', addPath, {
    raw: withBytes('{"objectName":"Item","data":[{"objectId":"e1","name":"a', [0xff], 'b"}]}'),
    code: 131,
    has: [/UTF-8/i],
  }),
  post('encoding: Latin-1', addPath, {
    raw: withBytes('{"objectName":"Item","data":[{"objectId":"e1","name":"', [0xe4], 'pfel"}]}'),
    code: 131,
    has: [/UTF-8/i],
  }),
  post('encoding: an encoded surrogate', addPath, {
    raw: withBytes('{"objectName":"Item","data":[{"objectId":"e1","name":"', [0xed, 0xa0, 0x80], '"}]}'),
    code: 131,
    has: [/UTF-8/i],
  }),
  post('encoding: an overlong slash', addPath, {
    raw: withBytes('{"objectName":"Item","data":[{"objectId":"e1","name":"', [0xc0, 0xaf], '"}]}'),
    code: 131,
    has: [/UTF-8/i],
  }),
  post('encoding: beyond U+10FFFF', addPath, {
    raw: withBytes('{"objectName":"Item","data":[{"objectId":"e1","name":"', [0xf4, 0x90, 0x80, 0x80], '"}]}'),
    code: 131,
    has: [/UTF-8/i],
  }),
  post('encoding: a sequence cut short', 'data/query/Item', {
    raw: withBytes('{"from":{"phyName":"Item","alias":"t', [0xf0, 0x9f, 0x98], '"}}'),
    code: 132,
    has: [/UTF-8/i],
  }),
  post('encoding: UTF-16', addPath, { raw: Buffer.from('{"objectName":"Item"}', 'utf16le'), code: 131 }),
  post('encoding: a bare NUL', addPath, {
    raw: withBytes('{"objectName":"Item","data":[{"name":"a', [0], '"}]}'),
    code: 131,
  }),
  post('encoding: an escaped NUL names the field', addPath, {
    raw: '{"objectName":"Item","data":[{"objectId":"e1","name":"a\\u0000b"}]}',
    code: 131,
    has: [/name/, /NUL|U\+0000/],
  }),
  post('encoding: a lone high surrogate names the field', addPath, {
    raw: '{"objectName":"Item","data":[{"objectId":"e1","name":"\\ud800"}]}',
    code: 131,
    has: [/name/, /surrogate/],
  }),
  post('encoding: a lone low surrogate names the field', addPath, {
    raw: '{"objectName":"Item","data":[{"objectId":"e1","name":"x\\udc00y"}]}',
    code: 131,
    has: [/name/, /surrogate/],
  }),
  post('encoding: surrogates the wrong way round', addPath, {
    raw: '{"objectName":"Item","data":[{"objectId":"e1","name":"\\ude00\\ud83d"}]}',
    code: 131,
    has: [/name/],
  }),
  post('encoding: a lone surrogate in a name', addPath, {
    raw: '{"objectName":"Item","data":[{"objectId":"e1","na\\ud800me":"x"}]}',
    code: 131,
  }),
  post('encoding: a lone surrogate in json', addPath, {
    raw: '{"objectName":"Item","data":[{"objectId":"e1","extra":{"a":["\\ud800"]}}]}',
    code: 131,
    has: [/extra/],
  }),
  post('encoding: NUL in json text', addPath, {
    raw: '{"objectName":"Item","data":[{"objectId":"e1","extra":"[\\"\\\\u0000\\"]"}]}',
    code: 131,
    has: [/extra/],
  }),
  post('encoding: an escaped pair is one character', addPath, {
    raw: '{"objectName":"Item","data":[{"objectId":"e2","name":"\\ud83d\\ude00","scopeType":3}]}',
    code: 0,
  }),
  post('encoding: NUL in objectName', addPath, {
    raw: '{"objectName":"Item\\u0000","data":[{}]}',
    code: 131,
    has: [/objectName/],
  }),
  post('encoding: NUL in a log message', 'logs', {
    raw: '{"logLevel":"ERROR","message":"a\\u0000b"}',
    code: 131,
    has: [/message/],
  }),
  {
    name: 'encoding: a NUL in an id of the path',
    method: 'GET',
    path: 'data/Item/a%00b',
    code: 198,
    status: 400,
    has: [/objectId/],
  },
  { name: 'encoding: a path that is not UTF-8', method: 'GET', path: 'data/Item/%ff', code: 199 },
  { name: 'encoding: a path with a broken escape', method: 'GET', path: 'data/Item/%zz', code: 199 },
  { name: 'encoding: an id with an encoded slash', method: 'GET', path: 'data/Item/a%2Fb', code: 130, status: 404 },
  {
    name: 'encoding: no way out of the path',
    method: 'GET',
    path: 'data/Item/..%2f..%2froles',
    code: 130,
    status: 404,
  },

  // Numbers
  post('numbers: beyond 2^53, with the advice', addPath, {
    raw: '{"objectName":"Item","data":[{"objectId":"n1","big":9007199254740993}]}',
    code: 131,
    has: [/string/, /big/],
  }),
  post('numbers: beyond 2^53 in a query', 'data/query/Item', {
    raw: '{"from":{"phyName":"Item","alias":"t"},"where":{"expression":{"source":"#t.big = ?","params":[9007199254740993]}}}',
    code: 132,
    has: [/string/],
  }),
  post('numbers: beyond 2^53 as a transaction id', addPath, {
    raw: '{"transactionId":12345678901234567890,"objectName":"Item","data":[{"objectId":"n1"}]}',
    code: 131,
    has: [/string/, /transactionId/],
  }),
  post('numbers: beyond 2^53 in the range', 'data/query/Item', {
    raw: '{"from":{"phyName":"Item","alias":"t"},"range":{"offset":9007199254740993,"limit":1}}',
    code: 132,
    has: [/string/],
  }),
  post('numbers: beyond 2^53 inside json', addPath, {
    raw: '{"objectName":"Item","data":[{"objectId":"n1","extra":{"deep":[9007199254740993]}}]}',
    code: 131,
    has: [/string/, /9007199254740993/],
  }),
  post('numbers: 15 digits are fine', addPath, {
    raw: '{"objectName":"Item","data":[{"objectId":"n15","big":123456789012345,"scopeType":1}]}',
    code: 0,
  }),

  // Depth and size
  post('depth: 32 levels', addPath, { raw: nested(32), code: 0 }),
  post('depth: 33 levels', addPath, { raw: nested(33), code: 131, has: [/32|depthMax/] }),
  post('depth: 100 000 levels', addPath, { raw: nested(100_000), code: 131 }),
  post('depth: 100 000 objects on a query', 'data/query/Item', {
    raw: `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
    code: 132,
  }),
  post('size: more than 8 MiB', addPath, {
    raw: `{"objectName":"Item","data":[{"name":"${'x'.repeat(8 * 1024 * 1024)}"}]}`,
    code: 131,
    has: [/8[ ,.]?388[ ,.]?608|8 MiB/],
  }),
  post('size: more than 8 MiB on a query', 'data/query/Item', {
    raw: `{"from":"${'x'.repeat(8 * 1024 * 1024)}"}`,
    code: 132,
    has: [/8[ ,.]?388[ ,.]?608|8 MiB/],
  }),
  post('size: more than 8 MiB on delete', 'data/batch/deleteData', {
    raw: `{"objectName":"${'x'.repeat(8 * 1024 * 1024)}"}`,
    code: 198,
    has: [/8[ ,.]?388[ ,.]?608|8 MiB/],
  }),

  // Keys that could affect prototypes
  post('keys: __proto__ beside the fields is no field', 'data/query/Item/count', {
    raw: '{"__proto__":{"from":{"phyName":"Item","alias":"t"}}}',
    code: 198,
    has: [/from/],
  }),
  post('keys: constructor.prototype', 'data/query/Item/count', {
    raw: '{"constructor":{"prototype":{"polluted":"yes"}},"from":{"phyName":"Item","alias":"t"}}',
    code: 0,
  }),
  post('keys: toString is no table', 'data/query/toString', {
    body: { from: { phyName: 'toString', alias: 't' } },
    code: 102,
  }),
  post('keys: __proto__ is no table', 'data/query/__proto__', {
    body: { from: { phyName: '__proto__', alias: 't' } },
    code: 102,
  }),
  { name: 'keys: constructor is not a table', method: 'GET', path: 'data/constructor/x', code: 102 },
  post('keys: hasOwnProperty is no column', 'data/query/Item', {
    body: {
      from: { phyName: 'Item', alias: 't' },
      where: { expression: { source: '#t.hasOwnProperty = 1', params: [] } },
    },
    code: 132,
  }),
];

export const tokenCases: readonly Case[] = [
  {
    name: 'token: in the query of the single GET',
    as: 'nobody',
    method: 'GET',
    path: 'data/Item/i1?token={{alice.token}}',
    code: 'bare',
  },
  { name: 'token: in the header of the single GET', method: 'GET', path: 'data/Item/i1', code: 'bare' },
  { name: 'token: in both, equal', method: 'GET', path: 'data/Item/i1?token={{alice.token}}', code: 'bare' },
  { name: 'token: in both, different', method: 'GET', path: 'data/Item/i1?token={{bob.token}}', code: 121 },
  {
    name: 'token: good in the header, garbage in the query',
    method: 'GET',
    path: 'data/Item/i1?token=garbage',
    code: 121,
  },
  {
    name: 'token: garbage in the header, good in the query',
    token: 'garbage',
    method: 'GET',
    path: 'data/Item/i1?token={{alice.token}}',
    code: 121,
  },
  {
    name: 'token: twice in the query',
    as: 'nobody',
    method: 'GET',
    path: 'data/Item/i1?token={{alice.token}}&token={{bob.token}}',
    code: 121,
  },
  {
    name: 'token: in the query of the log level',
    as: 'nobody',
    method: 'GET',
    path: 'logLevel?token={{alice.token}}',
    code: 0,
  },
  { name: 'token: in the header of the log level', method: 'GET', path: 'logLevel', code: 0 },
  { name: 'token: different ones on the log level', method: 'GET', path: 'logLevel?token={{bob.token}}', code: 121 },
  ...(
    [
      ['POST', 'data/query', { objectNames: ['Item'], returnedObjectNames: ['Item'] }],
      ['POST', 'data/query/Item', { from: { phyName: 'Item', alias: 't' } }],
      ['POST', 'data/query/Item/count', { from: { phyName: 'Item', alias: 't' } }],
      ['POST', addPath, { objectName: 'Item', data: [{}] }],
      ['POST', 'logs', { logLevel: 'ERROR', message: 'x' }],
      ['GET', 'roles', undefined],
      ['GET', 'schemas', undefined],
    ] as const
  ).map(
    ([method, path, body]): Case => ({
      name: `token: in the query of ${method} ${path} it is not read`,
      as: 'nobody',
      method,
      path: `${path}?token={{alice.token}}`,
      ...(body === undefined ? {} : { body }),
      code: 121,
    }),
  ),
  {
    name: 'token: a query parameter that is not read is harmless',
    method: 'GET',
    path: 'roles?token=garbage',
    code: 0,
  },
  {
    name: 'token: a branded header is not read unless configured',
    as: 'nobody',
    method: 'GET',
    path: 'roles',
    headers: { 'x-brand-token': '{{alice.token}}' },
    code: 121,
  },
  {
    name: 'token: Authorization is not read',
    as: 'nobody',
    method: 'GET',
    path: 'roles',
    headers: { authorization: 'Bearer {{alice.token}}' },
    code: 121,
  },
  {
    name: 'token: an anonymous token is not a user token for data',
    token: '{{anonymous}}',
    method: 'GET',
    path: 'data/Item/i1',
    code: 121,
  },
  {
    name: 'token: an anonymous token reads the log level',
    token: '{{anonymous}}',
    method: 'GET',
    path: 'logLevel',
    code: 0,
  },
];

/** A call without a valid token learns nothing about its body, its table or its path. */
export const unsettledCases: readonly Case[] = [
  ...(
    [
      ['broken JSON', '{"objectName":'],
      ['nothing', ''],
      ['no object', '[]'],
      ['a number that is not exact', '{"a":9007199254740993}'],
      ['a lone surrogate', '{"a":"\\ud800"}'],
      ['too deep', '['.repeat(1_000)],
      ['too large', 'x'.repeat(9 * 1024 * 1024)],
      ['no UTF-8', Buffer.from([0xff, 0xfe])],
    ] as const
  ).flatMap(([what, raw]) =>
    [addPath, 'data/query', 'data/query/Item', 'data/batch/deleteData', 'schemas', 'logs'].map(
      (path): Case => ({
        name: `before the body: ${what} on ${path}`,
        token: 'garbage',
        method: 'POST',
        path,
        raw,
        code: 121,
      }),
    ),
  ),
  {
    name: 'before the body: wrong content type',
    token: 'garbage',
    method: 'POST',
    path: addPath,
    raw: 'x',
    headers: { 'content-type': 'text/plain' },
    code: 121,
  },
  { name: 'before the table: unknown', token: 'garbage', method: 'GET', path: 'data/Nothing/x', code: 121 },
  {
    name: 'before the permission: dave defines tables',
    as: 'dave',
    method: 'POST',
    path: 'schemas',
    body: { tables: 5 },
    code: 121,
  },
];
