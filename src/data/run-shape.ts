/** Compiles the shape of a query for a definition, and runs it: checked → SQL → rows. */
import { quoted, ServiceError } from '../errors.ts';
import type { Query } from '../query/ast.ts';
import { check } from '../query/check.ts';
import { compileCount, compileRows, rowPlan } from '../query/compile.ts';
import type { ExpressionForm } from '../query/expression-form.ts';
import { outdatedCursor } from '../query/fault.ts';
import { joinedColumns } from '../query/joined-columns.ts';
import { withoutScope } from '../query/scope.ts';
import { once, type Shape } from '../query/shape.ts';
import type { Inputs, Output, Statement } from '../query/statement.ts';
import type { SpaceDefinition } from '../schema/model.ts';
import type { BoundStatement, SelectRequest, SelectResult } from '../storage/contract.ts';
import type { TimeSlice } from '../time-slices.ts';
import type { DataContext } from './context.ts';
import { requireReading } from './table-rights.ts';
import { everything, type Requester } from './visibility.ts';

export interface Ran {
  readonly outputs: readonly Output[];
  /** As in `RowsOutput`. */
  readonly leavesRows: boolean;
  /** As in `RowsOutput`. */
  readonly order: string | null;
  readonly result: SelectResult;
}

export type Wanted = 'rows' | 'count' | 'both';

export function shapeOf(
  { settings, storage: { dialect }, zone }: DataContext,
  definition: SpaceDefinition,
  query: Query,
  parameterCounts: readonly number[],
  { sees }: Pick<Requester, 'sees'> = {},
): Shape {
  const seesAll = sees === everything;
  const rules = { ...settings, zone };
  const scoped = seesAll ? withoutScope(dialect) : dialect;
  const checked = once(() => check(query, definition, settings));
  return {
    query,
    parameterCounts,
    check: checked,
    joins: once(() => joinedColumns(checked())),
    rows: {
      walk: once(() => compileRows(checked(), scoped, rules, 'walk')),
      'by audience': once(() => compileRows(checked(), scoped, rules, seesAll ? 'walk' : 'by audience')),
    },
    count: once(() => compileCount(checked(), scoped, rules)),
  };
}

/**
 * Reading, checking, compiling and binding a long query take separate turns of the event loop.
 * @param slice begun before the query was read
 * @throws ServiceError 132; `forbidden`; 212
 */
export async function runShape(
  { storage: { spaces }, joins }: DataContext,
  caller: Requester,
  shape: Shape,
  inputs: Inputs,
  wanted: Wanted,
  slice: TimeSlice,
): Promise<Ran> {
  requireReading(caller, shape.query);
  if (slice.isOver) await slice.next();
  shape.check();
  if (slice.isOver) await slice.next();
  const rows = wanted === 'count' ? undefined : shape.rows[rowPlan(shape.query, inputs)]();
  if (slice.isOver) await slice.next();
  const order = rows?.rows?.order ?? null;
  if (inputs.order !== undefined && inputs.order !== order) throw outdatedCursor();
  const count = wanted === 'rows' ? undefined : shape.count();
  if (slice.isOver) await slice.next();
  const request: SelectRequest = {
    ...(rows === undefined ? {} : { rows: bound(rows, inputs) }),
    ...(count === undefined ? {} : { count: bound(count, inputs) }),
  };
  const result = await spaces.select(caller.spaceId, request);
  const { spaceId, appVersion } = caller;
  if (appVersion !== undefined && shape.joins().length > 0) joins.count({ spaceId, appVersion }, shape.joins());
  return { outputs: rows?.outputs ?? [], leavesRows: rows?.rows?.leavesRows ?? false, order, result };
}

/** The statement that finds the rows by a walk, for a caller who sees every record. */
export function boundRows(caller: Requester, shape: Shape, inputs: Inputs): BoundStatement {
  requireReading(caller, shape.query);
  return bound(shape.rows.walk(), inputs);
}

function bound(statement: Statement, inputs: Inputs): BoundStatement {
  return { statement, values: statement.bind(inputs), inputs };
}

/** Checks that path and body name the same table. @throws ServiceError 132 */
export function requireFrom(objectName: string, form: Pick<ExpressionForm, 'from'>): void {
  if (objectName === form.from.phyName) return;
  throw new ServiceError(
    132,
    `from.phyName: expected ${quoted(objectName)}, the table of the path, got ${quoted(form.from.phyName)}.`,
  );
}
