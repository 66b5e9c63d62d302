/**
 * Valid variations by provider and client, which show that the negative cases are refused only for their stated fault.
 */
import type { House, Sent } from './house.ts';
import { ellipticKey, type Json, rsaKey } from './keys.ts';
import { mainClient, otherClient } from './provider.ts';
import type { SignInLies, TenantLies } from './proxy.ts';

export interface RightCase {
  readonly what: string;
  readonly lies?: SignInLies;
  readonly tenant?: TenantLies;
  readonly body?: (right: Sent['body'], house: House) => object;
}

const seconds = () => Math.floor(Date.now() / 1_000);
const withClaims = (what: string, claims: () => Json): RightCase => ({ what, lies: { idToken: { claims } } });
const moreKeys: TenantLies = {
  keys: (_reply, { keys }) => ({
    body: JSON.stringify({
      keys: [
        ...(keys as Json[]),
        rsaKey('third-key').publicJwk,
        ellipticKey('fourth-key', 'P-384', 'ES384').publicJwk,
        { kty: 'new', kid: 'fifth-key' },
        { kty: 'EC', kid: 'sixth-key', use: 'enc' },
      ],
    }),
  }),
};

export const rightCases: readonly RightCase[] = [
  { what: 'the provider, unchanged' },
  { what: 'an ID token that is signed with the second key', lies: { idToken: {} } },
  { what: 'a tenant of the provider', tenant: {} },
  { what: 'a key set with keys of every kind', tenant: moreKeys },
  {
    what: 'metadata with more than is known',
    tenant: { metadata: (_reply, metadata) => ({ body: JSON.stringify({ ...metadata, made_up: [1, { a: null }] }) }) },
  },
  { what: 'a header without typ', lies: { idToken: { header: { typ: undefined } } } },
  withClaims('an audience in a list', () => ({ aud: [mainClient] })),
  withClaims('an authorized party', () => ({ azp: mainClient })),
  withClaims('two audiences, of which azp names us', () => ({ aud: [otherClient, mainClient], azp: mainClient })),
  withClaims('no at_hash', () => ({ at_hash: undefined })),
  withClaims('a clock that is some seconds ahead', () => ({ iat: seconds() + 10, nbf: seconds() + 10 })),
  withClaims('a clock that is some seconds behind', () => ({ exp: seconds() - 10 })),
  withClaims('claims that nobody asked for', () => ({ sid: 'x', groups: ['a'], made_up: { deep: [1] } })),
  withClaims('names of strange types', () => ({ given_name: 7, family_name: ['x'], name: null })),
  {
    what: 'a token answer with further fields',
    lies: { token: (_reply, json) => ({ body: JSON.stringify({ ...json, made_up: 1, refresh_token: 'r' }) }) },
  },
  {
    what: 'the type of the token in other letters',
    lies: { token: (_reply, json) => ({ body: JSON.stringify({ ...json, token_type: 'bEARER' }) }) },
  },
  {
    what: 'JSON with its character set',
    lies: {
      token: () => ({ headers: { 'content-type': 'application/json; charset=UTF-8' } }),
      userInfo: () => ({ headers: { 'content-type': 'Application/JSON' } }),
    },
  },
  { what: 'the state in capitals', body: ({ authnState }) => ({ authnState: String(authnState).toUpperCase() }) },
  { what: 'the version in its other form', body: () => ({ appVersion: '1_0_0' }) },
  { what: 'the iss of the provider', body: (_right, { proxy }) => ({ iss: proxy.issuer }) },
];
