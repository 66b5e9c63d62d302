/**
 * The effects that a change of tables would have, found by queries under their time limit: how many records it reads or
 * writes, what would be removed, how long it would take, and whether the records contradict it, as far as that is known
 * before.
 */
import { ServiceError } from '../errors.ts';
import type {
  ChangePart,
  ChangeStep,
  ColumnType,
  DefinitionChange,
  NumberedTable,
  SpaceDefinition,
} from '../schema/model.ts';
import { storedName } from '../schema/names.ts';
import { checkStep } from './change-steps.ts';
import type { DataSpaces, RehearsedPart } from './contract.ts';
import { ExpectedValues } from './expected-values.ts';
import { type LayoutDialect, seqColumn } from './layout.ts';
import { countOf, type StepContext, storedRecords } from './present-records.ts';
import { typedRows } from './typed-rows.ts';
import { execute, type Step, type StepRow, type Work } from './work.ts';

/** The minimum duration of any change. */
const baseMs = 40;

export interface RehearsalOptions {
  readonly spaces: Pick<DataSpaces, 'definition' | 'select'>;
  readonly dialect: LayoutDialect;
}

/** See `DataSpaces.rehearse`. */
export async function rehearse(
  { spaces, dialect }: RehearsalOptions,
  spaceId: number,
  { members = [] }: DefinitionChange,
  parts: readonly ChangePart[],
): Promise<RehearsedPart[]> {
  const before = await spaces.definition(spaceId);
  const query = <Result>(work: Work<Result>) => execute(work, (step) => rowsOf(spaces, spaceId, step));
  // Queries return wire text already.
  const context: StepContext = { dialect, members, wireText: () => String, refuseCancelled: () => {} };
  const scanned = new Map<number, Scan>();
  /** The table as it is stored now; a table that does not exist yet has no records. */
  async function scanOf(table: NumberedTable): Promise<Scan> {
    const present = scanned.get(table.id);
    if (present !== undefined) return present;
    const isStored = storedBefore(before, table) !== undefined;
    const scan = isStored
      ? await shorterScan(() => query(countOf(dialect, storedRecords(dialect, table), seqColumn)))
      : noScan;
    scanned.set(table.id, scan);
    return scan;
  }

  const expected = new ExpectedValues(dialect);
  const results: RehearsedPart[] = [];
  for (const { steps, removed } of parts) {
    let [rows, timeMs] = [0, baseMs / parts.length];
    let checked = true;
    for (const step of steps) {
      const isJudged = await query(checkStep(context, expected, step));
      if (!isJudged && (await scanOf(step.table)).rows > 0) checked = false;
      const factor = factorOf(dialect, step);
      if (factor === 0) continue;
      const scan = await scanOf(step.table);
      // The records stay the same, whether or not the engine rewrites them.
      if (step.kind !== 'dropColumn') rows = Math.max(rows, scan.rows);
      timeMs += factor * scan.timeMs;
    }
    const lost = removed === null ? 0 : await query(countRemoved(dialect, before, removed));
    results.push({ rows, lost, timeMs: Math.ceil(timeMs), checked });
  }
  return results;
}

interface Scan {
  readonly rows: number;
  readonly timeMs: number;
}

const noScan: Scan = { rows: 0, timeMs: 0 };

/** A table is read only once if its scan takes longer. */
const repeatedMsMax = 500;

/** The first scan may wait for others, and finds none of the table in memory. */
async function shorterScan(count: () => Promise<number>): Promise<Scan> {
  let shortest: Scan | undefined;
  for (let round = 0; round < 3; round++) {
    const begun = performance.now();
    const rows = await count();
    const timeMs = performance.now() - begun;
    if (shortest === undefined || timeMs < shortest.timeMs) shortest = { rows, timeMs };
    if (timeMs > repeatedMsMax) break;
  }
  return shortest ?? noScan;
}

/** Approximate number of full-text index entries per record. */
const termsPerRecord = 8;

function factorOf({ scans }: LayoutDialect, { kind }: ChangeStep): number {
  switch (kind) {
    case 'requireValues':
      return 1;
    case 'indexTerms':
      return scans.createIndex * termsPerRecord;
    case 'fill':
    case 'convert':
    case 'createIndex':
    case 'dropColumn':
      return scans[kind];
    default:
      return 0;
  }
}

function storedBefore({ catalogue }: SpaceDefinition, { id }: NumberedTable): NumberedTable | undefined {
  return catalogue.tables.find((table) => table.id === id);
}

function* countRemoved(
  dialect: LayoutDialect,
  before: SpaceDefinition,
  { table, column }: NonNullable<ChangePart['removed']>,
): Work<number> {
  const stored = storedBefore(before, table);
  if (stored === undefined) return 0;
  const records = storedRecords(dialect, table);
  if (column === null) return yield* countOf(dialect, records, '*');
  const isThere = stored.columns.some((each) => storedName(each) === storedName(column));
  return isThere ? yield* countOf(dialect, records, dialect.column(storedName(column))) : 0;
}

/** The result of the change that ran as this job; null for any other id. */
export async function finishedJob(
  { spaces, dialect }: RehearsalOptions,
  spaceId: number,
  id: string,
): Promise<string | null> {
  const text: ColumnType = { kind: 'text' };
  const sql = `SELECT content FROM ${dialect.table('_job')} WHERE id = ${dialect.placeholder(1, true, text)}`;
  const [row] = await rowsOf(spaces, spaceId, { sql, values: [id], types: [text] });
  return (row?.[0] as string | undefined) ?? null;
}

/** A stopped query says nothing about the request. */
function asBusy(error: unknown): never {
  if (!(error instanceof ServiceError) || error.reason !== 212) throw error;
  throw new ServiceError('busy', `The records could not be read for a dry run: ${error.message}`, {
    status: 503,
    cause: error,
  });
}

/** @throws ServiceError as `asBusy` */
async function rowsOf(spaces: Pick<DataSpaces, 'select'>, spaceId: number, step: Step): Promise<readonly StepRow[]> {
  return typedRows(spaces, spaceId, step).catch(asBusy);
}
