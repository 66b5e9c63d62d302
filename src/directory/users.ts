/** Users of a company, their identities at providers, and the roles that they hold in groups (decisions.md §3, §4). */
import { sql } from 'kysely';
import type { Membership } from '../caller.ts';
import type { Environment } from '../environment.ts';
import { malformed, ServiceError, shown } from '../errors.ts';
import {
  changedMeanwhile,
  type DirectoryDatabase,
  listed,
  notThere,
  ownGroupId,
  ownRoleId,
  requireCompany,
  requireGroup,
  requireRole,
  writeOrExplain,
} from './ownership.ts';
import { checkedEmail, checkedName, checkedOptionalName } from './text.ts';

export interface User {
  readonly id: number;
  readonly companyId: number;
  readonly account: string;
  /** Lower case. */
  readonly email: string | null;
  readonly firstName: string;
  readonly lastName: string;
  readonly disabled: boolean;
}

/** An account at an identity provider; the e-mail never names it. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
}

export interface GroupRole {
  readonly groupId: number;
  readonly roleId: number;
}

export interface NewUser {
  readonly companyId: number;
  readonly account: string;
  readonly email?: string | null;
  readonly firstName?: string;
  readonly lastName?: string;
  readonly memberships?: readonly (GroupRole & { readonly source?: string })[];
  readonly identity?: Identity;
}

export interface UserChanges {
  readonly account?: string;
  /** Null takes it away. */
  readonly email?: string | null;
  readonly firstName?: string;
  readonly lastName?: string;
  readonly disabled?: boolean;
}

export interface Users {
  /** By id. @throws ServiceError 130 for an unknown company. */
  list(companyId: number): Promise<User[]>;
  find(companyId: number, userId: number): Promise<User | null>;
  /** Without regard to case. */
  byAccount(companyId: number, account: string): Promise<User | null>;
  byEmail(companyId: number, email: string): Promise<User | null>;
  byIdentity(companyId: number, issuer: string, subject: string): Promise<User | null>;
  /** All of it in one transaction. @throws ServiceError 130 for what is unknown, `malformed` for what is taken. */
  create(user: NewUser): Promise<User>;
  /** Changes what is given. @throws ServiceError as `create`. */
  update(companyId: number, userId: number, changes: UserChanges): Promise<User>;
  /** @throws ServiceError 110 for an unknown user, `malformed` when the identity belongs to another one. */
  linkIdentity(userId: number, identity: Identity): Promise<void>;
  /** Ordered by group and role. */
  memberships(userId: number): Promise<Membership[]>;
  /** Nothing happens when the user holds the role there already. @throws ServiceError 130 for what is unknown. */
  join(companyId: number, userId: number, membership: GroupRole): Promise<void>;
  /** Takes one role in the group away, or every one. @throws ServiceError 130 when the user holds none of them. */
  leave(
    companyId: number,
    userId: number,
    membership: { readonly groupId: number; readonly roleId?: number },
  ): Promise<void>;
}

export function openUsers(db: DirectoryDatabase, environment: Environment): Users {
  const all = (companyId: number) => selectUsers(db).where('user.company_id', '=', companyId);
  const one = async (query: ReturnType<typeof all>) => (await db.read(query)).map(userOf)[0] ?? null;
  const find = (companyId: number, userId: number) => one(all(companyId).where('user.id', '=', userId));
  const byAccount = (companyId: number, account: string) =>
    one(all(companyId).where(sql<string>`lower(account)`, '=', sql<string>`lower(${account})`));
  const byEmail = (companyId: number, email: string) => one(all(companyId).where('email', '=', email.toLowerCase()));

  async function explainTaken(companyId: number, userId: number | null, user: Partial<NewUser>): Promise<void> {
    await requireCompany(db, companyId);
    const named = user.account === undefined ? null : await byAccount(companyId, user.account);
    if (named !== null && named.id !== userId) {
      throw malformed('account', `there is a user ${shown(named.account)} in company ${companyId} already.`);
    }
    const mailed = typeof user.email === 'string' ? await byEmail(companyId, user.email) : null;
    if (mailed !== null && mailed.id !== userId) {
      throw malformed(
        'email',
        `user ${shown(mailed.account)} of company ${companyId} has this e-mail address already.`,
      );
    }
    for (const { groupId, roleId } of user.memberships ?? []) {
      await requireGroup(db, companyId, groupId);
      await requireRole(db, companyId, roleId);
    }
    if (user.identity !== undefined) throw malformed('identity', 'it belongs to another user already.');
  }
  /** One that came from claims before counts as given by hand from now on. @param source of claims, as in `membership` */
  const member = (
    companyId: number,
    userId: number | ReturnType<typeof ownUserId>,
    { groupId, roleId, source = '' }: GroupRole & { readonly source?: string },
  ) =>
    db.build
      .insertInto('membership')
      .values({
        user_id: userId,
        group_id: ownGroupId(db, companyId, groupId),
        role_id: ownRoleId(db, companyId, roleId),
        source,
      })
      .onConflict((conflict) => conflict.columns(['user_id', 'group_id', 'role_id']).doUpdateSet({ source }));

  return {
    find,
    byAccount,
    byEmail,
    async list(companyId) {
      const rows = await listed(db.read(all(companyId).orderBy('user.id')), () => requireCompany(db, companyId));
      return rows.map(userOf);
    },
    byIdentity: (companyId, issuer, subject) =>
      one(
        all(companyId)
          .innerJoin('identity', 'identity.user_id', 'user.id')
          .where('identity.company_id', '=', companyId)
          .where('identity.issuer', '=', issuer)
          .where('identity.subject', '=', subject),
      ),
    async create(user) {
      const { companyId } = user;
      const columns = checkedColumns(user);
      const created = environment.now();
      const userId = ownUserId(db, companyId, columns.account);
      const statements = [
        db.build.insertInto('user').values({ ...columns, company_id: companyId, created }),
        ...(user.memberships ?? []).map((membership) => member(companyId, userId, membership)),
        ...(user.identity === undefined
          ? []
          : [
              db.build
                .insertInto('identity')
                .values({ ...user.identity, company_id: companyId, user_id: userId, created }),
            ]),
      ];
      await writeOrExplain(db, statements, () => explainTaken(companyId, null, user));
      const made = await byAccount(companyId, columns.account);
      if (made === null) throw new ServiceError('internal', 'A user that was just created is not there.');
      return made;
    },
    async update(companyId, userId, changes) {
      const present = await find(companyId, userId);
      if (present === null) throw notThere('user', userId, `company ${companyId}`);
      const wanted: User = { ...present, ...changes };
      const update = db.build
        .updateTable('user')
        .set({ ...checkedColumns(wanted), disabled: Number(wanted.disabled) })
        .where('id', '=', userId)
        .where('company_id', '=', companyId);
      const taken = { account: wanted.account, email: wanted.email };
      const [written] = await writeOrExplain(db, [update], () => explainTaken(companyId, userId, taken));
      const changed = await find(companyId, userId);
      if (written?.changed !== 1 || changed === null) throw changedMeanwhile();
      return changed;
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
        throw malformed('identity', 'it belongs to another user already.');
      });
      if (written?.changed !== 1) throw new ServiceError(110, `There is no user ${userId}.`);
    },
    memberships: (userId) =>
      db.read(
        db.build
          .selectFrom('membership')
          .innerJoin('user_group', 'user_group.id', 'membership.group_id')
          .innerJoin('role', 'role.id', 'membership.role_id')
          .select(['user_group.id as groupId', 'user_group.name as groupName'])
          .select(['role.id as roleId', 'role.name as roleName'])
          .where('membership.user_id', '=', userId)
          .orderBy('user_group.id')
          .orderBy('role.id'),
      ),
    async join(companyId, userId, membership) {
      if ((await find(companyId, userId)) === null) throw notThere('user', userId, `company ${companyId}`);
      const insert = member(companyId, userId, membership);
      await writeOrExplain(db, [insert], () => explainTaken(companyId, userId, { memberships: [membership] }));
    },
    async leave(companyId, userId, { groupId, roleId }) {
      if ((await find(companyId, userId)) === null) throw notThere('user', userId, `company ${companyId}`);
      const roles = db.build.deleteFrom('membership').where('user_id', '=', userId).where('group_id', '=', groupId);
      const [written] = await db.write([roleId === undefined ? roles : roles.where('role_id', '=', roleId)]);
      if (written?.changed === 0) {
        const what = roleId === undefined ? `group ${groupId}` : `role ${roleId} in group ${groupId}`;
        throw new ServiceError(130, `User ${userId} does not have ${what}.`);
      }
    },
  };
}

function selectUsers(db: DirectoryDatabase) {
  return db.build
    .selectFrom('user')
    .select(['user.id', 'user.company_id as companyId', 'user.account', 'user.email'])
    .select(['user.first_name as firstName', 'user.last_name as lastName', 'user.disabled']);
}

/** The id of a user that the same transaction made just before. */
function ownUserId(db: DirectoryDatabase, companyId: number, account: string) {
  const own = db.build
    .selectFrom('user')
    .select('id')
    .where('company_id', '=', companyId)
    .where('account', '=', account);
  return sql<number>`coalesce(${own}, 0)`;
}

function checkedColumns(user: Omit<NewUser, 'companyId' | 'memberships' | 'identity'>) {
  return {
    account: checkedName('account', user.account),
    email: user.email === undefined || user.email === null ? null : checkedEmail('email', user.email),
    first_name: checkedOptionalName('firstName', user.firstName ?? ''),
    last_name: checkedOptionalName('lastName', user.lastName ?? ''),
  };
}

function userOf(row: Omit<User, 'disabled'> & { disabled: number }): User {
  return { ...row, disabled: row.disabled === 1 };
}
