/** Our own identity provider, whose answers tests can falsify as a certified one never would. */
import { generateKeyPairSync, hash, type KeyObject, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Answers {
  /** Changes to the ID token's claims. */
  claims: (claims: Record<string, unknown>) => Record<string, unknown>;
  /** Changes to the ID token's header. */
  header: Record<string, unknown>;
  /** Used for signing instead of the published key. */
  signer: KeyObject | null;
  /** Status and body of an endpoint, instead of its own. */
  token: { readonly status: number; readonly body: string } | null;
  keys: { readonly status: number; readonly body: string } | null;
  userInfo: Record<string, unknown>;
  /** Changes to the claims and the header of UserInfo, which is then a signed token. */
  signedUserInfo: { readonly claims?: object; readonly header?: object; readonly signer?: KeyObject } | null;
}

export interface MadeUpProvider {
  readonly issuer: string;
  /** Put back by `reset`. */
  answers: Answers;
  /** How often each path was requested. */
  readonly asked: Map<string, number>;
  reset(): void;
  /** A new key under a new id, published from now on. */
  rotateKey(): void;
  close(): Promise<void>;
}

const accessToken = 'an-access-token';

/** Accepts every code; the nonce of the ID token is `nonceOf()`. */
export async function startMadeUpProvider(nonceOf: () => Promise<string>, audience: string): Promise<MadeUpProvider> {
  const ownAnswers = (): Answers => ({
    claims: (claims) => claims,
    header: {},
    signer: null,
    token: null,
    keys: null,
    userInfo: { sub: 'alice', email: 'alice@example.com', email_verified: true },
    signedUserInfo: null,
  });
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const newKey = (kid: string) => ({ kid, ...generateKeyPairSync('ec', { namedCurve: 'P-256' }) });
  let key = newKey('key-1');
  const self: MadeUpProvider = {
    issuer,
    answers: ownAnswers(),
    asked: new Map(),
    reset() {
      self.answers = ownAnswers();
      self.asked.clear();
    },
    rotateKey() {
      key = newKey(`${key.kid}x`);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };

  async function idToken(): Promise<string> {
    const seconds = Math.floor(Date.now() / 1_000);
    const digest = hash('sha256', accessToken, 'buffer');
    const claims = self.answers.claims({
      iss: issuer,
      sub: 'alice',
      aud: audience,
      iat: seconds,
      exp: seconds + 300,
      nonce: await nonceOf(),
      at_hash: digest.subarray(0, 16).toString('base64url'),
    });
    return signed(claims, self.answers.header, self.answers.signer);
  }

  function signed(claims: object, changes: object, signer: KeyObject | null): string {
    const header = { alg: 'ES256', kid: key.kid, ...changes };
    const input = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
    const how = { key: signer ?? key.privateKey, dsaEncoding: 'ieee-p1363' } as const;
    const signature = header.alg === 'none' ? '' : sign('sha256', Buffer.from(input), how).toString('base64url');
    return `${input}.${signature}`;
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '/';
    self.asked.set(path, (self.asked.get(path) ?? 0) + 1);
    const { status, body } = await answerTo(path);
    const isSigned = path === '/me' && self.answers.signedUserInfo !== null;
    response.writeHead(status, { 'content-type': `application/${isSigned ? 'jwt' : 'json'}` });
    response.end(body);
  }

  async function answerTo(path: string): Promise<{ status: number; body: string }> {
    const ok = (content: object) => ({ status: 200, body: JSON.stringify(content) });
    switch (path) {
      case '/.well-known/openid-configuration':
        return ok({
          issuer,
          authorization_endpoint: `${issuer}/auth`,
          token_endpoint: `${issuer}/token`,
          userinfo_endpoint: `${issuer}/me`,
          jwks_uri: `${issuer}/keys`,
          end_session_endpoint: `${issuer}/end?of=session`,
          // `none` and HS256 are listed, so that only our own list excludes them.
          id_token_signing_alg_values_supported: ['ES256', 'HS256', 'none'],
          userinfo_signing_alg_values_supported: ['ES256', 'HS256', 'none'],
        });
      case '/keys': {
        const { kty, crv, x, y } = key.publicKey.export({ format: 'jwk' });
        const own = { kty, crv, x, y, kid: key.kid, alg: 'ES256', use: 'sig' };
        // A key of an unknown algorithm.
        const odd = { kty: 'EC', crv: 'secp256k1', x, y, kid: 'odd', alg: 'ES256K', use: 'sig' };
        return self.answers.keys ?? ok({ keys: [odd, own] });
      }
      case '/token':
        return self.answers.token ?? ok({ access_token: accessToken, token_type: 'Bearer', id_token: await idToken() });
      case '/me': {
        const { userInfo, signedUserInfo: token } = self.answers;
        if (token === null) return ok(userInfo);
        const claims = { iss: issuer, aud: audience, ...userInfo, ...token.claims };
        return { status: 200, body: signed(claims, token.header ?? {}, token.signer ?? null) };
      }
      default:
        return { status: 404, body: '{}' };
    }
  }
  return self;
}
