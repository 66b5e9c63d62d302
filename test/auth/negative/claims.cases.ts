/** Every claim of the ID token missing, wrong, or of another type or time (OIDC Core §3.1.3.7). */
import { badIdToken, type NegativeCase } from './case.ts';
import { halfHash, type Json } from './keys.ts';
import { mainClient, otherClient } from './provider.ts';

const now = () => Math.floor(Date.now() / 1_000);
const wrong = (claim: string, values: Readonly<Record<string, unknown>>): NegativeCase[] =>
  Object.entries(values).map(([what, value]) => badIdToken(`${claim} ${what}`, { claims: { [claim]: value } }));
const asOf = (claim: string, values: Readonly<Record<string, () => unknown>>): NegativeCase[] =>
  Object.entries(values).map(([what, value]) =>
    badIdToken(`${claim} ${what}`, { claims: () => ({ [claim]: value() }) }),
  );
const changed = (what: string, claims: (claims: Json) => Json) => badIdToken(what, { claims });

const otherTypes = { 'is null': null, 'is a flag': true, 'is an object': {}, 'is an empty list': [] };

const issuer: NegativeCase[] = [
  ...wrong('iss', {
    'is missing': undefined,
    'is another provider': 'https://accounts.example.com',
    'is empty': '',
    'is a number': 1,
    ...otherTypes,
  }),
  changed('iss has a slash at its end', ({ iss }) => ({ iss: `${iss}/` })),
  changed('iss is written in capitals', ({ iss }) => ({ iss: String(iss).toUpperCase() })),
  changed('iss is a tenant of the provider', ({ iss }) => ({ iss: `${iss}/t-0` })),
  changed('iss is in a list', ({ iss }) => ({ iss: [iss] })),
  changed('iss has a space before it', ({ iss }) => ({ iss: ` ${iss}` })),
];

const subject: NegativeCase[] = wrong('sub', {
  'is missing': undefined,
  'is empty': '',
  'is a number': 7,
  'is in a list': ['alice'],
  'is too long': 'x'.repeat(256),
  'has a NUL': 'alice\0',
  'has an unpaired surrogate': 'alice\ud800',
  'has a line break': 'alice\nbob',
  ...otherTypes,
});

const audience: NegativeCase[] = [
  ...wrong('aud', {
    'is missing': undefined,
    'is empty': '',
    'is another client': otherClient,
    'is written in capitals': mainClient.toUpperCase(),
    'begins with ours': `${mainClient}x`,
    'lists another client': [otherClient],
    'lists ours and another one, without azp': [mainClient, otherClient],
    'lists ours in a list': [[mainClient]],
    'is a number': 7,
    'names ours in an object': { [mainClient]: true },
    'is two clients in one text': `${mainClient} ${otherClient}`,
    ...otherTypes,
  }),
  changed('aud lists ours and another one, which azp names', () => ({
    aud: [mainClient, otherClient],
    azp: otherClient,
  })),
  changed('aud is another one, and azp names us', () => ({ aud: otherClient, azp: mainClient })),
  badIdToken('aud stands there twice, the last one is another client', {
    payload: (text) => text.replace(/}$/, `,"aud":"${otherClient}"}`),
  }),
  ...wrong('azp', {
    'is another client': otherClient,
    'is empty': '',
    'is a number': 7,
    'is a list': [mainClient],
    'is null': null,
    'is a flag': false,
  }),
];

const times: NegativeCase[] = [
  ...asOf('exp', {
    'was a minute ago': () => now() - 60,
    'was a year ago': () => now() - 31_536_000,
    'is 0': () => 0,
    'is before 1970': () => -1,
    'is text': () => String(now() + 300),
    'is a date': () => new Date(Date.now() + 300_000).toISOString(),
    'is missing': () => undefined,
    'is in a list': () => [now() + 300],
    'is null': () => null,
    'is an object': () => ({}),
    'is a flag': () => true,
  }),
  badIdToken('exp is beyond every number', { payload: (text) => text.replace(/"exp":\d+/, '"exp":1e999') }),
  ...asOf('iat', {
    'is ten minutes ahead': () => now() + 600,
    'is a year ahead': () => now() + 31_536_000,
    'is milliseconds': () => Date.now(),
    'is text': () => String(now()),
    'is missing': () => undefined,
    'is null': () => null,
    'is in a list': () => [now()],
    'is a flag': () => true,
  }),
  ...asOf('nbf', {
    'is ten minutes ahead': () => now() + 600,
    'is text': () => String(now()),
    'is null': () => null,
  }),
  ...wrong('auth_time', { 'is text': 'now', 'is before 1970': -1 }),
];

const nonce: NegativeCase[] = [
  ...wrong('nonce', {
    'is missing': undefined,
    'is another one': 'another',
    'is empty': '',
    'is a number': 7,
    ...otherTypes,
  }),
  badIdToken('nonce is the one of another flow', { claims: (_claims, { otherNonce }) => ({ nonce: otherNonce }) }),
  changed('nonce is in a list', ({ nonce }) => ({ nonce: [nonce] })),
  changed('nonce is cut', ({ nonce }) => ({ nonce: String(nonce).slice(0, -1) })),
  changed('nonce is written in capitals', ({ nonce }) => ({ nonce: `${nonce}A`.toUpperCase() })),
];

const accessTokenHash: NegativeCase[] = wrong('at_hash', {
  'is of another access token': halfHash('sha256', 'another'),
  'is of another hash': halfHash('sha512', 'another'),
  'is empty': '',
  'is a number': 7,
  'is null': null,
  'is a list': [],
});

export const claimCases: readonly NegativeCase[] = [
  ...issuer,
  ...subject,
  ...audience,
  ...times,
  ...nonce,
  ...accessTokenHash,
];
