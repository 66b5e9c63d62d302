/** False answers of the token endpoint and of UserInfo: errors, pages, nothing, too much. */
import { gzipSync } from 'node:zlib';
import type { NegativeCase } from './case.ts';
import type { Json } from './keys.ts';
import type { Alter, Reply } from './proxy.ts';

const json = { 'content-type': 'application/json' };
const html = { 'content-type': 'text/html; charset=utf-8' };
const error = (status: number, body: unknown): Partial<Reply> => ({
  status,
  headers: json,
  body: JSON.stringify(body),
});

/** For any endpoint: answers outside the protocol. */
const noAnswers: Readonly<Record<string, (reply: Reply) => Partial<Reply>>> = {
  'a server error': () => error(500, { error: 'server_error' }),
  'a gateway error with a page': () => ({ status: 502, headers: html, body: '<html>Bad gateway</html>' }),
  'away for a while': () => error(503, { error: 'temporarily_unavailable' }),
  'too many requests': () => ({ status: 429, headers: html, body: 'slow down' }),
  'a page that is not found': () => ({ status: 404, headers: html, body: '<html>Not found</html>' }),
  'a page instead of JSON': () => ({ headers: html, body: '<html></html>' }),
  'the right JSON as text/html': () => ({ headers: html }),
  'the right JSON without a type': () => ({ headers: {} }),
  nothing: () => ({ body: '' }),
  'JSON that is broken off': ({ body }) => ({ body: body.slice(0, -5) }),
  'a JSON list': ({ body }) => ({ body: `[${body}]` }),
  'a JSON text': () => ({ body: '"ok"' }),
  null: () => ({ body: 'null' }),
  'status 201': () => ({ status: 201 }),
  'status 204': () => ({ status: 204, body: '' }),
  'a redirect 301': () => ({ status: 301, headers: { ...json, location: '/other' } }),
  'a redirect 302': () => ({ status: 302, headers: { ...json, location: '/other' } }),
  'a redirect 303': () => ({ status: 303, headers: { ...json, location: '/other' } }),
  'a redirect 307': () => ({ status: 307, headers: { ...json, location: '/other' } }),
  'a redirect 308': () => ({ status: 308, headers: { ...json, location: 'https://evil.example/' } }),
  'more than any answer has': ({ body }) => ({ body: body + ' '.repeat(1_100_000) }),
  'a little that unpacks to a lot': ({ headers }) => ({
    headers: { ...headers, 'content-encoding': 'gzip' },
    bytes: gzipSync(Buffer.alloc(30_000_000, ' ')),
  }),
  'no end': () => ({ how: 'endless' }),
  'no answer': () => ({ how: 'never' }),
  'a drop at a time': () => ({ how: 'slowly' }),
  'an answer broken off': () => ({ how: 'broken off' }),
  'something that is no HTTP': () => ({ how: 'no HTTP' }),
};

export const noAnswersOf = (place: string, lieOf: (alter: Alter) => Partial<NegativeCase>): NegativeCase[] =>
  Object.entries(noAnswers).map(([what, alter]) => ({
    what: `${place}: ${what}`,
    code: 117,
    flow: 'used' as const,
    ...lieOf((reply) => alter(reply)),
  }));

const refusals: Readonly<Record<string, Partial<Reply>>> = {
  invalid_grant: error(400, { error: 'invalid_grant', error_description: 'code is used' }),
  invalid_request: error(400, { error: 'invalid_request' }),
  unauthorized_client: error(400, { error: 'unauthorized_client' }),
  unsupported_grant_type: error(400, { error: 'unsupported_grant_type' }),
  invalid_client: error(401, { error: 'invalid_client' }),
  access_denied: error(403, { error: 'access_denied' }),
  'an error of its own': error(422, { error: 'computer_says_no' }),
  'an error with markup in it': error(400, { error: '<script>alert(1)</script>' }),
  'an error with a token in it besides': error(400, { error: 'invalid_grant', id_token: 'x', access_token: 'y' }),
};

const refused = Object.entries(refusals).map(
  ([what, reply]): NegativeCase => ({
    what: `the token endpoint refuses: ${what}`,
    code: 111,
    lies: { token: () => reply },
    flow: 'used',
  }),
);

const tokenFields: Readonly<Record<string, Json>> = {
  'no access token': { access_token: undefined },
  'an empty access token': { access_token: '' },
  'an access token that is a number': { access_token: 7 },
  'an access token that is null': { access_token: null },
  'another access token than at_hash says': { access_token: 'another' },
  'no token type': { token_type: undefined },
  'token type mac': { token_type: 'mac' },
  'token type N_A': { token_type: 'N_A' },
  'a token type that is a number': { token_type: 7 },
  'an empty token type': { token_type: '' },
  'a life that is text': { expires_in: 'long' },
  'a life below zero': { expires_in: -1 },
  'a refresh token that is a number': { refresh_token: 7 },
  'a scope that is a list': { scope: ['openid'] },
  'no ID token': { id_token: undefined },
};

const answered = Object.entries(tokenFields).map(
  ([what, fields]): NegativeCase => ({
    what: `the token answer: ${what}`,
    code: 116,
    lies: {
      // The ID token is signed again, with the hash of the true access token.
      idToken: {},
      token: (_reply, content) => ({ body: JSON.stringify({ ...content, ...fields }) }),
    },
    flow: 'used',
  }),
);

const subjects: Readonly<Record<string, Json>> = {
  'of another one': { sub: 'alice' },
  'of nobody': { sub: undefined },
  'that is empty': { sub: '' },
  'that is a number': { sub: 7 },
  'that is null': { sub: null },
  'in a list': { sub: ['alice'] },
};

const userInfo = Object.entries(subjects).map(
  ([what, fields]): NegativeCase => ({
    what: `UserInfo with a subject ${what}`,
    code: 116,
    lies: { userInfo: (_reply, content) => ({ body: JSON.stringify({ ...content, ...fields }) }) },
    flow: 'used',
  }),
);

export const answerCases: readonly NegativeCase[] = [
  ...refused,
  ...noAnswersOf('the token endpoint', (token) => ({ lies: { token } })),
  ...answered,
  ...userInfo,
  ...noAnswersOf('UserInfo', (userInfo) => ({ lies: { userInfo } })),
  {
    what: 'UserInfo refuses the access token',
    code: 117,
    lies: { userInfo: () => ({ ...error(401, { error: 'invalid_token' }) }) },
    flow: 'used',
  },
];
