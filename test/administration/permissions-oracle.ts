/**
 * Who may do what, told role by role from docs/reference/roles.md and not from the table that the service asks, so that a
 * slip in one of the two shows as a difference. Nothing of `administration/` is read here but the forms of what is asked.
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
/** What an application is, and who it lets in, is more than looking after it. */
const beyondAppAdmin = ['application.create', 'application.accounts', 'provider.change'];
const ofApplications = ['application', 'provider', 'table', 'log', 'device'];

export function mayDo(actor: Actor, operation: string, target: PermissionTarget): boolean {
  // Operators and administrators stand above companies.
  if (actor.kind === 'operator' || actor.kind === 'administrator') return true;
  // Another company does not exist, and the installation is nobody's who is in a company.
  if (target.companyId === null || target.companyId !== actor.companyId) return false;
  if (ofInstallation.includes(operation)) return false;

  const groupsWith = (roleId: number) =>
    new Set(actor.memberships.filter((held) => held.roleId === roleId).map((held) => held.groupId));
  const isSelf = target.user?.id === actor.userId;

  // Everybody sees the roles, and oneself; and may correct the own name and end the own sessions.
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
  // Which groups there are is needed to let them use the application, and what roles grant to see what they may.
  if (operation === 'group.read' || operation === 'role.permissions') return true;
  if (beyondAppAdmin.includes(operation) || !mayUse(own, target)) return false;
  // Records are theirs as far as a Super Admin has said so for the application.
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
  // Whoever is in another group too, or stands as high, is not the Admin's to change.
  const held = target.user?.memberships ?? [];
  return held.length > 0 && !held.some(({ groupId, roleId }) => !own.has(groupId) || !isBelowAdmin(roleId));
}

function isBelowAdmin(roleId: number | undefined): boolean {
  return roleId !== appAdmin && roleId !== superAdmin && roleId !== admin;
}

/** An application without groups is for all of them. */
function mayUse(own: Groups, { application }: PermissionTarget): boolean {
  if (application === undefined || own.size === 0) return false;
  return application.groupIds.length === 0 || application.groupIds.some((groupId) => own.has(groupId));
}
