/** The active sessions of users, as their owner and administrators see them. */

import type { Caller } from '../caller.ts';
import type { Settings } from '../config.ts';
import { type Page, type PageFields, type PageRequest, page } from '../directory/paging.ts';
import type { Environment } from '../environment.ts';
import type { Relational } from '../storage/contract.ts';
import type { DirectoryTables } from '../storage/tables.ts';
import { sessionOfToken } from './token-rows.ts';

export interface SessionInfo {
  /** Identifies the session; grants no access. */
  readonly id: string;
  readonly companyId: number;
  readonly appId: string;
  /** Dotted form. */
  readonly appVersion: string;
  readonly userId: number;
  readonly account: string;
  readonly deviceUDID: string;
  /** Null if the device did not send it. */
  readonly deviceName: string | null;
  readonly osType: string | null;
  readonly isPush: boolean;
  /** When the user signed in; milliseconds, as the others. */
  readonly created: number;
  /** Saved about once a minute. */
  readonly lastUsed: number;
  /** When it ends if it is not used again. */
  readonly ends: number;
}

/** An own session. */
export interface OwnSession extends SessionInfo {
  /** Whether it is the session of this request. */
  readonly current: boolean;
}

export interface SessionListDeps {
  readonly db: Relational<DirectoryTables>;
  readonly settings: Pick<Settings, 'listLimitMax'>;
  readonly environment: Environment;
}

const idLength = 24;

/** The start of the hash of a session's first token: 96 bits, which reveal neither the rest nor a token. */
export function sessionId(session: string): string {
  return session.slice(0, idLength);
}

export function isSessionId(text: string): boolean {
  return /^[0-9a-f]{24}$/.test(text);
}

const fields: PageFields = {
  id: { column: 's.session', kind: 'text', key: true },
  userId: { column: 's.user_id', kind: 'whole', sortable: true, filterable: true },
  account: { column: 'u.account', kind: 'text', sortable: true, filterable: true, searchable: true },
  appId: { column: 's.app_id', kind: 'text', sortable: true, filterable: true },
  appVersion: { column: 's.version', kind: 'text', sortable: true, filterable: true },
  deviceUDID: { column: 's.device_udid', kind: 'text', sortable: true, filterable: true, searchable: true },
  deviceName: { column: 'd.name', kind: 'text', nullable: true, sortable: true, searchable: true },
  created: { column: 's.created', kind: 'whole', sortable: true },
  lastUsed: { column: 's.last_used', kind: 'whole', sortable: true },
};

/** The company's sessions, last used first. @throws ServiceError `malformed` as `page` */
export async function listSessions(
  { db, settings, environment }: SessionListDeps,
  companyId: number,
  request: PageRequest,
): Promise<Page<SessionInfo>> {
  const sorted = { sort: '-lastUsed', ...request };
  const { results, count } = await page(db, activeSessions(db, companyId, environment.now()), fields, sorted, settings);
  return { results: results.map(infoOf), count };
}

/** The caller's own in every application of the company, last used first: at most `listLimitMax`. */
export async function ownSessions(deps: SessionListDeps, caller: Caller): Promise<OwnSession[]> {
  const { db, settings } = deps;
  const { companyId, userId, tokenHash } = caller;
  const present = await sessionOfToken(db, tokenHash);
  const request = { limit: settings.listLimitMax, filter: { userId: String(userId) } };
  const { results } = await listSessions(deps, companyId, request);
  return results.map((session) => ({ ...session, current: session.id === sessionId(present ?? '') }));
}

function activeSessions(db: Relational<DirectoryTables>, companyId: number, now: number) {
  const tokens = db.build
    .selectFrom('token as t')
    .select(['t.session', 't.company_id', 't.app_id', 't.version', 't.device_udid', 't.user_id', 't.is_push'])
    .select((token) => [
      token.fn.min('t.created').as('created'),
      token.fn.max('t.last_used').as('last_used'),
      token.fn.max('t.valid_time').as('valid_time'),
      token.fn.max('t.expires').as('expires'),
      // A session ends as soon as any of its tokens is revoked.
      token.fn.max('t.revoked').as('revoked'),
    ])
    .where('t.company_id', '=', companyId)
    .where('t.user_id', 'is not', null)
    .groupBy(['t.session', 't.company_id', 't.app_id', 't.version', 't.device_udid', 't.user_id', 't.is_push'])
    .as('s');
  return db.build
    .selectFrom(tokens)
    .innerJoin('user as u', 'u.id', 's.user_id')
    .leftJoin('device as d', (on) =>
      on
        .onRef('d.company_id', '=', 's.company_id')
        .onRef('d.app_id', '=', 's.app_id')
        .onRef('d.udid', '=', 's.device_udid'),
    )
    .select(['s.session', 's.company_id as companyId', 's.app_id as appId', 's.version as appVersion'])
    .select(['u.id as userId', 'u.account', 's.device_udid as deviceUDID', 'd.name as deviceName'])
    .select(['d.os_type as osType', 's.is_push as isPush', 's.created', 's.last_used as lastUsed'])
    .select(['s.valid_time as validTime', 's.expires'])
    .where('s.revoked', '=', 0)
    .where('s.expires', '>', now)
    .where((session) => session(session('s.last_used', '+', session.ref('s.valid_time')), '>', now));
}

type Row = Awaited<ReturnType<ReturnType<typeof activeSessions>['execute']>>[number];

function infoOf({ session, isPush, validTime, expires, ...row }: Row): SessionInfo {
  const ends = Math.min(row.lastUsed + validTime, expires);
  return { id: sessionId(session), ...row, isPush: isPush === 1, ends };
}
