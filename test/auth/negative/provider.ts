/**
 * A real certified provider for the negative suite: the user in the login hint signs in without a form. It is otherwise
 * unmodified.
 */
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Configuration } from 'oidc-provider';
import { memoryAdapters } from '../../../src/demo/provider-memory.ts';
import type { SigningKey } from './keys.ts';

export const mainClient = 'negative-client';
/** Another client at the provider, for codes issued to someone else. */
export const otherClient = 'other-client';
export const domain = 'negative.example';
/** Nothing listens there; the sign-in ends at this address. */
export const redirectBase = 'http://127.0.0.1:9/back';
export const tenantsMax = 150;

export interface TrueProvider {
  readonly port: number;
  readonly clientSecret: string;
  close(): Promise<void>;
}

/** @param issuer address of the proxy in front of it */
export async function startTrueProvider(issuer: string, key: SigningKey): Promise<TrueProvider> {
  const Provider = await loadQuietly();
  const clientSecret = randomBytes(16).toString('hex');
  const provider = new Provider(issuer, configurationOf(clientSecret, key));
  const protocol = provider.callback();

  async function signIn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { params } = await provider.interactionDetails(request, response);
    const accountId = String(params.login_hint ?? 'nobody');
    await provider.interactionFinished(request, response, { login: { accountId, remember: false } });
  }
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/interaction/')) {
      signIn(request, response).catch(() => response.writeHead(400).end());
      return;
    }
    void protocol(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    clientSecret,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** While loading, it warns about every Node version that is not yet a long-term release. */
async function loadQuietly() {
  const { warn } = console;
  console.warn = () => {};
  try {
    return (await import('oidc-provider')).default;
  } finally {
    console.warn = warn;
  }
}

function configurationOf(clientSecret: string, key: SigningKey): Configuration {
  const tenants = Array.from({ length: tenantsMax }, (_, number) => `${redirectBase}/t-${number}`);
  const client = (clientId: string) => ({
    client_id: clientId,
    client_secret: clientSecret,
    redirect_uris: [`${redirectBase}/main`, ...tenants],
    grant_types: ['authorization_code' as const],
    response_types: ['code' as const],
    token_endpoint_auth_method: 'client_secret_basic' as const,
    id_token_signed_response_alg: 'ES256' as const,
  });
  return {
    adapter: memoryAdapters(),
    clients: [client(mainClient), client(otherClient)],
    jwks: { keys: [key.privateJwk] } as unknown as NonNullable<Configuration['jwks']>,
    cookies: { keys: [randomBytes(16).toString('hex')] },
    pkce: { required: () => true },
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: false } },
    responseTypes: ['code'],
    ttl: { AccessToken: 600, AuthorizationCode: 60, IdToken: 600, Interaction: 600, Session: 600, Grant: 600 },
    clientBasedCORS: () => false,
    interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
    findAccount: (_context, accountId) => ({
      accountId,
      claims: () => ({ sub: accountId, email: `${accountId}@${domain}`, email_verified: true }),
    }),
    async loadExistingGrant({ oidc }) {
      if (oidc.client === undefined || oidc.session?.accountId === undefined) return undefined;
      const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
      grant.addOIDCScope(String(oidc.params?.scope ?? 'openid'));
      await grant.save();
      return grant;
    },
    renderError(context, out) {
      context.type = 'html';
      context.body = `refused: ${out.error}`;
    },
  };
}
