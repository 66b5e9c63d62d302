/** Settles who is calling, from path and token (docs/reference/sign-in.md#sessions). */
import { type AnyCaller, type Caller, groupIdsIn } from '../caller.ts';
import type { Settings } from '../config.ts';
import { normalVersion } from '../directory/versions.ts';
import type { Environment } from '../environment.ts';
import { ServiceError } from '../errors.ts';
import type { Relational } from '../storage/contract.ts';
import type { DirectoryTables } from '../storage/tables.ts';
import { type HeldRoles, heldRoles } from './held-roles.ts';
import { type LastUse, noteEveryMs } from './last-use.ts';
import { type CachedSession, openSessionCache } from './session-cache.ts';
import { sessionId } from './session-list.ts';
import { type FoundToken, findToken } from './token-rows.ts';
import { endOf, hasTokenForm, type TokenLife, tokenHash } from './tokens.ts';

/** The path's parts as received. */
export interface TenantPath {
  readonly companyId: string;
  readonly appId: string;
  /** In either form, `1_0_0` or `1.0.0`. */
  readonly appVersion: string;
}

/** `user`: requires a completed login. `any`: also accepts an anonymous token. */
export type Allowed = 'user' | 'any';

/**
 * The code for a token whose company, application or version is disabled; the log level lists 105
 * (docs/reference/codes.md#all-codes).
 */
export type DisabledCode = 105 | 121;

export interface Sessions {
  /**
   * @throws ServiceError 120 expired · 121 none, unknown, revoked, of another path, or anonymous where a user is
   *   needed · 110 the user is gone or disabled · `disabledCode` (121) the application is disabled.
   */
  settle(
    path: TenantPath,
    token: string | undefined,
    allowed: Allowed,
    disabledCode?: DisabledCode,
  ): Promise<AnyCaller>;
  /** As `settle`, but at once; null when a database read is needed, as `settle` does. */
  settleCached(path: TenantPath, token: string | undefined, allowed: Allowed): AnyCaller | null;
  /** Drops the cached token: the next call reads the database. */
  forget(tokenHash: string): void;
  /** Drops the tokens of a session (`SessionInfo.id`), and all reads under way. */
  forgetSession(id: string): void;
  /** Drops every token that matches the condition, and all reads under way. */
  forgetAll(condition: (caller: AnyCaller) => boolean): void;
}

interface Session extends TokenLife, CachedSession {
  readonly caller: AnyCaller;
  readonly companyId: string;
  readonly appDisabled: boolean;
  readonly userGone: boolean;
  lastUsed: number;
}

export interface SessionDeps {
  readonly db: Relational<DirectoryTables>;
  readonly settings: Pick<Settings, 'sessionCacheMs' | 'sessionCacheMax'>;
  readonly environment: Environment;
  readonly lastUse: LastUse;
}

export function openSessions({ db, settings, environment, lastUse }: SessionDeps): Sessions {
  async function read(hash: string): Promise<Session | null> {
    const token = await findToken(db, hash);
    if (token === null || token.revoked) return null;
    return {
      sessionId: sessionId(token.session),
      caller: callerOf(token, token.userId === null ? none : await heldRoles(db, token)),
      companyId: String(token.companyId),
      kind: token.kind,
      validTime: token.validTime,
      expires: token.expires,
      appDisabled: token.appDisabled,
      userGone: token.userGone,
      lastUsed: token.lastUsed,
      notedAt: token.lastUsed,
    };
  }

  const cache = openSessionCache({ settings, environment, entriesMax: settings.sessionCacheMax, read });

  function judge(
    path: TenantPath,
    session: Session,
    hash: string,
    allowed: Allowed,
    disabledCode: DisabledCode,
  ): AnyCaller {
    const now = environment.now();
    if (!isOf(session, path)) throw unknownToken();
    if (session.appDisabled) throw new ServiceError(disabledCode, 'The application is disabled.');
    if (now >= endOf(session)) throw new ServiceError(120, 'The token has expired. Sign in again.');
    if (session.kind === 'anonymous' && allowed === 'user') {
      throw new ServiceError(121, 'This is an anonymous token; the operation needs the user token of a login.');
    }
    if (session.userGone) throw new ServiceError(110, 'The user of this token does not exist or is disabled.');
    session.lastUsed = now;
    if (session.kind === 'user' && now - session.notedAt >= noteEveryMs) {
      session.notedAt = now;
      lastUse.note(hash, now);
    }
    return session.caller;
  }

  return {
    settleCached(path, token, allowed) {
      if (token === undefined) return null;
      const hash = tokenHash(token);
      const session = cache.cached(hash);
      if (session === null || session.appDisabled) return null;
      return judge(path, session, hash, allowed, 121);
    },
    async settle(path, token, allowed, disabledCode = 121) {
      if (token === undefined || token === '') {
        throw new ServiceError(121, 'service-token: expected a token in this header, got none.');
      }
      if (!hasTokenForm(token)) throw unknownToken();
      const hash = tokenHash(token);
      const session = await cache.get(hash);
      if (session === null) throw unknownToken();
      return judge(path, session, hash, allowed, disabledCode);
    },
    forget: cache.forget,
    forgetSession: cache.forgetSession,
    forgetAll: (condition) => cache.forgetAll(({ caller }) => condition(caller)),
  };
}

function isOf(session: Session, path: TenantPath): boolean {
  const { appId, appVersion } = session.caller;
  return (
    path.companyId === session.companyId &&
    path.appId === appId &&
    (path.appVersion === appVersion || normalVersion(path.appVersion) === appVersion)
  );
}

/** The same for an unknown token, a revoked one and one of another path: none reveals what exists. */
function unknownToken(): ServiceError {
  return new ServiceError(
    121,
    'The token does not exist here: check company, application and version in the path, or sign in again.',
  );
}

/** What an anonymous token holds. */
const none: HeldRoles = { memberships: [], tableRights: null };

/** Frozen, because many requests share it. */
function callerOf(token: FoundToken, { memberships, tableRights }: HeldRoles): AnyCaller {
  const holder = {
    companyId: token.companyId,
    appId: token.appId,
    appVersion: token.version,
    spaceId: token.spaceId,
    tokenHash: token.hash,
    deviceUdid: token.deviceUdid,
    strictHandling: token.strictHandling,
  };
  if (token.userId === null) return Object.freeze({ kind: 'anonymous', ...holder });
  const caller: Caller = {
    kind: 'user',
    ...holder,
    userId: token.userId,
    account: token.account,
    memberships: Object.freeze(memberships.map((membership) => Object.freeze(membership))),
    groupIds: Object.freeze(groupIdsIn(memberships)),
    tableRights,
  };
  return Object.freeze(caller);
}
