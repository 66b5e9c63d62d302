/**
 * The checks that call the identity provider: it accepts the code, its ID token is valid, and with UserInfo its claims
 * are complete.
 */
import { hash } from 'node:crypto';
import * as oauth from 'oauth4webapi';
import type { Client } from '../../directory/clients.ts';
import type { Environment } from '../../environment.ts';
import { ServiceError } from '../../errors.ts';
import { isPrintable } from '../../text.ts';
import type { Refuse } from '../chain.ts';
import type { AuthLog } from '../log.ts';
import type { Seal } from '../seal.ts';
import { type ClaimSet, type Claims, claimsOf, hasEveryClaim } from './claims.ts';
import type { Flow } from './flow.ts';
import { ProviderUnreachable } from './provider-http.ts';
import { type Provider, type Providers, safeReason, unreachable } from './providers.ts';

export interface ProviderCheckDeps {
  readonly environment: Pick<Environment, 'now'>;
  readonly seal: Pick<Seal, 'open'>;
  readonly providers: Providers;
  readonly log: AuthLog;
}

export interface TokenAnswer {
  readonly provider: Provider;
  readonly oauthClient: oauth.Client;
  /** The token endpoint's response with status 200, not yet checked. */
  readonly answer: Response;
}

/** Seconds that the provider's clock may differ from ours. */
const clockTolerance = 30;

/**
 * 111: the provider accepts the code. Sends it with the flow's verifier and redirect address; 117 if it can't be
 * reached.
 */
export async function acceptedCode(
  deps: ProviderCheckDeps,
  known: {
    readonly fields: { readonly authzCode: string };
    readonly client: Pick<Client, 'secretSealed'>;
    readonly flow: Flow;
  },
  refuse: Refuse,
): Promise<TokenAnswer> {
  const { fields, client, flow } = known;
  const { environment, log } = deps;
  const provider = await deps.providers.find(flow.issuer);
  const oauthClient: oauth.Client = {
    client_id: flow.clientId,
    [oauth.clockSkew]: (environment.now() - Date.now()) / 1_000,
    [oauth.clockTolerance]: clockTolerance,
  };
  const authentication = authenticationOf(deps, provider.server, client);
  const answer = await askForTokens(provider, oauthClient, authentication, flow, fields.authzCode).catch((error) => {
    throw unreachable(log, flow.issuer, error);
  });
  if (answer.status !== 200) {
    const error = await errorOf(answer);
    log.warn({ issuer: flow.issuer, status: answer.status, error }, 'An identity provider refused a code.');
    throw refuse('authzCode: the identity provider refused the code. Authenticate again.');
  }
  return { provider, oauthClient, answer };
}

async function askForTokens(
  { server, http }: Provider,
  oauthClient: oauth.Client,
  authentication: oauth.ClientAuth,
  flow: Flow,
  code: string,
): Promise<Response> {
  // `state` and `iss` were checked before (114, 115); the interface has no mandatory field for `iss`.
  const withoutIssuer = { ...server, authorization_response_iss_parameter_supported: false };
  const callback = oauth.validateAuthResponse(withoutIssuer, oauthClient, new URLSearchParams({ code }));
  return oauth.authorizationCodeGrantRequest(
    server,
    oauthClient,
    authentication,
    callback,
    flow.redirectUri,
    flow.codeVerifier,
    http,
  );
}

/** The provider's choice between the two ways to send a secret; basic if it states none (OIDC Discovery §3). */
function authenticationOf(
  deps: ProviderCheckDeps,
  server: oauth.AuthorizationServer,
  client: Pick<Client, 'secretSealed'>,
): oauth.ClientAuth {
  if (client.secretSealed === null) return oauth.None();
  let secret: string;
  try {
    secret = deps.seal.open(client.secretSealed);
  } catch (cause) {
    throw new ServiceError(
      'internal',
      'The secret of this OIDC client cannot be opened, so nobody can sign in with it: an administrator has to enter it again.',
      { cause },
    );
  }
  const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  return methods.includes('client_secret_basic') || !methods.includes('client_secret_post')
    ? oauth.ClientSecretBasic(secret)
    : oauth.ClientSecretPost(secret);
}

/** The OAuth error code (`invalid_grant`), for the log. */
async function errorOf(answer: Response): Promise<string> {
  const body: unknown = await answer.json().catch(() => null);
  const error = typeof body === 'object' && body !== null && 'error' in body ? body.error : null;
  return typeof error === 'string' && /^[a-z_]{1,60}$/.test(error) ? error : 'none';
}

export interface IdToken {
  readonly idClaims: oauth.IDToken;
  /** For UserInfo. */
  readonly accessToken: string;
}

/** Seconds that an ID token may be issued ahead of our clock. */
const issuedAheadMax = 30;
const subjectLengthMax = 255;

/** The checks of an ID token; `token`: its form, issuer, audience and times. */
export type IdTokenCheck = 'nonce' | 'signature' | 'token';

/**
 * 116: this provider made the ID token for this login (OIDC Core §3.1.3.7); 117 if its keys can't be fetched.
 * @param passed called for each check
 */
export async function validIdToken(
  deps: ProviderCheckDeps,
  known: TokenAnswer & { readonly flow: Flow },
  refuse: Refuse,
  passed: (check: IdTokenCheck) => void = () => {},
): Promise<IdToken> {
  const { provider, oauthClient, answer, flow } = known;
  const { log } = deps;
  try {
    const tokens = await oauth.processAuthorizationCodeResponse(provider.server, oauthClient, answer, {
      expectedNonce: flow.nonce,
      requireIdToken: true,
    });
    passed('nonce');
    await requireSignature(deps.providers, flow.issuer, provider, answer);
    passed('signature');
    const idClaims = oauth.getValidatedIdTokenClaims(tokens)!;
    judgeFurther(idClaims, tokens, oauthClient.client_id, deps.environment.now());
    passed('token');
    return { idClaims, accessToken: tokens.access_token };
  } catch (error) {
    if (error instanceof ProviderUnreachable) throw unreachable(log, flow.issuer, error);
    log.warn({ issuer: flow.issuer, reason: safeReason(error) }, 'The ID token of an identity provider was refused.');
    throw refuse("The identity provider's ID token is not valid.");
  }
}

/**
 * What oauth4webapi leaves to its caller: the strict form, azp with one audience, a time of issue ahead of ours,
 * at_hash, the subject.
 */
function judgeFurther(
  claims: oauth.IDToken,
  tokens: oauth.TokenEndpointResponse,
  clientId: string,
  nowMs: number,
): void {
  if (!isCompact(tokens.id_token!)) throw new Error('the ID token is not in its compact form');
  if (claims.azp !== undefined && claims.azp !== clientId) throw new Error('azp names another client');
  if (claims.iat > nowMs / 1_000 + issuedAheadMax) throw new Error('iat is ahead of the clock of the service');
  if (!Number.isFinite(claims.exp) || !Number.isFinite(claims.iat)) throw new Error('exp or iat is not a time');
  if (claims.sub === '' || claims.sub.length > subjectLengthMax || !isPrintable(claims.sub)) {
    throw new Error('sub is empty, too long or not printable');
  }
  if (claims.at_hash !== undefined && claims.at_hash !== accessTokenHash(tokens)) {
    throw new Error('at_hash does not match the access token');
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

/**
 * 116: UserInfo supplies the e-mail and mapped claims that the ID token lacks, signed or not, about the same subject;
 * 117 if it can't be reached.
 */
export async function wholeClaims(
  { log, providers }: ProviderCheckDeps,
  known: TokenAnswer & IdToken & { readonly flow: Flow; readonly client: Pick<Client, 'claimMapping'> },
  refuse: Refuse,
): Promise<{ readonly received: ClaimSet; readonly claims: Claims }> {
  const { provider, oauthClient, idClaims, accessToken, flow } = known;
  const { server, http } = provider;
  const { claimMapping } = known.client;
  const hasEmail = idClaims.email !== undefined && idClaims.email_verified !== undefined;
  const enough = hasEmail && hasEveryClaim(claimMapping, idClaims);
  if (enough || server.userinfo_endpoint === undefined) {
    return { received: idClaims, claims: claimsOf(idClaims, claimMapping) };
  }

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
    const received = { ...userInfo, ...idClaims };
    return { received, claims: claimsOf(received, claimMapping) };
  } catch (error) {
    if (error instanceof ProviderUnreachable) throw unreachable(log, flow.issuer, error);
    log.warn({ issuer: flow.issuer, reason: safeReason(error) }, 'The UserInfo of an identity provider was refused.');
    throw refuse("The identity provider's UserInfo is not valid, or not about this user.");
  }
}

/** A JWT (OIDC Core §5.3.2), not JSON that only TLS protects. */
function isSigned(answer: Response): boolean {
  return /^application\/jwt\b/.test(answer.headers.get('content-type') ?? '');
}

/** OIDC Core §5.3.2: signed UserInfo names issuer and client; the library compares them only if present. */
function requireOwnMarks(token: string, claims: oauth.UserInfoResponse): void {
  if (!isCompact(token)) throw new Error('signed UserInfo is not in its compact form');
  if (claims.iss === undefined || claims.aud === undefined) throw new Error('signed UserInfo lacks iss or aud');
}

/**
 * If no known key has the id that the token names, the provider may have a new one. A known key that cannot be used,
 * for example because of its algorithm, causes no fetch: only one a minute is allowed.
 * @param answer one that oauth4webapi has read; it caches the token for this object
 * @throws OperationProcessingError of oauth4webapi · ProviderUnreachable
 */
async function requireSignature(
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

/** Exactly the compact form: the library ignores white space. */
function isCompact(token: string): boolean {
  return /^[\w-]+(\.[\w-]+){2}$/.test(token);
}

function isUnknownKey(error: unknown, { http }: Provider): boolean {
  if (!(error instanceof oauth.OperationProcessingError) || error.code !== oauth.KEY_SELECTION) return false;
  const { header, candidates } = error.cause as { header: { kid?: unknown }; candidates: readonly unknown[] };
  const known = http[oauth.jwksCache].jwks?.keys ?? [];
  return candidates.length === 0 && !known.some(({ kid }) => kid !== undefined && kid === header.kid);
}
