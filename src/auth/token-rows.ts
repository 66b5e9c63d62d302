/**
 * The rows of tokens: every statement that reads or writes one. A session is its first token and those that renewed it;
 * it ends with the first of them that is revoked.
 */
import type { ExpressionBuilder } from 'kysely';
import type { Relational } from '../storage/contract.ts';
import type { DirectoryTables } from '../storage/tables.ts';
import { rowsPerWrite } from './pruning.ts';
import { type TokenKind, type TokenLife, tokenHash } from './tokens.ts';

type Database = Relational<DirectoryTables>;

export interface FoundToken extends TokenLife {
  readonly hash: string;
  /** Hash of the first token of its session. */
  readonly session: string;
  readonly companyId: number;
  readonly appId: string;
  /** Dotted form. */
  readonly version: string;
  readonly spaceId: number;
  readonly strictHandling: boolean;
  readonly deviceUdid: string;
  readonly isPush: boolean;
  readonly created: number;
  /** A session ends as soon as any of its tokens is revoked, even one being renewed at that moment. */
  readonly revoked: boolean;
  /** The company, the application or the version is disabled. */
  readonly appDisabled: boolean;
  /** Whether the application is for certain groups of the company, not for all. */
  readonly isForGroups: boolean;
  /** Null for an anonymous token. */
  readonly userId: number | null;
  readonly account: string;
  /** The user is deleted, disabled, or in none of the groups that the application is for. */
  readonly userGone: boolean;
}

/**
 * Together with all that decides whether it is valid, in one joined query; null for an unknown token. An application
 * without groups is for every group of its company.
 */
export async function findToken(db: Database, hash: string): Promise<FoundToken | null> {
  const query = db.build
    .selectFrom('token as t')
    .innerJoin('app_version as v', (on) =>
      on
        .onRef('v.company_id', '=', 't.company_id')
        .onRef('v.app_id', '=', 't.app_id')
        .onRef('v.version', '=', 't.version'),
    )
    .innerJoin('application as a', (on) =>
      on.onRef('a.company_id', '=', 't.company_id').onRef('a.app_id', '=', 't.app_id'),
    )
    .innerJoin('company as c', 'c.id', 't.company_id')
    .leftJoin('user as u', (on) => on.onRef('u.id', '=', 't.user_id').onRef('u.company_id', '=', 't.company_id'))
    .select([
      't.hash',
      't.session',
      't.kind',
      't.company_id',
      't.app_id',
      't.version',
      'v.space_id',
      'v.strict_handling',
      't.device_udid',
      't.is_push',
    ])
    .select(['t.created', 't.last_used', 't.valid_time', 't.expires', 't.user_id'])
    .select(['c.disabled as company_disabled', 'a.disabled as app_disabled', 'v.disabled as version_disabled'])
    .select(['u.id as present_user', 'u.account', 'u.disabled as user_disabled'])
    .select((fields) => [
      fields
        .selectFrom('token as r')
        .select((token) => token.fn.countAll<number>().as('tokens'))
        .whereRef('r.session', '=', 't.session')
        .where('r.revoked', '=', 1)
        .as('revoked'),
      fields
        .selectFrom('app_group as g')
        .select((group) => group.fn.countAll<number>().as('groups'))
        .whereRef('g.company_id', '=', 't.company_id')
        .whereRef('g.app_id', '=', 't.app_id')
        .as('app_groups'),
      fields
        .selectFrom('app_group as g')
        .innerJoin('membership as m', 'm.group_id', 'g.group_id')
        .select((group) => group.fn.countAll<number>().as('groups'))
        .whereRef('g.company_id', '=', 't.company_id')
        .whereRef('g.app_id', '=', 't.app_id')
        .whereRef('m.user_id', '=', 't.user_id')
        .as('own_groups'),
    ])
    .where('t.hash', '=', hash);
  const [row] = await db.read(query);
  if (row === undefined) return null;
  const isForGroups = Number(row.app_groups) > 0;
  const inGroup = !isForGroups || Number(row.own_groups) > 0;
  return {
    hash: row.hash,
    session: row.session,
    kind: row.kind === 'user' ? 'user' : 'anonymous',
    companyId: row.company_id,
    appId: row.app_id,
    version: row.version,
    spaceId: row.space_id,
    strictHandling: row.strict_handling === 1,
    deviceUdid: row.device_udid,
    isPush: row.is_push === 1,
    created: row.created,
    lastUsed: row.last_used,
    validTime: row.valid_time,
    expires: row.expires,
    revoked: Number(row.revoked) > 0,
    appDisabled: row.company_disabled === 1 || row.app_disabled === 1 || row.version_disabled === 1,
    isForGroups,
    userId: row.user_id,
    account: row.account ?? '',
    userGone: row.kind === 'user' && (row.present_user === null || row.user_disabled === 1 || !inGroup),
  };
}

export interface NewToken {
  readonly kind: TokenKind;
  readonly companyId: number;
  readonly appId: string;
  /** Dotted form. */
  readonly version: string;
  readonly deviceUdid: string;
  readonly userId: number | null;
  readonly isPush: boolean;
  readonly created: number;
  readonly validTime: number;
  readonly expires: number;
}

/** The first token of a session. */
export function insertToken(db: Database, token: string, row: NewToken) {
  const hash = tokenHash(token);
  return db.build.insertInto('token').values({
    hash,
    session: hash,
    kind: row.kind,
    company_id: row.companyId,
    app_id: row.appId,
    version: row.version,
    device_udid: row.deviceUdid,
    user_id: row.userId,
    is_push: Number(row.isPush),
    created: row.created,
    last_used: row.created,
    valid_time: row.validTime,
    expires: row.expires,
  });
}

export interface Renewal {
  readonly hash: string;
  readonly now: number;
  /** Milliseconds of life from the last use. */
  readonly validTime: number;
  readonly expires: number;
  /** When the replaced token ends at the latest. */
  readonly graceEnd: number;
}

/** A further token of the session, which is not inserted where the old one was revoked meanwhile. */
export function renewToken(db: Database, oldHash: string, { hash, now, validTime, expires, graceEnd }: Renewal) {
  const fromOld = db.build
    .selectFrom('token')
    .select((old) => [
      old.val(hash).as('hash'),
      ...renewed,
      old.val(now).as('last_used'),
      old.val(validTime).as('valid_time'),
      old.val(expires).as('expires'),
    ])
    .where('hash', '=', oldHash)
    .where('revoked', '=', 0);
  const insert = db.build
    .insertInto('token')
    .columns(['hash', ...renewed, 'last_used', 'valid_time', 'expires'])
    .expression(fromOld);
  const shorten = db.build
    .updateTable('token')
    .set({ expires: graceEnd })
    .where('hash', '=', oldHash)
    .where('expires', '>', graceEnd);
  return [insert, shorten];
}

/** What a token takes over from the one that it renews. */
const renewed = [
  'session',
  'kind',
  'company_id',
  'app_id',
  'version',
  'device_udid',
  'user_id',
  'is_push',
  'created',
] as const;

/** Times only move forward. */
export function noteUse(db: Database, hash: string, time: number) {
  return db.build.updateTable('token').set({ last_used: time }).where('hash', '=', hash).where('last_used', '<', time);
}

/** The hash of the first token of its session; undefined for an unknown token. */
export async function sessionOfToken(db: Database, hash: string): Promise<string | undefined> {
  const [token] = await db.read(db.build.selectFrom('token').select('session').where('hash', '=', hash));
  return token?.session;
}

/** Selects tokens that meet all given conditions. */
export interface TokenSelection {
  readonly companyId: number;
  readonly userId?: number;
  readonly deviceUdid?: string;
  readonly appId?: string;
  /** Dotted form. */
  readonly version?: string;
  /** As `SessionInfo.id`. */
  readonly sessionId?: string;
}

/**
 * Ends the sessions of the selection, including anonymous tokens; `Auth.forget` then removes them from this process's
 * cache.
 */
export function revokeTokens(db: Database, selection: TokenSelection) {
  return db.build
    .updateTable('token')
    .set({ revoked: 1 })
    .where('hash', 'in', unrevokedTokens(db, selection))
    .where('revoked', '=', 0);
}

/** The same for user tokens, at most `tokensMax` at once; returns what shows whether they were active. */
export function revokeUserTokens(db: Database, selection: TokenSelection, tokensMax: number) {
  return db.build
    .updateTable('token')
    .set({ revoked: 1 })
    .where('hash', 'in', unrevokedUserTokens(db, selection).limit(tokensMax))
    .returning(['session', 'last_used', 'valid_time', 'expires']);
}

/** Also tokens that seem expired: another process may know of a later use. */
export function unrevokedUserTokens(db: Database, selection: TokenSelection) {
  return unrevokedTokens(db, selection).where('user_id', 'is not', null);
}

function unrevokedTokens({ build }: Database, selection: TokenSelection) {
  const { companyId, userId, deviceUdid, appId, version, sessionId: id } = selection;
  let tokens = build.selectFrom('token').select('hash').where('company_id', '=', companyId).where('revoked', '=', 0);
  if (userId !== undefined) tokens = tokens.where('user_id', '=', userId);
  if (deviceUdid !== undefined) tokens = tokens.where('device_udid', '=', deviceUdid);
  if (appId !== undefined) tokens = tokens.where('app_id', '=', appId);
  if (version !== undefined) tokens = tokens.where('version', '=', version);
  // The start of a hash: "g" sorts after every hexadecimal digit.
  if (id !== undefined) tokens = tokens.where('session', '>=', id).where('session', '<', `${id}g`);
  return tokens;
}

/** For this long, an ended token gets 120, not 121. */
const keepEndedMs = 7 * 24 * 3_600_000;

/**
 * Deletes one portion of the tokens that ended some days ago, with their login flows. Returns their number, at most
 * `rowsPerWrite`.
 */
export async function pruneEnded(db: Database, now: number): Promise<number> {
  const before = now - keepEndedMs;
  // A revoked token outlives its session's last token (`FoundToken.revoked`).
  const activeOf = (token: ExpressionBuilder<DirectoryTables & { t: DirectoryTables['token'] }, 't'>) =>
    token
      .selectFrom('token as l')
      .select('l.hash')
      .whereRef('l.session', '=', 't.session')
      .where('l.expires', '>=', before)
      .where((eb) => eb(eb('l.last_used', '+', eb.ref('l.valid_time')), '>=', before));
  const ended = db.build
    .selectFrom('token as t')
    .select('t.hash')
    .where((token) =>
      token.or([
        token('t.expires', '<', before),
        token.and([
          token('t.kind', '=', 'user'),
          token(token('t.last_used', '+', token.ref('t.valid_time')), '<', before),
        ]),
      ]),
    )
    .where((token) => token.or([token('t.revoked', '=', 0), token.not(token.exists(activeOf(token)))]))
    .limit(rowsPerWrite);
  const [tokens] = await db.write([db.build.deleteFrom('token').where('hash', 'in', ended)]);
  return tokens?.changed ?? 0;
}
