/** Administrative acts on companies. */
import type { Company, CompanyChanges, NewCompany } from '../directory/companies.ts';
import type { Page, PageRequest } from '../directory/paging.ts';
import { quoted } from '../errors.ts';
import { type AuditedAction, auditEntry, type ChangeDeps, type Deps } from './audited-action.ts';
import type { Permitted } from './authorize.ts';
import { requirePermission } from './permissions.ts';

/** All companies; for a user, the user's own. @throws ServiceError `forbidden` · `malformed` as `page` */
export function listCompanies(
  { directory, settings }: Deps<'directory' | 'settings'>,
  actor: Permitted<'company.read'>,
  request: PageRequest,
): Promise<Page<Company>> {
  if (actor.kind !== 'user') return directory.companies.page(request, settings);
  const { companyId } = actor;
  return directory.companies.page(request, settings, companyId);
}

/** @throws ServiceError `forbidden` · 130 unknown */
export function getCompany(
  deps: Deps<'directory'>,
  _actor: Permitted<'company.read'>,
  companyId: number,
): Promise<Company> {
  return deps.directory.companies.get(companyId);
}

/** @throws ServiceError `forbidden` · `missing`, `malformed` also for a taken id */
export function createCompany(
  deps: ChangeDeps,
  actor: Permitted<'company.create'>,
  company: NewCompany,
): Promise<Company> {
  const audited: AuditedAction = {
    action: 'company.create',
    target: `company ${quoted(company.name)}`,
    companyId: company.id ?? null,
    appId: null,
    detail: { ...company },
  };
  return deps.directory.companies.create(company, [auditEntry(deps, actor, audited)]);
}

/** @throws ServiceError `forbidden` · 130 unknown, or with 409 another revision · `missing`, `malformed` */
export async function updateCompany(
  deps: ChangeDeps,
  actor: Permitted<'company.update'>,
  companyId: number,
  changes: CompanyChanges,
): Promise<Company> {
  const { revision: _, name, ...limits } = changes;
  if (Object.keys(limits).length > 0) requirePermission(actor, 'company.limit', { companyId });
  const detail = { ...(name === undefined ? {} : { name }), ...limits };
  return deps.directory.companies.update(companyId, changes, (company) => {
    const target = `company ${companyId} ${quoted(company.name)}`;
    return [auditEntry(deps, actor, { action: 'company.update', target, companyId, appId: null, detail })];
  });
}
