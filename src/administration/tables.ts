/** Reads and defines the tables of an application version, for clients and the administration interface alike. */
import { actorNameOf } from '../audit/trail.ts';
import {
  type BinResponse,
  binOf,
  type ChangedTables,
  cancelTableJob,
  changeTables,
  type JobResponse,
  newJobId,
  shareTableJob,
  tableJob,
} from '../data/change-tables.ts';
import { defineTables } from '../data/define.ts';
import { withDefinition } from '../data/definition.ts';
import { joinsMade, type MadeJoin } from '../data/joins.ts';
import type { JobControl } from '../data/table-jobs.ts';
import { rolesNaming } from '../directory/role-permissions.ts';
import { describeTables } from '../schema/definition.ts';
import type { SpaceDefinition, Table } from '../schema/model.ts';
import type { TableSize } from '../storage/contract.ts';
import { inTurns } from '../time-slices.ts';
import type { Deps } from './audited-action.ts';
import type { Permitted } from './authorize.ts';
import { type IntentDeps, withIntent } from './intents.ts';
import { actionOn, requireVersion, type VersionRef } from './versions.ts';

export interface TableDefinitions {
  readonly tables: readonly unknown[];
  /** Drops every table first; only in a version in development that shares its data space with no other. */
  readonly reset: boolean;
}

/**
 * The tables, and the revision on which changes to them are based.
 * @throws ServiceError `forbidden` · 105, 106, 130 unknown
 */
export async function tablesOf(
  deps: Deps<'storage' | 'directory' | 'data'>,
  actor: Permitted<'table.read'>,
  versionRef: VersionRef,
): Promise<{ readonly tables: object[]; readonly revision: number }> {
  const definition = await definitionOf(deps, actor, versionRef);
  return { tables: await inTurns(describeTables(definition)), revision: definition.version };
}

/** In the order of their names. @throws ServiceError `forbidden` · 105, 106, 130 unknown */
export async function sizesOfTables(
  deps: Deps<'storage' | 'directory' | 'data'>,
  _actor: Permitted<'table.read'>,
  versionRef: VersionRef,
): Promise<readonly TableSize[]> {
  const { spaceId } = await requireVersion(deps, versionRef);
  return withDefinition(deps.data, { spaceId }, ({ tables }) =>
    deps.data.storage.spaces.sizes(spaceId, [...tables.keys()].sort()),
  );
}

/**
 * The columns on which the version's clients joined tables in the past month, the most frequent first.
 * @throws ServiceError `forbidden` · 105, 106, 130 unknown
 */
export async function joinsOfTables(
  deps: Deps<'storage' | 'directory' | 'data'>,
  _actor: Permitted<'table.read'>,
  versionRef: VersionRef,
): Promise<readonly MadeJoin[]> {
  const { spaceId, version: appVersion } = await requireVersion(deps, versionRef);
  return joinsMade(deps.data, { spaceId, appVersion });
}

/** What was dropped and can be restored. @throws ServiceError `forbidden` · 105, 106, 130 unknown */
export async function tablesInBin(
  deps: Deps<'storage' | 'directory' | 'data'>,
  actor: Permitted<'table.read'>,
  versionRef: VersionRef,
): Promise<BinResponse[]> {
  return binOf(await definitionOf(deps, actor, versionRef));
}

/** @throws ServiceError `forbidden` · 105, 106, 130 unknown */
export async function definedTables(
  deps: Deps<'storage' | 'directory' | 'data'>,
  actor: Permitted<'table.read'>,
  versionRef: VersionRef,
): Promise<Table[]> {
  return [...(await definitionOf(deps, actor, versionRef)).tables.values()];
}

async function definitionOf(
  deps: Deps<'storage' | 'directory' | 'data'>,
  _actor: Permitted<'table.read'>,
  versionRef: VersionRef,
): Promise<SpaceDefinition> {
  const { spaceId } = await requireVersion(deps, versionRef);
  return deps.data.storage.spaces.definition(spaceId);
}

/**
 * Adds what is new and returns the resulting definitions.
 * @throws ServiceError `forbidden`, also for a reset that is not allowed · 105, 106, 130 unknown · as `defineTables`
 */
export async function defineTablesOf(
  deps: IntentDeps,
  actor: Permitted<'table.define'>,
  versionRef: VersionRef,
  { tables, reset }: TableDefinitions,
): Promise<object[]> {
  const { spaceId, development, sharedSpace } = await requireVersion(deps, versionRef);
  const resettable = development && !sharedSpace;
  const action = actionOn(versionRef, 'table.define', 'tables', { reset, tables: tables.map(nameOf) });
  return defineTables(deps.data, spaceId, {
    ...{ tables, reset, resettable },
    withIntent: (id, _, apply) => withIntent(deps, actor, { spaceId, id, action }, apply),
  });
}

/**
 * The state of a change of tables that was answered with a job.
 * @throws ServiceError `forbidden` · 105, 106, 130 unknown
 */
export async function tableJobOf(
  deps: Deps<'storage' | 'directory' | 'data'>,
  _actor: Permitted<'table.define'>,
  versionRef: VersionRef,
  jobId: string,
  { cancel }: { readonly cancel: boolean },
): Promise<JobResponse> {
  const { spaceId } = await requireVersion(deps, versionRef);
  return cancel ? cancelTableJob(deps.data, spaceId, jobId) : tableJob(deps.data, spaceId, jobId);
}

/** Changes of tables, in the form of `changeTables`. */
export interface TableChanges {
  readonly revision: number;
  readonly changes: readonly unknown[];
  readonly dryRun: boolean;
  /** The caller's audiences; none for an administrator, who sees no records. */
  readonly members: readonly string[];
  /** How long to wait before the change continues as a job, milliseconds; 0 means not at all. */
  readonly waitMs: number;
}

export interface ChangedVersionTables extends ChangedTables {
  /** The application's versions that have these tables. */
  readonly versions: readonly string[];
  /** Names of the custom roles with rights to a renamed table, under its old or its new name. */
  readonly roles: readonly string[];
}

/**
 * Makes all changes or none.
 * @returns what was changed, or the id of the job if it takes longer than `waitMs`; later errors are in the job's state
 * @throws ServiceError `forbidden` · 105, 106, 130 unknown · as `changeTables`
 */
export async function changeTablesOf(
  deps: IntentDeps,
  actor: Permitted<'table.define'>,
  versionRef: VersionRef,
  { waitMs, dryRun, ...request }: TableChanges,
): Promise<ChangedVersionTables | { readonly jobId: string }> {
  const { data } = deps;
  const { spaceId } = await requireVersion(deps, versionRef);
  const change = (control: JobControl | null) => applyChanges(deps, actor, versionRef, spaceId, request, control);
  if (dryRun) return change(null);
  const job = data.tableJobs.begin(spaceId, newJobId(data), change);
  const changed = waitMs > 0 ? await job.within(waitMs) : null;
  if (changed !== null) return changed;
  const jobId = job.control.id;
  await shareTableJob(data, spaceId, jobId);
  return { jobId };
}

async function applyChanges(
  deps: IntentDeps,
  actor: Permitted<'table.define'>,
  versionRef: VersionRef,
  spaceId: number,
  request: Omit<TableChanges, 'waitMs' | 'dryRun'>,
  control: JobControl | null,
): Promise<ChangedVersionTables> {
  // All belong to one application, for which the actor is permitted. Read first: what has happened is not to be
  // answered with an error.
  const { companyId, appId } = versionRef;
  const all = await deps.directory.versions.list(companyId, appId);
  const roles = await rolesNaming(deps.storage.directory, companyId, appId, renamedTables(request.changes));
  const changed = await changeTables(deps.data, spaceId, {
    ...request,
    control,
    by: actorNameOf(actor),
    withIntent: (id, detail, apply) =>
      withIntent(deps, actor, { spaceId, id, action: actionOn(versionRef, 'table.change', 'tables', detail) }, apply),
  });
  const sharing = all.filter((each) => each.spaceId === spaceId);
  return { ...changed, versions: sharing.map((each) => each.version), roles };
}

/** The old and new names of tables that the changes, still unchecked, rename. */
function renamedTables(changes: readonly unknown[]): string[] {
  return changes.flatMap((change) => {
    const { op, table, to } = Object(change) as Readonly<Record<string, unknown>>;
    return op === 'renameTable' && typeof table === 'string' && typeof to === 'string' ? [table, to] : [];
  });
}

function nameOf(table: unknown): unknown {
  return typeof table === 'object' && table !== null && 'name' in table ? table.name : null;
}
