/**
 * Trial of a sign-in at a provider: the checks of a real one, with the result of each. Nobody is signed in, and neither
 * code nor token is kept.
 */
import { hash } from 'node:crypto';
import type { Settings } from '../../config.ts';
import type { Client } from '../../directory/clients.ts';
import type { Environment } from '../../environment.ts';
import { ServiceError } from '../../errors.ts';
import type { Refuse } from '../chain.ts';
import type { AuthLog } from '../log.ts';
import type { Seal } from '../seal.ts';
import { sameText } from '../tokens.ts';
import { authorizationAddress } from './addresses.ts';
import type { ClaimSet, Claims } from './claims.ts';
import type { Flow } from './flow.ts';
import { acceptedCode, type IdTokenCheck, validIdToken, wholeClaims } from './provider-checks.ts';
import type { Failing } from './provider-http.ts';
import { openProviders, requireKeys } from './providers.ts';

/** In the order in which they are made, up to the first that failed. */
export type TrialCheck = 'discovery' | 'issuer' | 'keys' | 'redirect' | 'code' | IdTokenCheck | 'claims';

export interface CheckOutcome {
  readonly check: TrialCheck;
  /** Why it failed; null if it passed. */
  readonly failure: string | null;
}

export interface TrialDeps {
  readonly settings: Pick<Settings, 'providerTimeMs' | 'providerAnswerBytesMax'>;
  readonly environment: Environment;
  readonly seal: Pick<Seal, 'open'>;
  readonly log: AuthLog;
  /** Of the request, in the log. */
  readonly requestId: string;
}

/** The state needed after the provider's redirect. */
export interface TrialFlow extends Flow {
  readonly state: string;
}

export interface BegunTrial {
  readonly checks: readonly CheckOutcome[];
  /** Where the person who tries it signs in; null where a check failed. */
  readonly begun: { readonly flow: TrialFlow; readonly location: string } | null;
}

/** Fetches the provider's metadata and keys, even if they are cached. */
export async function beginTrial(deps: TrialDeps, client: Client): Promise<BegunTrial> {
  const { environment, settings } = deps;
  const checks = new Checks(deps);
  const providers = openProviders(settings, environment, checks.log);
  const random = () => environment.random(32).toString('base64url');
  const { issuer, clientId, redirectUri } = client;
  const flow = { issuer, clientId, redirectUri, nonce: random(), codeVerifier: random(), state: random() };
  const begun = await checks.untilOneFails(async () => {
    const provider = await checks.make(
      () => providers.find(issuer),
      (reason) => (/"issuer" property does not match/.test(reason) ? 'issuer' : 'discovery'),
    );
    checks.passed('discovery', 'issuer');
    await checks.make(
      () => requireKeys(provider, issuer, checks.log),
      () => 'keys',
    );
    checks.passed('keys');
    const codeChallenge = hash('sha256', flow.codeVerifier, 'base64url');
    return { flow, location: authorizationAddress(provider.server, client, { ...flow, codeChallenge }) };
  });
  return { checks: checks.outcomes, begun };
}

export interface FinishedTrial {
  readonly checks: readonly CheckOutcome[];
  /** All claims about the person, and what sign-in reads from them by the claim mapping; null where a check failed. */
  readonly found: { readonly received: ClaimSet; readonly claims: Claims } | null;
}

/** @param address to which the provider redirected */
export async function finishTrial(
  { settings, environment, seal, ...logged }: TrialDeps,
  client: Client,
  flow: TrialFlow,
  address: string,
): Promise<FinishedTrial> {
  const checks = new Checks(logged);
  const providers = openProviders(settings, environment, checks.log);
  const deps = { environment, seal, providers, log: checks.log };
  const found = await checks.untilOneFails(async () => {
    const authzCode = await checks.make(
      () => codeIn(address, flow),
      () => 'redirect',
    );
    checks.passed('redirect');
    const accepted = await checks.make(
      () => acceptedCode(deps, { fields: { authzCode }, client, flow }, refuse),
      () => 'code',
    );
    checks.passed('code');
    const idToken = await checks.make(
      () => validIdToken(deps, { ...accepted, flow }, refuse, (check) => checks.passed(check)),
      (reason) => {
        if (checks.has('nonce')) return checks.has('signature') ? 'token' : 'signature';
        return /"nonce"/.test(reason) ? 'nonce' : 'token';
      },
    );
    const whole = await checks.make(
      () => wholeClaims(deps, { ...accepted, ...idToken, client, flow }, refuse),
      () => 'claims',
    );
    checks.passed('claims');
    return whole;
  });
  return { checks: checks.outcomes, found };
}

const refuse: Refuse = (message) => new ServiceError(116, message);

/** @throws ServiceError for an address that does not belong to the flow, or that reports the provider's refusal */
function codeIn(address: string, { redirectUri, state, issuer }: TrialFlow): string {
  const url = URL.parse(address);
  const expected = new URL(redirectUri);
  const isThere =
    url?.protocol === expected.protocol && url.host === expected.host && url.pathname === expected.pathname;
  if (url === null || !isThere) throw refuse(`expected an address that begins with ${redirectUri}, got another one`);
  const { searchParams } = url;
  const error = searchParams.get('error');
  if (error !== null) throw refuse(`the provider refused: ${/^[a-z_]{1,60}$/.test(error) ? error : 'no known error'}`);
  if (!sameText(searchParams.get('state') ?? '', state)) throw refuse('state does not belong to this trial');
  const iss = searchParams.get('iss');
  // RFC 9207.
  if (iss !== null && URL.parse(iss)?.href !== new URL(issuer).href) throw refuse('iss is another issuer');
  const code = searchParams.get('code') ?? '';
  if (code === '') throw refuse('expected a code, got none');
  return code;
}

class Failed extends Error {}

interface Warned {
  readonly reason?: string;
  readonly error?: string;
  readonly failing?: Failing;
}

/** The results of the checks. */
class Checks {
  readonly outcomes: CheckOutcome[] = [];
  /**
   * Writes to the service's log, and keeps the reason why a check failed. Neither contains a code, a token or a claim.
   */
  readonly log: AuthLog;
  readonly #requestId: string;
  #reason = '';
  #isReached = true;

  constructor({ log, requestId }: Pick<TrialDeps, 'log' | 'requestId'>) {
    this.#requestId = requestId;
    const warn = (fields: Warned, message: string) => {
      this.#reason = fields.reason ?? fields.error ?? '';
      this.#isReached = fields.failing !== 'unreached' && fields.failing !== 'slow';
      log.warn(fields, message);
    };
    this.log = { warn } as AuthLog;
  }

  passed(...checks: readonly TrialCheck[]): void {
    for (const check of checks) this.outcomes.push({ check, failure: null });
  }

  has(wanted: TrialCheck): boolean {
    return this.outcomes.some(({ check }) => check === wanted);
  }

  /** @param failing makes the failed check from its reason */
  async make<Found>(work: () => Found | Promise<Found>, failing: (reason: string) => TrialCheck): Promise<Found> {
    this.#reason = '';
    this.#isReached = true;
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      this.outcomes.push({ check: failing(this.#reason), failure: this.#failureOf(error) });
      throw new Failed();
    }
  }

  /** Whether a port of the service's network is open, closed or not TLS is for the operator alone. */
  #failureOf({ message }: ServiceError): string {
    const reason = this.#reason;
    if (!this.#isReached) {
      return `The identity provider could not be reached. The service's log has the cause under request ${this.#requestId}.`;
    }
    return reason === '' || reason === message ? message : `${message} ${reason}`;
  }

  async untilOneFails<Found>(work: () => Promise<Found>): Promise<Found | null> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Failed) return null;
      throw error;
    }
  }
}
