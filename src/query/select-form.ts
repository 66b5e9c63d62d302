/**
 * Reads the form of a select query (docs/reference/queries.md#selecting) into the tree: the members of the expression form,
 * what a row holds, and where a page begins.
 */
import { quoted, ServiceError } from '../errors.ts';
import type { RowsForm, SelectItem } from './ast.ts';
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
  readExpression,
  textOfExpressionForm,
} from './expression-form.ts';

export interface SelectForm extends Omit<ExpressionForm, 'range'> {
  readonly select?: readonly { readonly name: string; readonly expression: ExpressionText }[];
  readonly range?: { readonly offset?: number; readonly limit: number };
  /** Empty for the first page; otherwise the `next` of the page before. */
  readonly after?: string;
  /** `typed` (unless sent) or `text`. */
  readonly values?: string;
}

/** The joins', where's, then those of `select`. */
export function expressionsOfSelect(form: SelectForm): readonly PlacedExpression[] {
  const selected = (form.select ?? []).map(({ expression }, index) => ({
    expression,
    field: `select[${index}].expression`,
  }));
  return [...expressionsOf(form), ...selected];
}

/** Forms with the same text differ only in their values, in the numbers of their range, and in their cursor. */
export function textOfSelectForm(form: SelectForm): string {
  const { select, values = 'typed', range, after, ...query } = form;
  const selected = select?.map(({ name, expression }) => [name, expression.source]) ?? null;
  return JSON.stringify([textOfExpressionForm(query), selected, values, range !== undefined, after !== undefined]);
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
  const { select, values = 'typed', range, after: _, ...rest } = form;
  if (values !== 'typed' && values !== 'text') {
    throw new ServiceError(132, `values: expected "typed" or "text", got ${quoted(values)}.`);
  }
  if (select?.length === 0) {
    throw new ServiceError(132, 'select: expected one value or more, got none; leave it out for whole records.');
  }
  checkBound(select?.length ?? 0, resultColumnsMax, 'columns in its answer');
  checkExpressionBytes(expressionsOfSelect(form), limits.expressionBytesMax);
  const { query, parameterCounts } = parseExpressionForm(rest, limits);
  const counts = [...parameterCounts];
  const items = select?.map(({ name, expression }, index): SelectItem => {
    const field = `select[${index}]`;
    const position = { source: `${field}.name`, at: 0 };
    return { name, expression: readExpression(expression, `${field}.expression`, counts, limits), position };
  });
  const rows = { select: items ?? null, typed: values === 'typed', after };
  return { query: { ...query, ranged: range !== undefined, rows }, parameterCounts: counts };
}
