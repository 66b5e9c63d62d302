/**
 * The queries that the records grid sends, and the table definitions that they refer to. It needs neither browser nor
 * network, so `checker.ts` and the tests use it too.
 */
import type { TableDescription as Described } from '../src/schema/definition.ts';

/** A column in a definition; its further members depend on its type. */
export type ColumnDescription = Described['columns'][number] & {
  readonly type: string;
  readonly fieldLength?: number;
  readonly precision?: number;
  readonly scale?: number;
};

export type TableDescription = Omit<Described, 'columns'> & { readonly columns: readonly ColumnDescription[] };

/** The selection of records. */
export interface Wanted {
  readonly table: string;
  /** A condition on `#r`, or ''. */
  readonly where: string;
  /** A column, with `-` in front for descending order; '' for the order of ids. */
  readonly sort: string;
}

export const alias = 'r';

/** The query in the service's form, which clients use as well. */
export function queryOf({ table, where, sort }: Wanted) {
  const isDescending = sort.startsWith('-');
  const column = `#${alias}.${sort.replace(/^-/, '')}`;
  return {
    from: { phyName: table, alias },
    ...(where.trim() === '' ? {} : { where: { expression: { source: where } } }),
    ...(sort === '' ? {} : { orderBy: [{ column, type: isDescending ? 'DESC' : 'ASC' }] }),
  };
}

export function isText({ type }: ColumnDescription): boolean {
  return type === 'varchar' || type === 'text';
}

export function isNumeric({ type }: ColumnDescription): boolean {
  return ['integer', 'long', 'double', 'float', 'decimal'].includes(type);
}

/** How a condition compares a column with the value of a cell. */
export const comparisons = ['=', '<>', '>', '<', 'IS NULL', 'IS NOT NULL'] as const;
export type Comparison = (typeof comparisons)[number];

/** The comparisons that the column permits. */
export function comparisonsOf({ type }: ColumnDescription, value: unknown): readonly Comparison[] {
  if (value === null || value === undefined || type === 'json') return ['IS NULL', 'IS NOT NULL'];
  return type === 'bool' ? comparisons.filter((each) => each !== '>' && each !== '<') : comparisons;
}

/** `where` combined with a comparison of the column and the value. */
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
