/** Reading the log entries of clients: a page of them, or all that match as a stream that takes no more memory than a page. */
import type { Settings } from '../config.ts';
import { matchingOf, type Page, type PageFields, type PageRequest, page } from '../directory/paging.ts';
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

/** Entries of a time. Filters: appVersion, userId, deviceUDID, level. */
export interface LogRequest extends PageRequest {
  /** Milliseconds; from this moment on. */
  readonly from?: number;
  /** Milliseconds; before this moment. */
  readonly until?: number;
}

const fields: PageFields = {
  id: { column: 'id', kind: 'whole', key: true, sortable: true },
  time: { column: 'time', kind: 'whole', sortable: true },
  appVersion: { column: 'version', kind: 'text', sortable: true, filterable: true },
  userId: { column: 'user_id', kind: 'whole', sortable: true, filterable: true },
  deviceUDID: { column: 'device_udid', kind: 'text', sortable: true, filterable: true },
  level: { column: 'level', kind: 'text', sortable: true, filterable: true },
  message: { column: 'message', kind: 'text', searchable: true },
};

/** Of one application, the newest first unless they are sorted otherwise. @throws ServiceError `malformed` as `page` */
export function listLogEntries(
  { db, settings }: { readonly db: Relational<LogTables>; readonly settings: Pick<Settings, 'listLimitMax'> },
  companyId: number,
  appId: string,
  { from, until, ...request }: LogRequest,
): Promise<Page<LogRow>> {
  const entries = selectEntries(db, companyId, appId, from, until);
  return page(db, entries, fields, { sort: '-id', ...request }, settings);
}

/** A message is large at times, and a few of them are in memory at once. */
const exportedAtOnce = 100;

/**
 * Every entry of the application that matches, the oldest first, up to the newest one at the time of the call.
 * @throws ServiceError `malformed` as `page`, at the first entry
 */
export async function* exportLogEntries(
  db: Relational<LogTables>,
  companyId: number,
  appId: string,
  { from, until, ...request }: Omit<LogRequest, 'offset' | 'limit' | 'sort'>,
): AsyncGenerator<LogRow, void, undefined> {
  const matching = matchingOf(selectEntries(db, companyId, appId, from, until), fields, request);
  const [newest] = await db.read(db.build.selectFrom('entry').select('id').orderBy('id', 'desc').limit(1));
  let after = 0;
  for (;;) {
    const rows = await db.read(
      matching
        .where('id', '>', after)
        .where('id', '<=', newest?.id ?? 0)
        .orderBy('id')
        .limit(exportedAtOnce),
    );
    yield* rows;
    if (rows.length < exportedAtOnce) return;
    after = rows.at(-1)?.id ?? 0;
  }
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
