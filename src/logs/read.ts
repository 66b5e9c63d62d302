/**
 * Reads the log entries of clients: one page, or all matching ones as a stream that takes no more memory than a page.
 */
import { matchingOf, type Page, type PageFields, type PageLimits, type PageRequest } from '../directory/paging.ts';
import { pageOfParts, rowsOfParts } from '../directory/parts.ts';
import type { Relational } from '../storage/contract.ts';
import type { LogTables } from '../storage/tables.ts';

export interface LogRow {
  readonly id: number;
  /** Milliseconds. */
  readonly time: number;
  readonly companyId: number;
  readonly appId: string;
  /** Dotted form. */
  readonly appVersion: string;
  readonly userId: number;
  readonly deviceUDID: string;
  /** `ERROR` or `MONITOR`. */
  readonly level: string;
  readonly message: string;
}

/** Entries of a period. Filters: appVersion, userId, deviceUDID, level. */
export interface LogRequest extends PageRequest {
  /** Milliseconds, inclusive. */
  readonly from?: number;
  /** Milliseconds, exclusive. */
  readonly until?: number;
}

const fields: PageFields = {
  appVersion: { column: 'version', kind: 'text', filterable: true },
  userId: { column: 'user_id', kind: 'whole', filterable: true },
  deviceUDID: { column: 'device_udid', kind: 'text', filterable: true },
  level: { column: 'level', kind: 'text', filterable: true },
  message: { column: 'message', kind: 'text', searchable: true },
};

/** A message may be large, and several are in memory at once. */
const exportedAtOnce = 100;

/**
 * Entries of one application, newest first, or in the order in which they were received (`sort: id`).
 * @throws ServiceError `malformed` as `page`
 */
export async function listLogEntries(
  { db, settings }: { readonly db: Relational<LogTables>; readonly settings: PageLimits },
  companyId: number,
  appId: string,
  request: LogRequest,
): Promise<Page<LogRow>> {
  return pageOfParts(entriesOf(db, companyId, appId, request), request, settings);
}

/**
 * Every matching entry of the application, oldest first, up to the newest one at the time of the call.
 * @throws ServiceError `malformed` as `page`, at the first entry
 */
export async function* exportLogEntries(
  db: Relational<LogTables>,
  companyId: number,
  appId: string,
  request: Omit<LogRequest, 'offset' | 'limit' | 'sort'>,
): AsyncGenerator<LogRow, void, undefined> {
  yield* rowsOfParts(entriesOf(db, companyId, appId, request), exportedAtOnce);
}

function entriesOf(
  db: Relational<LogTables>,
  companyId: number,
  appId: string,
  { from, until, ...request }: LogRequest,
) {
  const ids = db.build.selectFrom('entry').select('id').where('company_id', '=', companyId).where('app_id', '=', appId);
  return { db, ids, matching: matchingOf(selectEntries(db, companyId, appId, from, until), fields, request) };
}

function selectEntries(
  { build }: Relational<LogTables>,
  companyId: number,
  appId: string,
  from: number | undefined,
  until: number | undefined,
) {
  let query = build
    .selectFrom('entry')
    .select(['id', 'time', 'company_id as companyId', 'app_id as appId', 'version as appVersion'])
    .select(['user_id as userId', 'device_udid as deviceUDID', 'level', 'message'])
    .where('company_id', '=', companyId)
    .where('app_id', '=', appId);
  if (from !== undefined) query = query.where('time', '>=', from);
  if (until !== undefined) query = query.where('time', '<', until);
  return query;
}
