/** Queries in both forms, and counts (docs/reference/queries.md): form → tree → checked → SQL → answer. */
import type { Caller } from '../caller.ts';
import type { Settings } from '../config.ts';
import { ServiceError, shown } from '../errors.ts';
import type { Query } from '../query/ast.ts';
import { check } from '../query/check.ts';
import { compileCount, compileRows, rowPlan } from '../query/compile.ts';
import { type ExpressionForm, readExpressionForm } from '../query/expression-form.ts';
import type { Inputs, Output, Statement } from '../query/statement.ts';
import { readStructuredForm, type StructuredForm } from '../query/structured/form.ts';
import type { BoundStatement, SelectRequest, SelectResult } from '../storage/contract.ts';
import { type JsonText, joined } from '../storage/json-text.ts';
import type { DataContext } from './context.ts';
import { withDefinition } from './definition.ts';
import { once, shapesOf } from './shapes.ts';
import { requireReading } from './table-rights.ts';
import { membersOfCaller, membersWithin } from './visibility.ts';

/**
 * JSON text of `{"<alias>":[records], …}`, the arrays running in parallel.
 * @param objectName of the path; it must agree with `from.phyName`
 */
export async function expressionQuery(
  context: DataContext,
  caller: Caller,
  objectName: string,
  form: ExpressionForm,
): Promise<JsonText> {
  agree(objectName, form);
  const { query, parameters } = readExpressionForm(form, context.settings);
  const inputs = { parameters, members: membersOfCaller(caller), ...rangeOf(form, context.settings) };
  const { outputs, result } = await select(context, caller, query, inputs, 'rows');
  return joined(['{', ...namedArrays(outputs, result, (key) => `"${key}":`, ''), '}']);
}

/** How many rows the query matches; its range is ignored. */
export async function countRows(
  context: DataContext,
  caller: Caller,
  objectName: string,
  form: ExpressionForm,
): Promise<number> {
  agree(objectName, form);
  const { query, parameters } = readExpressionForm(form, context.settings);
  const inputs = { parameters, members: membersOfCaller(caller) };
  const { result } = await select(context, caller, query, inputs, 'count');
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
  const { query, parameters, page, scope } = readStructuredForm(form, context.settings);
  const inputs = {
    parameters,
    members: membersWithin(caller, scope),
    offset: (page.pageIndex - 1) * page.maxRecord,
    limit: page.maxRecord,
  };
  const { outputs, result } = await select(context, caller, query, inputs, 'both');
  return {
    results: joined(['[', ...namedArrays(outputs, result, (key) => `{"${key}":`, '}'), ']']),
    counter: result.count,
    pageIndex: page.pageIndex,
    totalPage: Math.ceil(result.count / page.maxRecord),
  };
}

async function select(
  context: DataContext,
  caller: Caller,
  query: Query,
  inputs: Inputs,
  wanted: 'rows' | 'count' | 'both',
): Promise<{ outputs: readonly Output[]; result: SelectResult }> {
  requireReading(caller, query);
  return withDefinition(context, caller, async (definition) => {
    const shapes = shapesOf(definition, context.settings.shapesMax);
    const shape = shapes.get(query, () => {
      const checked = check(query, definition, context.settings);
      const { dialect } = context.storage;
      const rules = { ...context.settings, zone: context.zone };
      return {
        rows: {
          walk: once(() => compileRows(checked, dialect, rules, 'walk')),
          'by audience': once(() => compileRows(checked, dialect, rules, 'by audience')),
        },
        count: once(() => compileCount(checked, dialect, rules)),
      };
    });
    const request: SelectRequest = {
      ...(wanted === 'count' ? {} : { rows: bound(shape.rows[rowPlan(query, inputs)](), inputs) }),
      ...(wanted === 'rows' ? {} : { count: bound(shape.count(), inputs) }),
    };
    const result = await context.storage.spaces.select(caller.spaceId, request);
    return { outputs: request.rows?.statement.outputs ?? [], result };
  });
}

/** Each array with what stands before and after it, and commas between them. */
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
    `from.phyName: ${shown(form.from.phyName)} came, but the path names ${shown(objectName)}.`,
  );
}

function rangeOf({ range }: ExpressionForm, { firstOffset }: Pick<Settings, 'firstOffset'>) {
  const offset = Math.max(0, Number(range?.offset ?? firstOffset) - firstOffset);
  return { offset, limit: Number(range?.limit ?? -1) };
}
