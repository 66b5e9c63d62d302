/** Reads the audit trail: one page, or everything as a stream that takes no more memory than a page. */
import type { Settings } from '../config.ts';
import { matchingOf, type Page, type PageFields, type PageRequest } from '../directory/paging.ts';
import { pageOfParts, rowsOfParts } from '../directory/parts.ts';
import { malformed, quoted } from '../errors.ts';
import type { Relational } from '../storage/contract.ts';
import type { DirectoryTables } from '../storage/tables.ts';

export interface AuditRow {
  readonly id: number;
  /** Milliseconds. */
  readonly time: number;
  /** 'operator', 'administrator', 'user' or 'nobody'. */
  readonly actorKind: string;
  readonly actorId: number | null;
  readonly actorName: string;
  readonly companyId: number | null;
  readonly appId: string | null;
  readonly address: string | null;
  readonly action: string;
  readonly target: string;
  /** 'done' or 'refused'. */
  readonly outcome: string;
  readonly detail: unknown;
}

/** Entries of a period. Filters: companyId, appId, actorKind, actorId, actorName, address, action, outcome. */
export interface AuditRequest extends PageRequest {
  /** Milliseconds, inclusive. */
  readonly from?: number;
  /** Milliseconds, exclusive. */
  readonly until?: number;
}

export interface AuditReadDeps {
  readonly db: Relational<DirectoryTables>;
  readonly settings: Pick<Settings, 'listLimitMax'>;
}

/** Which entries the reader may see: those of one company, or all, including those that belong to no company. */
export type AuditScope = { readonly companyId: number } | 'all';

const fields: PageFields = {
  actorKind: { column: 'actor_kind', kind: 'text', filterable: true },
  actorId: { column: 'actor_id', kind: 'whole', nullable: true, filterable: true },
  actorName: { column: 'actor_name', kind: 'text', filterable: true, searchable: true },
  companyId: { column: 'company_id', kind: 'whole', nullable: true, filterable: true },
  appId: { column: 'app_id', kind: 'text', nullable: true, filterable: true },
  address: { column: 'address', kind: 'text', nullable: true, filterable: true, searchable: true },
  action: { column: 'action', kind: 'text', filterable: true, searchable: true },
  target: { column: 'target', kind: 'text', searchable: true },
  outcome: { column: 'outcome', kind: 'text', filterable: true },
};

/** Newest first, or oldest first (`sort: id`). @throws ServiceError `malformed` as `page` */
export async function listAudit(
  { db, settings }: AuditReadDeps,
  scope: AuditScope,
  request: AuditRequest,
): Promise<Page<AuditRow>> {
  const { results, count } = await pageOfParts(entriesOf(db, scope, request), request, settings);
  return { results: results.map(rowOf), count };
}

const exportedAtOnce = 500;

/**
 * Every matching entry, oldest first, up to the newest one at the time of the call.
 * @throws ServiceError `malformed` as `page`, at the first entry
 */
export async function* exportAudit(
  { db }: Pick<AuditReadDeps, 'db'>,
  scope: AuditScope,
  request: Omit<AuditRequest, 'offset' | 'limit' | 'sort'>,
): AsyncGenerator<AuditRow, void, undefined> {
  for await (const row of rowsOfParts(entriesOf(db, scope, request), exportedAtOnce)) yield rowOf(row);
}

function entriesOf(db: Relational<DirectoryTables>, scope: AuditScope, { from, until, ...request }: AuditRequest) {
  const all = db.build.selectFrom('audit').select('id');
  const ids = scope === 'all' ? all : all.where('company_id', '=', scope.companyId);
  return { db, ids, matching: matchingOf(selectEntries(db, scope, from, until), fields, request) };
}

function selectEntries(
  { build }: Relational<DirectoryTables>,
  scope: AuditScope,
  from: number | undefined,
  until: number | undefined,
) {
  for (const [name, time] of Object.entries({ from, until })) {
    if (time !== undefined && !Number.isSafeInteger(time))
      throw malformed(name, `expected a time, got ${quoted(time)}.`);
  }
  let query = build
    .selectFrom('audit')
    .select(['id', 'time', 'actor_kind as actorKind', 'actor_id as actorId', 'actor_name as actorName'])
    .select(['company_id as companyId', 'app_id as appId', 'address', 'action', 'target', 'outcome', 'detail']);
  if (scope !== 'all') query = query.where('company_id', '=', scope.companyId);
  if (from !== undefined) query = query.where('time', '>=', from);
  if (until !== undefined) query = query.where('time', '<', until);
  return query;
}

function rowOf(row: Omit<AuditRow, 'detail'> & { readonly detail: string }): AuditRow {
  return { ...row, detail: JSON.parse(row.detail) };
}
