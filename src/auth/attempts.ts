/**
 * Rate limits on every operation that takes a secret: how many attempts an address may make a minute, and how long
 * must be waited after failures at one account. What all instances count together is in the table `attempt`; what this
 * process knows to be refused is refused from memory, without the database.
 *
 * Nobody can lock an account out for ever: first the pair of account and address waits, long; the account as a whole
 * waits only after ten times as many failures, at most `accountDelayMaxMs`, and not where a sign-in succeeded before.
 */
import type { From } from '../caller.ts';
import type { Settings } from '../config.ts';
import type { Environment } from '../environment.ts';
import { ServiceError } from '../errors.ts';
import type { Relational } from '../storage/contract.ts';
import type { DirectoryTables } from '../storage/tables.ts';
import { openAccountLimits } from './limits/accounts.ts';
import { openAddressLimits } from './limits/addresses.ts';
import { keysOf } from './limits/keys.ts';
import type { AuthLog } from './log.ts';

/** What is tried; each is counted by itself for an address. */
export type AttemptKind =
  | 'anonymousToken'
  | 'registerDevice'
  | 'authenticate'
  | 'login'
  | 'refresh'
  | 'password'
  | 'administration'
  | 'setUp';

/** Where it comes from: Fastify's `request.ip`, which respects `trustProxy`. An unknown address is not counted. */
export interface Attempt extends From {
  /**
   * Whose secret is tried, where the request names it: the company's id (0 for administrators of the installation) and
   * the account as it came, there or not. The same account is the same however it is spelled, and for every kind.
   */
  readonly account?: { readonly companyId: number; readonly name: string } | undefined;
}

export interface Attempts {
  /**
   * Counts an attempt, before its secret is looked at. At an account it counts as failed until `succeeded` says
   * otherwise, so that many guesses at once are no way around.
   * @throws ServiceError `tooMany` with the seconds to wait
   */
  guard(kind: AttemptKind, attempt: Attempt): Promise<void>;
  /** To be told when the secret was right: the failures of this account from this address are forgotten. */
  succeeded(kind: AttemptKind, attempt: Attempt): Promise<void>;
  /** Writes what is counted in memory. */
  close(): Promise<void>;
}

export interface AttemptDeps {
  readonly db: Relational<DirectoryTables>;
  readonly settings: Settings;
  readonly environment: Environment;
  readonly log: AuthLog;
}

/** Without limits: for the demo, and with the setting `attemptLimits` off. */
export const unlimited: Attempts = {
  guard: async () => {},
  succeeded: async () => {},
  close: async () => {},
};

export function openAttempts(deps: AttemptDeps): Attempts {
  const addresses = openAddressLimits(deps);
  const accounts = openAccountLimits(deps);
  return {
    async guard(kind, attempt) {
      const keys = keysOf(kind, attempt);
      const known = addresses.knownWait(keys) ?? accounts.knownWait(keys);
      if (known !== null) throw tooMany(known);
      const wait = (await addresses.count(keys)) ?? (await accounts.count(keys));
      if (wait !== null) throw tooMany(wait);
    },
    async succeeded(kind, attempt) {
      await accounts.succeeded(keysOf(kind, attempt));
    },
    close: () => addresses.flush(),
  };
}

/** The same for an account that is there and one that is not. */
function tooMany(waitMs: number): ServiceError {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1_000));
  const seconds = retryAfterSeconds === 1 ? '1 second' : `${retryAfterSeconds} seconds`;
  return new ServiceError('tooMany', `Too many attempts. Try again in ${seconds}.`, { retryAfterSeconds });
}
