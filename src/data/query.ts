/** Queries in both forms, and counts (docs/reference/queries.md): form → tree → checked → SQL → answer. */
import type { Caller } from '../caller.ts';
import type { Settings } from '../config.ts';
import {
  type ExpressionForm,
  expressionsOf,
  parametersOf,
  parseExpressionForm,
  textOfExpressionForm,
} from '../query/expression-form.ts';
import type { Inputs, Output } from '../query/statement.ts';
import { readStructuredForm, type StructuredForm } from '../query/structured/form.ts';
import type { SelectResult } from '../storage/contract.ts';
import { type JsonText, joined } from '../storage/json-text.ts';
import { TimeSlice } from '../time-slices.ts';
import type { DataContext } from './context.ts';
import { withDefinition } from './definition.ts';
import { type Ran, requireFrom, runShape, shapeOf, type Wanted } from './run-shape.ts';
import { everything, membersOfCaller, membersWithin, type Requester } from './visibility.ts';

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

export type { StructuredForm };

export interface StructuredAnswer {
  /** JSON text of `results`. */
  readonly results: JsonText;
  readonly counter: number;
  readonly pageIndex: number;
  readonly totalPage: number;
}

export async function structuredQuery(
  context: DataContext,
  caller: Requester,
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
    const text = JSON.stringify(query);
    const key = caller.sees === everything ? `${everything}${text}` : text;
    const shape = space.shape(key, () => shapeOf(context, space, query, [], caller));
    return runShape(context, caller, shape, inputs, 'both', slice);
  });
  return {
    results: joined(['[', ...namedArrays(outputs, result, (key) => `{"${key}":`, '}'), ']']),
    counter: result.count,
    pageIndex: page.pageIndex,
    totalPage: Math.ceil(result.count / page.maxRecord),
  };
}

async function selectByExpression(
  context: DataContext,
  caller: Caller,
  objectName: string,
  form: ExpressionForm,
  wanted: Wanted,
  range: Pick<Inputs, 'offset' | 'limit'>,
): Promise<Ran> {
  const slice = new TimeSlice();
  requireFrom(objectName, form);
  const { settings } = context;
  const text = textOfExpressionForm(form);
  return withDefinition(context, caller, (space) => {
    const shape = space.shape(text, () => {
      const { query, parameterCounts } = parseExpressionForm(form, settings);
      return shapeOf(context, space, query, parameterCounts);
    });
    const parameters = parametersOf(expressionsOf(form), shape, settings);
    const now = context.environment.now();
    const inputs = { parameters, members: membersOfCaller(caller), now, ...range };
    return runShape(context, caller, shape, inputs, wanted, slice);
  });
}

/** Each array with its surrounding text, separated by commas. */
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

function rangeOf({ range }: ExpressionForm, { firstOffset }: Pick<Settings, 'firstOffset'>) {
  const offset = Math.max(0, Number(range?.offset ?? firstOffset) - firstOffset);
  return { offset, limit: Number(range?.limit ?? -1) };
}
