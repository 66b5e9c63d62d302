/**
 * Who may do what (docs/reference/roles.md#built-in-roles), as one table: operation × role × reach of the role. Checks,
 * lists and docs/reference/permissions.md are derived from it. Operators and administrators may do everything.
 */
import type { ActingUser, Actor } from '../actor.ts';
import { role } from '../caller.ts';
import { ServiceError } from '../errors.ts';

/**
 * How far a role reaches. Only groups in which the role is held count: `company` everything in the own company ·
 * `application` an application that one of these groups may use · `granted` such an application that grants it
 * (`recordAccess`) · `group` one of these groups, and only roles of
 * `givenByAdmins` in it · `member` a user who is in one of these groups · `subordinate` a user who is only in these
 * groups and holds only roles of `givenByAdmins` there · `self` the own user.
 */
export type Reach = 'company' | 'application' | 'granted' | 'group' | 'member' | 'subordinate' | 'self';

/** `everybody`: every user who has signed in, with any role. */
export type Holder = 'superAdmin' | 'appAdmin' | 'admin' | 'manager' | 'developer' | 'everybody';

export interface PermissionRow {
  readonly meaning: string;
  /** Who has the permission, besides operators and administrators. */
  readonly holders: Readonly<Partial<Record<Holder, Reach>>>;
}

const company = { superAdmin: 'company' } as const;
const application = { ...company, appAdmin: 'application' } as const;
const granted = { ...company, appAdmin: 'granted' } as const;
const tables = { ...application, developer: 'application' } as const;
const subordinates = { ...company, admin: 'subordinate' } as const;

/**
 * Control over sign-in is control over who people are: App Admins therefore cannot change providers and their clients,
 * and any change that hands out a role is limited to the roles that the giver may give.
 */
export const permissions = {
  'administrator.read': { meaning: 'see the administrators of the installation', holders: {} },
  'administrator.change': { meaning: 'add, change and remove administrators', holders: {} },
  'statistics.read': { meaning: 'see the statistics of the service', holders: {} },
  'setting.read': { meaning: 'see the settings in force', holders: {} },
  'node.read': { meaning: 'see the nodes of a cluster, and where data spaces are', holders: {} },
  'node.move': { meaning: 'move data spaces between the nodes of a cluster', holders: {} },
  'company.create': { meaning: 'add a company', holders: {} },
  'company.limit': { meaning: 'disable a company, or set its quotas', holders: {} },
  'company.read': { meaning: 'see the company and its quotas', holders: company },
  'company.update': { meaning: 'rename the company', holders: company },

  'application.read': { meaning: 'see an application, its versions and its groups', holders: tables },
  'application.create': { meaning: 'add an application', holders: company },
  'application.update': {
    meaning: 'change an application: name, key, origins, groups, versions, whether it is disabled',
    holders: application,
  },
  'application.accounts': {
    meaning:
      'set which accounts an application accepts, the group and role of new accounts, and whether App Admins may see or change records',
    holders: company,
  },
  'provider.read': {
    meaning: "see an application's identity providers, and its clients there",
    holders: application,
  },
  'provider.change': { meaning: 'add, change and remove providers and clients', holders: company },
  'table.read': { meaning: 'see table definitions', holders: tables },
  'table.define': { meaning: 'define tables', holders: tables },
  'record.read': { meaning: 'see every record of an application version, whoever owns it', holders: granted },
  'record.write': { meaning: 'add, change and delete records for their owners', holders: granted },
  'record.browse': { meaning: 'see what a user sees, and why', holders: subordinates },
  'log.read': { meaning: 'see and export the log entries of clients', holders: application },
  'device.read': { meaning: 'see the devices of an application', holders: application },
  'device.delete': { meaning: 'remove a device', holders: application },

  'group.read': {
    meaning: 'see a group',
    holders: { ...company, appAdmin: 'company', admin: 'group', manager: 'group' },
  },
  'group.create': { meaning: 'add a group', holders: company },
  'group.update': { meaning: 'change a group', holders: company },
  'group.delete': { meaning: 'remove a group', holders: company },

  'user.read': {
    meaning: 'see a user and the roles held',
    holders: { ...company, admin: 'member', manager: 'member', everybody: 'self' },
  },
  'user.create': { meaning: 'add a user', holders: subordinates },
  'user.update': {
    meaning: 'change a user: account, e-mail address, password, whether disabled',
    holders: subordinates,
  },
  'user.rename': {
    meaning: 'change the first and last name of a user',
    holders: { ...subordinates, everybody: 'self' },
  },
  'user.delete': { meaning: 'remove a user', holders: subordinates },
  'identity.read': { meaning: 'see the identities at providers that are linked to a user', holders: company },
  'identity.change': {
    meaning: 'relink a user to a new identity with the same verified e-mail address',
    holders: company,
  },
  'membership.change': {
    meaning: 'give a role in a group to a visible user, or remove it',
    holders: { ...company, admin: 'group' },
  },

  'role.read': { meaning: 'see the roles', holders: { everybody: 'company' } },
  'role.permissions': {
    meaning: 'see the permissions of a custom role on tables',
    holders: { ...company, appAdmin: 'company' },
  },
  'role.change': { meaning: 'add, change and remove custom roles and their permissions', holders: company },

  'session.read': { meaning: 'see the sessions of a user', holders: { ...subordinates, everybody: 'self' } },
  'session.end': { meaning: 'end sessions of a user', holders: { ...subordinates, everybody: 'self' } },
  'session.endAll': { meaning: 'end all sessions of an application', holders: application },
  'audit.read': { meaning: 'see and export the audit trail of the company', holders: company },
} as const satisfies Record<string, PermissionRow>;

export type PermittedOperation = keyof typeof permissions;

/** The target of an operation. A reach that needs a missing property does not apply. */
export interface PermissionTarget {
  /** Null for what belongs to no company. */
  readonly companyId: number | null;
  /** The application: the groups that may use it; none means every group of the company. And what it grants, if anything. */
  readonly application?: {
    readonly groupIds: readonly number[];
    readonly recordAccess?: 'none' | 'read' | 'write';
  };
  readonly groupId?: number;
  /** The role to be given or taken in the group. */
  readonly roleId?: number;
  /** The user with every role held; a new user has no id yet. */
  readonly user?: {
    readonly id: number | null;
    readonly memberships: readonly { readonly groupId: number; readonly roleId: number }[];
  };
}

export const notGivenByAdmins: readonly number[] = [role.superAdmin, role.appAdmin, role.admin];

/** Roles that an Admin may give and take: only those with less reach than the Admin's own. */
function givenByAdmins(roleId: number): boolean {
  return !notGivenByAdmins.includes(roleId);
}

export function permitted(actor: Actor, operation: PermittedOperation, target: PermissionTarget): boolean {
  if (actor.kind !== 'user') return true;
  if (target.companyId !== actor.companyId) return false;
  return holdings(actor, operation).some(
    ({ reach, groupIds }) =>
      (reach !== 'granted' || grants(target, operation)) && reaches(reach, groupIds, target, actor),
  );
}

/**
 * @throws ServiceError `forbidden`; 130 for a target in another company, as if it did not exist
 */
export function requirePermission(actor: Actor, operation: PermittedOperation, target: PermissionTarget): void {
  if (permitted(actor, operation, target)) return;
  if (actor.kind === 'user' && target.companyId !== null && target.companyId !== actor.companyId) {
    throw new ServiceError(130, `There is no company ${target.companyId}.`);
  }
  throw forbidden(operation);
}

export function forbidden(operation: PermittedOperation): ServiceError {
  return new ServiceError(
    'forbidden',
    `Not permitted with the roles of this user: to ${permissions[operation].meaning}.`,
  );
}

/**
 * For lists within a company: `all`, or the groups that the actor reaches with their users and applications; none if
 * the operation is not permitted (except on the user's own row).
 */
export function groupsInReach(actor: Actor, operation: PermittedOperation): 'all' | readonly number[] {
  if (actor.kind !== 'user') return 'all';
  const held = holdings(actor, operation).filter(({ reach }) => reach !== 'self');
  if (held.some(({ reach }) => reach === 'company')) return 'all';
  return [...new Set(held.flatMap(({ groupIds }) => groupIds))].sort((a, b) => a - b);
}

/** How far the user's roles reach; none if the operation is not permitted on anything. */
export function reachesOf(actor: ActingUser, operation: PermittedOperation): Reach[] {
  return holdings(actor, operation).map(({ reach }) => reach);
}

/**
 * The operations that the actor's roles permit anywhere, even if only on the own row or where an application grants it.
 */
export function permissionsOf(actor: Actor): PermittedOperation[] {
  const names = Object.keys(permissions) as PermittedOperation[];
  return names.filter((name) => actor.kind !== 'user' || holdings(actor, name).length > 0);
}

interface Holding {
  readonly reach: Reach;
  /** Where the role is held. */
  readonly groupIds: readonly number[];
}

function holdings(actor: ActingUser, operation: PermittedOperation): Holding[] {
  const { holders }: PermissionRow = permissions[operation];
  return Object.entries(holders).flatMap(([holder, reach]) => {
    if (holder === 'everybody') return [{ reach, groupIds: [] }];
    const roleId = role[holder as Exclude<Holder, 'everybody'>];
    const groupIds = actor.memberships.filter((held) => held.roleId === roleId).map(({ groupId }) => groupId);
    return groupIds.length === 0 ? [] : [{ reach, groupIds }];
  });
}

function grants({ application: of }: PermissionTarget, operation: PermittedOperation): boolean {
  return of?.recordAccess === 'write' || (of?.recordAccess === 'read' && operation === 'record.read');
}

function reaches(reach: Reach, groupIds: readonly number[], target: PermissionTarget, actor: ActingUser): boolean {
  const { application: used, groupId, roleId, user } = target;
  switch (reach) {
    case 'company':
      return true;
    case 'application':
    case 'granted':
      return used !== undefined && (used.groupIds.length === 0 || used.groupIds.some((id) => groupIds.includes(id)));
    case 'group':
      return groupId !== undefined && groupIds.includes(groupId) && (roleId === undefined || givenByAdmins(roleId));
    case 'member':
      return user?.memberships.some((held) => groupIds.includes(held.groupId)) ?? false;
    case 'subordinate':
      return (
        user !== undefined &&
        user.memberships.length > 0 &&
        user.memberships.every((held) => groupIds.includes(held.groupId) && givenByAdmins(held.roleId))
      );
    case 'self':
      return user?.id === actor.userId;
  }
}
