/**
 * Ends sessions before their time: one, or all of a user, a device, an application, a version or a company. They end at
 * once here, and on other processes when they read the token again (`sessionCacheMs`).
 */
import { type Actor, actingUser } from '../actor.ts';
import { auditInsert } from '../audit/trail.ts';
import type { Caller, From } from '../caller.ts';
import type { Environment } from '../environment.ts';
import { quoted, ServiceError } from '../errors.ts';
import type { Relational } from '../storage/contract.ts';
import type { DirectoryTables } from '../storage/tables.ts';
import { saved } from './saving.ts';
import { isSessionId, sessionId } from './session-list.ts';
import type { Sessions } from './sessions.ts';
import { revokeUserTokens, sessionOfToken, type TokenSelection, unrevokedUserTokens } from './token-rows.ts';

export interface RevocationDeps {
  readonly db: Relational<DirectoryTables>;
  readonly environment: Environment;
  /** Of this process; absent in a process that serves no requests. */
  readonly sessions?: Pick<Sessions, 'forgetSession' | 'forgetAll'>;
}

export interface Revocation {
  readonly actor: Actor;
  /** For the audit trail: `session.end` if its owner logged out, otherwise `session.revoke`. */
  readonly action: 'session.end' | 'session.revoke';
}

/** Tokens per transaction, so that others do not wait long. */
const tokensPerWrite = 1_000;

/**
 * Ends the selected sessions, and returns their number. A renewal under way ends with its session. A user's
 * administration session ends too when the whole user or company is selected.
 * @throws ServiceError 201 not saved: some may have ended already
 */
export async function revokeSessions(
  { db, environment, sessions }: RevocationDeps,
  selection: TokenSelection,
  { actor, action }: Revocation,
): Promise<number> {
  const now = environment.now();
  const revoke = revokeUserTokens(db, selection, tokensPerWrite);
  const first = [
    auditInsert(db, {
      time: now,
      actor,
      action,
      target: describe(selection),
      companyId: selection.companyId,
      appId: selection.appId ?? null,
      outcome: 'done',
      detail: { ...selection },
    }),
    ...administrationSessions(db, selection),
  ];
  const ended = new Set<string>();
  for (let statements = [revoke, ...first]; ; statements = [revoke]) {
    const [written] = await saved(201, 'The end of the sessions could not be saved.', db.write(statements));
    forget(sessions, selection);
    for (const row of written?.rows ?? []) {
      const { session, last_used, valid_time, expires } = row as unknown as DirectoryTables['token'];
      if (Math.min(Number(last_used) + Number(valid_time), Number(expires)) > now) ended.add(session);
    }
    if ((written?.changed ?? 0) < tokensPerWrite) return ended.size;
  }
}

/** The session of the request. @throws ServiceError 201 not saved */
export async function endSession(deps: RevocationDeps, caller: Caller, from: From): Promise<void> {
  const { db } = deps;
  const session = await sessionOfToken(db, caller.tokenHash);
  if (session === undefined) return;
  const { companyId, userId } = caller;
  const selection = { companyId, userId, sessionId: sessionId(session) };
  await revokeSessions(deps, selection, { actor: actingUser(caller, from), action: 'session.end' });
}

/** Every session of the caller in the company; returns how many. @throws ServiceError 201 not saved */
export function endAllSessions(deps: RevocationDeps, caller: Caller, from: From): Promise<number> {
  const { companyId, userId } = caller;
  return revokeSessions(deps, { companyId, userId }, { actor: actingUser(caller, from), action: 'session.end' });
}

/** One of the caller's. @throws ServiceError 130 there is no such session · 201 not saved */
export async function endOwnSession(deps: RevocationDeps, caller: Caller, id: string, from: From): Promise<void> {
  const { companyId, userId } = caller;
  const by = { actor: actingUser(caller, from), action: 'session.revoke' } as const;
  await revokeOne(deps, { companyId, userId, sessionId: id }, by);
}

/** As `revokeSessions`, for one that must exist. @throws ServiceError 130 */
export async function revokeOne(
  deps: RevocationDeps,
  selection: TokenSelection & { readonly sessionId: string },
  by: Revocation,
): Promise<void> {
  const { db } = deps;
  const { sessionId: id } = selection;
  const [there] = isSessionId(id) ? await db.read(unrevokedUserTokens(db, selection).limit(1)) : [];
  if (there === undefined) throw new ServiceError(130, `There is no session ${quoted(id)}.`);
  await revokeSessions(deps, selection, by);
}

/** The session's user; null when there is no such session in the company. */
export async function userOfSession(
  db: Relational<DirectoryTables>,
  companyId: number,
  id: string,
): Promise<number | null> {
  if (!isSessionId(id)) return null;
  const tokens = unrevokedUserTokens(db, { companyId, sessionId: id });
  const [token] = await db.read(tokens.select('user_id').limit(1));
  return token?.user_id ?? null;
}

/** Applies to tokens in memory that match the selection, including anonymous ones. */
export function forget(sessions: RevocationDeps['sessions'], selection: TokenSelection): void {
  const { companyId, userId, deviceUdid, appId, version, sessionId: id } = selection;
  if (id !== undefined) sessions?.forgetSession(id);
  else {
    sessions?.forgetAll(
      (caller) =>
        caller.companyId === companyId &&
        (userId === undefined || (caller.kind === 'user' && caller.userId === userId)) &&
        (deviceUdid === undefined || caller.deviceUdid === deviceUdid) &&
        (appId === undefined || caller.appId === appId) &&
        (version === undefined || caller.appVersion === version),
    );
  }
}

/** They belong to no application or device. */
function administrationSessions({ build }: Relational<DirectoryTables>, selection: TokenSelection) {
  const { companyId, userId, deviceUdid, appId, version, sessionId: id } = selection;
  if ([deviceUdid, appId, version, id].some((part) => part !== undefined)) return [];
  const users = build.selectFrom('user').select('id').where('company_id', '=', companyId);
  const own = userId === undefined ? users : users.where('id', '=', userId);
  return [build.updateTable('admin_session').set({ revoked: 1 }).where('user_id', 'in', own)];
}

function describe({ companyId, userId, deviceUdid, appId, version, sessionId: id }: TokenSelection): string {
  if (id !== undefined) return `session ${id}`;
  const parts = [
    userId === undefined ? '' : `user ${userId}`,
    deviceUdid === undefined ? '' : `device ${quoted(deviceUdid)}`,
    appId === undefined ? '' : `application ${appId}${version === undefined ? '' : ` ${version}`}`,
  ].filter((part) => part !== '');
  return parts.length === 0 ? `all sessions of company ${companyId}` : `sessions of ${parts.join(', ')}`;
}
