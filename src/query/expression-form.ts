/**
 * Reads the newer query form, the one with `from`, `join`, `where`, `orderBy` and `range`
 * (docs/reference/expression-language.md), into the tree.
 */
import type { Settings } from '../config.ts';
import { missing, quoted, ServiceError } from '../errors.ts';
import { byteLength } from '../text.ts';
import type { Expression, Join, Query, SortKey, TableReference } from './ast.ts';
import { checkBound, checkParameterCount, checkSortKeyCount, checkTableCount, fullJoinsMax } from './bounds.ts';
import { type ParsedExpression, parseColumn, parseExpression } from './expression/parser.ts';
import type { Naming } from './expression/values.ts';
import { sentText } from './sent.ts';

export interface ExpressionText {
  readonly source: string;
  /** Absent means none. */
  readonly params?: readonly unknown[];
}

/** The body after the check of its outer shape: members that are present have these types. */
export interface ExpressionForm {
  readonly from: { readonly phyName: string; readonly alias: string };
  readonly join?: readonly {
    readonly entity: string;
    readonly entityAlias: string;
    readonly expression: ExpressionText;
    readonly type: string;
  }[];
  readonly where?: { readonly expression: ExpressionText };
  readonly orderBy?: readonly { readonly column: string; readonly type?: string }[];
  /** Its numbers are bound (`Inputs`), so the tree records only that there is a range. */
  readonly range?: { readonly offset?: number; readonly limit?: number };
}

export type ExpressionLimits = Pick<
  Settings,
  'expressionDepthMax' | 'expressionBytesMax' | 'parametersMax' | 'queryTablesMax'
>;

export interface ReadExpressionForm {
  readonly query: Query;
  /** The values of all `?`, in order: those of the joins, then of where. */
  readonly parameters: readonly (string | null)[];
}

const joinKinds: ReadonlyMap<string, Join['kind']> = new Map([
  ['INNER JOIN', 'inner'],
  ['JOIN', 'inner'],
  ['LEFT OUTER JOIN', 'left'],
  ['LEFT JOIN', 'left'],
  ['RIGHT OUTER JOIN', 'right'],
  ['RIGHT JOIN', 'right'],
  ['FULL OUTER JOIN', 'full'],
  ['FULL JOIN', 'full'],
]);

/** A form without its values. */
export interface ParsedExpressionForm {
  readonly query: Query;
  /** How many `?` each expression has: those of the joins, then of where. */
  readonly parameterCounts: readonly number[];
}

/** Forms with the same text differ only in their values and in the numbers of their range. */
export function textOfExpressionForm({ from, join = [], where, orderBy, range }: ExpressionForm): string {
  const joins = join.map(({ entity, entityAlias, type, expression }) => [entity, entityAlias, type, expression.source]);
  const source = where === undefined ? null : where.expression.source;
  return JSON.stringify([from, joins, source, orderBy ?? [], range !== undefined]);
}

/** @throws ServiceError 132; `missing` where a required text is empty */
export function readExpressionForm(form: ExpressionForm, limits: ExpressionLimits): ReadExpressionForm {
  const parsed = parseExpressionForm(form, limits);
  return { query: parsed.query, parameters: parametersOf(expressionsOf(form), parsed, limits) };
}

/** As `readExpressionForm`. */
export function parseExpressionForm(form: ExpressionForm, limits: ExpressionLimits): ParsedExpressionForm {
  const joinForms = form.join ?? [];
  checkTableCount(joinForms.length + 1, limits.queryTablesMax);
  checkExpressionBytes(expressionsOf(form), limits.expressionBytesMax);
  const gathered: Gathered = { parameterCounts: [], further: [] };
  const from = reference(form.from.phyName, form.from.alias, 'from', 'phyName', 'alias');
  const joins = joinForms.map((join, index): Join => {
    const field = `join[${index}]`;
    const table = reference(join.entity, join.entityAlias, field, 'entity', 'entityAlias');
    const kind = joinKinds.get(join.type.trim().replace(/\s+/g, ' ').toUpperCase());
    if (kind === undefined) {
      const expected = 'INNER JOIN, LEFT OUTER JOIN, RIGHT OUTER JOIN or FULL OUTER JOIN';
      throw new ServiceError(132, `${field}.type: expected ${expected}, got ${quoted(join.type)}.`);
    }
    return { kind, table, on: readExpression(join.expression, `${field}.expression`, gathered, limits) };
  });
  checkBound(joins.filter(({ kind }) => kind === 'full').length, fullJoinsMax, 'full outer joins');
  const where = form.where ? readExpression(form.where.expression, 'where.expression', gathered, limits) : null;
  const orderBy = readOrder(form);
  const returned = [from, ...joins.map((join) => join.table)].map((table) => table.alias);
  const { parameterCounts, further } = gathered;
  return {
    query: { from, joins, further, where, orderBy, ranged: form.range !== undefined, returned },
    parameterCounts,
  };
}

/** An expression of a form, and the field that it is in. */
export interface PlacedExpression {
  readonly expression: ExpressionText;
  readonly field: string;
}

/** Those of the joins, then of where. */
export function expressionsOf(form: Pick<ExpressionForm, 'join' | 'where'>): readonly PlacedExpression[] {
  const joins = (form.join ?? []).map(({ expression }, index) => ({ expression, field: `join[${index}].expression` }));
  return form.where ? [...joins, { expression: form.where.expression, field: 'where.expression' }] : joins;
}

/** The values of all `?` of the expressions, in order. @throws ServiceError 132 */
export function parametersOf(
  expressions: readonly PlacedExpression[],
  { parameterCounts }: Pick<ParsedExpressionForm, 'parameterCounts'>,
  { parametersMax }: Pick<ExpressionLimits, 'parametersMax'>,
): (string | null)[] {
  const parameters: (string | null)[] = [];
  for (const [index, { expression, field }] of expressions.entries()) {
    const { params = [] } = expression;
    if (parameterCounts[index] !== params.length) {
      const expected = `${parameterCounts[index]}, one for each "?" of the expression`;
      throw new ServiceError(132, `${field}.params: expected ${expected}, got ${params.length}.`);
    }
    checkParameterCount(parameters.length + params.length, parametersMax);
    for (const [at, value] of params.entries()) parameters.push(sentText(value, `${field}.params[${at}]`));
  }
  return parameters;
}

/** The limit applies to all expressions together, and so bounds the time that reading and checking them takes. */
export function checkExpressionBytes(holders: readonly { readonly expression: ExpressionText }[], max: number): void {
  const bytes = holders.reduce((sum, { expression }) => sum + byteLength(expression.source), 0);
  checkBound(bytes, max, 'bytes of expression', 'expressionBytesMax');
}

function reference(table: string, alias: string, field: string, tableName: string, aliasName: string): TableReference {
  if (table === '') throw missing(`${field}.${tableName}`);
  if (alias === '') throw missing(`${field}.${aliasName}`);
  return { table, alias, position: { source: field, at: 0 } };
}

function readExpression(text: ExpressionText, field: string, gathered: Gathered, limits: ExpressionLimits): Expression {
  return readParsed(text, field, gathered, limits).expression;
}

/** Collected while the expressions of a form are read, in their order. */
export interface Gathered {
  readonly parameterCounts: number[];
  /** As in `Query`. */
  readonly further: TableReference[];
}

/** Parses one expression, and appends the number of its parameters and the tables of its sub-queries. */
export function readParsed(
  { source }: ExpressionText,
  field: string,
  { parameterCounts, further }: Gathered,
  limits: ExpressionLimits,
  naming: Naming = 'nothing',
): ParsedExpression {
  if (source.trim() === '') throw missing(`${field}.source`);
  const before = parameterCounts.reduce((sum, count) => sum + count, 0);
  const parsed = parseExpression(source, `${field}.source`, before, limits.expressionDepthMax, naming);
  parameterCounts.push(parsed.parameters);
  further.push(...parsed.tables);
  return parsed;
}

/** @param selected the names of `select`, by which only groups can be ordered @throws ServiceError 132 */
export function readOrder(
  { orderBy = [] }: Pick<ExpressionForm, 'orderBy'>,
  selected: readonly string[] = [],
): SortKey[] {
  checkSortKeyCount(orderBy.length);
  return orderBy.map(({ column, type }, index) => {
    const isSelected = selected.includes(column.trim());
    const advice = isSelected ? ' Names of select work only with groupBy, distinct or an aggregate.' : '';
    return {
      descending: isDescending(type, `orderBy[${index}]`),
      column: parseColumn(column, `orderBy[${index}].column`, advice),
    };
  });
}

/** @param type ASC or DESC, in any case; ASC where it is absent */
export function isDescending(type: string | undefined, field: string): boolean {
  const direction = (type ?? 'ASC').trim().toUpperCase();
  if (direction === 'ASC' || direction === 'DESC') return direction === 'DESC';
  throw new ServiceError(132, `${field}.type: expected ASC or DESC, got ${quoted(type)}.`);
}
