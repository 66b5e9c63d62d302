/** The identity providers by issuer: their metadata (OIDC Discovery), kept for some minutes, and how to ask them. */
import * as oauth from 'oauth4webapi';
import type { Settings } from '../../config.ts';
import type { Environment } from '../../environment.ts';
import { ServiceError } from '../../errors.ts';
import type { AuthLog } from '../log.ts';
import { fetchAnswer, ProviderUnreachable } from './provider-http.ts';

export interface Provider {
  /**
   * The metadata. oauth4webapi keeps the key set by this object: 5 minutes, and asks again for an unknown key at most
   * once a minute.
   */
  readonly server: oauth.AuthorizationServer;
  /** How every request to this provider is made. */
  readonly http: ProviderHttp;
}

export interface ProviderHttp {
  readonly [oauth.allowInsecureRequests]: boolean;
  readonly [oauth.customFetch]: typeof fetchAnswer;
  readonly signal: () => AbortSignal;
}

export interface Providers {
  /** @throws ServiceError 117 when the provider can't be reached or its metadata can't be used. */
  find(issuer: string): Promise<Provider>;
}

/** Asymmetric ones only: `none` and the HMACs would let anyone sign who knows nothing, or the client secret. */
const signingAlgorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'Ed25519', 'EdDSA'],
];

const metadataLifeMs = 600_000;

export function openProviders(
  settings: Pick<Settings, 'providerTimeMs'>,
  environment: Environment,
  log: AuthLog,
): Providers {
  const known = new Map<string, { readonly provider: Promise<Provider>; readonly until: number }>();

  async function discover(issuer: string): Promise<Provider> {
    try {
      const url = new URL(issuer);
      const http: ProviderHttp = {
        [oauth.allowInsecureRequests]: isLoopback(url),
        [oauth.customFetch]: fetchAnswer,
        signal: () => AbortSignal.timeout(settings.providerTimeMs),
      };
      const metadata = await oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, http));
      requireEndpoints(metadata);
      const offered = metadata.id_token_signing_alg_values_supported ?? ['RS256'];
      const allowed = signingAlgorithms.filter((algorithm) => offered.includes(algorithm));
      return { server: { ...metadata, id_token_signing_alg_values_supported: allowed }, http };
    } catch (error) {
      throw unreachable(log, issuer, error);
    }
  }

  return {
    find(issuer) {
      const entry = known.get(issuer);
      if (entry !== undefined && environment.now() < entry.until) return entry.provider;
      const provider = discover(issuer);
      const asked = { provider, until: environment.now() + metadataLifeMs };
      known.set(issuer, asked);
      provider.catch(() => {
        if (known.get(issuer) === asked) known.delete(issuer);
      });
      return provider;
    },
  };
}

/** Notes the reason for the operator and makes the error for the client, which tells nothing of it. */
export function unreachable(log: AuthLog, issuer: string, error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  log.warn({ issuer, reason: safeReason(error) }, 'An identity provider could not be asked.');
  return new ServiceError(117, 'The identity provider can not be reached at the moment.');
}

/** What may be logged of an error of oauth4webapi or of the network: never its cause, which holds tokens and claims. */
export function safeReason(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const claim = error.cause instanceof Object && 'claim' in error.cause ? ` [${String(error.cause.claim)}]` : '';
  return `${error.message}${claim}`;
}

/** Plain http is for development: only to this machine. */
function isLoopback(url: URL): boolean {
  const { hostname } = url;
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

function requireEndpoints(metadata: oauth.AuthorizationServer): void {
  const endpoints = {
    authorization_endpoint: metadata.authorization_endpoint,
    token_endpoint: metadata.token_endpoint,
    jwks_uri: metadata.jwks_uri,
    ...(metadata.userinfo_endpoint === undefined ? {} : { userinfo_endpoint: metadata.userinfo_endpoint }),
  };
  for (const [name, address] of Object.entries(endpoints)) {
    const url = typeof address === 'string' ? URL.parse(address) : null;
    const usable = url !== null && (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url)));
    if (!usable) throw new ProviderUnreachable(`The metadata names no usable ${name} (https, or http on loopback).`);
  }
}
