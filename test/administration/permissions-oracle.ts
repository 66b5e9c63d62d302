/**
 * Who may do what, written role by role from docs/reference/roles.md and independently of the service's table, so that
 * an error in either shows as a difference. From `administration/`, only types are imported.
 */
import type { Actor } from '../../src/actor.ts';
import type { PermissionTarget } from '../../src/administration/permissions.ts';

const appAdmin = 1;
const superAdmin = 2;
const admin = 3;
const manager = 4;
const developer = 6;

const ofInstallation = [
  'administrator.read',
  'administrator.change',
  'company.create',
  'company.limit',
  'statistics.read',
  'setting.read',
  'node.read',
  'node.move',
];
/** Defining an application and who may use it exceeds managing it. */
const beyondAppAdmin = ['application.create', 'application.accounts', 'provider.change'];
const ofApplications = ['application', 'provider', 'table', 'log', 'device'];

export function mayDo(actor: Actor, operation: string, target: PermissionTarget): boolean {
  // Operators and administrators are above companies.
  if (actor.kind === 'operator' || actor.kind === 'administrator') return true;
  // Another company does not exist, and users of a company have no rights on the installation.
  if (target.companyId === null || target.companyId !== actor.companyId) return false;
  if (ofInstallation.includes(operation)) return false;

  const groupsWith = (roleId: number) =>
    new Set(actor.memberships.filter((held) => held.roleId === roleId).map((held) => held.groupId));
  const isSelf = target.user?.id === actor.userId;

  // All users may see the roles and themselves, correct their own name, and end their own sessions.
  if (operation === 'role.read') return true;
  if (isSelf && ['user.read', 'user.rename', 'session.read', 'session.end'].includes(operation)) return true;
  if (groupsWith(superAdmin).size > 0) return true;
  return (
    asAppAdmin(groupsWith(appAdmin), operation, target) ||
    asDeveloper(groupsWith(developer), operation, target) ||
    asAdmin(groupsWith(admin), operation, target) ||
    asManager(groupsWith(manager), operation, target)
  );
}

type Groups = ReadonlySet<number>;

function asAppAdmin(own: Groups, operation: string, target: PermissionTarget): boolean {
  if (own.size === 0) return false;
  // Seeing groups is needed to let them use the application, and seeing what roles grant, to know their rights.
  if (operation === 'group.read' || operation === 'role.permissions') return true;
  if (beyondAppAdmin.includes(operation) || !mayUse(own, target)) return false;
  // Records are accessible as far as a Super Admin has permitted it for the application.
  if (operation === 'record.read') return ['read', 'write'].includes(target.application?.recordAccess ?? 'none');
  if (operation === 'record.write') return target.application?.recordAccess === 'write';
  return operation === 'session.endAll' || ofApplications.includes(operation.split('.')[0] ?? '');
}

function asDeveloper(own: Groups, operation: string, target: PermissionTarget): boolean {
  return ['application.read', 'table.read', 'table.define'].includes(operation) && mayUse(own, target);
}

function asManager(own: Groups, operation: string, { groupId, roleId, user }: PermissionTarget): boolean {
  if (operation === 'group.read') return groupId !== undefined && own.has(groupId) && isBelowAdmin(roleId);
  return operation === 'user.read' && (user?.memberships ?? []).some((held) => own.has(held.groupId));
}

function asAdmin(own: Groups, operation: string, target: PermissionTarget): boolean {
  if (asManager(own, operation, target)) return true;
  if (operation === 'membership.change') return own.has(target.groupId ?? 0) && isBelowAdmin(target.roleId);
  if (
    ![
      'user.create',
      'user.update',
      'user.rename',
      'user.delete',
      'session.read',
      'session.end',
      'record.browse',
    ].includes(operation)
  ) {
    return false;
  }
  // An Admin may not change users who are also in another group, or have an equal rank.
  const held = target.user?.memberships ?? [];
  return held.length > 0 && !held.some(({ groupId, roleId }) => !own.has(groupId) || !isBelowAdmin(roleId));
}

function isBelowAdmin(roleId: number | undefined): boolean {
  return roleId !== appAdmin && roleId !== superAdmin && roleId !== admin;
}

/** An application without groups is for all groups. */
function mayUse(own: Groups, { application }: PermissionTarget): boolean {
  if (application === undefined || own.size === 0) return false;
  return application.groupIds.length === 0 || application.groupIds.some((groupId) => own.has(groupId));
}
