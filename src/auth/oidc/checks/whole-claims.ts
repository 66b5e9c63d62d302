/** 116: what the ID token does not say of the e-mail and the mapped claims, UserInfo does, signed or not, about the same subject; 117 when it can't be asked. */
import * as oauth from 'oauth4webapi';
import type { Client } from '../../../directory/clients.ts';
import type { Refuse } from '../../chain.ts';
import { hasEveryClaim } from '../claim-mapping.ts';
import { type Claims, claimsOf } from '../claims.ts';
import type { Flow } from '../flow.ts';
import type { LoginDeps } from '../login.ts';
import { ProviderUnreachable } from '../provider-http.ts';
import { safeReason, unreachable } from '../providers.ts';
import { isCompact, requireSignature } from '../signature.ts';
import type { TokenAnswer } from './accepted-code.ts';
import type { IdToken } from './valid-id-token.ts';

export async function wholeClaims(
  { log, providers }: LoginDeps,
  known: TokenAnswer & IdToken & { readonly flow: Flow; readonly client: Pick<Client, 'claimMapping'> },
  refuse: Refuse,
): Promise<{ readonly claims: Claims }> {
  const { provider, oauthClient, idClaims, accessToken, flow } = known;
  const { server, http } = provider;
  const { claimMapping } = known.client;
  const hasEmail = idClaims.email !== undefined && idClaims.email_verified !== undefined;
  const enough = hasEmail && hasEveryClaim(claimMapping, idClaims);
  if (enough || server.userinfo_endpoint === undefined) return { claims: claimsOf(idClaims, claimMapping) };

  const answer = await oauth.userInfoRequest(server, oauthClient, accessToken, http).catch((error) => {
    throw unreachable(log, flow.issuer, error);
  });
  try {
    const signed = isSigned(answer) ? await answer.clone().text() : null;
    const userInfo = await oauth.processUserInfoResponse(server, oauthClient, idClaims.sub, answer);
    if (signed !== null) {
      requireOwnMarks(signed, userInfo);
      await requireSignature(providers, flow.issuer, provider, answer);
    }
    return { claims: claimsOf({ ...userInfo, ...idClaims }, claimMapping) };
  } catch (error) {
    if (error instanceof ProviderUnreachable) throw unreachable(log, flow.issuer, error);
    log.warn({ issuer: flow.issuer, reason: safeReason(error) }, 'The UserInfo of an identity provider was refused.');
    throw refuse("The identity provider's UserInfo is not valid, or not about this user.");
  }
}

/** A JWT (OIDC Core §5.3.2), and not JSON that only TLS vouches for. */
function isSigned(answer: Response): boolean {
  return /^application\/jwt\b/.test(answer.headers.get('content-type') ?? '');
}

/** OIDC Core §5.3.2: signed UserInfo names issuer and client; the library compares them where they are there. */
function requireOwnMarks(token: string, claims: oauth.UserInfoResponse): void {
  if (!isCompact(token)) throw new Error('signed UserInfo is not in its compact form');
  if (claims.iss === undefined || claims.aud === undefined) throw new Error('signed UserInfo lacks iss or aud');
}
