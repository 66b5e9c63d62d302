/**
 * The queries that the records grid sends, and the table definitions that they refer to. Nothing here needs a browser or a
 * network, so `checker.ts` and the tests use it too.
 */
import type { TableDescription as Described } from '../src/schema/definition.ts';

/** A column as definitions show it; what else it has depends on its type. */
export type ColumnDescription = Described['columns'][number] & {
  readonly type: string;
  readonly fieldLength?: number;
  readonly precision?: number;
  readonly scale?: number;
};

export type TableDescription = Omit<Described, 'columns'> & { readonly columns: readonly ColumnDescription[] };

/** How records are looked for. */
export interface Wanted {
  readonly table: string;
  /** A condition on `#r`, or nothing. */
  readonly where: string;
  /** A column, with `-` before it for descending order; nothing for the order of ids. */
  readonly sort: string;
}

export const alias = 'r';

/** The query in the form that the service takes, from clients as well. */
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
