/**
 * False metadata and keys, accounts that the provider does not confirm, and redirect addresses that differ from the
 * registered one.
 */
import { noAnswersOf } from './answers.cases.ts';
import { badIdToken, type NegativeCase } from './case.ts';
import { ellipticKey, type Json, rsaKey } from './keys.ts';
import { redirectBase } from './provider.ts';
import type { Alter, TenantLies } from './proxy.ts';

const changedMetadata = (changes: (metadata: Json) => Json): TenantLies => ({
  metadata: (_reply, metadata) => ({ body: JSON.stringify({ ...metadata, ...changes(metadata) }) }),
});
/** Refused at Authenticate, because no flow can begin with such a provider. */
const badMetadata = (cases: Readonly<Record<string, (metadata: Json) => Json>>): NegativeCase[] =>
  Object.entries(cases).map(([what, changes]) => ({
    what: `metadata: ${what}`,
    code: 117,
    tenant: changedMetadata(changes),
    atStart: true,
    flow: 'none',
  }));

const metadata: NegativeCase[] = [
  ...badMetadata({
    'another issuer': () => ({ issuer: 'https://accounts.example.com' }),
    'the issuer of another tenant': ({ issuer }) => ({ issuer: String(issuer).replace(/t-\d+$/, 't-0') }),
    'no issuer': () => ({ issuer: undefined }),
    'an issuer with a slash at its end': ({ issuer }) => ({ issuer: `${issuer}/` }),
    'an issuer with a query': ({ issuer }) => ({ issuer: `${issuer}?x` }),
    'an issuer in capitals': ({ issuer }) => ({ issuer: String(issuer).toUpperCase() }),
    'an issuer that is a number': () => ({ issuer: 7 }),
    'no authorization endpoint': () => ({ authorization_endpoint: undefined }),
    'an authorization endpoint without a host': () => ({ authorization_endpoint: '/auth' }),
    'an authorization endpoint that is a script': () => ({ authorization_endpoint: 'javascript:alert(1)' }),
    'an authorization endpoint over plain http': () => ({ authorization_endpoint: 'http://accounts.example.com/auth' }),
    'an authorization endpoint that is a list': () => ({ authorization_endpoint: ['https://a.example/'] }),
    'an authorization endpoint with a password': () => ({ authorization_endpoint: 'https://a:b@a.example/auth' }),
    'no token endpoint': () => ({ token_endpoint: undefined }),
    'a token endpoint over plain http': () => ({ token_endpoint: 'http://192.0.2.1/token' }),
    'a token endpoint that is a file': () => ({ token_endpoint: 'file:///etc/passwd' }),
    'no keys': () => ({ jwks_uri: undefined }),
    'keys over plain http': () => ({ jwks_uri: 'http://192.0.2.1/keys' }),
    'UserInfo over plain http': () => ({ userinfo_endpoint: 'http://192.0.2.1/me' }),
    'no algorithm but none and HMAC': () => ({ id_token_signing_alg_values_supported: ['none', 'HS256'] }),
    'no algorithm': () => ({ id_token_signing_alg_values_supported: [] }),
    'algorithms that are a text': () => ({ id_token_signing_alg_values_supported: 'ES256' }),
  }),
  ...noAnswersOf('the metadata', (alter) => ({ tenant: { metadata: alter }, atStart: true, flow: 'none' })),
];

const withKeys = (change: (keys: Json[]) => unknown): TenantLies => ({
  keys: (_reply, { keys }) => ({ body: JSON.stringify(change(keys as Json[])) }),
});
const second = (changes: Json) => (keys: Json[]) => ({
  keys: keys.map((key) => (key.kid === 'second-key' ? { ...key, ...changes } : key)),
});
const weak = rsaKey('second-key', 1_024);
const keys: NegativeCase[] = [
  ...Object.entries({
    'no key at all': () => ({ keys: [] }),
    'the key is gone': (keys: Json[]) => ({ keys: keys.filter(({ kid }) => kid !== 'second-key') }),
    'another key under its kid': second(ellipticKey('second-key').publicJwk),
    'the key is for encryption': second({ use: 'enc' }),
    'the key may only sign': second({ key_ops: ['sign'] }),
    'the key is for another algorithm': second({ alg: 'ES384' }),
    'the key is of another curve': second({ crv: 'P-384' }),
    'the key is no point of the curve': second({ x: 'AAAA' }),
    'the key has no curve': second({ crv: undefined }),
    'the key has half its numbers': second({ y: undefined }),
    'the key is a shared secret': second({ kty: 'oct', k: 'AAAA' }),
    'two keys under one kid': (keys: Json[]) => ({ keys: [...keys, ...keys] }),
    'the keys are a text': () => ({ keys: 'second-key' }),
    'the keys are texts': () => ({ keys: ['second-key'] }),
    'the keys are null': () => ({ keys: null }),
    'no list of keys': () => ({}),
  }).map(
    ([what, change]): NegativeCase => ({ what: `keys: ${what}`, code: 116, tenant: withKeys(change), flow: 'used' }),
  ),
  {
    what: 'keys: RSA with 1024 bits',
    code: 116,
    tenant: withKeys((list) => ({ keys: [...list.filter(({ kid }) => kid !== 'second-key'), weak.publicJwk] })),
    lies: { idToken: { key: weak } },
    flow: 'used',
  },
  {
    what: 'keys: an algorithm that the metadata does not offer',
    code: 116,
    tenant: changedMetadata(() => ({ id_token_signing_alg_values_supported: ['RS256'] })),
    flow: 'used',
  },
  ...noAnswersOf('the keys', (alter: Alter) => ({ tenant: { keys: alter }, flow: 'used' })),
];

/** With a provider that creates no accounts, a person unknown by identity and verified e-mail is refused. */
const strict = { accountPolicy: 'refuse' } as const;
const accounts: NegativeCase[] = Object.entries({
  'nobody knows the person': {},
  'the e-mail of someone is not verified': { email: 'alice@example.com', email_verified: false },
  'nothing is said about the e-mail': { email: 'alice@example.com', email_verified: undefined },
  'the e-mail is verified in a strange way': { email: 'alice@example.com', email_verified: 1 },
  'the e-mail is verified in text of another word': { email: 'alice@example.com', email_verified: 'yes' },
  'the e-mail is a list': { email: ['alice@example.com'], email_verified: true },
  'the e-mail only looks like it': { email: 'al\u0131ce@example.com', email_verified: true },
  'the e-mail has another one after it': { email: 'alice@example.com,x@example.com', email_verified: true },
  'the e-mail is of someone of another company': { email: 'dave@example.com', email_verified: true },
}).map(
  ([what, claims]): NegativeCase => ({
    what,
    code: 119,
    registered: strict,
    lies: { idToken: { claims: { email: undefined, email_verified: undefined, ...claims } }, userInfo: noEmail },
    flow: 'used',
  }),
);
function noEmail(_reply: unknown, { sub }: Json) {
  return { body: JSON.stringify({ sub }) };
}

/** The service sends the browser with an address that is not exactly the one registered at the provider. */
const redirects: NegativeCase[] = Object.entries({
  'a slash at its end': `${redirectBase}/main/`,
  'capitals in its path': `${redirectBase}/MAIN`,
  'another port': `${redirectBase.replace(':9/', ':10/')}/main`,
  'no port': `${redirectBase.replace(':9/', '/')}/main`,
  'another name of the same host': `${redirectBase.replace('127.0.0.1', 'localhost')}/main`,
  https: `${redirectBase.replace('http:', 'https:')}/main`,
  'a query': `${redirectBase}/main?next=x`,
  'an empty query': `${redirectBase}/main?`,
  'a further folder': `${redirectBase}/main/../main/x`,
  'an escaped letter': `${redirectBase}/m%61in`,
  'a user name': `${redirectBase.replace('//', '//x@')}/main`,
  'another host that begins like it': 'http://127.0.0.1.evil.example/back/main',
  'a scheme of an app': 'com.example.app:/back',
}).map(
  ([what, redirectUri]): NegativeCase => ({
    what: `redirect address with ${what}`,
    code: 111,
    registered: { redirectUri },
    noCode: true,
    flow: 'used',
  }),
);

export const providerCases: readonly NegativeCase[] = [
  ...metadata,
  ...keys,
  ...accounts,
  ...redirects,
  badIdToken('a token that an older key of the provider signed', {
    key: ellipticKey('old-key'),
    header: { kid: 'old-key' },
  }),
];
