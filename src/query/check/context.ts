/** What the check of one query knows and collects: its tables, the use of each `?`, and how literals are read. */

import { didYouMean } from '../../nearest.ts';
import { whatBecameOf } from '../../schema/former.ts';
import type { ValueRules } from '../../schema/values.ts';
import type { ColumnReference, Expression, Position } from '../ast.ts';
import type { CheckedTable, ColumnUse, Condition, Slot, TypedValue } from '../checked.ts';
import { notValid } from '../fault.ts';
import type { Inferred } from './infer.ts';

export interface CheckContext {
  readonly tables: readonly CheckedTable[];
  /** How many of the tables may be referred to here: the condition of a join sees the tables up to its own. */
  readonly reach: number;
  /** By index of the `?`. */
  readonly slots: Map<number, Omit<Slot, 'number'>>;
  /** Inferred types of expressions, cached so that nested expressions are visited once. */
  readonly inferred: Map<Expression, Inferred>;
  /** The weight of the calls whose SQL is long (`checkLongCalls`). */
  readonly long: { weight: number };
  readonly rules: ValueRules;
  readonly likePatternMax: number;
  /** Checks a condition within a value, that of a CASE. @throws ServiceError 132 */
  condition(expression: Expression, context: CheckContext): Condition;
  /** What stands for an expression about groups (`groups.ts`); absent for expressions about rows. */
  readonly grouped?: (expression: Expression) => TypedValue | null;
}

/**
 * The column that a reference names. Names are case-sensitive.
 * @throws ServiceError 132
 */
export function resolve(reference: ColumnReference, context: CheckContext): ColumnUse {
  const index = context.tables.findIndex((table) => table.alias === reference.alias);
  const found = context.tables[index];
  if (found === undefined) throw unknownAlias(reference.alias, reference.position, context);
  if (index >= context.reach) {
    const message = `the alias "${found.alias}" is joined later; a join's expression refers to the tables up to its own.`;
    throw notValid(reference.position, message);
  }
  const column = found.table.columns.find((candidate) => candidate.name === reference.column);
  if (column !== undefined) return { kind: 'column', table: index, column };
  const names = found.table.columns.map((candidate) => candidate.name);
  const owner = found.alias === found.table.name ? '' : ` (alias "${found.alias}")`;
  throw notValid(
    reference.position,
    `unknown column "${cut(reference.column)}" of table "${found.table.name}"${owner}${whatBecameOf(reference.column, found.table.former, names)}`,
  );
}

function unknownAlias(alias: string, position: Position, context: CheckContext): Error {
  const aliases = context.tables.map((table) => table.alias);
  return notValid(position, `unknown alias "${cut(alias)}"${didYouMean(alias, aliases)}`);
}

function cut(name: string): string {
  return name.length <= 63 ? name : `${name.slice(0, 60)}...`;
}
