/** Changing the tables of a data space (docs/reference/changing-tables.md). */
import { ServiceError } from '../errors.ts';
import { definitionFrom } from '../schema/catalogue.ts';
import { parseChanges } from '../schema/changes.ts';
import { describeTables } from '../schema/definition.ts';
import { type ChangeResult, evolve } from '../schema/evolve.ts';
import type { SpaceDefinition } from '../schema/model.ts';
import { isInBin } from '../schema/names.ts';
import { dayMs } from '../setting.ts';
import type { RehearsedPart } from '../storage/contract.ts';
import { inTurns } from '../time-slices.ts';
import type { DataContext } from './context.ts';

export interface ChangeTablesRequest {
  /** The version of the definition that the changes are based on. */
  readonly revision: number;
  readonly changes: readonly unknown[];
  /** Who asks, as the audit trail names them. */
  readonly by: string;
  /** Whether to tell only what the changes would come to. */
  readonly dryRun: boolean;
  /** Their audiences: errors name only records that they see. */
  readonly members: readonly string[];
}

export interface ChangedTables {
  readonly revision: number;
  /** Of every table, after the changes. */
  readonly tables: object[];
  readonly changes: readonly (ChangeResult & Partial<RehearsedPart>)[];
}

/**
 * Carries all changes out, in order, or none. The caller checks the permission (`administration/tables.ts`).
 * @throws ServiceError 130 with 409 for another revision · `malformed` for a change that the tables or their records
 * don't allow, with its position
 */
export async function changeTables(
  context: DataContext,
  spaceId: number,
  { revision, changes, by, members, dryRun }: ChangeTablesRequest,
): Promise<ChangedTables> {
  const { spaces } = context.storage;
  const requested = parseChanges(changes, context.settings);
  const current = await inRevision(context, spaceId, revision);
  const now = context.environment.now();
  const author = { by, now, until: now + context.settings.binDays * dayMs };
  const evolved = await inTurns(evolve(current, requested, { limits: context.settings, author }));
  const { results, parts } = evolved;
  const change = { ...evolved.change, members, zone: context.settings.zone };
  if (dryRun) {
    const rehearsed = await spaces.rehearse(spaceId, change, parts);
    const { tables } = definitionFrom({ ...change.after, version: revision });
    return {
      revision,
      tables: await inTurns(describeTables(tables.values())),
      changes: results.map(({ binId: _, ...result }, index) => ({ ...result, ...rehearsed[index] })),
    };
  }
  const next = await spaces.define(spaceId, change);
  if (next === null) {
    const { version } = await spaces.refresh(spaceId);
    refuseOtherRevision(version, revision);
  }
  const after = next ?? (await spaces.definition(spaceId));
  return { revision: after.version, tables: await inTurns(describeTables(after.tables.values())), changes: results };
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
  /** The table, or the one that the column is of, as it is named now; its former name while it is in the bin itself. */
  readonly table: string;
  /** Absent where it is a table. */
  readonly column?: string;
  readonly droppedBy: string;
  /** Milliseconds since 1970. */
  readonly dropped: number;
  readonly until: number;
}

export function binOf({ catalogue }: SpaceDefinition): BinResponse[] {
  const { bin, tables } = catalogue;
  return bin.map(({ id, tableId, column, name, by: droppedBy, time: dropped, until }) => {
    const present = tables.find((table) => table.id === tableId)?.name as string;
    const former = bin.find((each) => each.tableId === tableId && each.column === null)?.name;
    const table = isInBin(present) ? (former as string) : present;
    return { id, table, ...(column === null ? {} : { column: name }), droppedBy, dropped, until };
  });
}
