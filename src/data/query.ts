/** Queries in both forms, and counts (docs/reference/queries.md): form → tree → checked → SQL → answer. */
import type { Caller } from '../caller.ts';
import type { Settings } from '../config.ts';
import { quoted, ServiceError } from '../errors.ts';
import type { Query } from '../query/ast.ts';
import { check } from '../query/check.ts';
import { compileCount, compileRows, rowPlan } from '../query/compile.ts';
import {
  type ExpressionForm,
  parametersOf,
  parseExpressionForm,
  textOfExpressionForm,
} from '../query/expression-form.ts';
import { once, type Shape } from '../query/shape.ts';
import type { Inputs, Output, Statement } from '../query/statement.ts';
import { readStructuredForm, type StructuredForm } from '../query/structured/form.ts';
import type { SpaceDefinition } from '../schema/model.ts';
import type { BoundStatement, SelectRequest, SelectResult } from '../storage/contract.ts';
import { type JsonText, joined } from '../storage/json-text.ts';
import { TimeSlice } from '../time-slices.ts';
import type { DataContext } from './context.ts';
import { withDefinition } from './definition.ts';
import { requireReading } from './table-rights.ts';
import { membersOfCaller, membersWithin } from './visibility.ts';

/**
 * JSON text of `{"<alias>":[records], …}`; the arrays run in parallel.
 * @param objectName from the path; it must match `from.phyName`
 */
export async function expressionQuery(
  context: DataContext,
  caller: Caller,
  objectName: string,
  form: ExpressionForm,
): Promise<JsonText> {
  const range = rangeOf(form, context.settings);
  const { outputs, result } = await selectByExpression(context, caller, objectName, form, 'rows', range);
  return joined(['{', ...namedArrays(outputs, result, (key) => `"${key}":`, ''), '}']);
}

/** The number of rows that the query matches; its range is ignored. */
export async function countRows(
  context: DataContext,
  caller: Caller,
  objectName: string,
  form: ExpressionForm,
): Promise<number> {
  const { result } = await selectByExpression(context, caller, objectName, form, 'count', {});
  return result.count;
}

export interface StructuredAnswer {
  /** JSON text of `results`. */
  readonly results: JsonText;
  readonly counter: number;
  readonly pageIndex: number;
  readonly totalPage: number;
}

export async function structuredQuery(
  context: DataContext,
  caller: Caller,
  form: StructuredForm,
): Promise<StructuredAnswer> {
  const slice = new TimeSlice();
  const { query, parameters, page, scope } = readStructuredForm(form, context.settings);
  const inputs = {
    parameters,
    members: membersWithin(caller, scope),
    offset: (page.pageIndex - 1) * page.maxRecord,
    limit: page.maxRecord,
  };
  const { outputs, result } = await withDefinition(context, caller, (space) => {
    const shape = space.shape(JSON.stringify(query), () => shapeOf(context, space, query, []));
    return select(context, caller, shape, inputs, 'both', slice);
  });
  return {
    results: joined(['[', ...namedArrays(outputs, result, (key) => `{"${key}":`, '}'), ']']),
    counter: result.count,
    pageIndex: page.pageIndex,
    totalPage: Math.ceil(result.count / page.maxRecord),
  };
}

interface Selected {
  readonly outputs: readonly Output[];
  readonly result: SelectResult;
}

type Wanted = 'rows' | 'count' | 'both';

async function selectByExpression(
  context: DataContext,
  caller: Caller,
  objectName: string,
  form: ExpressionForm,
  wanted: Wanted,
  range: Pick<Inputs, 'offset' | 'limit'>,
): Promise<Selected> {
  const slice = new TimeSlice();
  agree(objectName, form);
  const { settings } = context;
  const text = textOfExpressionForm(form);
  return withDefinition(context, caller, (space) => {
    const shape = space.shape(text, () => {
      const { query, parameterCounts } = parseExpressionForm(form, settings);
      return shapeOf(context, space, query, parameterCounts);
    });
    const parameters = parametersOf(form, shape, settings);
    const inputs = { parameters, members: membersOfCaller(caller), ...range };
    return select(context, caller, shape, inputs, wanted, slice);
  });
}

function shapeOf(
  { settings, storage: { dialect }, zone }: DataContext,
  definition: SpaceDefinition,
  query: Query,
  parameterCounts: readonly number[],
): Shape {
  const rules = { ...settings, zone };
  const checked = once(() => check(query, definition, settings));
  return {
    query,
    parameterCounts,
    check: checked,
    rows: {
      walk: once(() => compileRows(checked(), dialect, rules, 'walk')),
      'by audience': once(() => compileRows(checked(), dialect, rules, 'by audience')),
    },
    count: once(() => compileCount(checked(), dialect, rules)),
  };
}

/**
 * Reading, checking, compiling and binding a long query take separate turns of the event loop.
 * @param portion begun before the query was read
 */
async function select(
  { storage: { spaces } }: DataContext,
  caller: Caller,
  shape: Shape,
  inputs: Inputs,
  wanted: Wanted,
  slice: TimeSlice,
): Promise<Selected> {
  requireReading(caller, shape.query);
  if (slice.isOver) await slice.next();
  shape.check();
  if (slice.isOver) await slice.next();
  const rows = wanted === 'count' ? undefined : shape.rows[rowPlan(shape.query, inputs)]();
  if (slice.isOver) await slice.next();
  const count = wanted === 'rows' ? undefined : shape.count();
  if (slice.isOver) await slice.next();
  const request: SelectRequest = {
    ...(rows === undefined ? {} : { rows: bound(rows, inputs) }),
    ...(count === undefined ? {} : { count: bound(count, inputs) }),
  };
  const result = await spaces.select(caller.spaceId, request);
  return { outputs: rows?.outputs ?? [], result };
}

/** Each array with its surrounding text, and commas between them. */
function namedArrays(
  outputs: readonly Output[],
  { arrays }: SelectResult,
  before: (key: string) => string,
  after: string,
): JsonText[] {
  return outputs.flatMap(({ key }, index) => [
    `${index === 0 ? '' : ','}${before(key)}`,
    arrays[index] as JsonText,
    after,
  ]);
}

function bound(statement: Statement, inputs: Inputs): BoundStatement {
  return { statement, values: statement.bind(inputs), inputs };
}

function agree(objectName: string, form: ExpressionForm): void {
  if (objectName === form.from.phyName) return;
  throw new ServiceError(
    132,
    `from.phyName: expected ${quoted(objectName)}, the table of the path, got ${quoted(form.from.phyName)}.`,
  );
}

function rangeOf({ range }: ExpressionForm, { firstOffset }: Pick<Settings, 'firstOffset'>) {
  const offset = Math.max(0, Number(range?.offset ?? firstOffset) - firstOffset);
  return { offset, limit: Number(range?.limit ?? -1) };
}
