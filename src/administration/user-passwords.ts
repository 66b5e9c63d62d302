/** Sets passwords of users, for applications that have accounts with a password; owners can change their own too. */
import type { Actor } from '../actor.ts';
import { notThere } from '../directory/ownership.ts';
import { refuseOtherRevision } from '../directory/revisions.ts';
import { quoted } from '../errors.ts';
import { hashOf } from './administrators.ts';
import { auditEntry } from './audited-action.ts';
import type { AccountDeps } from './open.ts';
import { requirePermission } from './permissions.ts';
import { endOfSessions } from './sessions-of-users.ts';

export interface UserPassword {
  readonly companyId: number;
  readonly userId: number;
  /** Null removes it: the user signs in only through a provider. */
  readonly password: string | null;
  /** The revision that the change is based on. */
  readonly revision?: number;
  /** The administration session that continues. */
  readonly exceptCookie?: string;
}

/**
 * Sets a password, and ends every session of the user except the one with `exceptCookie` (`endOfSessions`).
 * @throws ServiceError `forbidden` · 130 unknown, or with 409 another revision · `malformed` as `checkedPassword`
 */
export async function setUserPassword(deps: AccountDeps, actor: Actor, input: UserPassword): Promise<void> {
  const { companyId, userId, password, revision, exceptCookie } = input;
  const { directory } = deps;
  const isOwn = actor.kind === 'user' && actor.userId === userId && actor.companyId === companyId;
  const user = await directory.users.withRoles(companyId, userId);
  const { memberships = [] } = user ?? {};
  if (!isOwn) requirePermission(actor, 'user.update', { companyId, user: { id: userId, memberships } });
  if (user === null) throw notThere('user', userId, `company ${companyId}`);
  refuseOtherRevision(`user ${userId}`, user.revision, revision);
  const passwordHash = password === null ? null : await hashOf(deps, 'password', password, user);

  const audited = {
    action: 'user.password',
    target: `user ${userId} ${quoted(user.account)}`,
    companyId,
    appId: null,
    detail: { taken: password === null },
  };
  const end = endOfSessions(deps, { companyId, userId }, exceptCookie);
  await directory.users.update(companyId, userId, { passwordHash, revision: user.revision }, [
    ...end.statements,
    auditEntry(deps, actor, audited),
  ]);
  end.afterwards();
}
