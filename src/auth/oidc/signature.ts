/** The signature of what a provider says, by one of the keys that it publishes. */
import * as oauth from 'oauth4webapi';
import type { Provider, Providers } from './providers.ts';

/**
 * Where no known key has the id that the token names, the provider may have a new one. A key that is known and can not be
 * used, such as one of an unknown algorithm, has nothing fetched: others need the one fetch in a minute.
 * @param answer was read by oauth4webapi, which keeps the token for it
 * @throws OperationProcessingError of oauth4webapi · ProviderUnreachable
 */
export async function requireSignature(
  providers: Providers,
  issuer: string,
  provider: Provider,
  answer: Response,
): Promise<void> {
  try {
    await oauth.validateApplicationLevelSignature(provider.server, answer, provider.http);
  } catch (error) {
    const renewed = isUnknownKey(error, provider) ? await providers.withNewerKeys(issuer, provider) : null;
    if (renewed === null) throw error;
    await oauth.validateApplicationLevelSignature(renewed.server, answer, renewed.http);
  }
}

/** The compact form to the letter: the library passes over white space. */
export function isCompact(token: string): boolean {
  return /^[\w-]+(\.[\w-]+){2}$/.test(token);
}

function isUnknownKey(error: unknown, { http }: Provider): boolean {
  if (!(error instanceof oauth.OperationProcessingError) || error.code !== oauth.KEY_SELECTION) return false;
  const { header, candidates } = error.cause as { header: { kid?: unknown }; candidates: readonly unknown[] };
  const known = http[oauth.jwksCache].jwks?.keys ?? [];
  return candidates.length === 0 && !known.some(({ kid }) => kid !== undefined && kid === header.kid);
}
