/** Keys of the negative suite, and ID tokens signed with them correctly and incorrectly. */
import { createHmac, generateKeyPairSync, hash, type KeyObject, sign } from 'node:crypto';

export interface SigningKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly publicJwk: Json;
  readonly privateJwk: Json;
}

export type Json = Record<string, unknown>;

export function ellipticKey(kid: string, namedCurve = 'P-256', alg = 'ES256'): SigningKey {
  return keyOf(kid, alg, generateKeyPairSync('ec', { namedCurve }));
}

export function rsaKey(kid: string, modulusLength = 2048): SigningKey {
  return keyOf(kid, 'RS256', generateKeyPairSync('rsa', { modulusLength }));
}

function keyOf(kid: string, alg: string, pair: { publicKey: KeyObject; privateKey: KeyObject }): SigningKey {
  const about = { kid, alg, use: 'sig' };
  return {
    kid,
    alg,
    ...pair,
    publicJwk: { ...pair.publicKey.export({ format: 'jwk' }), ...about },
    privateJwk: { ...pair.privateKey.export({ format: 'jwk' }), ...about },
  };
}

export function encoded(part: unknown): string {
  return Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');
}

export function decoded(part: string | undefined): Json {
  return JSON.parse(Buffer.from(part ?? '', 'base64url').toString('utf8')) as Json;
}

/** The signature of `input`, as base64url. */
export type Signing = (input: string, key: SigningKey) => string;

export const signedBy: Signing = (input, key) =>
  sign('sha256', Buffer.from(input), { key: key.privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url');

export const derSignature: Signing = (input, key) =>
  sign('sha256', Buffer.from(input), key.privateKey).toString('base64url');

export const pssSignature: Signing = (input, key) =>
  sign('sha256', Buffer.from(input), { key: key.privateKey, padding: 6, saltLength: 32 }).toString('base64url');

/** The classic algorithm confusion: an HMAC with a publicly known key. */
export function hmacUnder(secretOf: (key: SigningKey) => string): Signing {
  return (input, key) => createHmac('sha256', secretOf(key)).update(input).digest('base64url');
}

export const pemOf = (key: SigningKey) => String(key.publicKey.export({ format: 'pem', type: 'spki' }));
export const jwkOf = (key: SigningKey) => JSON.stringify(key.publicJwk);

/** The hash of an access token by OIDC Core §3.1.3.6. */
export function halfHash(algorithm: string, token: string): string {
  const digest = hash(algorithm, token, 'buffer');
  return digest.subarray(0, digest.length / 2).toString('base64url');
}
