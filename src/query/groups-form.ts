/** Reads the members of a select query that group its rows (docs/reference/queries.md#groups) into the tree. */
import { missing, ServiceError } from '../errors.ts';
import type { Expression, GroupsForm, SelectItem } from './ast.ts';
import { checkSortKeyCount } from './bounds.ts';
import { parseExpression } from './expression/parser.ts';
import {
  type ExpressionForm,
  type ExpressionLimits,
  type Gathered,
  isDescending,
  readParsed,
} from './expression-form.ts';
import { notValid } from './fault.ts';

export interface GroupsText extends Pick<ExpressionForm, 'orderBy'> {
  /** Each is the name of a value of `select`, or an expression without `?`. */
  readonly groupBy?: readonly string[];
  readonly having?: { readonly expression: { readonly source: string; readonly params?: readonly unknown[] } };
  readonly distinct?: boolean;
}

/** The texts that may be expressions, besides `having`. */
export function groupTexts({ groupBy = [], orderBy = [] }: GroupsText) {
  const sources = [...groupBy, ...orderBy.map(({ column }) => column)];
  return sources.map((source) => ({ expression: { source } }));
}

/**
 * Null if the rows are not grouped: without `groupBy`, `having`, `distinct`, and aggregates in `select`. @param
 * gathered collects the contents of expressions
 * @throws ServiceError 132
 */
export function readGroups(
  form: GroupsText,
  select: readonly SelectItem[] | null,
  hasAggregate: boolean,
  gathered: Gathered,
  limits: ExpressionLimits,
): GroupsForm | null {
  const { groupBy, having, distinct = false, orderBy = [] } = form;
  const isGrouped = groupBy !== undefined || having !== undefined || hasAggregate;
  if (!isGrouped && !distinct) return null;
  if (select === null) {
    const cause = isGrouped ? `"${groupBy === undefined ? 'having' : 'groupBy'}"` : '"distinct"';
    throw new ServiceError(132, `select: expected values beside ${cause}, got none, which means whole records.`);
  }
  if (isGrouped && distinct) {
    throw new ServiceError(
      132,
      'distinct: expected none beside groupBy, having or an aggregate; select all groupBy values to get different rows.',
    );
  }
  if (groupBy?.length === 0) {
    throw new ServiceError(
      132,
      'groupBy: expected one value or more, got none; leave it out for one group of all rows.',
    );
  }
  checkSortKeyCount(orderBy.length);
  const read = (source: string, field: string): Expression => {
    if (source.trim() === '') throw missing(field);
    const { expression, parameters, tables } = parseExpression(source, field, 0, limits.expressionDepthMax, 'values');
    gathered.further.push(...tables);
    if (parameters === 0) return expression;
    throw notValid(
      { source: field, at: 0 },
      'expected no "?", but the name of a value of select, which may have some.',
    );
  };
  const keys = distinct
    ? select.map(({ expression }) => expression)
    : (groupBy ?? []).map((source, index) => read(source, `groupBy[${index}]`));
  const condition =
    having === undefined
      ? null
      : readParsed(having.expression, 'having.expression', gathered, limits, 'values').expression;
  const order = orderBy.map(({ column, type }, index) => ({
    descending: isDescending(type, `orderBy[${index}]`),
    value: read(column, `orderBy[${index}].column`),
  }));
  return { by: keys, having: condition, orderBy: order };
}
