/**
 * Reads the form of a select query (docs/reference/queries.md#selecting) into the tree: the members of the expression
 * form, the values of a row, and the start of a page. Groups: `groups-form.ts`.
 */
import { quoted, ServiceError } from '../errors.ts';
import type { RowsForm } from './ast.ts';
import { checkBound, resultColumnsMax } from './bounds.ts';
import {
  checkExpressionBytes,
  type ExpressionForm,
  type ExpressionLimits,
  type ExpressionText,
  expressionsOf,
  type ParsedExpressionForm,
  type PlacedExpression,
  parseExpressionForm,
  readOrder,
  readParsed,
  textOfExpressionForm,
} from './expression-form.ts';
import { type GroupsText, groupTexts, readGroups } from './groups-form.ts';

export interface SelectForm extends Omit<ExpressionForm, 'range'>, GroupsText {
  readonly select?: readonly { readonly name: string; readonly expression: ExpressionText }[];
  readonly range?: { readonly offset?: number; readonly limit: number };
  /** Empty for the first page; otherwise the previous page's `next`. */
  readonly after?: string;
  /** `typed` (unless sent) or `text`. */
  readonly values?: string;
}

/** Those of the joins, where, `select`, then having. */
export function expressionsOfSelect(form: SelectForm): readonly PlacedExpression[] {
  const { select = [], having } = form;
  const selected = select.map(({ expression }, index) => ({ expression, field: `select[${index}].expression` }));
  const ofGroups = having === undefined ? [] : [{ expression: having.expression, field: 'having.expression' }];
  return [...expressionsOf(form), ...selected, ...ofGroups];
}

/** Forms with the same text differ only in their values, in the numbers of their range, and in their cursor. */
export function textOfSelectForm(form: SelectForm): string {
  const { select, values = 'typed', range, after, groupBy, having, distinct = false, ...query } = form;
  const selected = select?.map(({ name, expression }) => [name, expression.source]) ?? null;
  const groups = [groupBy ?? null, having?.expression.source ?? null, distinct];
  return JSON.stringify([
    textOfExpressionForm(query),
    selected,
    groups,
    values,
    range !== undefined,
    after !== undefined,
  ]);
}

/**
 * @param after as in `RowsForm`
 * @throws ServiceError 132; `missing` where a required text is empty
 */
export function parseSelectForm(
  form: SelectForm,
  after: RowsForm['after'],
  limits: ExpressionLimits,
): ParsedExpressionForm {
  const { from, join = [], where, select, values = 'typed', range } = form;
  if (values !== 'typed' && values !== 'text') {
    throw new ServiceError(132, `values: expected "typed" or "text", got ${quoted(values)}.`);
  }
  if (select?.length === 0) {
    throw new ServiceError(132, 'select: expected one value or more, got none; leave it out for whole records.');
  }
  checkBound(select?.length ?? 0, resultColumnsMax, 'columns in its answer');
  checkExpressionBytes([...expressionsOfSelect(form), ...groupTexts(form)], limits.expressionBytesMax);
  const ofRows = { from, join, ...(where && { where }) };
  const { query, parameterCounts } = parseExpressionForm(ofRows, limits);
  const gathered = { parameterCounts: [...parameterCounts], further: [...query.further] };
  let hasAggregate = false;
  const items = select?.map(({ name, expression }, index) => {
    const field = `select[${index}]`;
    const parsed = readParsed(expression, `${field}.expression`, gathered, limits);
    hasAggregate ||= parsed.hasAggregate;
    return { name, expression: parsed.expression, position: { source: `${field}.name`, at: 0 } };
  });
  const groups = readGroups(form, items ?? null, hasAggregate, gathered, limits);
  const names = select?.map(({ name }) => name);
  const orderBy = groups === null ? readOrder(form, names) : [];
  const rows = { select: items ?? null, typed: values === 'typed', after, ...(groups && { groups }) };
  const { further } = gathered;
  const whole = { ...query, further, orderBy, ranged: range !== undefined, rows };
  return { query: whole, parameterCounts: gathered.parameterCounts };
}
