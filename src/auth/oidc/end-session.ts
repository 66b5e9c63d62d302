/** Where a browser ends its session at the identity provider (OpenID Connect RP-Initiated Logout 1.0). */
import type { Tenant } from '../../caller.ts';
import type { Directory } from '../../directory/directory.ts';
import { malformed, missing, ServiceError } from '../../errors.ts';
import type { Providers } from './providers.ts';

export interface EndSessionInput {
  readonly clientId?: string | undefined;
  readonly postLogoutRedirectUri?: string | undefined;
}

export interface EndSessionDeps {
  readonly directory: Pick<Directory, 'clients'>;
  readonly providers: Providers;
}

/**
 * The address, or null where the provider offers none. It names the client and nothing else, so the provider asks the
 * user for a confirmation: an `id_token_hint` would put a token with claims of the user into an address.
 * @throws ServiceError `missing` · `malformed` a `postLogoutRedirectUri` elsewhere than the client's redirect address ·
 *   113 unknown client · 117 the provider can't be reached
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

/** An address with a scheme of its own, as apps have it, has no origin: that one only to the letter. */
function hasSameOrigin(wanted: string, redirectUri: string): boolean {
  if (wanted === redirectUri) return true;
  const [url, own] = [URL.parse(wanted), URL.parse(redirectUri)];
  if (url === null || own === null || url.username !== '' || url.password !== '') return false;
  return url.origin !== 'null' && url.origin === own.origin;
}
