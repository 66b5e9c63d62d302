/** The order of the rows of a query, and the condition that a row comes after another one in it. */
import type { Column, Table } from '../../schema/model.ts';
import { systemPosition } from '../../schema/system.ts';
import type { CheckedQuery, ColumnUse } from '../checked.ts';
import { columnSql, type Writer } from './expressions.ts';

export function objectIdOf(table: Table): Column {
  return table.columns[systemPosition.objectId]!;
}

/**
 * The client's sort keys, then the objectId of every alias in the query's order, so that the order is total
 * (docs/reference/queries.md#order). Where a row of the answer is an object, the objectIds have the direction of the
 * last key, so that one index serves them all.
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
function mayBeMissing({ table }: ColumnUse, { joins }: CheckedQuery): boolean {
  return joins.some(
    ({ kind }, index) => (kind === 'left' && index + 1 === table) || (kind === 'right' && index >= table),
  );
}

/** SQL of a key of the order, and of its value in the row that the page follows. */
interface Key {
  readonly sql: string;
  /** Null where that row has no value. */
  readonly value: string | null;
  readonly descending: boolean;
  readonly isRequired: boolean;
}

/**
 * The condition that a row comes after the one whose keys are bound (`Inputs.after`); null for the first page, and where
 * there is no cursor. Nulls come first, and last where the key is descending. It begins with a condition that an index
 * can be sought by, so that a page costs the same wherever it begins.
 */
export function afterSql(checked: CheckedQuery, order: CheckedQuery['orderBy'], writer: Writer): string | null {
  const nulls = checked.rows?.after ?? [];
  if (nulls.length === 0) return null;
  const keys = order.map(({ column, descending }, index): Key => {
    const value = nulls[index] === true ? null : writer.binder.key(index, column.column.type);
    const isRequired = isNeverNull(column, checked) || (column.column.required && !mayBeMissing(column, checked));
    return { sql: columnSql(column, writer), value, descending, isRequired };
  });
  const [first] = keys as [Key, ...Key[]];
  const isOneDirection = keys.every(({ descending }) => descending === first.descending);
  // A comparison with a null is never true: right for nulls that come first, wrong for those that come last.
  if (isOneDirection && keys.every(({ value, isRequired }) => value !== null && (isRequired || !first.descending))) {
    const columns = keys.map(({ sql }) => sql).join(', ');
    return `(${columns}) ${first.descending ? '<' : '>'} (${keys.map(({ value }) => value).join(', ')})`;
  }
  const chain = keys.reduceRight<string | null>((later, key) => {
    const follows = isAfter(key);
    if (later === null) return follows;
    const equal = key.value === null ? `${key.sql} IS NULL` : `${key.sql} = ${key.value}`;
    const further = `(${equal} AND ${later})`;
    return follows === null ? further : `(${follows} OR ${further})`;
  }, null);
  const bound = seekable(first);
  return bound === null ? chain : `${bound} AND ${chain ?? 'TRUE'}`;
}

/** Null where no value comes after the key's. */
function isAfter({ sql, value, descending, isRequired }: Key): string | null {
  if (!descending) return value === null ? `${sql} IS NOT NULL` : `${sql} > ${value}`;
  if (value === null) return null;
  return isRequired ? `${sql} < ${value}` : `(${sql} < ${value} OR ${sql} IS NULL)`;
}

function seekable({ sql, value, descending, isRequired }: Key): string | null {
  if (value === null) return null;
  if (!descending) return `${sql} >= ${value}`;
  return isRequired ? `${sql} <= ${value}` : null;
}
