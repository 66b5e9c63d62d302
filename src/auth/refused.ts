/** Notes in the audit trail when a sign-in is refused, and why. */
import type { Refusals } from '../audit/refusals.ts';
import type { From } from '../caller.ts';
import { codes, ServiceError } from '../errors.ts';
import type { TenantPath } from './sessions.ts';

export interface Attempted {
  readonly path: TenantPath;
  /** The account that the client names; a provider names it later (`AccountRefused`). */
  readonly account?: string;
  readonly from: From;
}

/** As the cause of a refusal: whose sign-in was refused, and why, which is not for the client. */
export class AccountRefused extends Error {
  readonly account: string;

  constructor(account: string, reason: string) {
    super(reason);
    this.account = account;
  }
}

/** What the sign-in answers. @throws what it throws, when the entry is stored */
export async function noted<Result>(
  refusals: Pick<Refusals, 'note'>,
  { path, account = '', from }: Attempted,
  signIn: () => Promise<Result>,
): Promise<Result> {
  try {
    return await signIn();
  } catch (error) {
    if (error instanceof ServiceError && isRefusal(error.reason)) {
      const { cause } = error.details;
      const vouched = cause instanceof AccountRefused;
      const known = vouched ? cause : { account, message: error.message };
      await refusals.note({
        action: 'session.start',
        account: known.account,
        vouched,
        address: from.address,
        companyId: /^[1-9]\d{0,9}$/.test(path.companyId) ? Number(path.companyId) : null,
        appId: path.appId,
        code: String(error.reason),
        reason: known.message,
      });
    }
    throw error;
  }
}

/** A fault, the service's or the provider's, refuses nobody. */
function isRefusal(reason: ServiceError['reason']): boolean {
  return typeof reason === 'number' ? codes[reason].status < 500 : reason !== 'busy' && reason !== 'internal';
}
