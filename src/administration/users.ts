/** Administrative acts on the users of a company and the roles that they hold, for every kind of actor. */
import type { Actor } from '../actor.ts';
import { isPasswordOf } from '../auth/local/users.ts';
import { type From, type Membership, unknownAddress } from '../caller.ts';
import { notThere } from '../directory/ownership.ts';
import type { Page, PageLimits, PageRequest } from '../directory/paging.ts';
import type { GroupRole, User, UserChanges, UserWithRoles } from '../directory/users.ts';
import { quoted, ServiceError } from '../errors.ts';
import { hashOf } from './administrators.ts';
import { type AuditedAction, auditEntry } from './audited-action.ts';
import { reachIn } from './groups.ts';
import type { AccountDeps } from './open.ts';
import { forbidden, permitted, requirePermission } from './permissions.ts';
import { endOfSessions } from './sessions-of-users.ts';

export type { UserWithRoles };

export interface UserInput extends Omit<UserChanges, 'passwordHash'> {
  readonly password?: string;
}

export interface UserPageRequest extends PageRequest {
  /** Only users of this group. */
  readonly groupId?: number;
}

/** The applications the actor may see. @throws ServiceError `forbidden` if none · `malformed` as `page` · 130 */
export async function listUsers(
  { directory, settings }: Pick<AccountDeps, 'directory' | 'settings'>,
  actor: Actor,
  companyId: number,
  { groupId, ...request }: UserPageRequest,
  limits: PageLimits = settings,
): Promise<Page<UserWithRoles>> {
  const reach = reachIn(actor, 'user.read', companyId);
  if (groupId !== undefined && reach?.includes(groupId) === false) throw forbidden('user.read');
  const within = groupId === undefined ? reach : [groupId];
  const { results, count } = await directory.users.page(companyId, request, limits, within);
  const held = await directory.users.membershipsOf(results.map(({ id }) => id));
  return { results: results.map((user) => ({ ...user, memberships: held.get(user.id) ?? [] })), count };
}

/** @throws ServiceError `forbidden` · 130 unknown */
export async function getUser(
  deps: Pick<AccountDeps, 'directory'>,
  actor: Actor,
  companyId: number,
  userId: number,
): Promise<UserWithRoles> {
  const user = await look(deps, companyId, userId);
  requirePermission(actor, 'user.read', { companyId, user });
  return existing(user, companyId);
}

/** @throws ServiceError `forbidden` · 130 unknown groups or roles · `malformed` what is bad or taken */
export async function createUser(
  deps: Pick<AccountDeps, 'storage' | 'directory' | 'settings' | 'environment' | 'passwords'>,
  actor: Actor,
  companyId: number,
  input: Omit<UserInput, 'revision' | 'disabled'> & { readonly account: string },
): Promise<UserWithRoles> {
  const { password, ...user } = input;
  const memberships = input.memberships ?? [];
  requirePermission(actor, 'user.create', { companyId, user: { id: null, memberships } });
  const names = { account: user.account, email: user.email ?? null };
  const withHash = password === undefined ? {} : { passwordHash: await hashOf(deps, 'password', password, names) };
  const audited = auditedAction('create', companyId, `user ${quoted(user.account)}`, {
    email: names.email,
    memberships,
    withPassword: password !== undefined,
  });
  const made = await deps.directory.users.create({ ...user, companyId, ...withHash }, [
    auditEntry(deps, actor, audited),
  ]);
  return existing(await look(deps, companyId, made.id), companyId);
}

/**
 * Changes the given values that differ, all of them or none. A new password ends every session of the user. Users may
 * send their own account, password and roles unchanged, as clients in the field do.
 * @throws ServiceError `forbidden` · 130 unknown, or with 409 another revision · `malformed` bad or taken, or if the
 * company would lose its last Super Admin · `tooMany` for an own password that is not the present one
 */
export async function updateUser(
  deps: AccountDeps,
  actor: Actor,
  companyId: number,
  userId: number,
  input: UserInput,
  from: From = unknownAddress,
): Promise<UserWithRoles> {
  const seen = await look(deps, companyId, userId);
  requirePermission(actor, 'user.read', { companyId, user: seen });
  const user = existing(seen, companyId);
  const { password, memberships, revision, ...columns } = input;
  const changed = Object.keys(columns).filter((name) => differs(user, columns, name as keyof typeof columns));
  const names = changed.filter((name) => name === 'firstName' || name === 'lastName');
  const { given, taken } = exchanged(user.memberships, memberships ?? user.memberships);

  if (names.length > 0) requirePermission(actor, 'user.rename', { companyId, user });
  if (changed.length > names.length) requirePermission(actor, 'user.update', { companyId, user });
  for (const { groupId, roleId } of [...given, ...taken]) {
    requirePermission(actor, 'membership.change', { companyId, groupId, roleId, user });
  }
  const isNewPassword = password !== undefined && (await mayReplacePassword(deps, actor, user, password, from));
  const passwordHash = isNewPassword ? { passwordHash: await hashOf(deps, 'password', password, user) } : {};

  const audited = auditedAction('update', companyId, named(user), {
    changed,
    given,
    taken,
    newPassword: isNewPassword,
  });
  const end = isNewPassword ? endOfSessions(deps, { companyId, userId }) : undefined;
  const changes = { ...columns, ...passwordHash, ...(memberships === undefined ? {} : { memberships }) };
  // Changes only what was read and checked above, whether or not the actor names a revision.
  const based = { ...changes, revision: revision ?? user.revision };
  await deps.directory.users.update(companyId, userId, based, [
    ...(end?.statements ?? []),
    auditEntry(deps, actor, audited),
  ]);
  end?.afterwards();
  return existing(await look(deps, companyId, userId), companyId);
}

/** @throws ServiceError `forbidden` · 130 unknown, or with 409 another revision · `malformed` the last Super Admin */
export async function deleteUser(
  deps: Pick<AccountDeps, 'storage' | 'directory' | 'environment' | 'sessions'>,
  actor: Actor,
  companyId: number,
  userId: number,
  revision?: number,
): Promise<void> {
  const seen = await look(deps, companyId, userId);
  requirePermission(actor, 'user.delete', { companyId, user: seen });
  const user = existing(seen, companyId);
  const audited = auditedAction('delete', companyId, named(user), { memberships: user.memberships });
  const entry = auditEntry(deps, actor, audited);
  await deps.directory.users.remove(companyId, userId, revision ?? user.revision, [entry]);
  deps.sessions.forgetAll();
}

/**
 * Whether to set the password. An actor who may change the user sets it. Users may only send their own unchanged; a
 * wrong one counts as an attempt.
 */
async function mayReplacePassword(
  deps: AccountDeps,
  actor: Actor,
  user: UserWithRoles,
  password: string,
  from: From,
): Promise<boolean> {
  const { companyId, id, account } = user;
  if (permitted(actor, 'user.update', { companyId, user })) return true;
  const { attempts } = deps.auth;
  const isOwn = actor.kind === 'user' && actor.userId === id;
  if (!isOwn) throw forbidden('user.update');
  const attempt = { ...from, account: { companyId, name: account } };
  await attempts.guard('password', attempt);
  if (!(await isPasswordOf({ ...deps, db: deps.storage.directory }, id, password))) {
    throw new ServiceError(
      'forbidden',
      'password: this is not the current one; only somebody who manages the user can set a new one.',
    );
  }
  await attempts.succeeded('password', attempt);
  return false;
}

interface Seen extends Partial<User> {
  readonly id: number;
  readonly memberships: readonly Membership[];
}

/** The user, or an empty one for permission checks, so that a refusal does not reveal whether the user exists. */
async function look({ directory }: Pick<AccountDeps, 'directory'>, companyId: number, userId: number): Promise<Seen> {
  return (await directory.users.withRoles(companyId, userId)) ?? { id: userId, memberships: [] };
}

function existing(seen: Seen, companyId: number): UserWithRoles {
  if (seen.account === undefined) throw notThere('user', seen.id, `company ${companyId}`);
  return seen as UserWithRoles;
}

function differs(user: User, wanted: Partial<User>, name: keyof User): boolean {
  return wanted[name] !== undefined && wanted[name] !== user[name];
}

function exchanged(held: readonly Membership[], wanted: readonly GroupRole[]) {
  const plain = ({ groupId, roleId }: GroupRole) => ({ groupId, roleId });
  const without = (some: readonly GroupRole[], others: readonly GroupRole[]) =>
    some
      .filter((one) => !others.some((other) => other.groupId === one.groupId && other.roleId === one.roleId))
      .map(plain);
  return { given: without(wanted, held), taken: without(held, wanted) };
}

function named({ id, account }: User): string {
  return `user ${id} ${quoted(account)}`;
}

function auditedAction(
  what: 'create' | 'update' | 'delete',
  companyId: number,
  target: string,
  detail: Readonly<Record<string, unknown>>,
): AuditedAction {
  return { action: `user.${what}`, target, companyId, appId: null, detail };
}
