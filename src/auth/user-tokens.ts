/** User tokens: issued at login, and renewed (docs/reference/sign-in.md#tokens). */
import { actingUser } from '../actor.ts';
import { auditInsert } from '../audit/trail.ts';
import { type Caller, type DescribedMembership, type From, unknownAddress } from '../caller.ts';
import type { Settings } from '../config.ts';
import type { Directory } from '../directory/directory.ts';
import type { User } from '../directory/users.ts';
import type { Environment } from '../environment.ts';
import { ServiceError } from '../errors.ts';
import type { Relational, WriteStatement } from '../storage/contract.ts';
import type { DirectoryTables } from '../storage/tables.ts';
import { saved } from './saving.ts';
import { sessionId } from './session-list.ts';
import type { Sessions } from './sessions.ts';
import { findToken, insertToken, renewToken } from './token-rows.ts';
import { newToken, tokenHash } from './tokens.ts';

/** What a login returns (docs/reference/operations.md#login; `fistName` is the spelling of the interface). */
export interface AuthInfo {
  readonly userTokens: string;
  /** Milliseconds, counted from the last use. */
  readonly validTime: number;
  readonly userId: number;
  readonly userInfo: { readonly account: string; readonly fistName: string; readonly lastName: string };
  /** In the order in which roles were given. */
  readonly groupsAndRoles: readonly DescribedMembership[];
}

export interface UserTokenDeps {
  readonly db: Relational<DirectoryTables>;
  readonly directory: Pick<Directory, 'users'>;
  readonly settings: Pick<Settings, 'userTokenLifeMs' | 'userTokenLifeMaxMs' | 'refreshGraceMs'>;
  readonly environment: Environment;
}

export interface NewSession {
  readonly companyId: number;
  readonly appId: string;
  readonly version: string;
  readonly deviceUdid: string;
  readonly isPush: boolean;
}

/** Where a sign-in came from and how, for the audit trail: `{ provider: 'idp' }`. */
export interface SignIn extends From {
  readonly by: Readonly<Record<string, string>>;
}

/**
 * Saves a session with its entry in the audit trail, and returns its token.
 * @param requires statements that roll back the transaction if the user may no longer sign in (`expectOne`)
 * @throws ServiceError 201 not saved.
 */
export async function startSession(
  deps: UserTokenDeps,
  session: NewSession,
  user: User,
  signIn: SignIn = { ...unknownAddress, by: {} },
  requires: readonly WriteStatement[] = [],
): Promise<AuthInfo> {
  const { db, settings, environment } = deps;
  const memberships = await deps.directory.users.describedMemberships(user.id);
  const token = newToken(environment);
  const created = environment.now();
  const insert = insertToken(db, token, {
    ...session,
    kind: 'user',
    userId: user.id,
    created,
    validTime: settings.userTokenLifeMs,
    expires: created + settings.userTokenLifeMaxMs,
  });
  const { companyId, appId, version, deviceUdid } = session;
  const entry = auditInsert(db, {
    time: created,
    actor: actingUser({ companyId, userId: user.id, account: user.account, memberships }, signIn),
    action: 'session.start',
    target: `session ${sessionId(tokenHash(token))}`,
    companyId,
    appId,
    outcome: 'done',
    detail: { version, device: deviceUdid, ...signIn.by },
  });
  await saved(201, 'The session could not be saved.', db.write([...requires, insert, entry]));
  return authInfo(token, Math.min(settings.userTokenLifeMs, settings.userTokenLifeMaxMs), user, memberships);
}

/**
 * A new token for the caller's session; the old one stays valid for `refreshGraceMs`. The longest life counts from the
 * login, also across renewals.
 * @throws ServiceError 121 the session has ended meanwhile · 110 the user is gone · 201 not saved.
 */
export async function refreshSession(deps: UserTokenDeps, sessions: Sessions, caller: Caller): Promise<AuthInfo> {
  const { db, directory, settings, environment } = deps;
  const [old, user] = await Promise.all([
    findToken(db, caller.tokenHash),
    directory.users.find(caller.companyId, caller.userId),
  ]);
  if (old === null || old.revoked) throw new ServiceError(121, 'The session has ended.');
  if (user === null || user.disabled) throw new ServiceError(110, 'The user does not exist or is disabled.');
  const memberships = await directory.users.describedMemberships(user.id);
  const token = newToken(environment);
  const now = environment.now();
  const expires = old.created + settings.userTokenLifeMaxMs;
  const validTime = Math.max(0, Math.min(settings.userTokenLifeMs, expires - now));
  const statements = renewToken(db, caller.tokenHash, {
    hash: tokenHash(token),
    now,
    validTime: settings.userTokenLifeMs,
    expires,
    graceEnd: now + settings.refreshGraceMs,
  });
  const [inserted] = await saved(201, 'The session could not be saved.', db.write(statements));
  sessions.forget(caller.tokenHash);
  if (inserted?.changed !== 1) throw new ServiceError(121, 'The session has ended.');
  return authInfo(token, validTime, user, memberships);
}

function authInfo(token: string, validTime: number, user: User, memberships: readonly DescribedMembership[]): AuthInfo {
  return {
    userTokens: token,
    validTime,
    userId: user.id,
    userInfo: { account: user.account, fistName: user.firstName, lastName: user.lastName },
    groupsAndRoles: memberships,
  };
}
