/** Recommends indexes from the conditions and the order of a query. Pure. */
import { isIndexable } from '../schema/column-type.ts';
import type { Column } from '../schema/model.ts';
import { isHidden } from '../schema/names.ts';
import { systemName } from '../schema/system.ts';
import type { CheckedQuery, ColumnUse, Condition, Value } from './checked.ts';
import { termsOf } from './compile/expressions.ts';
import { partsOf, readsOf } from './compile/join-order.ts';

/**
 * The columns of an index that a table of the query lacks, or none: columns compared for equality, then one compared
 * otherwise, or, if it is the only table, those of the order. Conditions under OR or NOT do not count.
 * @param number of the table
 * @param byJoins whether its records are also looked up by those of earlier tables
 */
export function wantedIndex(
  { tables, joins, where, orderBy }: CheckedQuery,
  number: number,
  byJoins: boolean,
): readonly string[] {
  const { table } = tables[number]!;
  const terms = [...joins.flatMap(({ on }) => termsOf(on)), ...(where === null ? [] : termsOf(where))];
  const sought = (isOf: (term: Condition) => boolean) =>
    terms.filter(isOf).flatMap((term) => soughtColumns(term, number, byJoins));
  const equal = sought(isEquality);
  const between = sought(isRange).filter((column) => !equal.includes(column));
  const further = between.length > 0 ? between.slice(0, 1) : tables.length === 1 ? orderOf(orderBy) : [];
  const columns = [...new Set([...equal, ...further])];
  const isKey = equal.some(({ name }) => name === systemName.objectId);
  const names = columns.filter(({ type, name }) => isIndexable(type) && !isHidden(name)).map(({ name }) => name);
  const isThere = table.indexes.some((index) => names.every((name, at) => index.columns[at] === name));
  return isKey || isThere ? [] : names;
}

/** An index serves an order with one direction, ascending or descending. */
function orderOf(orderBy: CheckedQuery['orderBy']): readonly Column[] {
  const isOneWay = orderBy.every(({ descending }) => descending === orderBy[0]?.descending);
  const columns = orderBy.map(({ column }) => column.column);
  return isOneWay && columns[0]?.name !== systemName.objectId ? columns : [];
}

/** The columns of the table that a term compares with values known before its records are read. */
function soughtColumns(term: Condition, number: number, byJoins: boolean): readonly Column[] {
  const parts = partsOf(term) as readonly Value[];
  const candidates = term.kind === 'comparison' ? parts : parts.slice(0, 1);
  return candidates.flatMap((part) => {
    const known = parts.filter((other) => other !== part).flatMap((other) => [...readsOf(other)]);
    const isKnown = known.every((read) => byJoins && Number(read) < number);
    return isColumnOf(part, number) && isKnown ? [part.column] : [];
  });
}

function isColumnOf(value: Value, number: number): value is ColumnUse {
  return value.kind === 'column' && value.table === number;
}

function isEquality(term: Condition): boolean {
  return (term.kind === 'comparison' && term.operator === '=') || (term.kind === 'in' && !term.negated);
}

function isRange(term: Condition): boolean {
  if (term.kind === 'between') return !term.negated;
  return term.kind === 'comparison' && ['<', '<=', '>', '>='].includes(term.operator);
}
