/**
 * Users of a company, their identities at providers, and their roles in groups
 * (docs/reference/roles.md#roles-in-groups).
 */
import { type Selectable, sql } from 'kysely';
import { type DescribedMembership, type Membership, role } from '../caller.ts';
import type { ChangesOf, NewOf, RowOf } from '../entities/entity.ts';
import { user } from '../entities/people.ts';
import type { Environment } from '../environment.ts';
import { malformed, quoted, ServiceError } from '../errors.ts';
import type { WriteStatement } from '../storage/contract.ts';
import type { DirectoryTables } from '../storage/tables.ts';
import { isFolded } from './folded-text.ts';
import {
  giveMembership,
  keepSuperAdmin,
  membershipsOf,
  ownUserId,
  refuseLastSuperAdmin,
  type SourcedGroupRole,
  selectMemberships,
  setMemberships,
} from './memberships.ts';
import {
  type DirectoryDatabase,
  listed,
  notThere,
  requireCompany,
  requireGroup,
  requireRole,
  writeOrExplain,
} from './ownership.ts';
import { type Page, type PageLimits, type PageRequest, page } from './paging.ts';
import { expectOne, inRevision, refuseOtherRevision } from './revisions.ts';
import { rowsOf } from './rows.ts';
import { checkedEmail, checkedName } from './text.ts';
import { changeUser } from './user-rows.ts';

export type { GroupRole, SourcedGroupRole } from './memberships.ts';

export interface User extends RowOf<typeof user> {
  /** Whether a password is stored, so that the user can sign in with one. */
  readonly hasPassword: boolean;
}

/** An account at an identity provider; never identified by e-mail. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
}

export interface NewUser extends NewOf<typeof user> {
  readonly companyId: number;
  readonly memberships?: readonly SourcedGroupRole[];
  /** As made by `auth/local/passwords.ts`. */
  readonly passwordHash?: string;
  readonly identity?: Identity;
}

export interface UserChanges extends ChangesOf<typeof user> {
  /** Null takes it away. */
  readonly passwordHash?: string | null;
  /** The user then has exactly these; a role already held keeps its source unless another is given. */
  readonly memberships?: readonly SourcedGroupRole[];
}

export interface UserWithRoles extends User {
  /** In the order in which roles were given. */
  readonly memberships: readonly Membership[];
}

export interface Users {
  /** By id. @throws ServiceError 130 for an unknown company. */
  list(companyId: number): Promise<User[]>;
  /**
   * @param within only users of these groups
   * @param roleIdsExcluded only users who are in no other groups than those, and hold none of these roles there
   * @throws ServiceError `malformed` as `page`, 130 for an unknown company.
   */
  page(
    companyId: number,
    request: PageRequest,
    limits: PageLimits,
    within?: readonly number[],
    roleIdsExcluded?: readonly number[],
  ): Promise<Page<User>>;
  find(companyId: number, userId: number): Promise<User | null>;
  /** As `find`. @throws ServiceError 130 for an unknown one. */
  get(companyId: number, userId: number): Promise<User>;
  /** A user, with the roles held. */
  withRoles(companyId: number, userId: number): Promise<UserWithRoles | null>;
  /** Without regard to case. */
  byAccount(companyId: number, account: string): Promise<User | null>;
  byEmail(companyId: number, email: string): Promise<User | null>;
  byIdentity(companyId: number, issuer: string, subject: string): Promise<User | null>;
  /** All in one transaction. @throws ServiceError 130 for an unknown reference, `malformed` for a taken value. */
  create(user: NewUser, further?: readonly WriteStatement[]): Promise<User>;
  /**
   * Changes the given fields in one transaction.
   * @throws ServiceError as `create`, 130 with 409 for another revision, `malformed` where the company would lose its
   * last Super Admin.
   */
  update(companyId: number, userId: number, changes: UserChanges, further?: readonly WriteStatement[]): Promise<User>;
  /**
   * Removes sessions, identities and roles; records keep the id, which is never reused.
   * @throws ServiceError as `update`.
   */
  remove(companyId: number, userId: number, revision?: number, further?: readonly WriteStatement[]): Promise<void>;
  /** @throws ServiceError 110 for an unknown user, `malformed` when the identity is another user's. */
  linkIdentity(userId: number, identity: Identity): Promise<void>;
  /** In the order in which roles were given. */
  memberships(userId: number): Promise<Membership[]>;
  /** The same, with the role's description. */
  describedMemberships(userId: number): Promise<DescribedMembership[]>;
  /** The same for several users; users without roles have no entry. */
  membershipsOf(userIds: readonly number[]): Promise<Map<number, Membership[]>>;
}

const rows = rowsOf(user, { account: checkedName, email: checkedEmail }, 'user');

/** Leaves the hash out: only the password check reads it. */
function userOf(row: Selectable<DirectoryTables['user']>): User {
  return { ...rows.read(row), hasPassword: row.password_hash !== null };
}

export function openUsers(db: DirectoryDatabase, environment: Environment): Users {
  const all = (companyId: number) =>
    db.build.selectFrom('user').selectAll('user').where('user.company_id', '=', companyId);
  const one = async (query: ReturnType<typeof all>) => (await db.read(query)).map(userOf)[0] ?? null;
  const find = (companyId: number, userId: number) => one(all(companyId).where('user.id', '=', userId));
  const byAccount = (companyId: number, account: string) => one(all(companyId).where(isFolded('account', account)));
  const byEmail = (companyId: number, email: string) => one(all(companyId).where('email', '=', email.toLowerCase()));

  async function explainTaken(
    companyId: number,
    userId: number | null,
    wanted: Pick<UserChanges, 'account' | 'email' | 'memberships'> & Pick<NewUser, 'identity'>,
  ): Promise<void> {
    await requireCompany(db, companyId);
    const named = wanted.account === undefined ? null : await byAccount(companyId, wanted.account);
    if (named !== null && named.id !== userId) {
      throw malformed('account', `there is already a user ${quoted(named.account)} in company ${companyId}.`);
    }
    const mailed = typeof wanted.email === 'string' ? await byEmail(companyId, wanted.email) : null;
    if (mailed !== null && mailed.id !== userId) {
      throw malformed(
        'email',
        `user ${quoted(mailed.account)} of company ${companyId} already has this e-mail address.`,
      );
    }
    for (const { groupId, roleId } of wanted.memberships ?? []) {
      await requireGroup(db, companyId, groupId);
      await requireRole(db, companyId, roleId);
    }
    if (wanted.identity !== undefined) throw malformed('identity', 'it already belongs to another user.');
  }
  async function get(companyId: number, userId: number): Promise<User> {
    const present = await find(companyId, userId);
    if (present === null) throw notThere('user', userId, `company ${companyId}`);
    return present;
  }

  return {
    find,
    get,
    async withRoles(companyId, userId) {
      const rows = await db.read(
        all(companyId)
          .leftJoin('membership', 'membership.user_id', 'user.id')
          .leftJoin('user_group', 'user_group.id', 'membership.group_id')
          .leftJoin('role', 'role.id', 'membership.role_id')
          .select(['user_group.id as groupId', 'user_group.name as groupName'])
          .select(['role.id as roleId', 'role.name as roleName'])
          .where('user.id', '=', userId)
          .orderBy('membership.position')
          .orderBy('user_group.id')
          .orderBy('role.id'),
      );
      if (rows[0] === undefined) return null;
      const { groupId: _, groupName: __, roleId: ___, roleName: ____, ...user } = rows[0];
      const memberships = rows.flatMap(({ groupId, groupName, roleId, roleName }) =>
        groupId === null || roleId === null
          ? []
          : [{ groupId, groupName: groupName ?? '', roleId, roleName: roleName ?? '' }],
      );
      return { ...userOf(user), memberships };
    },
    byAccount,
    byEmail,
    async list(companyId) {
      const rows = await listed(db.read(all(companyId).orderBy('user.id')), () => requireCompany(db, companyId));
      return rows.map(userOf);
    },
    async page(companyId, request, limits, within, roleIdsExcluded) {
      // No group has the id 0; `IN ()` is invalid SQL.
      const groupIds = [0, ...(within ?? [])];
      let query = all(companyId);
      if (within !== undefined) {
        query = query.where(({ exists, selectFrom }) =>
          exists(
            selectFrom('membership')
              .select('membership.user_id')
              .whereRef('membership.user_id', '=', 'user.id')
              .where('membership.group_id', 'in', groupIds),
          ),
        );
      }
      if (within !== undefined && roleIdsExcluded !== undefined) {
        query = query.where(({ exists, not, selectFrom }) =>
          not(
            exists(
              selectFrom('membership')
                .select('membership.user_id')
                .whereRef('membership.user_id', '=', 'user.id')
                .where(({ eb, or }) =>
                  or([eb('membership.group_id', 'not in', groupIds), eb('membership.role_id', 'in', roleIdsExcluded)]),
                ),
            ),
          ),
        );
      }
      const { results, count } = await page(db, query, rows.fields, request, limits);
      if (count === 0) await requireCompany(db, companyId);
      return { results: results.map(userOf), count };
    },
    byIdentity: (companyId, issuer, subject) =>
      one(
        all(companyId)
          .innerJoin('identity', 'identity.user_id', 'user.id')
          .where('identity.company_id', '=', companyId)
          .where('identity.issuer', '=', issuer)
          .where('identity.subject', '=', subject),
      ),
    async create(wanted, further = []) {
      const { companyId, identity } = wanted;
      const created = environment.now();
      const columns = rows.inserted({ ...wanted, created });
      const userId = ownUserId(db, companyId, columns.account);
      const statements = [
        db.build.insertInto('user').values(columns),
        ...(wanted.memberships ?? []).map((membership, position) =>
          giveMembership(db, companyId, userId, { ...membership, position }),
        ),
        ...(identity === undefined
          ? []
          : [db.build.insertInto('identity').values({ ...identity, company_id: companyId, user_id: userId, created })]),
        ...further,
      ];
      await writeOrExplain(db, statements, () => explainTaken(companyId, null, wanted));
      const made = await byAccount(companyId, columns.account);
      if (made === null) throw new ServiceError('internal', 'A user that was just created is not there.');
      return made;
    },
    async update(companyId, userId, changes, further = []) {
      const { memberships, revision, ...columns } = changes;
      const losing =
        columns.disabled === true ||
        (memberships !== undefined && !memberships.some(({ roleId }) => roleId === role.superAdmin));
      const statements = [
        ...(losing ? [keepSuperAdmin(db, companyId, { userId })] : []),
        expectOne(changeUser(db, { companyId, id: userId }, rows.changed(columns), revision)),
        ...(memberships === undefined ? [] : setMemberships(db, companyId, userId, memberships)),
        ...further,
      ];
      await writeOrExplain(db, statements, async () => {
        refuseOtherRevision(`user ${userId}`, (await get(companyId, userId)).revision, revision);
        if (losing) await refuseLastSuperAdmin(db, companyId, { userId });
        await explainTaken(companyId, userId, changes);
      });
      return get(companyId, userId);
    },
    async remove(companyId, userId, revision, further = []) {
      const remove = db.build
        .deleteFrom('user')
        .where('id', '=', userId)
        .where('company_id', '=', companyId)
        .where(inRevision(revision));
      await writeOrExplain(db, [keepSuperAdmin(db, companyId, { userId }), expectOne(remove), ...further], async () => {
        refuseOtherRevision(`user ${userId}`, (await get(companyId, userId)).revision, revision);
        await refuseLastSuperAdmin(db, companyId, { userId });
      });
    },
    async linkIdentity(userId, { issuer, subject }) {
      const owner = db.build
        .selectFrom('user')
        .select(['company_id', sql<string>`${issuer}`.as('issuer'), sql<string>`${subject}`.as('subject')])
        .select(['id', sql<number>`${environment.now()}`.as('created')])
        .where('id', '=', userId);
      const insert = db.build
        .insertInto('identity')
        .columns(['company_id', 'issuer', 'subject', 'user_id', 'created'])
        .expression(owner);
      const [written] = await writeOrExplain(db, [insert], async () => {
        throw malformed('identity', 'it already belongs to another user.');
      });
      if (written?.changed !== 1) throw new ServiceError(110, `There is no user ${userId}.`);
    },
    memberships: (userId) => db.read(selectMemberships(db).where('membership.user_id', '=', userId)),
    describedMemberships: (userId) =>
      db.read(selectMemberships(db).select('role.description').where('membership.user_id', '=', userId)),
    membershipsOf: (userIds) => membershipsOf(db, userIds),
  };
}
