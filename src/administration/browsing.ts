/** What a user sees, for those who manage the user: whom they may look at, in which versions and tables, and the records. */
import { actorKey } from '../actor.ts';
import { type HeldRoles, heldRoles } from '../auth/held-roles.ts';
import { groupIdsIn, role } from '../caller.ts';
import { type SelectedRows, type SelectForm, selectRows } from '../data/select.ts';
import { hasTableRight } from '../data/table-rights.ts';
import { notThere } from '../directory/ownership.ts';
import type { Page, PageRequest } from '../directory/paging.ts';
import type { User, UserWithRoles } from '../directory/users.ts';
import { malformed } from '../errors.ts';
import { describeTables } from '../schema/definition.ts';
import { inTurns } from '../time-slices.ts';
import type { ChangeDeps, Deps } from './audited-action.ts';
import type { Permitted } from './authorize.ts';
import { reachIn } from './groups.ts';
import { notGivenByAdmins, requirePermission } from './permissions.ts';
import { note } from './record-access.ts';
import { requireVersion, type VersionRef } from './versions.ts';

type ReadDeps = ChangeDeps & Deps<'data'>;

/** The users whose records the actor may browse. @throws ServiceError `forbidden` · `malformed` as `page` · 130 */
export async function listBrowsableUsers(
  { directory, settings }: Deps<'directory' | 'settings'>,
  actor: Permitted<'record.browse'>,
  companyId: number,
  request: PageRequest,
): Promise<Page<User>> {
  const within = reachIn(actor, 'record.browse', companyId);
  return directory.users.page(companyId, request, settings, within, notGivenByAdmins);
}

export interface BrowsableVersion {
  readonly appId: string;
  /** Of the application. */
  readonly name: string;
  readonly version: string;
}

/** The versions of the applications that the user may use. @throws ServiceError `forbidden` · 130 unknown */
export async function versionsOfUser(
  deps: Deps<'directory'>,
  actor: Permitted<'record.browse'>,
  companyId: number,
  userId: number,
): Promise<BrowsableVersion[]> {
  const { directory } = deps;
  const { memberships } = await userToBrowse(deps, actor, companyId, userId);
  const isSuperAdmin = memberships.some(({ roleId }) => roleId === role.superAdmin);
  const applications = await directory.applications.list(companyId);
  const usable = applications.filter(({ groupIds }) => {
    return groupIds.length === 0 || isSuperAdmin || memberships.some(({ groupId }) => groupIds.includes(groupId));
  });
  const names = new Map(usable.map(({ appId, name }) => [appId, name]));
  const versions = await directory.versions.list(companyId);
  return versions.flatMap(({ appId, version }) => {
    const name = names.get(appId);
    return name === undefined ? [] : [{ appId, name, version }];
  });
}

export interface BrowsableTable {
  readonly name: string;
  readonly columns: readonly BrowsableColumn[];
}

interface BrowsableColumn {
  readonly colName: string;
  /** As definitions show it. */
  readonly type: string;
}

/** The tables that the user may read, with names and types of columns. @throws ServiceError `forbidden` · 105, 106, 130 unknown */
export async function tablesOfUser(
  deps: ReadDeps,
  actor: Permitted<'record.browse'>,
  versionRef: VersionRef,
  userId: number,
): Promise<BrowsableTable[]> {
  const { spaceId, held } = await viewOf(deps, actor, versionRef, userId);
  const tables = await inTurns(describeTables(await deps.data.storage.spaces.definition(spaceId)));
  return tables
    .filter(({ name }) => hasTableRight(held, 'read', name))
    .map(({ name, columns }) => ({ name, columns: (columns as BrowsableColumn[]).map(columnOf) }));
}

export interface SeenByUser extends SelectedRows {
  /** The user's groups, whose records are included, and the rights to tables; null for all. */
  readonly groups: readonly { readonly groupId: number; readonly groupName: string; readonly roleName: string }[];
  readonly tableRights: Readonly<Record<string, readonly string[]>> | null;
  /** Whether the user is disabled, and therefore can't sign in. */
  readonly disabled: boolean;
}

/**
 * The answer that a user would get. No token is created, and the user's last use is unchanged.
 * @param why stored in the audit trail, and is more than spaces
 * @throws ServiceError `malformed` · `forbidden` · 105, 106, 130 unknown · as `selectRows`, with the user's rights
 */
export async function selectAsUser(
  deps: ReadDeps,
  actor: Permitted<'record.browse'>,
  versionRef: VersionRef,
  { userId, ...asked }: { readonly userId: number; readonly why: string },
  table: string,
  form: SelectForm,
): Promise<SeenByUser> {
  const why = asked.why.trim();
  if (why === '') throw malformed('why', 'expected a reason, got none.');
  const { user, spaceId, held } = await viewOf(deps, actor, versionRef, userId);
  const groupIds = groupIdsIn(held.memberships);
  const requester = {
    companyId: versionRef.companyId,
    spaceId,
    userId,
    groupIds,
    ...held,
    askedBy: actorKey(actor),
    subject: 'the user',
  } as const;
  const seen = await selectRows(deps.data, requester, table, form);
  await note(deps, actor, versionRef, 'record.browse', { table, userId, account: user.account, why });
  const rights = held.tableRights;
  return {
    ...seen,
    groups: held.memberships.map(({ groupId, groupName, roleName }) => ({ groupId, groupName, roleName })),
    disabled: user.disabled,
    tableRights: rights && Object.fromEntries([...rights].map(([name, granted]) => [name, [...granted]])),
  };
}

function columnOf({ colName, type }: BrowsableColumn): BrowsableColumn {
  return { colName, type };
}

interface View {
  readonly user: UserWithRoles;
  readonly spaceId: number;
  /** Where they count for the application. */
  readonly held: HeldRoles;
}

async function viewOf(
  deps: ReadDeps,
  actor: Permitted<'record.browse'>,
  versionRef: VersionRef,
  userId: number,
): Promise<View> {
  const { companyId, appId } = versionRef;
  const user = await userToBrowse(deps, actor, companyId, userId);
  const { spaceId } = await requireVersion(deps, versionRef);
  const application = await deps.directory.applications.find(companyId, appId);
  const isForGroups = (application?.groupIds.length ?? 0) > 0;
  const held = await heldRoles(deps.storage.directory, { companyId, appId, userId, isForGroups });
  return { user, spaceId, held };
}

async function userToBrowse(
  { directory }: Deps<'directory'>,
  actor: Permitted<'record.browse'>,
  companyId: number,
  userId: number,
): Promise<UserWithRoles> {
  const user = await directory.users.withRoles(companyId, userId);
  requirePermission(actor, 'record.browse', { companyId, user: user ?? { id: userId, memberships: [] } });
  if (user === null) throw notThere('user', userId, `company ${companyId}`);
  return user;
}
