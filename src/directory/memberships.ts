/** Statements that give and set the roles of users in groups, and keep the last Super Admin of a company. */
import { sql } from 'kysely';
import { type Membership, role } from '../caller.ts';
import { malformed } from '../errors.ts';
import { type DirectoryDatabase, ownGroupId, ownRoleId } from './ownership.ts';
import { expectOne } from './revisions.ts';

export interface GroupRole {
  readonly groupId: number;
  readonly roleId: number;
}

export interface SourcedGroupRole extends GroupRole {
  /** Set for claims, as in the table; by hand when absent. */
  readonly source?: string;
  /** Position among the user's roles; last when absent. */
  readonly position?: number;
}

/** The position after the user's last role. */
export function nextPosition(db: DirectoryDatabase, userId: number | ReturnType<typeof ownUserId>) {
  const last = db.build
    .selectFrom('membership as other')
    .select((row) => row.fn.max('other.position').as('last'))
    .where('other.user_id', '=', userId);
  return sql<number>`coalesce(${last}, -1) + 1`;
}

/** Far below either engine's limit for a statement. */
const idsOfStatementMax = 1_000;

const key = ['user_id', 'group_id', 'role_id'] as const;

/** In the order in which roles were given. */
export function selectMemberships(db: DirectoryDatabase) {
  return db.build
    .selectFrom('membership')
    .innerJoin('user_group', 'user_group.id', 'membership.group_id')
    .innerJoin('role', 'role.id', 'membership.role_id')
    .select(['user_group.id as groupId', 'user_group.name as groupName'])
    .select(['role.id as roleId', 'role.name as roleName'])
    .orderBy('membership.position')
    .orderBy('user_group.id')
    .orderBy('role.id');
}

export async function membershipsOf(db: DirectoryDatabase, userIds: readonly number[]) {
  const held = new Map<number, Membership[]>();
  for (let start = 0; start < userIds.length; start += idsOfStatementMax) {
    const ids = userIds.slice(start, start + idsOfStatementMax);
    const query = selectMemberships(db).select('membership.user_id as userId').where('membership.user_id', 'in', ids);
    for (const { userId, ...membership } of await db.read(query)) {
      const list = held.get(userId);
      if (list === undefined) held.set(userId, [membership]);
      else list.push(membership);
    }
  }
  return held;
}

/** Replaces the source of a role that the user already has: claims or by hand. */
export function giveMembership(
  db: DirectoryDatabase,
  companyId: number,
  userId: number | ReturnType<typeof ownUserId>,
  membership: SourcedGroupRole,
) {
  const { source = '' } = membership;
  return insertMembership(db, companyId, userId, membership).onConflict((conflict) =>
    conflict.columns(key).doUpdateSet({ source }),
  );
}

/** The user then has exactly these roles, in this order; roles kept keep their source unless one is given. */
export function setMemberships(
  db: DirectoryDatabase,
  companyId: number,
  userId: number,
  wanted: readonly SourcedGroupRole[],
) {
  const held = db.build.deleteFrom('membership').where('user_id', '=', userId);
  const byGroup = Map.groupBy(wanted, ({ groupId }) => groupId);
  // Flat lists: one condition per role would nest deeper than an engine allows. No group has the id 0.
  const elsewhere = held.where('group_id', 'not in', [0, ...byGroup.keys()]);
  const others = [...byGroup].map(([groupId, roles]) =>
    held.where('group_id', '=', groupId).where(
      'role_id',
      'not in',
      roles.map(({ roleId }) => roleId),
    ),
  );
  const given = wanted.map((membership, position) =>
    insertMembership(db, companyId, userId, { ...membership, position }).onConflict((conflict) =>
      conflict
        .columns(key)
        .doUpdateSet(membership.source === undefined ? { position } : { position, source: membership.source }),
    ),
  );
  return [elsewhere, ...others, ...given];
}

function insertMembership(
  db: DirectoryDatabase,
  companyId: number,
  userId: number | ReturnType<typeof ownUserId>,
  { groupId, roleId, source = '', position }: SourcedGroupRole,
) {
  return db.build.insertInto('membership').values({
    user_id: userId,
    group_id: ownGroupId(db, companyId, groupId),
    role_id: ownRoleId(db, companyId, roleId),
    source,
    position: position ?? nextPosition(db, userId),
  });
}

/** The id of a user created earlier in the same transaction. */
export function ownUserId(db: DirectoryDatabase, companyId: number, account: string) {
  const own = db.build
    .selectFrom('user')
    .select('id')
    .where('company_id', '=', companyId)
    .where('account', '=', account);
  return sql<number>`coalesce(${own}, 0)`;
}

/** Memberships that an action removes: all of a user, all in a group, or a user's in a group. */
export type Lost =
  | { readonly userId: number; readonly groupId?: number }
  | { readonly userId?: number; readonly groupId: number };

/** Rolls the transaction back (`expectOne`) where a company would lose its last Super Admin who may sign in. */
export function keepSuperAdmin(db: DirectoryDatabase, companyId: number, lost: Lost) {
  const had = superAdmins(db, companyId);
  const kept = remaining(db, companyId, lost);
  return expectOne(
    db.build
      .selectNoFrom(sql<number>`1`.as('one'))
      .where(({ or, not, exists }) => or([not(exists(had)), exists(kept)])),
  );
}

/** Explains a failed `keepSuperAdmin`. @throws ServiceError `malformed` */
export async function refuseLastSuperAdmin(db: DirectoryDatabase, companyId: number, lost: Lost): Promise<void> {
  const had = await db.read(superAdmins(db, companyId).limit(1));
  if (had.length === 0 || (await db.read(remaining(db, companyId, lost).limit(1))).length > 0) return;
  throw malformed(
    'role',
    `company ${companyId} would have no Super Admin left who may sign in; appoint another one first.`,
  );
}

function superAdmins(db: DirectoryDatabase, companyId: number) {
  return db.build
    .selectFrom('membership')
    .innerJoin('user', 'user.id', 'membership.user_id')
    .select('membership.user_id')
    .where('membership.role_id', '=', role.superAdmin)
    .where('user.company_id', '=', companyId)
    .where('user.disabled', '=', 0);
}

function remaining(db: DirectoryDatabase, companyId: number, { userId, groupId }: Lost) {
  return superAdmins(db, companyId).where(({ eb, and, not }) =>
    not(
      and([
        ...(userId === undefined ? [] : [eb('membership.user_id', '=', userId)]),
        ...(groupId === undefined ? [] : [eb('membership.group_id', '=', groupId)]),
      ]),
    ),
  );
}
