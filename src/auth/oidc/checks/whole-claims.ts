/** 116: where the ID token says nothing of the e-mail, UserInfo does, about the same subject; 117 when it can't be asked. */
import * as oauth from 'oauth4webapi';
import type { Refuse } from '../../chain.ts';
import { type Claims, claimsOf } from '../claims.ts';
import type { Flow } from '../flow.ts';
import type { LoginRooms } from '../login.ts';
import { safeReason, unreachable } from '../providers.ts';
import type { TokenAnswer } from './accepted-code.ts';
import type { IdToken } from './valid-id-token.ts';

export async function wholeClaims(
  { log }: LoginRooms,
  known: TokenAnswer & IdToken & { readonly flow: Flow },
  refuse: Refuse,
): Promise<{ readonly claims: Claims }> {
  const { provider, oauthClient, idClaims, accessToken, flow } = known;
  const { server, http } = provider;
  const enough = idClaims.email !== undefined && idClaims.email_verified !== undefined;
  if (enough || server.userinfo_endpoint === undefined) return { claims: claimsOf(idClaims) };

  const answer = await oauth.userInfoRequest(server, oauthClient, accessToken, http).catch((error) => {
    throw unreachable(log, flow.issuer, error);
  });
  try {
    const userInfo = await oauth.processUserInfoResponse(server, oauthClient, idClaims.sub, answer);
    return { claims: claimsOf({ ...userInfo, ...idClaims }) };
  } catch (error) {
    log.warn({ issuer: flow.issuer, reason: safeReason(error) }, 'The UserInfo of an identity provider was refused.');
    throw refuse("The identity provider's UserInfo is not valid, or not about this user.");
  }
}
