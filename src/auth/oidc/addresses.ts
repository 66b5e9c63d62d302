/**
 * The addresses at an identity provider that a browser is sent to: where the user signs in (Authenticate,
 * docs/reference/sign-in.md#the-login-flow), and where the session there ends (OpenID Connect RP-Initiated Logout 1.0).
 */
import { hash } from 'node:crypto';
import type { Tenant } from '../../caller.ts';
import type { Settings } from '../../config.ts';
import type { Client } from '../../directory/clients.ts';
import type { Directory } from '../../directory/directory.ts';
import { normalVersion } from '../../directory/versions.ts';
import { malformed, missing, ServiceError } from '../../errors.ts';
import type { TenantPath } from '../sessions.ts';
import { type FoundToken, findToken } from '../token-rows.ts';
import { endOf, hasTokenForm, tokenHash } from '../tokens.ts';
import { beginFlow, type FlowDeps } from './flow.ts';
import type { Provider, Providers } from './providers.ts';

export interface AuthenticateInput {
  readonly authToken?: string | undefined;
  readonly clientId?: string | undefined;
}

export interface AuthenticateDeps extends FlowDeps {
  readonly directory: Pick<Directory, 'clients'>;
  readonly settings: Pick<Settings, 'loginFlowLifeMs'>;
  readonly providers: Providers;
}

/**
 * `state` and `authnState`: SHA-1 of the token, hex (docs/reference/sign-in.md#the-login-flow). It identifies the token
 * and protects nothing.
 */
export function stateOf(token: string): string {
  return hash('sha1', token);
}

/**
 * Begins a login flow and returns the address for the browser.
 * @throws ServiceError `missing` · 121, 120 the token, or it is of another company · 106 not of this app version · 113
 * unknown client · 117 the provider can't be reached
 */
export async function authenticate(
  deps: AuthenticateDeps,
  path: TenantPath,
  providerName: string,
  input: AuthenticateInput,
): Promise<{ readonly location: string }> {
  const { authToken, clientId } = input;
  if (authToken === undefined || authToken === '') throw missing('authToken');
  if (clientId === undefined || clientId === '') throw missing('clientId');
  const token = await requireToken(deps, path, authToken);
  const client = await deps.directory.clients.find(token.companyId, token.appId, providerName, clientId);
  if (client === null) throw new ServiceError(113, 'clientId: the application has no such client at this provider.');
  const { server } = await deps.providers.find(client.issuer);
  const { nonce, codeChallenge } = await beginFlow(deps, token, client, deps.settings.loginFlowLifeMs);

  return { location: authorizationAddress(server, client, { state: stateOf(authToken), nonce, codeChallenge }) };
}

/** Where the user signs in to the application. @param codeChallenge S256 */
export function authorizationAddress(
  server: Provider['server'],
  client: Pick<Client, 'clientId' | 'redirectUri' | 'scopes'>,
  flow: { readonly state: string; readonly nonce: string; readonly codeChallenge: string },
): string {
  const location = new URL(server.authorization_endpoint!);
  const parameters = {
    client_id: client.clientId,
    redirect_uri: client.redirectUri,
    response_type: 'code',
    scope: scopeOf(client.scopes),
    state: flow.state,
    access_type: 'offline',
    nonce: flow.nonce,
    code_challenge: flow.codeChallenge,
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(parameters)) location.searchParams.set(name, value);
  return location.href;
}

/**
 * A token of another company gets 121 for every path, and one of another application or version of the company gets
 * 106, so neither reveals what exists.
 */
async function requireToken(deps: AuthenticateDeps, path: TenantPath, authToken: string): Promise<FoundToken> {
  const unknown = new ServiceError(121, 'authToken: the token does not exist here.');
  const token = hasTokenForm(authToken) ? await findToken(deps.db, tokenHash(authToken)) : null;
  if (token === null || token.revoked || token.userGone || path.companyId !== String(token.companyId)) throw unknown;
  const isOwnPath = path.appId === token.appId && normalVersion(path.appVersion) === token.version;
  if (!isOwnPath || token.appDisabled) {
    throw new ServiceError(106, 'The application version of the token does not exist or is disabled.');
  }
  if (deps.environment.now() >= endOf(token)) {
    throw new ServiceError(120, 'authToken: the token has expired.');
  }
  return token;
}

/** `openid email` first, as the interface lists them, then the other configured scopes. */
function scopeOf(configured: string): string {
  return [...new Set(['openid', 'email', ...configured.split(/\s+/)])].filter((scope) => scope !== '').join(' ');
}

export interface EndSessionInput {
  readonly clientId?: string | undefined;
  readonly postLogoutRedirectUri?: string | undefined;
}

export interface EndSessionDeps {
  readonly directory: Pick<Directory, 'clients'>;
  readonly providers: Providers;
}

/**
 * The address, or null where the provider offers none. It names only the client, so the provider asks the user to
 * confirm: an `id_token_hint` would put a token with the user's claims into an address.
 * @throws ServiceError `missing` · `malformed` a `postLogoutRedirectUri` elsewhere than the client's redirect address ·
 * 113 unknown client · 117 the provider can't be reached
 */
export async function endSessionAddress(
  deps: EndSessionDeps,
  { companyId, appId }: Pick<Tenant, 'companyId' | 'appId'>,
  providerName: string,
  { clientId, postLogoutRedirectUri = '' }: EndSessionInput,
): Promise<string | null> {
  if (clientId === undefined || clientId === '') throw missing('clientId');
  const client = await deps.directory.clients.find(companyId, appId, providerName, clientId);
  if (client === null) throw new ServiceError(113, 'clientId: the application has no such client at this provider.');
  if (postLogoutRedirectUri !== '' && !hasSameOrigin(postLogoutRedirectUri, client.redirectUri)) {
    throw malformed(
      'postLogoutRedirectUri',
      "expected the client's redirect address, or another one of its scheme, host and port.",
    );
  }
  const { server } = await deps.providers.find(client.issuer);
  if (server.end_session_endpoint === undefined) return null;
  const address = new URL(server.end_session_endpoint);
  address.searchParams.set('client_id', client.clientId);
  if (postLogoutRedirectUri !== '') address.searchParams.set('post_logout_redirect_uri', postLogoutRedirectUri);
  return address.href;
}

/** An address with a custom scheme, as apps use it, has no origin and must match exactly. */
function hasSameOrigin(wanted: string, redirectUri: string): boolean {
  if (wanted === redirectUri) return true;
  const [url, own] = [URL.parse(wanted), URL.parse(redirectUri)];
  if (url === null || own === null || url.username !== '' || url.password !== '') return false;
  return url.origin !== 'null' && url.origin === own.origin;
}
