/**
 * Lists the sessions of a company's users, for those who manage them, and ends them by user, device, application,
 * version or all at once (`auth/revocation.ts` says how soon).
 */
import type { Actor } from '../actor.ts';
import { userOfSession } from '../auth/revocation.ts';
import type { SessionInfo } from '../auth/session-list.ts';
import { revokeTokens, type TokenSelection } from '../auth/token-rows.ts';
import { notThere, requireCompany } from '../directory/ownership.ts';
import type { Page, PageRequest } from '../directory/paging.ts';
import { malformed } from '../errors.ts';
import type { Permitted } from './authorize.ts';
import type { Administration } from './open.ts';
import { groupsInReach, type PermittedOperation, requirePermission } from './permissions.ts';

type SessionDeps = Pick<Administration, 'storage' | 'directory'> & {
  readonly auth: Pick<Administration['auth'], 'listSessions' | 'revokeSession' | 'revokeSessions'>;
  readonly sessions: Pick<Administration['sessions'], 'forgetAll'>;
};

type EndDeps = Pick<Administration, 'storage'> & {
  readonly auth: Pick<Administration['auth'], 'forget'>;
  readonly sessions: Pick<Administration['sessions'], 'endAllOf' | 'forgetAll'>;
};

/**
 * Ends every session of a user, in clients and in the administration, as part of an act: statements for its
 * transaction, and a function to call after it. Other processes notice within `sessionCacheMs`.
 * @param exceptCookie the administration session that continues
 */
export function endOfSessions(
  { storage, sessions, auth }: EndDeps,
  user: { readonly companyId: number; readonly userId: number },
  exceptCookie?: string,
) {
  return {
    statements: [sessions.endAllOf({ userId: user.userId }, exceptCookie), revokeTokens(storage.directory, user)],
    afterwards() {
      sessions.forgetAll();
      auth.forget(user);
    },
  };
}

/**
 * A company's active sessions, last used first; filters: userId, account, appId, appVersion, deviceUDID. An actor who
 * may not see the sessions of every user must name a user (`userId`).
 * @throws ServiceError `forbidden` · 130 no such company or user · `malformed` as `page`
 */
export async function listUserSessions(
  deps: Pick<SessionDeps, 'storage' | 'directory' | 'auth'>,
  actor: Permitted<'session.read'>,
  companyId: number,
  request: PageRequest,
): Promise<Page<SessionInfo>> {
  const userId = request.filter?.userId;
  if (userId !== undefined && /^\d{1,15}$/.test(userId)) {
    await requireUser(deps, actor, 'session.read', companyId, Number(userId));
  } else if (groupsInReach(actor, 'session.read') !== 'all') {
    requirePermission(actor, 'session.read', { companyId });
  }
  await requireCompany(deps.storage.directory, companyId);
  return deps.auth.listSessions(companyId, request);
}

/**
 * Ends the selected sessions and returns their number.
 * @throws ServiceError `forbidden` · 130 no such company, application, user or session · `malformed` a version without
 * its application · 201 not saved
 */
export async function endUserSessions(
  deps: SessionDeps,
  actor: Permitted<'session.end'>,
  selection: TokenSelection,
): Promise<number> {
  const { companyId, appId, version, userId, sessionId } = selection;
  if (version !== undefined && appId === undefined) throw malformed('appId', 'a version needs its application.');
  const by = { actor, action: 'session.revoke' } as const;
  if (sessionId !== undefined) {
    const owner = await ownerOf(deps, companyId, sessionId);
    await requireUser(deps, actor, 'session.end', companyId, owner);
    await deps.auth.revokeSession({ ...selection, sessionId }, by);
    return 1;
  }
  if (userId !== undefined) await requireUser(deps, actor, 'session.end', companyId, userId);
  else await requireScope(deps, actor, selection);
  const ended = await deps.auth.revokeSessions(selection, by);
  deps.sessions.forgetAll();
  return ended;
}

/** @throws ServiceError 130 no such user · `forbidden` */
async function requireUser(
  { directory }: Pick<SessionDeps, 'directory'>,
  actor: Actor,
  operation: PermittedOperation,
  companyId: number,
  userId: number,
): Promise<void> {
  const user = await directory.users.withRoles(companyId, userId);
  if (user === null) throw notThere('user', userId, `company ${companyId}`);
  requirePermission(actor, operation, { companyId, user });
}

/**
 * Permitted for an application or one of its versions to its administrators; for a device or a company, to the
 * company's.
 */
async function requireScope(
  { storage, directory }: Pick<SessionDeps, 'storage' | 'directory'>,
  actor: Actor,
  { companyId, appId }: TokenSelection,
): Promise<void> {
  if (appId === undefined) {
    requirePermission(actor, 'session.endAll', { companyId });
    return requireCompany(storage.directory, companyId);
  }
  const application = await directory.applications.get(companyId, appId);
  requirePermission(actor, 'session.endAll', { companyId, application });
}

async function ownerOf({ storage }: Pick<SessionDeps, 'storage'>, companyId: number, id: string): Promise<number> {
  const userId = await userOfSession(storage.directory, companyId, id);
  if (userId === null) throw notThere('session', id);
  return userId;
}
