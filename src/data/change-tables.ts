/** Changing the tables of a data space (docs/reference/changing-tables.md). */
import { quoted, ServiceError } from '../errors.ts';
import { definitionFrom, tableNameOf } from '../schema/catalogue.ts';
import { parseChanges } from '../schema/changes.ts';
import { describeTables } from '../schema/definition.ts';
import { type ChangeResult, evolve } from '../schema/evolve.ts';
import type { ChangePart, DefinitionChange, SpaceDefinition } from '../schema/model.ts';
import { dayMs } from '../setting.ts';
import type { RehearsedPart } from '../storage/contract.ts';
import { inTurns } from '../time-slices.ts';
import type { DataContext } from './context.ts';
import type { JobControl, JobState } from './table-jobs.ts';

export interface ChangeTablesRequest {
  /** The version of the definition that the changes are based on. */
  readonly revision: number;
  readonly changes: readonly unknown[];
  /** The caller's name in the audit trail. */
  readonly by: string;
  /** Of the job that it is; null for a dry run, which tells only what the changes would come to. */
  readonly control: JobControl | null;
  /** The caller's audiences: errors name only records that the caller sees. */
  readonly members: readonly string[];
  readonly withIntent: WithIntent;
}

/**
 * Carries out a change of tables that the data space knows by this id once it happened (`finishedTableChange`), with what
 * whoever asked for it keeps about it.
 * @param detail what the change comes to
 * @param apply resolves to null where the tables are in another revision, and nothing was changed
 */
export type WithIntent = <Result>(
  id: string,
  detail: Readonly<Record<string, unknown>>,
  apply: () => Promise<Result | null>,
) => Promise<Result | null>;

export interface ChangedTables {
  readonly revision: number;
  /** Of every table, after the changes. */
  readonly tables: object[];
  readonly changes: readonly (ChangeResult & Partial<RehearsedPart>)[];
}

/**
 * Makes all changes, in order, or none. The caller checks the permission (`administration/tables.ts`).
 * @throws ServiceError 130 with 409 for another revision · `malformed` for a change that the tables or their records
 * don't allow, with its position
 */
export async function changeTables(
  context: DataContext,
  spaceId: number,
  { revision, changes, by, members, control, withIntent }: ChangeTablesRequest,
): Promise<ChangedTables> {
  const { spaces } = context.storage;
  const requested = parseChanges(changes, context.settings);
  const current = await inRevision(context, spaceId, revision);
  const now = context.environment.now();
  const author = { by, now, until: now + context.settings.binDays * dayMs };
  const evolved = await inTurns(evolve(current, requested, { limits: context.settings, author }));
  const { results, parts } = evolved;
  const change = { ...evolved.change, members, zone: context.settings.zone };
  if (control === null) {
    const rehearsed = await spaces.rehearse(spaceId, change, parts);
    return {
      revision,
      tables: await inTurns(describeTables(definitionFrom({ ...change.after, version: revision }))),
      changes: results.map(({ binId: _, ...result }, index) => ({ ...result, ...rehearsed[index] })),
    };
  }
  estimate(context, spaceId, control, change, parts);
  const { id, cancelled } = control;
  const outcome = { revision: revision + 1, changes: results };
  const job = { id, time: now, content: JSON.stringify(outcome) };
  const next = await withIntent(id, outcome, () => spaces.define(spaceId, { ...change, job, cancelled }));
  if (next === null) {
    const { version } = await spaces.refresh(spaceId);
    refuseOtherRevision(version, revision);
  }
  const after = next ?? (await spaces.definition(spaceId));
  return { revision: after.version, tables: await inTurns(describeTables(after)), changes: results };
}

/** Prepared in case the change takes long. The queries of the estimate run beside the change. */
function estimate(
  { storage, settings, tableJobs }: DataContext,
  spaceId: number,
  { id }: JobControl,
  change: DefinitionChange,
  parts: readonly ChangePart[],
): void {
  const timer = setTimeout(async () => {
    const job = tableJobs.find(spaceId, id);
    if (job?.state !== 'running') return;
    const rehearsed = await storage.spaces.rehearse(spaceId, change, parts).catch(() => []);
    if (rehearsed.length > 0) job.estimateMs = rehearsed.reduce((sum, { timeMs }) => sum + timeMs, 0);
  }, settings.tableChangeWaitMs / 2);
  timer.unref();
}

/** A job as clients see it. */
export interface JobResponse {
  readonly jobId: string;
  readonly state: JobState | 'unknown';
  /** Percent, estimated. */
  readonly progress: number;
  /** Why it failed. */
  readonly error?: string;
  readonly revision?: number;
  readonly changes?: readonly ChangeResult[];
}

/**
 * Lets every instance answer for a change that continues as a job. Resolves when they do.
 * @param id of a job in `tableJobs`
 */
export async function shareTableJob({ tableJobs, runningJobs }: DataContext, spaceId: number, id: string) {
  const job = tableJobs.find(spaceId, id);
  if (job === null) return;
  const { ended } = job;
  const report = () => ({ state: job.state, progress: job.progress, error: job.error });
  await runningJobs.share({ id, kind: 'tables', spaceId, target: null, ended, report, cancel: () => job.cancel() });
}

/** The state of a change that was answered with a job. @throws ServiceError 130 for an unknown id */
export async function tableJob(context: DataContext, spaceId: number, jobId: string): Promise<JobResponse> {
  if (!jobIdForm.test(jobId)) throw new ServiceError(130, `There is no job ${quoted(jobId)}.`);
  const own = context.tableJobs.find(spaceId, jobId);
  if (own?.state === 'running') return { jobId, state: 'running', progress: own.progress };
  if (own?.state === 'failed') return { jobId, state: 'failed', progress: 100, error: own.error ?? '' };
  // Read before the data space, because a job that is done is first recorded there, and then no longer here.
  const other = own === null ? await context.runningJobs.find(spaceId, jobId) : null;
  const content = await context.storage.spaces.finishedJob(spaceId, jobId);
  if (content !== null) return { jobId, state: 'done', progress: 100, ...JSON.parse(content) };
  if (other === null || other.isInterrupted) return { jobId, state: 'unknown', progress: 0 };
  if (other.state === 'failed') return { jobId, state: 'failed', progress: 100, error: other.error ?? '' };
  return { jobId, state: 'running', progress: Number(other.progress) };
}

/** Cancels a job, which then ends after its current statement. @throws ServiceError as `tableJob` · `busy`, `internal` */
export async function cancelTableJob(context: DataContext, spaceId: number, jobId: string): Promise<JobResponse> {
  const own = context.tableJobs.find(spaceId, jobId);
  if (own === null) await context.runningJobs.cancel(spaceId, jobId);
  else own.cancel();
  return tableJob(context, spaceId, jobId);
}

/** Whether a change is among the last hundred that the data space carried out. */
export async function finishedTableChange(
  { storage }: Pick<DataContext, 'storage'>,
  spaceId: number,
  id: string,
): Promise<boolean> {
  return (await storage.spaces.finishedJob(spaceId, id)) !== null;
}

const jobIdForm = /^[0-9a-f]{32}$/;

export function newJobId({ environment }: DataContext): string {
  return environment.random(16).toString('hex');
}

async function inRevision(context: DataContext, spaceId: number, revision: number): Promise<SpaceDefinition> {
  const { spaces } = context.storage;
  const known = await spaces.definition(spaceId);
  const current = known.version === revision ? known : await spaces.refresh(spaceId);
  refuseOtherRevision(current.version, revision);
  return current;
}

function refuseOtherRevision(present: number, basedOn: number): void {
  if (basedOn === present) return;
  throw new ServiceError(
    130,
    `revision: the tables were changed by someone else: expected revision ${present}, got ${basedOn}. Read them again.`,
    { status: 409 },
  );
}

/** An entry of the bin, as clients see it. */
export interface BinResponse {
  readonly id: number;
  /**
   * The table, or the column's table, by its present name; by its former name while that table is in the bin itself.
   */
  readonly table: string;
  /** Absent for a table. */
  readonly column?: string;
  readonly droppedBy: string;
  /** Milliseconds since 1970. */
  readonly dropped: number;
  readonly until: number;
}

export function binOf({ catalogue }: SpaceDefinition): BinResponse[] {
  return catalogue.bin.map(({ id, tableId, column, name, by: droppedBy, time: dropped, until }) => {
    const table = tableNameOf(catalogue, tableId) as string;
    return { id, table, ...(column === null ? {} : { column: name }), droppedBy, dropped, until };
  });
}
