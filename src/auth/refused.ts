/** Adds refused sign-ins, with reasons, to the audit trail. */
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

/** The cause of a refusal: the account and the reason, which the client must not see. */
export class AccountRefused extends Error {
  readonly account: string;

  constructor(account: string, reason: string) {
    super(reason);
    this.account = account;
  }
}

/** Returns the sign-in's result. @throws the sign-in's error, once the entry is stored */
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

/** Records a sign-in refused for too many attempts, without reading the database: there may be a flood. */
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

/** Faults of the service or the provider are no refusals. */
function isRefusal(reason: ServiceError['reason']): boolean {
  return typeof reason === 'number' ? codes[reason].status < 500 : reason !== 'busy' && reason !== 'internal';
}
