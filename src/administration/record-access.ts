/**
 * Records as administrators see them: all of an application version (what one user sees: `browsing.ts`). Each look leaves an entry in the
 * audit trail before the answer, which names the table, not what was found. Of all records, the pages of a query share one for an hour.
 */
import { actorKey } from '../actor.ts';
import { type Explained, explainSelect } from '../data/explain.ts';
import { type StructuredAnswer, type StructuredForm, structuredQuery } from '../data/query.ts';
import { type SelectedRows, type SelectForm, selectRows } from '../data/select.ts';
import { everything, type Requester } from '../data/visibility.ts';
import { quoted, ServiceError } from '../errors.ts';
import { wholeText } from '../storage/json-text.ts';
import { auditEntry, type ChangeDeps, type Deps } from './audited-action.ts';
import type { Permitted } from './authorize.ts';
import { actionOn, requireVersion, type VersionRef } from './versions.ts';

type ReadDeps = ChangeDeps & Deps<'data'>;

/** Every record, whoever owns it. @throws ServiceError `forbidden` · 105, 106, 130 unknown · as `selectRows` */
export async function selectAllRecords(
  deps: ReadDeps,
  actor: Permitted<'record.read'>,
  versionRef: VersionRef,
  table: string,
  form: SelectForm,
): Promise<SelectedRows> {
  const { spaceId } = await requireVersion(deps, versionRef);
  const requester = { ...administratorIn(versionRef, spaceId), sees: everything, askedBy: actorKey(actor) } as const;
  const selected = await selectRows(deps.data, requester, table, form);
  const isLong = deps.environment.now() - selected.begun >= sharedEntryMs;
  if (isFirst(form) || isLong) await note(deps, actor, versionRef, 'record.read', { table });
  return selected;
}

/**
 * In the older form.
 * @throws ServiceError 132, also for a `scope`, which selects a caller's own records · as `selectAllRecords`
 */
export async function queryAllRecords(
  deps: ReadDeps,
  actor: Permitted<'record.read'>,
  versionRef: VersionRef,
  form: StructuredForm,
): Promise<StructuredAnswer> {
  if (form.condition?.scope !== undefined) {
    const advice = 'an administrator sees every record; compare scopeType in whereConditions';
    throw new ServiceError(132, `condition.scope: expected none, as ${advice}, got ${form.condition.scope}.`);
  }
  const { spaceId } = await requireVersion(deps, versionRef);
  const requester = { ...administratorIn(versionRef, spaceId), sees: everything } as const;
  const answer = await structuredQuery(deps.data, requester, form);
  await note(deps, actor, versionRef, 'record.read', { table: [form.objectNames].flat().join(', ') });
  return answer;
}

/**
 * How a query of `selectAllRecords` is executed. The numbers of a plan reveal something about the records, so it gets
 * an audit entry too.
 * @throws as that
 */
export async function explainQuery(
  deps: ReadDeps,
  actor: Permitted<'record.read'>,
  versionRef: VersionRef,
  table: string,
  form: SelectForm,
): Promise<Explained> {
  const { spaceId } = await requireVersion(deps, versionRef);
  const requester = { ...administratorIn(versionRef, spaceId), sees: everything } as const;
  const explained = await explainSelect(deps.data, requester, table, form);
  await note(deps, actor, versionRef, 'record.explain', { table });
  return explained;
}

/** Whether the table has any record; reveals nothing about it. */
export async function hasRecord(
  { data }: Deps<'data'>,
  { companyId, spaceId }: { readonly companyId: number; readonly spaceId: number },
  table: string,
): Promise<boolean> {
  const { rows } = await selectRows(data, { ...administratorIn({ companyId }, spaceId), sees: everything }, table, {
    from: { phyName: table, alias: 'r' },
    select: [{ name: 'id', expression: { source: '#r.objectId' } }],
    range: { limit: 1 },
  });
  return wholeText(rows) !== '[]';
}

/** An administrator is not a user of the company, has no groups there, and is not limited by rights to tables. */
export function administratorIn({ companyId }: Pick<VersionRef, 'companyId'>, spaceId: number): Requester {
  return { companyId, spaceId, userId: 0, groupIds: [], memberships: [], tableRights: null };
}

/** How long the pages of a query share the entry of its first one; each later page leaves one of its own. */
const sharedEntryMs = 3_600_000;

/** Further pages share the entry of the first one. */
function isFirst({ after = '' }: SelectForm): boolean {
  return after === '';
}

/** The audit entry of reading records. */
export async function note(
  deps: ChangeDeps,
  actor: Permitted<'record.read'> | Permitted<'record.browse'>,
  versionRef: VersionRef,
  action: 'record.read' | 'record.explain' | 'record.browse',
  detail: Readonly<Record<string, unknown>> & { readonly table: string },
): Promise<void> {
  const entry = actionOn(versionRef, action, `table ${quoted(detail.table)}`, detail);
  await deps.storage.directory.write([auditEntry(deps, actor, entry)]);
}
