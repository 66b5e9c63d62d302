/** Companies: every administrative act on them. */
import type { Actor } from '../actor.ts';
import type { Company, CompanyChanges, NewCompany } from '../directory/companies.ts';
import { notThere } from '../directory/ownership.ts';
import type { Page, PageRequest } from '../directory/paging.ts';
import { shown } from '../errors.ts';
import { requirePermission } from './permissions.ts';
import { type AdministrationRooms, act, type Deed } from './rooms.ts';

export type CompanyRooms = Pick<AdministrationRooms, 'storage' | 'directory' | 'settings' | 'environment'>;

/** All of them; of a user, the own one. @throws ServiceError `forbidden` · `malformed` as `page` */
export function listCompanies(
  { directory, settings }: CompanyRooms,
  actor: Actor,
  request: PageRequest,
): Promise<Page<Company>> {
  if (actor.kind !== 'user') return directory.companies.page(request, settings);
  const { companyId } = actor;
  requirePermission(actor, 'company.read', { companyId });
  return directory.companies.page(request, settings, companyId);
}

/** @throws ServiceError `forbidden` · 130 unknown */
export async function getCompany(rooms: CompanyRooms, actor: Actor, companyId: number): Promise<Company> {
  requirePermission(actor, 'company.read', { companyId });
  return found(rooms, companyId);
}

/** @throws ServiceError `forbidden` · `missing`, `malformed` also for a taken id */
export function createCompany(rooms: CompanyRooms, actor: Actor, company: NewCompany): Promise<Company> {
  requirePermission(actor, 'company.create', { companyId: null });
  const deed: Deed = {
    action: 'company.create',
    target: `company ${shown(company.name)}`,
    companyId: company.id ?? null,
    appId: null,
    detail: { ...company },
  };
  return act(rooms, actor, deed, ({ companies }) => companies.create(company));
}

/** @throws ServiceError `forbidden` · 130 unknown, or with 409 another revision · `missing`, `malformed` */
export async function updateCompany(
  rooms: CompanyRooms,
  actor: Actor,
  companyId: number,
  changes: CompanyChanges,
): Promise<Company> {
  requirePermission(actor, 'company.update', { companyId });
  const { revision: _, name, ...limits } = changes;
  if (Object.keys(limits).length > 0) requirePermission(actor, 'company.limit', { companyId });
  const company = await found(rooms, companyId);
  const deed: Deed = {
    action: 'company.update',
    target: `company ${companyId} ${shown(company.name)}`,
    companyId,
    appId: null,
    detail: { ...(name === undefined ? {} : { name }), ...limits },
  };
  return act(rooms, actor, deed, ({ companies }) => companies.update(companyId, changes));
}

async function found({ directory }: CompanyRooms, companyId: number): Promise<Company> {
  const company = await directory.companies.find(companyId);
  if (company === null) throw notThere('company', companyId);
  return company;
}
