/**
 * Updates an account from the provider's claims at a sign-in: groups and roles, and names if they are mapped.
 * Memberships given by hand are never removed.
 */
import { actingUser } from '../../actor.ts';
import { auditInsert } from '../../audit/trail.ts';
import { type From, role } from '../../caller.ts';
import type { Client } from '../../directory/clients.ts';
import { keepSuperAdmin, nextPosition } from '../../directory/memberships.ts';
import { changeUser } from '../../directory/user-rows.ts';
import type { GroupRole, User } from '../../directory/users.ts';
import type { Environment } from '../../environment.ts';
import { type Relational, UnmetExpectation } from '../../storage/contract.ts';
import type { DirectoryTables } from '../../storage/tables.ts';
import type { Claims } from './claims.ts';

/** Which application a sign-in is for, through which provider, and from where. */
export interface SignInContext {
  readonly companyId: number;
  readonly appId: string;
  readonly client: Client;
  readonly from: From;
}

export interface ClaimedDeps {
  readonly db: Relational<DirectoryTables>;
  readonly environment: Environment;
}

/** What a sign-in would change in an account. */
export interface Step {
  readonly given: readonly GroupRole[];
  readonly taken: readonly GroupRole[];
  /** The account's groups afterwards. */
  readonly groupIds: readonly number[];
  readonly firstName: string;
  readonly lastName: string;
}

/** Stored with a membership from claims (`storage/tables.ts`): each provider takes away only what it gave. */
export function sourceOf({ appId, client }: SignInContext): string {
  return `${appId}/${client.providerName}`;
}

/** The claimed memberships that exist: groups and custom roles may have been removed since they were mapped. */
export async function existingMemberships(
  { db }: ClaimedDeps,
  companyId: number,
  wanted: readonly GroupRole[],
): Promise<GroupRole[]> {
  if (wanted.length === 0) return [];
  const groups = db.build.selectFrom('user_group').select('id').where('company_id', '=', companyId);
  const roles = db.build
    .selectFrom('role')
    .select('id')
    .where((where) => where.or([where('company_id', 'is', null), where('company_id', '=', companyId)]));
  const [groupIds, roleIds] = await Promise.all([db.read(groups), db.read(roles)]);
  const [ofGroups, ofRoles] = [groupIds, roleIds].map((rows) => new Set(rows.map(({ id }) => id)));
  return wanted.filter(({ groupId, roleId }) => ofGroups?.has(groupId) && ofRoles?.has(roleId));
}

/** Plans the changes; writes nothing. */
export async function plannedStep(
  deps: ClaimedDeps,
  context: SignInContext,
  user: User,
  claims: Claims,
): Promise<Step> {
  const { db } = deps;
  const { keepInStep, names } = context.client.claimMapping;
  const source = sourceOf(context);
  const [wanted, present] = await Promise.all([
    existingMemberships(deps, user.companyId, claims.memberships),
    db.read(
      db.build
        .selectFrom('membership')
        .select(['group_id as groupId', 'role_id as roleId', 'source'])
        .where('user_id', '=', user.id),
    ),
  ]);
  const taken = keepInStep ? present.filter((one) => one.source === source && !wanted.some(same(one))) : [];
  const given = wanted.filter((one) => !present.some(same(one)));
  const groupIds = [...present.filter((one) => !taken.includes(one)), ...given].map(({ groupId }) => groupId);
  const firstName = names.given === undefined || claims.firstName === '' ? user.firstName : claims.firstName;
  const lastName = names.family === undefined || claims.lastName === '' ? user.lastName : claims.lastName;
  return { given, taken, groupIds, firstName, lastName };
}

/**
 * Writes the step, with its entry in the audit trail, and returns the resulting user. Usually there is nothing to
 * write. The last Super Admin of a company remains one, whatever the provider says.
 */
export async function takeStep(deps: ClaimedDeps, context: SignInContext, user: User, step: Step): Promise<User> {
  const others = step.taken.filter(({ roleId }) => roleId !== role.superAdmin);
  if (others.length === step.taken.length) return writeStep(deps, context, user, step);
  try {
    return await writeStep(deps, context, user, step);
  } catch (error) {
    if (!(error instanceof UnmetExpectation)) throw error;
    return writeStep(deps, context, user, { ...step, taken: others });
  }
}

async function writeStep(deps: ClaimedDeps, context: SignInContext, user: User, step: Step): Promise<User> {
  const { db, environment } = deps;
  const { given, taken, firstName, lastName } = step;
  const isRenamed = firstName !== user.firstName || lastName !== user.lastName;
  if (given.length === 0 && taken.length === 0 && !isRenamed) return user;
  const source = sourceOf(context);
  const { companyId } = user;
  const removals = taken.flatMap(({ groupId, roleId }) => [
    ...(roleId === role.superAdmin ? [keepSuperAdmin(db, companyId, { userId: user.id, groupId })] : []),
    db.build
      .deleteFrom('membership')
      .where('user_id', '=', user.id)
      .where('group_id', '=', groupId)
      .where('role_id', '=', roleId)
      // It may have been given by hand in the meantime.
      .where('source', '=', source),
  ]);
  const additions = given.map((membership) => insertMembership(deps, companyId, user.id, membership, source));
  // A change of roles makes a new revision too: a concurrent change was checked against the former roles.
  const change = changeUser(db, user, isRenamed ? { first_name: firstName, last_name: lastName } : {});
  const entry = auditInsert(db, {
    time: environment.now(),
    actor: actingUser({ companyId, userId: user.id, account: user.account, memberships: [] }, context.from),
    action: 'user.claims',
    target: `user ${user.id} "${user.account}"`,
    companyId,
    appId: context.appId,
    outcome: 'done',
    detail: { provider: context.client.providerName, given, taken: taken.map(plain), renamed: isRenamed },
  });
  await db.write([...additions, ...removals, change, entry]);
  return { ...user, firstName, lastName };
}

/** Inserts nothing for a group or role that was removed meanwhile. */
function insertMembership(
  { db }: ClaimedDeps,
  companyId: number,
  userId: number,
  { groupId, roleId }: GroupRole,
  source: string,
) {
  const owner = db.build
    .selectFrom('user_group')
    .innerJoin('role', (on) => on.on('role.id', '=', roleId))
    .select((row) => [
      row.val(userId).as('user_id'),
      'user_group.id as group_id',
      'role.id as role_id',
      row.val(source).as('source'),
      nextPosition(db, userId).as('position'),
    ])
    .where('user_group.id', '=', groupId)
    .where('user_group.company_id', '=', companyId);
  return db.build
    .insertInto('membership')
    .columns(['user_id', 'group_id', 'role_id', 'source', 'position'])
    .expression(owner)
    .onConflict((conflict) => conflict.doNothing());
}

function same(one: GroupRole): (other: GroupRole) => boolean {
  return (other) => other.groupId === one.groupId && other.roleId === one.roleId;
}

function plain({ groupId, roleId }: GroupRole): GroupRole {
  return { groupId, roleId };
}
