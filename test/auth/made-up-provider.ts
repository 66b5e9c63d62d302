/** An identity provider of ours whose every answer a test can spoil: what a certified one never sends. */
import { generateKeyPairSync, hash, type KeyObject, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Answers {
  /** Changes to the ID token's claims. */
  claims: (claims: Record<string, unknown>) => Record<string, unknown>;
  /** Of the ID token's header. */
  header: Record<string, unknown>;
  /** Signs instead of the published key. */
  signer: KeyObject | null;
  /** Status and body of an endpoint, instead of its own. */
  token: { readonly status: number; readonly body: string } | null;
  keys: { readonly status: number; readonly body: string } | null;
  userInfo: Record<string, unknown>;
}

export interface MadeUpProvider {
  readonly issuer: string;
  /** Put back by `reset`. */
  answers: Answers;
  /** How often each path was asked for. */
  readonly asked: Map<string, number>;
  reset(): void;
  /** A new key under a new id, published from now on. */
  rotateKey(): void;
  close(): Promise<void>;
}

const accessToken = 'an-access-token';

/** Takes every code; the nonce of the ID token is `nonceOf()`. */
export async function startMadeUpProvider(nonceOf: () => Promise<string>, audience: string): Promise<MadeUpProvider> {
  const ownAnswers = (): Answers => ({
    claims: (claims) => claims,
    header: {},
    signer: null,
    token: null,
    keys: null,
    userInfo: { sub: 'alice', email: 'alice@example.com', email_verified: true },
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
    const header = { alg: 'ES256', kid: key.kid, ...self.answers.header };
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
    const input = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
    const signer = { key: self.answers.signer ?? key.privateKey, dsaEncoding: 'ieee-p1363' } as const;
    const signature = header.alg === 'none' ? '' : sign('sha256', Buffer.from(input), signer).toString('base64url');
    return `${input}.${signature}`;
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '/';
    self.asked.set(path, (self.asked.get(path) ?? 0) + 1);
    const { status, body } = await answerTo(path);
    response.writeHead(status, { 'content-type': 'application/json' });
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
          // `none` and HS256 stand here so that only our own list keeps them out.
          id_token_signing_alg_values_supported: ['ES256', 'HS256', 'none'],
        });
      case '/keys': {
        const { kty, crv, x, y } = key.publicKey.export({ format: 'jwk' });
        return self.answers.keys ?? ok({ keys: [{ kty, crv, x, y, kid: key.kid, alg: 'ES256', use: 'sig' }] });
      }
      case '/token':
        return self.answers.token ?? ok({ access_token: accessToken, token_type: 'Bearer', id_token: await idToken() });
      case '/me':
        return ok(self.answers.userInfo);
      default:
        return { status: 404, body: '{}' };
    }
  }
  return self;
}
