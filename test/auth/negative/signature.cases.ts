/** The ID token unsigned, signed by someone else or by another algorithm, or malformed (RFC 7515, RFC 8725). */
import { badIdToken, type NegativeCase } from './case.ts';
import {
  decoded,
  derSignature,
  ellipticKey,
  encoded,
  hmacUnder,
  type Json,
  jwkOf,
  pemOf,
  pssSignature,
  rsaKey,
  type SigningKey,
  signedBy,
} from './keys.ts';
import type { IdTokenLie } from './proxy.ts';

const stranger = ellipticKey('second-key');
const strangerRsa = rsaKey('second-key');
const strangerP384 = ellipticKey('second-key', 'P-384', 'ES384');

const bad = (cases: Readonly<Record<string, IdTokenLie>>) =>
  Object.entries(cases).map(([what, lie]) => badIdToken(what, lie));
const parts = (change: (header: string, payload: string, signature: string) => unknown): IdTokenLie => ({
  whole: (token) => {
    const [header = '', payload = '', signature = ''] = token.split('.');
    return change(header, payload, signature);
  },
});
const withPayload = (change: (payload: Json) => unknown): IdTokenLie =>
  parts((header, payload, signature) => `${header}.${encoded(change(decoded(payload)))}.${signature}`);
const payloadOf = (text: string): IdTokenLie => ({ payload: () => text });

const algorithm = bad({
  'alg none, not signed': { header: { alg: 'none' }, sign: () => '' },
  'alg none, with a signature': { header: { alg: 'none' } },
  'alg None': { header: { alg: 'None' }, sign: () => '' },
  'alg nOnE': { header: { alg: 'nOnE' }, sign: () => '' },
  'alg empty': { header: { alg: '' } },
  'alg missing': { header: { alg: undefined } },
  'alg a number': { header: { alg: 256 } },
  'alg a list': { header: { alg: ['ES256'] } },
  'alg null': { header: { alg: null } },
  'alg in small letters': { header: { alg: 'es256' } },
  'HS256 under the public key as PEM': { header: { alg: 'HS256' }, sign: hmacUnder(pemOf) },
  'HS256 under the public key as JWK': { header: { alg: 'HS256' }, sign: hmacUnder(jwkOf) },
  'HS256 under nothing': { header: { alg: 'HS256' }, sign: hmacUnder(() => '') },
  'HS512 under the public key': { header: { alg: 'HS512' }, sign: hmacUnder(pemOf) },
  'ES384 over a key of P-256': { header: { alg: 'ES384' } },
  ES256K: { header: { alg: 'ES256K' } },
  'RS256 over an elliptic key': { header: { alg: 'RS256' } },
  'RS256 by a stranger': { key: strangerRsa },
  'PS256 by a stranger': { key: strangerRsa, header: { alg: 'PS256' }, sign: pssSignature },
  'ES384 by a stranger': { key: strangerP384, sign: signedBy },
});

const key = bad({
  'kid of nobody': { header: { kid: 'third-key' } },
  'kid missing while there are two keys': { header: { kid: undefined } },
  'kid of the other key': { header: { kid: 'true-key' } },
  'kid empty': { header: { kid: '' } },
  'kid a number': { header: { kid: 7 } },
  'kid null': { header: { kid: null } },
  'kid a path': { header: { kid: '../../../dev/null' } },
  'kid a query': { header: { kid: "' OR '1'='1" } },
  'kid in capitals': { header: { kid: 'SECOND-KEY' } },
  "a stranger's key under the published kid": { key: stranger },
  "a stranger's key that the header brings (jwk)": {
    key: stranger,
    header: { kid: undefined, jwk: stranger.publicJwk },
  },
  "a stranger's key that the header points to (jku)": { key: stranger, header: { jku: 'http://127.0.0.1:9/keys' } },
  "a stranger's certificate (x5c)": { key: stranger, header: { x5c: ['MIIB'] } },
  'crit with something unknown': { header: { crit: ['exp'], exp: 1 } },
  'crit empty': { header: { crit: [] } },
  'a payload that is not encoded (b64)': { header: { b64: false, crit: ['b64'] } },
});

const signature = bad({
  'signature missing': { sign: () => '' },
  'signature cut by a character': parts((header, payload, sign) => `${header}.${payload}.${sign.slice(0, -2)}`),
  'signature longer by some': parts((header, payload, sign) => `${header}.${payload}.${sign}AAAA`),
  'signature with its first half': parts((header, payload, sign) => `${header}.${payload}.${sign.slice(0, 43)}`),
  'signature of zeros': { sign: () => Buffer.alloc(64).toString('base64url') },
  'signature of ones': { sign: () => Buffer.alloc(64, 255).toString('base64url') },
  'signature as DER': { sign: derSignature },
  'signature of something else': { sign: (_input, own: SigningKey) => signedBy('something else', own) },
  'signature of the payload alone': { sign: (input, own) => signedBy(String(input.split('.')[1]), own) },
  'signature in standard base64': parts((header, payload, sign) => `${header}.${payload}.${sign.slice(0, -2)}+/`),
  'signature no base64': parts((header, payload) => `${header}.${payload}.!!!!`),
  'payload exchanged afterwards': withPayload((payload) => ({ ...payload, sub: 'alice' })),
  'header exchanged afterwards': parts(
    (header, payload, sign) => `${encoded({ ...decoded(header), typ: 'at+jwt' })}.${payload}.${sign}`,
  ),
});

const form = bad({
  'an empty text': { whole: () => '' },
  null: { whole: () => null },
  'a number': { whole: () => 7 },
  'a list': { whole: (token) => [token] },
  'an object': { whole: (token) => ({ token }) },
  'no dots': { whole: (token) => token.replaceAll('.', '') },
  'two parts': parts((header, payload) => `${header}.${payload}`),
  'four parts': { whole: (token) => `${token}.x` },
  'five parts, as if encrypted': { whole: (token) => `${token}.x.y` },
  'a space before it': { whole: (token) => ` ${token}` },
  'a line break after it': { whole: (token) => `${token}\n` },
  'only dots': { whole: () => '..' },
  'a header that is no JSON': parts((_header, payload, sign) => `${encoded('{alg')}.${payload}.${sign}`),
  'a header that is a list': parts((_header, payload, sign) => `${encoded([])}.${payload}.${sign}`),
  'a header that is null': parts((_header, payload, sign) => `${encoded(null)}.${payload}.${sign}`),
  'an empty header': parts((_header, payload, sign) => `.${payload}.${sign}`),
  'an empty payload': payloadOf(''),
  'a payload that is no JSON': payloadOf('{"iss":'),
  'a payload that is null': payloadOf('null'),
  'a payload that is a list': payloadOf('[]'),
  'a payload that is a text': payloadOf('"alice"'),
  'a payload that is a number': payloadOf('7'),
  'a payload that is an empty object': payloadOf('{}'),
  HTML: { whole: () => '<html></html>' },
});

export const signatureCases: readonly NegativeCase[] = [...algorithm, ...key, ...signature, ...form];
