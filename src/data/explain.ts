/**
 * How a select query is executed for a caller who sees every record: the engine's plan, and which indexes would help.
 */
import type { CheckedQuery } from '../query/checked.ts';
import { parametersOf } from '../query/expression-form.ts';
import { wantedIndex } from '../query/index-advice.ts';
import { expressionsOfSelect, parseSelectForm, type SelectForm } from '../query/select-form.ts';
import type { TableSize } from '../storage/contract.ts';
import type { PlanStep } from '../storage/plan.ts';
import type { DataContext } from './context.ts';
import { withDefinition } from './definition.ts';
import { boundRows, requireFrom, shapeOf } from './run-shape.ts';
import type { Requester } from './visibility.ts';

export interface ExplainedStep extends PlanStep {
  /** Approximate number of records in the table, for a step that may read them all; null for other steps. */
  readonly rows: number | null;
}

export interface WantedIndex {
  readonly table: string;
  readonly columns: readonly string[];
}

export interface Explained {
  readonly steps: readonly ExplainedStep[];
  /** Indexes for the conditions and the order, on tables that are walked. */
  readonly advice: readonly WantedIndex[];
}

/** A table with fewer records needs no index. */
const adviceRowsMin = 1_000;

/**
 * Checks and plans the query, and does not run it.
 * @throws ServiceError as `selectRows`
 */
export async function explainSelect(
  context: DataContext,
  caller: Requester,
  objectName: string,
  form: SelectForm,
): Promise<Explained> {
  requireFrom(objectName, form);
  const { settings, storage, environment } = context;
  return withDefinition(context, caller, async (space) => {
    // The first page represents all pages.
    const { query, parameterCounts } = parseSelectForm(form, form.after === undefined ? null : [], settings);
    const shape = shapeOf(context, space, query, parameterCounts, caller);
    const parameters = parametersOf(expressionsOfSelect(form), shape, settings);
    const { offset = 0, limit = -1 } = form.range ?? {};
    const inputs = { parameters, members: [], now: environment.now(), offset, limit, after: [] };
    const plan = await storage.spaces.explain(caller.spaceId, boundRows(caller, shape, inputs));
    const sizes = await storage.spaces.sizes(caller.spaceId, walkedIn(plan));
    const steps = plan.map((step) => ({ ...step, rows: isWalk(step) ? rowsOf(sizes, step.table) : null }));
    return { steps, advice: adviceOn(steps, shape.check()) };
  });
}

function isWalk({ action }: PlanStep): boolean {
  return action === 'walk' || action === 'walkIndex';
}

function walkedIn(plan: readonly PlanStep[]): readonly string[] {
  return [...new Set(plan.filter(isWalk).flatMap(({ table }) => table ?? []))];
}

function rowsOf(sizes: readonly TableSize[], name: string | null): number | null {
  return sizes.find(({ table }) => table === name)?.rows ?? null;
}

function adviceOn(steps: readonly ExplainedStep[], checked: CheckedQuery): readonly WantedIndex[] {
  const many = new Set(steps.filter(({ rows }) => (rows ?? 0) >= adviceRowsMin).map(({ table }) => table));
  // The conditions on the table that is read first compare with constants only.
  const first = steps.find(({ table }) => table !== null);
  const outermost = first !== undefined && isWalk(first) ? first.table : null;
  const advice = checked.tables.flatMap(({ table }, number) => {
    const columns = many.has(table.name) ? wantedIndex(checked, number, table.name !== outermost) : [];
    return columns.length === 0 ? [] : [{ table: table.name, columns }];
  });
  return [...new Map(advice.map((one) => [JSON.stringify(one), one])).values()];
}
