/** Looks a token up in the directory, together with all that decides whether it serves: one joined query. */
import type { Relational } from '../storage/contract.ts';
import type { DirectoryTables } from '../storage/tables.ts';
import type { TokenLife } from './tokens.ts';

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
  /** A session ends with the first of its tokens that is revoked, also one that was being renewed at that moment. */
  readonly revoked: boolean;
  /** The company, the application or the version is disabled. */
  readonly appDisabled: boolean;
  /** Whether the application is for certain groups of the company, not for all. */
  readonly isForGroups: boolean;
  /** Null for an anonymous token. */
  readonly userId: number | null;
  readonly account: string;
  /** The user is not there any more, is disabled, or is in none of the groups that the application is for. */
  readonly userGone: boolean;
}

/** Null for an unknown token. An application without groups is for every group of its company. */
export async function findToken(db: Relational<DirectoryTables>, hash: string): Promise<FoundToken | null> {
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
