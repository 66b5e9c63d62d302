/** Administrative acts on roles, and on what custom roles grant on tables. */
import { requireCompany } from '../directory/ownership.ts';
import type { Page, PageRequest } from '../directory/paging.ts';
import type { Role, RoleChanges, RolePermission } from '../directory/roles.ts';
import { malformed, quoted } from '../errors.ts';
import { type AuditedAction, auditEntry, type ChangeDeps, type Deps } from './audited-action.ts';
import type { Permitted } from './authorize.ts';

export interface NewRole {
  readonly name: string;
  readonly description?: string;
  readonly permissions: readonly RolePermission[];
}

/** The built-in roles and the company's own. @throws ServiceError `malformed` as `page` · 130 another company */
export async function listRoles(
  { storage, directory, settings }: Deps<'storage' | 'directory' | 'settings'>,
  actor: Permitted<'role.read'>,
  companyId: number,
  request: PageRequest,
): Promise<Page<Role>> {
  // For other actors, the list of built-in roles would hide that the company does not exist.
  if (actor.kind !== 'user') await requireCompany(storage.directory, companyId);
  return directory.roles.page(companyId, request, settings);
}

/** @throws ServiceError 130 unknown */
export async function getRole(
  deps: Deps<'storage' | 'directory'>,
  actor: Permitted<'role.read'>,
  companyId: number,
  roleId: number,
): Promise<Role> {
  if (actor.kind !== 'user') await requireCompany(deps.storage.directory, companyId);
  return deps.directory.roles.get(companyId, roleId);
}

/**
 * What a custom role grants, by table; an unrestricted role has no list and grants everything.
 * @throws ServiceError `forbidden` · 130 unknown
 */
export async function rolePermissions(
  { storage, directory }: Deps<'storage' | 'directory'>,
  actor: Permitted<'role.permissions'>,
  companyId: number,
  roleId: number,
): Promise<RolePermission[]> {
  if (actor.kind !== 'user') await requireCompany(storage.directory, companyId);
  return directory.roles.permissions(companyId, roleId);
}

/** @throws ServiceError `forbidden` · 105, 130, `malformed` as `Roles.create` */
export async function createRole(
  deps: ChangeDeps & Deps<'settings'>,
  actor: Permitted<'role.change'>,
  companyId: number,
  role: NewRole,
): Promise<Role> {
  refuseMany(deps, role.permissions);
  const { name, ...detail } = role;
  const audited = auditedAction('create', companyId, `role ${quoted(name)}`, detail);
  return deps.directory.roles.create({ ...role, companyId }, [auditEntry(deps, actor, audited)]);
}

/** @throws ServiceError `forbidden` · 130 unknown, or with 409 another revision · 105, `malformed` as `Roles.update` */
export async function updateRole(
  deps: ChangeDeps & Deps<'settings'>,
  actor: Permitted<'role.change'>,
  companyId: number,
  roleId: number,
  changes: RoleChanges,
): Promise<Role> {
  refuseMany(deps, changes.permissions);
  const { revision: _, ...detail } = changes;
  return deps.directory.roles.update(companyId, roleId, changes, (role) => [
    auditEntry(deps, actor, auditedAction('update', companyId, named(role), detail)),
  ]);
}

/** @throws ServiceError `forbidden` · 130 as `updateRole` · `malformed` for a role that is held, or built in */
export async function deleteRole(
  deps: ChangeDeps,
  actor: Permitted<'role.change'>,
  companyId: number,
  roleId: number,
  revision?: number,
): Promise<void> {
  await deps.directory.roles.remove(companyId, roleId, revision, (role) => [
    auditEntry(deps, actor, auditedAction('delete', companyId, named(role))),
  ]);
}

function refuseMany({ settings }: Deps<'settings'>, permissions: readonly RolePermission[] = []): void {
  const { rolePermissionsMax } = settings;
  if (permissions.length <= rolePermissionsMax) return;
  throw malformed(
    'permissions',
    `expected at most ${rolePermissionsMax} (setting rolePermissionsMax), got ${permissions.length}.`,
  );
}

function named({ roleId, roleName }: Role): string {
  return `role ${roleId} ${quoted(roleName)}`;
}

function auditedAction(
  what: 'create' | 'update' | 'delete',
  companyId: number,
  target: string,
  detail: Readonly<Record<string, unknown>> = {},
): AuditedAction {
  return { action: `role.${what}`, target, companyId, appId: null, detail };
}
