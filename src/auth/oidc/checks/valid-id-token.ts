/** 116: the ID token is one that this provider made for this login (OIDC Core §3.1.3.7); 117 when its keys can't be fetched. */
import { hash } from 'node:crypto';
import * as oauth from 'oauth4webapi';
import type { Refuse } from '../../chain.ts';
import type { Flow } from '../flow.ts';
import type { LoginDeps } from '../login.ts';
import { ProviderUnreachable } from '../provider-http.ts';
import { safeReason, unreachable } from '../providers.ts';
import { isCompact, requireSignature } from '../signature.ts';
import type { TokenAnswer } from './accepted-code.ts';

export interface IdToken {
  readonly idClaims: oauth.IDToken;
  /** For UserInfo. */
  readonly accessToken: string;
}

/** Seconds that an ID token may be issued ahead of our clock. */
const issuedAheadMax = 30;
const subjectLengthMax = 255;

export async function validIdToken(
  deps: LoginDeps,
  known: TokenAnswer & { readonly flow: Flow },
  refuse: Refuse,
): Promise<IdToken> {
  const { provider, oauthClient, answer, flow } = known;
  const { log } = deps;
  try {
    const tokens = await oauth.processAuthorizationCodeResponse(provider.server, oauthClient, answer, {
      expectedNonce: flow.nonce,
      requireIdToken: true,
    });
    await requireSignature(deps.providers, flow.issuer, provider, answer);
    const idClaims = oauth.getValidatedIdTokenClaims(tokens)!;
    judgeFurther(idClaims, tokens, oauthClient.client_id, deps.environment.now());
    return { idClaims, accessToken: tokens.access_token };
  } catch (error) {
    if (error instanceof ProviderUnreachable) throw unreachable(log, flow.issuer, error);
    log.warn({ issuer: flow.issuer, reason: safeReason(error) }, 'The ID token of an identity provider was refused.');
    throw refuse("The identity provider's ID token is not valid.");
  }
}

/** What oauth4webapi leaves to its caller: the form to the letter, azp with one audience, a time of issue ahead of ours, at_hash, the subject. */
function judgeFurther(
  claims: oauth.IDToken,
  tokens: oauth.TokenEndpointResponse,
  clientId: string,
  nowMs: number,
): void {
  if (!isCompact(tokens.id_token!)) throw new Error('the ID token is not in its compact form');
  if (claims.azp !== undefined && claims.azp !== clientId) throw new Error('azp names another client');
  if (claims.iat > nowMs / 1_000 + issuedAheadMax) throw new Error('iat is ahead of our clock');
  if (!Number.isFinite(claims.exp) || !Number.isFinite(claims.iat)) throw new Error('exp or iat is no time');
  if (claims.sub.length > subjectLengthMax || !/^[^\p{Cc}\p{Cs}]+$/u.test(claims.sub)) {
    throw new Error('sub is empty, too long or not printable');
  }
  if (claims.at_hash !== undefined && claims.at_hash !== accessTokenHash(tokens)) {
    throw new Error('at_hash does not fit the access token');
  }
}

/** OIDC Core §3.1.3.6: the left half of a hash of the access token, by the signature's algorithm. */
function accessTokenHash(tokens: oauth.TokenEndpointResponse): string {
  const [header] = tokens.id_token!.split('.');
  const { alg } = JSON.parse(Buffer.from(header!, 'base64url').toString('utf8')) as { alg: string };
  const bits = alg.startsWith('Ed') ? '512' : alg.slice(-3);
  const digest = hash(`sha${bits}`, tokens.access_token, 'buffer');
  return digest.subarray(0, digest.length / 2).toString('base64url');
}
