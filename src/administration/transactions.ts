/** Was this written twice? What became of a transaction of a client, by its id. */
import { type KeptTransaction, transactionOf } from '../data/transaction.ts';
import { notThere } from '../directory/ownership.ts';
import type { Deps } from './audited-action.ts';
import type { Permitted } from './authorize.ts';
import { auditTarget, requireVersion, type VersionRef } from './versions.ts';

export interface FoundTransaction extends KeptTransaction {
  readonly account: string | null;
}

/** @throws ServiceError `forbidden` · 105, 106 unknown · 130 where no such transaction is kept: it did not happen, or long ago */
export async function findTransaction(
  deps: Deps<'storage' | 'directory' | 'data'>,
  _actor: Permitted<'record.read'>,
  versionRef: VersionRef,
  transactionId: string,
): Promise<FoundTransaction> {
  const { spaceId } = await requireVersion(deps, versionRef);
  const kept = await transactionOf(deps.data, spaceId, transactionId);
  if (kept === null) throw notThere('transaction', transactionId, auditTarget(versionRef));
  const user = kept.userId === null ? null : await deps.directory.users.find(versionRef.companyId, kept.userId);
  return { ...kept, account: user?.account ?? null };
}
