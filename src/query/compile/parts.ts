/** Pieces of SQL with the depth of their trees, and how they are combined. */
import { checkLevels } from '../bounds.ts';

/** SQL and the depth of its tree. SQLite allows 1 000 levels, so long chains are built as balanced trees. */
export interface Part {
  readonly sql: string;
  readonly height: number;
  /** The heights of the trees in its sub-queries, summed if nested, because SQLite adds each to those around it. */
  readonly below: number;
}

export function leaf(sql: string): Part {
  return { sql, height: 1, below: 0 };
}

/** @throws ServiceError 132 when the tree becomes too deep */
export function above(inner: readonly Part[], sql: string, levels = 1): Part {
  let [height, below] = [0, 0];
  for (const part of inner) {
    height = Math.max(height, part.height);
    below = Math.max(below, part.below);
  }
  height += levels;
  checkLevels(height + below);
  return { sql, height, below };
}

/** The most levels that the SQL of a dialect adds, including a sub-select. */
export const nestedLevels = 6;
/** `NOT`, `IN` or `IS TRUE`. */
const queryLevels = 2;
/** The most levels that a rule's own SQL adds (`Written`). */
export const writtenLevels = 5;

/** As `above`, for SQL of a dialect. */
export function nested(inner: readonly Part[], sql: string, levels = nestedLevels): Part {
  return above(inner, sql, levels);
}

/** A condition with a sub-query. @param inner the parts in the sub-query */
export function aboveQuery(outer: readonly Part[], inner: readonly Part[], sql: string): Part {
  const trees = inner.map((part) => ({ ...part, below: part.below + part.height }));
  return above([...outer, ...trees], sql, queryLevels);
}

export function negatedIf(negated: boolean, part: Part): Part {
  return negated ? above([part], `NOT (${part.sql})`) : part;
}

/** Joins neighbours, the shallowest first, into one tree little deeper than its deepest operand. */
export function balanced(operands: readonly Part[], operator: 'AND' | 'OR'): Part {
  let parts = operands;
  let height = parts.reduce((least, part) => Math.min(least, part.height), Number.POSITIVE_INFINITY);
  while (parts.length > 1) {
    const joined: Part[] = [];
    for (let index = 0; index < parts.length; index++) {
      const left = parts[index]!;
      const right = parts[index + 1];
      if (right === undefined || left.height > height || right.height > height) {
        joined.push(left);
      } else {
        joined.push(above([left, right], `(${left.sql} ${operator} ${right.sql})`));
        index++;
      }
    }
    parts = joined;
    height++;
  }
  return parts[0]!;
}

const coalesceMax = 100;

/** SQLite limits the arguments of a function, so a long list is split into groups, each with its own COALESCE. */
export function coalesce(operands: readonly Part[]): Part {
  if (operands.length === 1) return operands[0]!;
  if (operands.length <= coalesceMax) {
    return above(operands, `coalesce(${operands.map((part) => part.sql).join(', ')})`);
  }
  const groups: Part[] = [];
  for (let index = 0; index < operands.length; index += coalesceMax) {
    groups.push(coalesce(operands.slice(index, index + coalesceMax)));
  }
  return coalesce(groups);
}
