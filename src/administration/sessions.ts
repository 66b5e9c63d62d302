/**
 * Sessions of the administration: a cookie of 256 random bits, stored only as its SHA-256, that stands for an
 * administrator or a user of a company. A session lives for `adminSessionLifeMs` after its last use and ends at
 * `adminSessionLifeMaxMs` in any case.
 */
import { createHmac } from 'node:crypto';
import type { Compilable, Expression } from 'kysely';
import type { Actor } from '../actor.ts';
import { type CachedSession, openSessionCache } from '../auth/session-cache.ts';
import { hasTokenForm, sameText, tokenHash } from '../auth/tokens.ts';
import type { Settings } from '../config.ts';
import type { Directory } from '../directory/directory.ts';
import type { Environment } from '../environment.ts';
import { ServiceError } from '../errors.ts';
import type { Relational } from '../storage/contract.ts';
import type { DirectoryTables } from '../storage/tables.ts';

/** The owner of the session: exactly one of the two is set. */
export type SessionOwner = { readonly administratorId: number } | { readonly userId: number };

export interface StartedSession {
  /** The value of the cookie, which is shown only once. */
  readonly cookie: string;
  /** Sent in the header `x-csrf-token` of every request except GET. */
  readonly csrfToken: string;
  /** When the session ends at the latest, milliseconds. */
  readonly expires: number;
}

export interface AdminSessions {
  /**
   * The actor of the cookie. Every request except GET and HEAD also needs the session's CSRF token.
   * @param address the caller's, for the audit trail; by default the one of the sign-in
   * @throws ServiceError 121 no cookie, unknown, or signed out · 120 expired · 110 the account is gone, disabled, or
   * takes no password · `forbidden` without the CSRF token, or with one of another session
   */
  settle(
    cookie: string | undefined,
    csrfToken: string | undefined,
    method: string,
    address?: string | null,
  ): Promise<Actor>;
  /**
   * Starts a session, always under a new cookie: one that the caller sent is never reused.
   * @param further statements of the sign-in, for the session's own transaction
   */
  start(owner: SessionOwner, address: string | null, further: readonly Compilable<unknown>[]): Promise<StartedSession>;
  /** Ends the session at once here, within `sessionCacheMs` in other processes. No effect if it has ended. */
  end(cookie: string, further: readonly Compilable<unknown>[]): Promise<void>;
  /** The statement that ends all sessions of the account but one; its effect here waits for `forgetAll`. */
  endAllOf(owner: SessionOwner, exceptCookie?: string): Compilable<unknown>;
  /** Every session is read again at its next use. */
  forgetAll(): void;
}

export interface AdminSessionDeps {
  readonly db: Relational<DirectoryTables>;
  readonly directory: Pick<Directory, 'users'>;
  readonly settings: Pick<Settings, 'sessionCacheMs' | 'adminSessionLifeMs' | 'adminSessionLifeMaxMs'>;
  readonly environment: Environment;
}

interface Session extends CachedSession {
  readonly actor: Exclude<Actor, { kind: 'operator' }>;
  readonly csrfHash: string;
  readonly gone: boolean;
  readonly validTime: number;
  readonly expires: number;
}

/**
 * A use is stored at most this often (as for tokens, docs/reference/sign-in.md#tokens), or every tenth of a session's
 * life if that is less.
 */
const noteEveryMs = 60_000;
/** An ended session is refused with 120, not 121, for this long. */
const keepEndedMs = 24 * 3_600_000;
const cachedMax = 10_000;

/** Derived from the cookie, so that a reloaded page gets it again, while only its hash is stored. */
export function csrfTokenOf(cookie: string): string {
  return createHmac('sha256', cookie).update('csrf').digest('hex');
}

export function openAdminSessions({ db, directory, settings, environment }: AdminSessionDeps): AdminSessions {
  async function read(hash: string): Promise<Session | null> {
    const [row] = await db.read(selectSession(db, hash));
    if (row === undefined || row.revoked === 1) return null;
    const { address } = row;
    const actor: Session['actor'] =
      row.user_id === null
        ? {
            kind: 'administrator',
            administratorId: row.administrator_id ?? 0,
            account: row.administrator ?? '',
            address,
          }
        : {
            kind: 'user',
            companyId: row.company_id ?? 0,
            userId: row.user_id,
            account: row.user ?? '',
            memberships: await directory.users.memberships(row.user_id),
            address,
          };
    return {
      sessionId: hash,
      actor,
      csrfHash: row.csrf_hash,
      gone: row.administrator_disabled !== 0 && (row.user_disabled !== 0 || row.takes_passwords === null),
      validTime: row.valid_time,
      expires: row.expires,
      lastUsed: row.last_used,
      notedAt: row.last_used,
    };
  }

  const cache = openSessionCache({ settings, environment, entriesMax: cachedMax, read });

  async function note(hash: string, now: number): Promise<void> {
    const use = db.build.updateTable('admin_session').set({ last_used: now });
    await db.write([use.where('hash', '=', hash).where('last_used', '<', now)]);
  }

  return {
    async settle(cookie, csrfToken, method, address) {
      if (cookie === undefined || cookie === '')
        throw new ServiceError(121, 'Nobody is signed in here. Sign in first.');
      if (!hasTokenForm(cookie)) throw unknownSession();
      const hash = tokenHash(cookie);
      const session = await cache.get(hash);
      if (session === null) throw unknownSession();
      const now = environment.now();
      if (now >= Math.min(session.lastUsed + session.validTime, session.expires)) {
        throw new ServiceError(120, 'The session has expired. Sign in again.');
      }
      if (session.gone)
        throw new ServiceError(
          110,
          'The account of this session is disabled, or may no longer sign in with a password.',
        );
      if (!isSafe(method)) requireCsrfToken(csrfToken, session.csrfHash);
      session.lastUsed = now;
      if (now - session.notedAt >= Math.min(noteEveryMs, session.validTime / 10)) {
        session.notedAt = now;
        // If the database has no time for it now, a later use is noted.
        await note(hash, now).catch(() => {});
      }
      return address === undefined ? session.actor : { ...session.actor, address };
    },
    async start(owner, address, further) {
      const cookie = environment.random(32).toString('hex');
      const csrfToken = csrfTokenOf(cookie);
      const created = environment.now();
      const expires = created + settings.adminSessionLifeMaxMs;
      const insert = db.build.insertInto('admin_session').values({
        hash: tokenHash(cookie),
        csrf_hash: tokenHash(csrfToken),
        administrator_id: 'administratorId' in owner ? owner.administratorId : null,
        user_id: 'userId' in owner ? owner.userId : null,
        address: address ?? '',
        created,
        last_used: created,
        valid_time: settings.adminSessionLifeMs,
        expires,
      });
      const ended = db.build.deleteFrom('admin_session').where('expires', '<', created - keepEndedMs);
      await db.write([insert, ...further, ended]);
      return { cookie, csrfToken, expires };
    },
    async end(cookie, further) {
      const hash = tokenHash(cookie);
      await db.write([db.build.updateTable('admin_session').set({ revoked: 1 }).where('hash', '=', hash), ...further]);
      cache.forget(hash);
    },
    endAllOf(owner, exceptCookie = '') {
      const others = db.build
        .updateTable('admin_session')
        .set({ revoked: 1 })
        .where('hash', '<>', tokenHash(exceptCookie));
      return 'userId' in owner
        ? others.where('user_id', '=', owner.userId)
        : others.where('administrator_id', '=', owner.administratorId);
    },
    forgetAll: () => cache.forgetAll(),
  };
}

/** The flag of the other kind of owner is null, not 0. */
function selectSession(db: Relational<DirectoryTables>, hash: string) {
  return db.build
    .selectFrom('admin_session as s')
    .leftJoin('administrator as a', 'a.id', 's.administrator_id')
    .leftJoin('user as u', 'u.id', 's.user_id')
    .select(['s.csrf_hash', 's.address', 's.last_used', 's.valid_time', 's.expires', 's.revoked'])
    .select(['s.administrator_id', 'a.account as administrator', 'a.disabled as administrator_disabled'])
    .select(['s.user_id', 'u.company_id', 'u.account as user', 'u.disabled as user_disabled'])
    .select(({ ref }) => passwordApplications(db, ref('u.company_id')).limit(1).as('takes_passwords'))
    .where('s.hash', '=', hash);
}

/** Applications where users of the company may sign in with a password, their only way to sign in here. */
export function passwordApplications(
  { build }: Relational<DirectoryTables>,
  companyId: number | Expression<number | null>,
) {
  return build
    .selectFrom('application')
    .innerJoin('company', 'company.id', 'application.company_id')
    .select('application.local_accounts')
    .where('application.company_id', '=', companyId)
    .where('application.local_accounts', '=', 1)
    .where('application.disabled', '=', 0)
    .where('company.disabled', '=', 0);
}

function unknownSession(): ServiceError {
  return new ServiceError(121, 'There is no such session. Sign in again.');
}

function isSafe(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

function requireCsrfToken(csrfToken: string | undefined, csrfHash: string): void {
  if (csrfToken !== undefined && sameText(tokenHash(csrfToken), csrfHash)) return;
  throw new ServiceError(
    'forbidden',
    'The header x-csrf-token is missing or belongs to another session; the answer of the sign-in has it.',
  );
}
