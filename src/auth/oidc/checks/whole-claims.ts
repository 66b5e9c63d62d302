/** 116: what the ID token does not say of the e-mail and the mapped claims, UserInfo does, about the same subject; 117 when it can't be asked. */
import * as oauth from 'oauth4webapi';
import type { Client } from '../../../directory/clients.ts';
import type { Refuse } from '../../chain.ts';
import { hasEveryClaim } from '../claim-mapping.ts';
import { type Claims, claimsOf } from '../claims.ts';
import type { Flow } from '../flow.ts';
import type { LoginRooms } from '../login.ts';
import { safeReason, unreachable } from '../providers.ts';
import type { TokenAnswer } from './accepted-code.ts';
import type { IdToken } from './valid-id-token.ts';

export async function wholeClaims(
  { log }: LoginRooms,
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
    const userInfo = await oauth.processUserInfoResponse(server, oauthClient, idClaims.sub, answer);
    return { claims: claimsOf({ ...userInfo, ...idClaims }, claimMapping) };
  } catch (error) {
    log.warn({ issuer: flow.issuer, reason: safeReason(error) }, 'The UserInfo of an identity provider was refused.');
    throw refuse("The identity provider's UserInfo is not valid, or not about this user.");
  }
}
