/**
 * The demo's identity provider: the certified `oidc-provider` on its own loopback port, with four accounts and a plain
 * sign-in form. For development only: it accepts any password.
 */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Configuration, KoaContextWithOIDC, default as OidcProvider } from 'oidc-provider';
import type { Logger } from 'pino';
import { memoryAdapters } from './provider-memory.ts';
import { errorPage, signInPage } from './provider-pages.ts';

export interface DemoClient {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUris: readonly string[];
  /** Whether its redirect addresses, which are on this machine, match any port (RFC 8252 §7.3). */
  readonly isLocal?: boolean;
}

export interface DemoProviderOptions {
  /** 0 picks a free one. */
  readonly port: number;
  readonly clients: readonly DemoClient[];
  readonly log: Pick<Logger, 'error'>;
}

export interface DemoProvider {
  readonly issuer: string;
  close(): Promise<void>;
}

/** `<login>@example.com` is each one's verified e-mail address. */
export const demoAccounts: readonly {
  readonly login: string;
  readonly firstName: string;
  readonly lastName: string;
}[] = [
  { login: 'alice', firstName: 'Alice', lastName: 'Adams' },
  { login: 'bob', firstName: 'Bob', lastName: 'Brown' },
  { login: 'carol', firstName: 'Carol', lastName: 'Clark' },
  { login: 'dave', firstName: 'Dave', lastName: 'Davis' },
];

type SigningKey = NonNullable<Configuration['jwks']>['keys'][number];

const host = '127.0.0.1';
const demoLogins = demoAccounts.map(({ login }) => login);
const formBytesMax = 10_000;

/** @throws Error when the port is taken, or `oidc-provider` is not installed. */
export async function startDemoProvider({ port, clients, log }: DemoProviderOptions): Promise<DemoProvider> {
  const Provider = await loadLibrary();
  let answer: RequestListener = (_request, response) => void response.writeHead(503).end();
  const server = createServer((request, response) => answer(request, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const issuer = `http://${host}:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, configurationOf(clients, keyOfProcess()));
  provider.on('server_error', (_context, error) => log.error({ err: error }, 'The demo identity provider failed.'));
  answer = listenerOf(provider, log);
  return {
    issuer,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function loadLibrary() {
  // While loading, it warns on the console about every Node version that is not yet a long-term release, and has no
  // option to prevent that.
  const { warn } = console;
  console.warn = () => {};
  try {
    return (await import('oidc-provider')).default;
  } catch (cause) {
    throw new Error(
      'The demo needs the package oidc-provider, which is a development dependency: run "npm ci" without --omit=dev.',
      { cause },
    );
  } finally {
    console.warn = warn;
  }
}

let signingKey: SigningKey | undefined;

/** One for all providers of a process: making a key takes 0.1 s of processor time. */
function keyOfProcess(): SigningKey {
  if (signingKey === undefined) {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    signingKey = { ...privateKey.export({ format: 'jwk' }), kty: 'RSA', use: 'sig' } as SigningKey;
  }
  return signingKey;
}

function configurationOf(clients: readonly DemoClient[], key: SigningKey): Configuration {
  return {
    adapter: memoryAdapters(),
    clients: clients.map((client) => ({
      client_id: client.clientId,
      client_secret: client.clientSecret,
      redirect_uris: [...client.redirectUris],
      grant_types: ['authorization_code'],
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_basic',
      application_type: client.isLocal === true ? 'native' : 'web',
    })),
    jwks: { keys: [key] },
    cookies: { keys: [randomBytes(32).toString('hex')] },
    pkce: { required: () => true },
    scopes: ['openid', 'email', 'profile'],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'given_name', 'family_name'] },
    features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: false } },
    responseTypes: ['code'],
    ttl: { AccessToken: 600, AuthorizationCode: 60, IdToken: 600, Interaction: 600, Session: 600, Grant: 600 },
    clientBasedCORS: () => false,
    interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
    findAccount: (_context, accountId) => accountOf(accountId),
    loadExistingGrant: grantAll,
    renderError(context, out) {
      context.type = 'html';
      context.body = errorPage(out.error_description ?? out.error);
    },
  };
}

/** Signing in also gives consent to what the client asks for. */
async function grantAll(context: KoaContextWithOIDC) {
  const { oidc } = context;
  if (oidc.client === undefined || oidc.session?.accountId === undefined) return undefined;
  const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
  grant.addOIDCScope(String(oidc.params?.scope ?? 'openid'));
  await grant.save();
  return grant;
}

function accountOf(accountId: string) {
  const account = demoAccounts.find(({ login }) => login === accountId);
  if (account === undefined) return undefined;
  const { firstName, lastName } = account;
  return {
    accountId,
    claims: () => ({
      sub: accountId,
      email: `${accountId}@example.com`,
      email_verified: true,
      name: `${firstName} ${lastName}`,
      given_name: firstName,
      family_name: lastName,
    }),
  };
}

function listenerOf(provider: OidcProvider, log: Pick<Logger, 'error'>): RequestListener {
  const protocol = provider.callback();
  return (request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    if (path.startsWith('/interaction/')) {
      signIn(provider, request, response).catch((error: unknown) => {
        const gone = error instanceof Error && error.name === 'SessionNotFound';
        if (!gone) log.error({ err: error }, 'The demo identity provider failed.');
        page(
          response,
          gone ? 400 : 500,
          errorPage('This sign-in is over. Go back to where you came from, and try again.'),
        );
      });
      return;
    }
    forgetSession(request);
    void protocol(request, response);
  };
}

/** Every sign-in starts over: in a demo you want to be alice now and bob in a minute. */
function forgetSession(request: IncomingMessage): void {
  const cookies = request.headers.cookie?.split('; ').filter((cookie) => !cookie.startsWith('_session'));
  if (cookies !== undefined) request.headers.cookie = cookies.join('; ');
}

/** GET shows the form; POST takes its fields `login` and `password` and goes on to the application. */
async function signIn(provider: OidcProvider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  await provider.interactionDetails(request, response);
  if (request.method !== 'POST') return page(response, 200, signInPage(demoLogins));
  const form = new URLSearchParams(await readForm(request));
  const name = (form.get('login') ?? '').trim().toLowerCase();
  const login = name.endsWith('@example.com') ? name.slice(0, name.indexOf('@')) : name;
  const account = demoAccounts.find((candidate) => candidate.login === login);
  if (account === undefined) return page(response, 200, signInPage(demoLogins, name));
  // For a client on the user's machine, the provider requires consent each time.
  const result = { login: { accountId: account.login, remember: false }, consent: {} };
  await provider.interactionFinished(request, response, result);
}

async function readForm(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > formBytesMax) throw new Error(`The form has more than ${formBytesMax} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function page(response: ServerResponse, status: number, html: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    'cache-control': 'no-store',
  });
  response.end(html);
}
