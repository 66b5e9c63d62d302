/**
 * The identity providers by issuer: their metadata (OIDC Discovery) and keys, cached for some minutes, and requests to
 * them.
 */
import * as oauth from 'oauth4webapi';
import type { Settings } from '../../config.ts';
import type { Environment } from '../../environment.ts';
import { ServiceError } from '../../errors.ts';
import { Lru } from '../../storage/lru.ts';
import type { AuthLog } from '../log.ts';
import { type Failing, fetchAnswer, type ProviderRequest, ProviderUnreachable } from './provider-http.ts';

export interface Provider {
  /** The metadata. oauth4webapi caches the key set by this object, for 5 minutes. */
  readonly server: oauth.AuthorizationServer;
  /** How every request to this provider is made. */
  readonly http: ProviderHttp;
}

export interface ProviderHttp {
  readonly [oauth.allowInsecureRequests]: boolean;
  readonly [oauth.customFetch]: (url: string, options: ProviderRequest) => Promise<Response>;
  readonly signal: () => AbortSignal;
  /** The keys that oauth4webapi fetched for `server`, for inspection. */
  readonly [oauth.jwksCache]: oauth.JWKSCacheInput & { readonly jwks?: { readonly keys: readonly oauth.JWK[] } };
}

export interface Providers {
  /** @throws ServiceError 117 when the provider can't be reached or its metadata can't be used. */
  find(issuer: string): Promise<Provider>;
  /**
   * The provider with keys fetched after those of `provider`, for a signature by a key that is not among these; null
   * when this was done less than a minute ago, so that clients cannot flood the provider.
   */
  withNewerKeys(issuer: string, provider: Provider): Promise<Provider | null>;
}

/** Asymmetric only: with `none` anyone could sign, and with an HMAC anyone who knows the client secret. */
const signingAlgorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'Ed25519', 'EdDSA'],
];

const metadataLifeMs = 600_000;
const newKeysEveryMs = 60_000;
/** Companies choose their issuers themselves, and may change them as often as they like. */
const issuersMax = 1_000;

interface Known {
  readonly provider: Promise<Provider>;
  readonly until: number;
  /** When keys were last fetched early. */
  readonly newKeysAt: number;
}

export function openProviders(
  settings: Pick<Settings, 'providerTimeMs' | 'providerAnswerBytesMax'>,
  environment: Environment,
  log: AuthLog,
): Providers {
  const known = new Lru<string, Known>(issuersMax);

  async function discover(issuer: string): Promise<Provider> {
    try {
      const url = new URL(issuer);
      const http = httpTo(url, settings);
      const metadata = await oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, http));
      requireEndpoints(metadata, isLoopback(url));
      const { end_session_endpoint: endSession, ...others } = metadata;
      const server = {
        ...others,
        // Optional: only used for signing out.
        ...(isUsable(endSession, isLoopback(url)) ? { end_session_endpoint: endSession } : {}),
        id_token_signing_alg_values_supported: allowedAlgorithms(metadata),
        userinfo_signing_alg_values_supported: allowedForUserInfo(metadata),
      };
      return { server, http };
    } catch (error) {
      throw unreachable(log, issuer, error);
    }
  }

  return {
    find(issuer) {
      const entry = known.get(issuer);
      if (entry !== undefined && environment.now() < entry.until) return entry.provider;
      const provider = discover(issuer);
      const newKeysAt = entry?.newKeysAt ?? Number.NEGATIVE_INFINITY;
      const asked = { provider, until: environment.now() + metadataLifeMs, newKeysAt };
      known.set(issuer, asked);
      provider.catch(() => {
        if (known.get(issuer) === asked) known.delete(issuer);
      });
      return provider;
    },
    async withNewerKeys(issuer, provider) {
      const current = await this.find(issuer);
      if (current.server !== provider.server) return current;
      const entry = known.get(issuer);
      const now = environment.now();
      if (entry === undefined || now < entry.newKeysAt + newKeysEveryMs) return null;
      // The new object holds no keys, so the next use fetches them; concurrent sign-ins share that fetch.
      const renewed = { server: { ...current.server }, http: { ...current.http, [oauth.jwksCache]: {} } };
      known.set(issuer, { ...entry, provider: Promise.resolve(renewed), newKeysAt: now });
      return renewed;
    },
  };
}

/** The provider answers with keys. @throws ServiceError 117 */
export async function requireKeys({ server, http }: Provider, issuer: string, log: AuthLog): Promise<void> {
  try {
    const headers = { accept: 'application/json' };
    const request = { method: 'GET', headers, redirect: 'manual', signal: http.signal() } as const;
    const answer = await http[oauth.customFetch](server.jwks_uri as string, request);
    const { keys } = (await answer.json()) as { keys?: unknown };
    if (!Array.isArray(keys) || keys.length === 0) throw unusable('The answer of jwks_uri has no keys.');
  } catch (error) {
    throw unreachable(log, issuer, error);
  }
}

function httpTo(
  issuer: URL,
  { providerTimeMs, providerAnswerBytesMax }: Pick<Settings, 'providerTimeMs' | 'providerAnswerBytesMax'>,
): ProviderHttp {
  /** Requests under way without a body or a token: concurrent sign-ins fetch the keys once. */
  const asked = new Map<string, Promise<Response>>();
  async function shared(url: string, options: ProviderRequest): Promise<Response> {
    const underWay = asked.get(url);
    const answer = underWay ?? fetchAnswer(url, options, providerAnswerBytesMax);
    if (underWay === undefined) {
      asked.set(url, answer);
      const done = () => void asked.delete(url);
      answer.then(done, done);
    }
    return (await answer).clone();
  }
  return {
    [oauth.allowInsecureRequests]: isLoopback(issuer),
    [oauth.customFetch]: (url, options) => {
      if (options.method !== 'GET') return fetchAnswer(url, options, providerAnswerBytesMax);
      // Only UserInfo takes a token; it may be signed.
      const isUserInfo = hasAuthorization(options);
      return isUserInfo ? fetchAnswer(url, options, providerAnswerBytesMax, 'JSON or JWT') : shared(url, options);
    },
    [oauth.jwksCache]: {},
    signal: () => AbortSignal.timeout(providerTimeMs),
  };
}

function hasAuthorization(options: ProviderRequest): boolean {
  return new Headers(options.headers).has('authorization');
}

const told: Readonly<Record<Failing, string>> = {
  unreached: 'The identity provider cannot be reached at the moment.',
  down: 'The identity provider cannot be reached at the moment.',
  slow: 'The identity provider did not answer in time.',
  unusable: 'The answer of the identity provider cannot be used.',
};

/** Logs the reason for the operator and makes the client's error, which names only the kind of failure. */
export function unreachable(log: AuthLog, issuer: string, error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const failing = error instanceof ProviderUnreachable ? error.failing : 'unusable';
  log.warn({ issuer, failing, reason: safeReason(error) }, 'A request to an identity provider failed.');
  return new ServiceError(117, told[failing]);
}

/** What may be logged of an error of oauth4webapi or of the network: never its cause, which holds tokens and claims. */
export function safeReason(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const claim = error.cause instanceof Object && 'claim' in error.cause ? ` [${String(error.cause.claim)}]` : '';
  return `${error.message}${claim}`;
}

/** Plain http is for development only, on this machine. */
function isLoopback(url: URL): boolean {
  const { hostname } = url;
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/** A provider elsewhere cannot send us, or a browser, to this machine over plain http. */
function requireEndpoints(metadata: oauth.AuthorizationServer, ofThisMachine: boolean): void {
  const endpoints = {
    authorization_endpoint: metadata.authorization_endpoint,
    token_endpoint: metadata.token_endpoint,
    jwks_uri: metadata.jwks_uri,
    ...(metadata.userinfo_endpoint === undefined ? {} : { userinfo_endpoint: metadata.userinfo_endpoint }),
  };
  for (const [name, address] of Object.entries(endpoints)) {
    if (isUsable(address, ofThisMachine)) continue;
    throw unusable(`The metadata names no usable ${name} (https, or http on loopback).`);
  }
}

function isUsable(address: unknown, ofThisMachine: boolean): address is string {
  const url = typeof address === 'string' ? URL.parse(address) : null;
  if (url === null || url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && ofThisMachine && isLoopback(url));
}

/** RS256 where the provider names none (OIDC Core §2, `id_token_signed_response_alg`). */
function allowedAlgorithms(metadata: oauth.AuthorizationServer): string[] {
  const offered = metadata.id_token_signing_alg_values_supported ?? ['RS256'];
  if (!Array.isArray(offered)) throw unusable('The metadata has no list of signing algorithms.');
  const allowed = signingAlgorithms.filter((algorithm) => offered.includes(algorithm));
  if (allowed.length === 0) throw unusable('The metadata offers no accepted signing algorithm.');
  return allowed;
}

/** For signed UserInfo; any accepted algorithm where the provider names none, as these lists are not binding. */
function allowedForUserInfo(metadata: oauth.AuthorizationServer): string[] {
  const offered: unknown = metadata.userinfo_signing_alg_values_supported;
  return Array.isArray(offered) ? signingAlgorithms.filter((one) => offered.includes(one)) : signingAlgorithms;
}

function unusable(message: string): ProviderUnreachable {
  return new ProviderUnreachable('unusable', message);
}
