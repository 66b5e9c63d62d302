/**
 * A proxy in front of the real provider that falsifies its answers. A falsification for a sign-in belongs to its code;
 * one of metadata or keys belongs to a tenant with its own issuer (`/t-3`), so that nothing cached from another case
 * hides it.
 */
import { request as ask, createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { decoded, ellipticKey, encoded, halfHash, type Json, type Signing, type SigningKey, signedBy } from './keys.ts';
import { startTrueProvider } from './provider.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  /** Instead of the body. */
  readonly bytes?: Buffer;
  /** How the body is sent. */
  readonly how?: 'whole' | 'never' | 'endless' | 'slowly' | 'broken off' | 'no HTTP';
}

/** Null leaves the answer unchanged. */
export type Alter = (reply: Reply, json: Json) => Partial<Reply> | null;

export interface IdTokenLie {
  /** Changes of claims; undefined removes one. */
  readonly claims?: Json | ((claims: Json, facts: Facts) => Json);
  readonly header?: Json;
  /** The payload as text, before it is encoded. */
  readonly payload?: (text: string) => string;
  readonly sign?: Signing;
  /** Used for signing instead of the published key. */
  readonly key?: SigningKey;
  /** Replaces the whole token in the end. */
  readonly whole?: (token: string) => unknown;
}

export interface SignInLies {
  readonly token?: Alter;
  readonly idToken?: IdTokenLie;
  readonly userInfo?: Alter;
}

export interface TenantLies {
  readonly metadata?: Alter;
  readonly keys?: Alter;
}

/** Values of other sign-ins, to be mixed into this one. */
export interface Facts {
  otherNonce: string;
}

export interface LyingProxy {
  readonly issuer: string;
  readonly clientSecret: string;
  /** The true provider's published key; only the provider has the private key. */
  readonly trueKey: SigningKey;
  /** Also published; altered tokens are signed with it. */
  signingKey: SigningKey;
  readonly facts: Facts;
  /** Requested paths, with the tenant. */
  readonly asked: string[];
  /** Secrets that it issued, which must never be in a log. */
  readonly secrets: string[];
  lieAboutCode(code: string, lies: SignInLies): void;
  lieAsTenant(tenant: string, lies: TenantLies): void;
  close(): Promise<void>;
}

export async function startLyingProxy(): Promise<LyingProxy> {
  const trueKey = ellipticKey('true-key');
  const byCode = new Map<string, SignInLies>();
  const byAccessToken = new Map<string, SignInLies>();
  const byTenant = new Map<string, TenantLies>();
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = await startTrueProvider(origin, trueKey);

  const self: LyingProxy = {
    issuer: origin,
    clientSecret: provider.clientSecret,
    trueKey,
    signingKey: ellipticKey('second-key'),
    facts: { otherNonce: '' },
    asked: [],
    secrets: [provider.clientSecret],
    lieAboutCode: (code, lies) => void byCode.set(code, lies),
    lieAsTenant: (tenant, lies) => void byTenant.set(tenant, lies),
    async close() {
      await provider.close();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, tenant = '', path = '/'] = /^(?:\/(t-\d+))?(\/.*)$/.exec(request.url ?? '/') ?? [];
    self.asked.push(`${tenant}${path.replace(/\?.*/, '')}`);
    const sent = await textOf(request);
    const reply = await forwarded(provider.port, request, path, sent);
    await send(response, altered(tenant, path, request, sent, reply));
  }

  function altered(tenant: string, path: string, request: IncomingMessage, sent: string, reply: Reply): Reply {
    const lies = byTenant.get(tenant) ?? {};
    if (path === '/.well-known/openid-configuration') {
      const own = tenant === '' ? reply.body : reply.body.replaceAll(`"${origin}`, `"${origin}/${tenant}`);
      return changed({ ...reply, body: own }, lies.metadata);
    }
    if (path === '/jwks') {
      const { keys } = JSON.parse(reply.body) as { keys: Json[] };
      return changed({ ...reply, body: JSON.stringify({ keys: [...keys, self.signingKey.publicJwk] }) }, lies.keys);
    }
    if (path === '/token') return tokenAnswer(tenant, reply, byCode.get(new URLSearchParams(sent).get('code') ?? ''));
    if (path === '/me') {
      const accessToken = request.headers.authorization?.replace(/^Bearer /i, '') ?? '';
      return changed(reply, byAccessToken.get(accessToken)?.userInfo);
    }
    return reply;
  }

  function tokenAnswer(tenant: string, reply: Reply, lies: SignInLies = {}): Reply {
    if (reply.status !== 200) return changed(reply, lies.token);
    const json = JSON.parse(reply.body) as Json;
    byAccessToken.set(String(json.access_token), lies);
    self.secrets.push(String(json.access_token), String(json.id_token));
    const isTrue = lies.idToken === undefined && tenant === '';
    const idToken = isTrue ? json.id_token : spoilt(json, tenant, lies.idToken ?? {});
    return changed({ ...reply, body: JSON.stringify({ ...json, id_token: idToken }) }, lies.token);
  }

  function spoilt(tokens: Json, tenant: string, lie: IdTokenLie): unknown {
    const [, payload] = String(tokens.id_token).split('.');
    const iss = tenant === '' ? origin : `${origin}/${tenant}`;
    const honest = { ...decoded(payload), iss, at_hash: halfHash('sha256', String(tokens.access_token)) };
    const changes = typeof lie.claims === 'function' ? lie.claims(honest, self.facts) : lie.claims;
    const text = JSON.stringify({ ...honest, ...changes });
    const key = lie.key ?? self.signingKey;
    const header = { alg: key.alg, typ: 'JWT', kid: self.signingKey.kid, ...lie.header };
    const input = `${encoded(header)}.${encoded(lie.payload?.(text) ?? text)}`;
    const whole = `${input}.${(lie.sign ?? signedBy)(input, key)}`;
    return lie.whole === undefined ? whole : lie.whole(whole);
  }
  return self;
}

function changed(reply: Reply, alter: Alter | undefined): Reply {
  const change = alter?.(reply, jsonOf(reply.body));
  return change === undefined || change === null ? reply : { ...reply, ...change };
}

function jsonOf(body: string): Json {
  try {
    return JSON.parse(body) as Json;
  } catch {
    return {};
  }
}

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function forwarded(port: number, request: IncomingMessage, path: string, sent: string): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const { method, headers } = request;
    const { 'transfer-encoding': _chunked, ...kept } = headers;
    const length = { 'content-length': String(Buffer.byteLength(sent)) };
    const onward = ask({ host: '127.0.0.1', port, path, method, headers: { ...kept, ...length } }, (answer) => {
      textOf(answer).then((body) => {
        const {
          'content-length': _length,
          'transfer-encoding': _encoding,
          connection: _kept,
          ...rest
        } = answer.headers;
        resolve({ status: answer.statusCode ?? 500, headers: rest, body });
      }, reject);
    });
    onward.on('error', reject);
    onward.end(sent);
  });
}

const drops = 200;

async function send(response: ServerResponse, { status, headers, body, bytes, how = 'whole' }: Reply): Promise<void> {
  if (how === 'never') return;
  if (how === 'no HTTP') {
    response.socket?.end('this is no HTTP\r\n\r\n');
    return;
  }
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) response.setHeader(name, value);
  response.writeHead(status);
  if (how === 'whole') {
    response.end(bytes ?? body);
    return;
  }
  if (how === 'broken off') {
    response.write(body.slice(0, 10));
    await wait(10);
    response.destroy();
    return;
  }
  for (let drop = 0; !response.destroyed && (how === 'endless' || drop < drops); drop += 1) {
    const goesOn = response.write(how === 'endless' ? ' '.repeat(65_536) : ' ');
    if (how === 'slowly') await wait(50);
    else if (!goesOn) await drained(response);
  }
  response.end(body);
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
  });
}
