/**
 * Whether a query does little work for each row and yields its first rows early, so that it may run where a long query
 * would block others.
 */
import type { CheckedQuery, Condition, Value } from '../checked.ts';

/** Columns, values and operators in the condition, and in each value of the answer. */
const partsMax = 24;

/**
 * True for a query of one table whose condition and values have few terms and call no function: the work for a row is
 * then bounded by its size. The number of rows is not bounded. Groups read all rows before the first result.
 */
export function isLight({ tables, where, rows }: CheckedQuery): boolean {
  const selected = (rows?.selected ?? []).map(({ value }) => value);
  const nodes = where === null ? selected : [where, ...selected];
  return rows?.groups === undefined && tables.length === 1 && nodes.every((node) => partsOf(node) <= partsMax);
}

/** Infinity if it computes values, or searches in texts or in another table. */
function partsOf(node: Condition | Value): number {
  switch (node.kind) {
    case 'column':
    case 'parameter':
    case 'literal':
    case 'grouped':
    case 'now':
      return 1;
    case 'logical':
    case 'coalesce':
      return sumOf(node.operands);
    case 'not':
    case 'isNull':
    case 'truth':
    case 'rescaled':
      return sumOf([node.operand]);
    case 'comparison':
      return sumOf([node.left, node.right]);
    case 'between':
      return sumOf([node.operand, node.low, node.high]);
    case 'in':
      return sumOf([node.operand, ...node.list]);
    case 'like':
    case 'match':
    case 'fold':
    case 'call':
    case 'case':
    case 'exists':
    case 'inQuery':
      return Number.POSITIVE_INFINITY;
  }
}

function sumOf(nodes: readonly (Condition | Value)[]): number {
  return nodes.reduce((sum, node) => sum + partsOf(node), 1);
}
