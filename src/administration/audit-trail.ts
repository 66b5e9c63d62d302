/** Reads the audit trail: administrators see every entry, Super Admins those of their company. */
import { type AuditRequest, type AuditRow, type AuditScope, exportAudit, listAudit } from '../audit/read.ts';
import type { Page } from '../directory/paging.ts';
import type { Deps } from './audited-action.ts';
import type { Permitted } from './authorize.ts';

/** Newest entries first. @throws ServiceError `forbidden` · `malformed` as `page` */
export async function readAudit(
  { storage, settings }: Deps<'storage' | 'settings'>,
  actor: Permitted<'audit.read'>,
  request: AuditRequest,
): Promise<Page<AuditRow>> {
  return listAudit({ db: storage.directory, settings }, scopeOf(actor), request);
}

/** Every matching entry, oldest first. @throws ServiceError `forbidden`, at once; `malformed` at the first entry */
export function exportAuditTrail(
  { storage }: Deps<'storage'>,
  actor: Permitted<'audit.read'>,
  request: Omit<AuditRequest, 'offset' | 'limit' | 'sort'>,
): AsyncGenerator<AuditRow, void, undefined> {
  return exportAudit({ db: storage.directory }, scopeOf(actor), request);
}

function scopeOf(actor: Permitted<'audit.read'>): AuditScope {
  if (actor.kind !== 'user') return 'all';
  const { companyId } = actor;
  return { companyId };
}
