/** Passwords of users, for applications that have accounts with a password; their owners set them anew themselves too. */
import type { Actor } from '../actor.ts';
import { notThere, writeOrExplain } from '../directory/ownership.ts';
import { expectOne, refuseOtherRevision } from '../directory/revisions.ts';
import { quoted } from '../errors.ts';
import { hashOf } from './administrators.ts';
import { withAudit } from './audited-action.ts';
import type { AccountDeps } from './open.ts';
import { requirePermission } from './permissions.ts';

export interface UserPassword {
  readonly companyId: number;
  readonly userId: number;
  /** Null takes it away: the user signs in through a provider only. */
  readonly password: string | null;
  /** The one that the change is based on. */
  readonly revision?: number;
  /** The session of the administration that goes on. */
  readonly exceptCookie?: string;
}

/**
 * Sets a password, which ends every session of the user but the one with `exceptCookie`; in other processes within
 * `sessionCacheMs`.
 * @throws ServiceError `forbidden` · 130 unknown, or with 409 another revision · `malformed` as `checkedPassword`
 */
export async function setUserPassword(deps: AccountDeps, actor: Actor, input: UserPassword): Promise<void> {
  const { companyId, userId, password, revision, exceptCookie } = input;
  const { directory, sessions } = deps;
  const isOwn = actor.kind === 'user' && actor.userId === userId && actor.companyId === companyId;
  const user = await directory.users.find(companyId, userId);
  const memberships = user === null ? [] : await directory.users.memberships(userId);
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
  await withAudit(deps, actor, audited, (_directory, db) => {
    const change = db.build
      .updateTable('user')
      .set({ password_hash: passwordHash, revision: user.revision + 1 })
      .where('id', '=', userId)
      .where('company_id', '=', companyId)
      .where('revision', '=', user.revision);
    const statements = [
      expectOne(change),
      sessions.endAllOf({ userId }, exceptCookie),
      db.build.updateTable('token').set({ revoked: 1 }).where('user_id', '=', userId).where('revoked', '=', 0),
    ];
    return writeOrExplain(db, statements, async () => {
      const now = await directory.users.find(companyId, userId);
      if (now === null) throw notThere('user', userId, `company ${companyId}`);
      refuseOtherRevision(`user ${userId}`, now.revision, user.revision);
    });
  });
  sessions.forgetAll();
  deps.auth.forget({ companyId, userId });
}
