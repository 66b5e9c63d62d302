/** The outcome of a client's transaction, by its id: shows whether it was written, and only once. */
import { type KeptTransaction, transactionOf } from '../data/transaction.ts';
import { notThere } from '../directory/ownership.ts';
import { quoted } from '../errors.ts';
import { tableNameOf } from '../schema/catalogue.ts';
import { auditEntry, type ChangeDeps, type Deps } from './audited-action.ts';
import type { Permitted } from './authorize.ts';
import { actionOn, auditTarget, requireVersion, type VersionRef } from './versions.ts';

export interface FoundTransaction extends Omit<KeptTransaction, 'operations'> {
  readonly account: string | null;
  /** In order, with the present name of each table; null before the history kept them. */
  readonly operations: readonly { readonly operation: string; readonly table: string | null }[] | null;
}

/**
 * It names records, so it leaves an entry in the audit trail before the answer.
 * @throws ServiceError `forbidden` · 105, 106 unknown · 130 when the history has no such transaction: it did not
 * happen, or too long ago
 */
export async function findTransaction(
  deps: ChangeDeps & Deps<'data'>,
  actor: Permitted<'record.read'>,
  versionRef: VersionRef,
  transactionId: string,
): Promise<FoundTransaction> {
  const { spaceId } = await requireVersion(deps, versionRef);
  const { data, directory, storage } = deps;
  const kept = await transactionOf(data, spaceId, transactionId);
  if (kept === null) throw notThere('transaction', transactionId, auditTarget(versionRef));
  // Administrators write as 0.
  const user = kept.userId ? await directory.users.find(versionRef.companyId, kept.userId) : null;
  const { catalogue } = await storage.spaces.definition(spaceId);
  const operations = kept.operations?.map(({ operation, tableId }) => {
    return { operation, table: tableNameOf(catalogue, tableId) };
  });
  const action = actionOn(versionRef, 'record.read', `transaction ${quoted(transactionId)}`, { transactionId });
  await storage.directory.write([auditEntry(deps, actor, action)]);
  return { ...kept, account: user?.account ?? null, operations: operations ?? null };
}
