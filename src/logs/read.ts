/** Reading the log entries of clients: a page of them, or all that match as a stream that takes no more memory than a page. */
import { setImmediate } from 'node:timers/promises';
import {
  matchingOf,
  type Page,
  type PageFields,
  type PageLimits,
  type PageRequest,
  rangeOf,
} from '../directory/paging.ts';
import { malformed, shown } from '../errors.ts';
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
  appVersion: { column: 'version', kind: 'text', filterable: true },
  userId: { column: 'user_id', kind: 'whole', filterable: true },
  deviceUDID: { column: 'device_udid', kind: 'text', filterable: true },
  level: { column: 'level', kind: 'text', filterable: true },
  message: { column: 'message', kind: 'text', searchable: true },
};

/**
 * Entries that are looked at in one go. There may be millions, and what they are filtered by is in no index: a look at
 * all of them would hold up every other request.
 */
const windowEntries = 5_000;

/** A message may be large, and a few of them are in memory at once. */
const exportedAtOnce = 100;

/**
 * Of one application, the newest first, or in the order of their coming (`sort: id`).
 * @throws ServiceError `malformed` as `page`
 */
export async function listLogEntries(
  { db, settings }: { readonly db: Relational<LogTables>; readonly settings: PageLimits },
  companyId: number,
  appId: string,
  { from, until, ...request }: LogRequest,
): Promise<Page<LogRow>> {
  const { offset, limit } = rangeOf(request, settings);
  const direction = directionOf(request.sort);
  const matching = matchingOf(selectEntries(db, companyId, appId, from, until), fields, request);
  const results: LogRow[] = [];
  let count = 0;
  for await (const [after, last] of windows(db, companyId, appId, direction)) {
    const inside = matching.where('id', '>', after).where('id', '<=', last);
    const [counted] = await db.read(inside.clearSelect().select((entry) => entry.fn.countAll<number>().as('count')));
    const found = Number(counted?.count);
    const skipped = Math.max(0, offset - count);
    const wanted = Math.min(limit - results.length, found - skipped);
    if (wanted > 0) {
      results.push(...(await db.read(inside.orderBy('id', direction).limit(wanted).offset(skipped))));
    }
    count += found;
  }
  return { results, count };
}

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
  for await (const [start, last] of windows(db, companyId, appId, 'asc')) {
    for (let after = start; after < last; ) {
      const inside = matching.where('id', '>', after).where('id', '<=', last);
      const rows = await db.read(inside.orderBy('id').limit(exportedAtOnce));
      yield* rows;
      after = rows.length < exportedAtOnce ? last : (rows.at(-1)?.id ?? last);
    }
  }
}

/** Parts of the application's entries, as pairs of ids: those after the first one, the second one included. */
async function* windows(
  db: Relational<LogTables>,
  companyId: number,
  appId: string,
  direction: 'asc' | 'desc',
): AsyncGenerator<readonly [after: number, last: number], void, undefined> {
  const ids = db.build.selectFrom('entry').select('id').where('company_id', '=', companyId).where('app_id', '=', appId);
  const [newest] = await db.read(ids.orderBy('id', 'desc').limit(1));
  let [after, last] = [0, newest?.id ?? 0];
  for (;;) {
    const rest = ids.where('id', '>', after).where('id', '<=', last);
    const [edge] = await db.read(
      rest
        .orderBy('id', direction)
        .limit(1)
        .offset(windowEntries - 1),
    );
    if (edge === undefined) {
      yield [after, last];
      return;
    }
    yield direction === 'asc' ? [after, edge.id] : [edge.id - 1, last];
    if (direction === 'asc') after = edge.id;
    else last = edge.id - 1;
    // Others have their turn.
    await setImmediate();
  }
}

function directionOf(sort = '-id'): 'asc' | 'desc' {
  if (sort === 'id') return 'asc';
  if (sort === '-id') return 'desc';
  throw malformed('sort', `${shown(sort)} came; one of id, -id was expected.`);
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
