/** The order of the rows of a query, and the condition that a row comes after another one in it. */
import type { Column, Table } from '../../schema/model.ts';
import { isStoredAlways, systemPosition } from '../../schema/system.ts';
import type { CheckedQuery, ColumnUse } from '../checked.ts';
import { columnSql, type Writer } from './expressions.ts';

export function objectIdOf(table: Table): Column {
  return table.columns[systemPosition.objectId]!;
}

/**
 * The client's sort keys, then the objectId of every alias in the query's order, so that the order is total
 * (docs/reference/queries.md#order). If the rows of the answer are objects, the objectIds have the direction of the
 * last key, so that one index serves all keys.
 */
export function fullOrder({ orderBy, tables, rows }: CheckedQuery): CheckedQuery['orderBy'] {
  const isKey = (id: ColumnUse) =>
    orderBy.some(({ column }) => column.table === id.table && column.column === id.column);
  const descending = rows !== undefined && orderBy.at(-1)?.descending === true;
  const rest = tables
    .map(({ table }, index): ColumnUse => ({ kind: 'column', table: index, column: objectIdOf(table) }))
    .filter((id) => !isKey(id))
    .map((column) => ({ column, descending }));
  return [...orderBy, ...rest];
}

/** Whether a column is an objectId that no outer join can make null. */
export function isNeverNull(use: ColumnUse, checked: CheckedQuery): boolean {
  return use.column === objectIdOf(checked.tables[use.table]!.table) && !mayBeMissing(use, checked);
}

/** Whether an outer join may leave the side of a table empty. */
function mayBeMissing({ table }: ColumnUse, { joins }: Pick<CheckedQuery, 'joins'>): boolean {
  return joins.some(
    ({ kind }, index) =>
      ((kind === 'left' || kind === 'full') && index + 1 === table) ||
      ((kind === 'right' || kind === 'full') && index >= table),
  );
}

/** SQL of a key of the order, and of its value in the row that the page follows. */
export interface Key {
  readonly sql: string;
  /** Null if that row has no value. */
  readonly value: string | null;
  readonly descending: boolean;
  readonly isRequired: boolean;
}

/**
 * Whether rows may follow a page by cursor that its statement does not find. If the first key may be null, an index
 * holds the rows with a value and those without in separate ranges. A page reads one range; a second statement, whose
 * `after` is `beyond`, reads the other.
 */
export function leavesRows({ rows, ...checked }: CheckedQuery, order: CheckedQuery['orderBy']): boolean {
  const [first] = order;
  const after = rows?.after ?? null;
  if (first === undefined || after === null || after === 'beyond' || after.length === 0) return false;
  return !hasAlwaysValue(first.column, checked) && first.descending !== after[0];
}

function hasAlwaysValue(use: ColumnUse, checked: Pick<CheckedQuery, 'joins'>): boolean {
  return isStoredAlways(use.column) && !mayBeMissing(use, checked);
}

/**
 * The condition that a row comes after the row of the bound keys (`Inputs.after`), except those of `leavesRows`; null
 * for the first page and without a cursor. Nulls come first, or last if the key descends. An index serves it, so that a
 * page costs the same at any depth.
 */
export function afterSql(checked: CheckedQuery, order: CheckedQuery['orderBy'], writer: Writer): string | null {
  const after = checked.rows?.after ?? null;
  if (after === null || after.length === 0) return null;
  const [first] = order as [CheckedQuery['orderBy'][number]];
  const firstSql = columnSql(first.column, writer);
  if (after === 'beyond') return `${firstSql} IS ${first.descending ? 'NULL' : 'NOT NULL'}`;
  const staysOnSide = leavesRows(checked, order);
  const keys = order.map(({ column, descending }, index): Key => {
    const value = after[index] === true ? null : writer.binder.key(index, column.column.type);
    const isRequired = hasAlwaysValue(column, checked) || (index === 0 && staysOnSide);
    return { sql: columnSql(column, writer), value, descending, isRequired };
  });
  if (staysOnSide && after[0] === true) return `${firstSql} IS NULL AND ${followsSql(keys.slice(1)) ?? 'FALSE'}`;
  return followsSql(keys) ?? 'FALSE';
}

/** Null if no row follows. */
export function followsSql(keys: readonly Key[]): string | null {
  const [first] = keys as [Key, ...Key[]];
  const { descending } = first;
  // A comparison with null is never true, which is correct for nulls that come first, but not for those that come last.
  const isPlain = ({ value, isRequired, descending: own }: Key) =>
    value !== null && own === descending && (isRequired || !descending);
  if (keys.every(isPlain)) {
    const columns = keys.map(({ sql }) => sql).join(', ');
    return `(${columns}) ${descending ? '<' : '>'} (${keys.map(({ value }) => value).join(', ')})`;
  }
  const chain = keys.reduceRight<string | null>((later, key) => {
    const follows = isAfter(key);
    if (later === null) return follows;
    const equal = key.value === null ? `${key.sql} IS NULL` : `${key.sql} = ${key.value}`;
    const further = `(${equal} AND ${later})`;
    return follows === null ? further : `(${follows} OR ${further})`;
  }, null);
  const isSought = first.value !== null && (first.isRequired || !descending);
  return chain === null || !isSought ? chain : `${first.sql} ${descending ? '<=' : '>='} ${first.value} AND ${chain}`;
}

/** Null if no value comes after the key's. */
function isAfter({ sql, value, descending, isRequired }: Key): string | null {
  if (!descending) return value === null ? `${sql} IS NOT NULL` : `${sql} > ${value}`;
  if (value === null) return null;
  return isRequired ? `${sql} < ${value}` : `(${sql} < ${value} OR ${sql} IS NULL)`;
}
