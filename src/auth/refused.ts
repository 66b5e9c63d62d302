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
        companyId: companyOf(path),
        appId: path.appId,
        code: String(error.reason),
        reason: known.message,
      });
    }
    throw error;
  }
}

/** Notes a sign-in for which there were too many attempts, without asking the database anything: there may be a flood. */
export async function noteRateLimited(
  refusals: Pick<Refusals, 'note'>,
  path: TenantPath,
  { address }: From,
  error: unknown,
): Promise<void> {
  if (!(error instanceof ServiceError) || error.reason !== 'tooMany') return;
  const who = { account: '', address, companyId: companyOf(path), appId: null };
  await refusals.note({ ...who, action: 'session.start', code: error.reason, reason: error.message });
}

function companyOf({ companyId }: TenantPath): number | null {
  return /^[1-9]\d{0,9}$/.test(companyId) ? Number(companyId) : null;
}

/** A fault, the service's or the provider's, refuses nobody. */
function isRefusal(reason: ServiceError['reason']): boolean {
  return typeof reason === 'number' ? codes[reason].status < 500 : reason !== 'busy' && reason !== 'internal';
}
