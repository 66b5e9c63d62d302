/** Administrative acts on groups of users, for clients, the administration interface and the command line. */
import type { Actor } from '../actor.ts';
import type { Group, GroupChanges, GroupMember, NewGroup } from '../directory/groups.ts';
import { notThere } from '../directory/ownership.ts';
import type { Page, PageLimits, PageRequest } from '../directory/paging.ts';
import { quoted } from '../errors.ts';
import { type AuditedAction, auditEntry, type ChangeDeps, type Deps } from './audited-action.ts';
import type { Permitted } from './authorize.ts';
import { forbidden, groupsInReach, type PermittedOperation, requirePermission } from './permissions.ts';

/** The applications the actor may see. @throws ServiceError `forbidden` if none · `malformed` as `page` · 130 */
export async function listGroups(
  { directory, settings }: Deps<'directory' | 'settings'>,
  actor: Actor,
  companyId: number,
  request: PageRequest,
  limits: PageLimits = settings,
): Promise<Page<Group>> {
  const within = reachIn(actor, 'group.read', companyId);
  return directory.groups.page(companyId, request, limits, within);
}

/** @throws ServiceError `forbidden` · 130 unknown */
export async function getGroup(
  deps: Deps<'directory'>,
  actor: Actor,
  companyId: number,
  groupId: number,
): Promise<Group> {
  requirePermission(actor, 'group.read', { companyId, groupId });
  return deps.directory.groups.get(companyId, groupId);
}

/** The group's users, once for each role that they hold there. @throws ServiceError as `getGroup` */
export async function groupMembers(
  { directory }: Deps<'directory'>,
  actor: Actor,
  companyId: number,
  groupId: number,
): Promise<GroupMember[]> {
  // One check covers all members of the group.
  const memberships = [{ groupId, roleId: 0 }];
  requirePermission(actor, 'user.read', { companyId, user: { id: null, memberships } });
  return directory.groups.members(companyId, groupId);
}

/** @throws ServiceError `forbidden` · 130 unknown company · `malformed` a bad or taken name */
export function createGroup(
  deps: ChangeDeps,
  actor: Permitted<'group.create'>,
  companyId: number,
  group: Omit<NewGroup, 'companyId'>,
): Promise<Group> {
  const { name, description, appId } = group;
  const detail = description === undefined ? {} : { description };
  const audited = { ...auditedAction('create', companyId, `group ${quoted(name)}`, appId), detail };
  return deps.directory.groups.create({ ...group, companyId }, [auditEntry(deps, actor, audited)]);
}

/** @throws ServiceError `forbidden` · 130 unknown, or with 409 another revision · `malformed` a bad or taken name */
export async function updateGroup(
  deps: ChangeDeps,
  actor: Permitted<'group.update'>,
  companyId: number,
  groupId: number,
  changes: GroupChanges,
): Promise<Group> {
  const { revision: _, ...detail } = changes;
  return deps.directory.groups.update(companyId, groupId, changes, (group) => [
    auditEntry(deps, actor, { ...auditedAction('update', companyId, named(group), changes.appId), detail }),
  ]);
}

/** @throws ServiceError `forbidden` · 130 as `updateGroup` · `malformed` where something depends on it (`Groups.remove`) */
export async function deleteGroup(
  deps: ChangeDeps,
  actor: Permitted<'group.delete'>,
  companyId: number,
  groupId: number,
  revision?: number,
): Promise<void> {
  await deps.directory.groups.remove(companyId, groupId, revision, (group) => [
    auditEntry(deps, actor, auditedAction('delete', companyId, named(group))),
  ]);
}

/**
 * The groups to which a list is limited; undefined for the whole company.
 * @throws ServiceError `forbidden` where none would be left · 130 another company
 */
export function reachIn(actor: Actor, operation: PermittedOperation, companyId: number): readonly number[] | undefined {
  if (actor.kind === 'user' && actor.companyId !== companyId) throw notThere('company', companyId);
  const reach = groupsInReach(actor, operation);
  if (reach === 'all') return undefined;
  if (reach.length === 0) throw forbidden(operation);
  return reach;
}

function named({ id, name }: Group): string {
  return `group ${id} ${quoted(name)}`;
}

function auditedAction(
  what: 'create' | 'update' | 'delete',
  companyId: number,
  target: string,
  appId?: string,
): AuditedAction {
  return { action: `group.${what}`, target, companyId, appId: appId ?? null };
}
