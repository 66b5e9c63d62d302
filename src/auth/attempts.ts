/**
 * Rate limits on every operation that takes a secret: how many attempts an address may make per minute, and how long it
 * must wait after failures at one account. All instances count together in the table `attempt`; a blocked attempt is
 * refused from memory, without a database read. No account can be locked out for ever: at first only the pair of
 * account and address must wait. The whole account waits only after ten times as many failures, at most
 * `accountDelayMaxMs`, and not at an address where a sign-in succeeded before.
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

/** What is attempted; for an address, each kind is counted separately. */
export type AttemptKind =
  | 'anonymousToken'
  | 'registerDevice'
  | 'authenticate'
  | 'login'
  | 'refresh'
  | 'password'
  | 'administration'
  | 'setUp';

/** The attempt's origin: Fastify's `request.ip`, which respects `trustProxy`. An unknown address is not counted. */
export interface Attempt extends From {
  /**
   * Whose secret is tried, if the request names it: the company's id (0 for administrators of the installation) and the
   * account as sent, whether it exists or not. All spellings and all kinds count as one account.
   */
  readonly account?: { readonly companyId: number; readonly name: string } | undefined;
}

export interface Attempts {
  /**
   * Counts an attempt before its secret is checked. It counts as a failure of the account until `succeeded` is called,
   * so that parallel guesses do not evade the limit.
   * @throws ServiceError `tooMany` with the seconds to wait
   */
  guard(kind: AttemptKind, attempt: Attempt): Promise<void>;
  /** Called when the secret was right: forgets the failures of this account from this address. */
  succeeded(kind: AttemptKind, attempt: Attempt): Promise<void>;
  /** Writes the counts held in memory. */
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

/** The same for an existing account and an unknown one. */
function tooMany(waitMs: number): ServiceError {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1_000));
  const seconds = retryAfterSeconds === 1 ? '1 second' : `${retryAfterSeconds} seconds`;
  return new ServiceError('tooMany', `Too many attempts. Try again in ${seconds}.`, { retryAfterSeconds });
}
