/** Conditions from the value of a cell, in the expression language. Pure. */
import { alias, type ColumnDescription, isNumeric } from '../../queries.ts';

export const comparisons = ['=', '<>', '>', '<', 'IS NULL', 'IS NOT NULL'] as const;
export type Comparison = (typeof comparisons)[number];

/** Those that a value of the column can be compared by. */
export function comparisonsOf({ type }: ColumnDescription, value: unknown): readonly Comparison[] {
  if (value === null || value === undefined || type === 'json') return ['IS NULL', 'IS NOT NULL'];
  return type === 'bool' ? comparisons.filter((each) => each !== '>' && each !== '<') : comparisons;
}

/** The condition that holds where `where` does and the column compares so with the value. */
export function narrowed(where: string, column: ColumnDescription, comparison: Comparison, value: unknown): string {
  const left = `#${alias}.${column.colName} ${comparison}`;
  const condition = comparison.endsWith('NULL') ? left : `${left} ${literalOf(column, value)}`;
  if (where.trim() === '') return condition;
  // AND binds more tightly than OR.
  return /\bor\b/i.test(where) ? `(${where}) AND ${condition}` : `${where} AND ${condition}`;
}

function literalOf(column: ColumnDescription, value: unknown): string {
  if (isNumeric(column)) return String(value).replace('e+', 'e');
  if (column.type === 'bool') return String(value).toUpperCase();
  return `'${String(value).replaceAll("'", "''")}'`;
}
