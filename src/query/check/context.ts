/** The state of one query's check: its tables, the use of each `?`, and how literals are read. */

import { quoted, ServiceError } from '../../errors.ts';
import { didYouMeanOneOf } from '../../nearest.ts';
import { whatBecameOf } from '../../schema/former.ts';
import type { SpaceDefinition } from '../../schema/model.ts';
import { isName, nameForm } from '../../schema/names.ts';
import type { ValueRules } from '../../schema/values.ts';
import type { ColumnReference, Expression, Position, TableReference } from '../ast.ts';
import type { CheckedTable, ColumnUse, Condition, Slot, TypedValue } from '../checked.ts';
import { notValid, positionText } from '../fault.ts';
import type { Inferred } from './infer.ts';

export interface CheckContext {
  /** The tables of the query; those of sub-queries are added when they are met. */
  readonly tables: CheckedTable[];
  /** The numbers of the tables that may be referred to here, by alias. */
  readonly names: ReadonlyMap<string, number>;
  /** Aliases that a join adds later: the condition of a join sees the tables up to its own. */
  readonly later: ReadonlySet<string>;
  readonly definition: SpaceDefinition;
  /** By index of the `?`. */
  readonly slots: Map<number, Omit<Slot, 'number'>>;
  /** Inferred types of expressions, cached so that nested expressions are visited once. */
  readonly inferred: Map<Expression, Inferred>;
  /** The weight of the calls whose SQL is long (`checkLongCalls`). */
  readonly long: { weight: number };
  /** The text that the query may hold for one row (`held-texts.ts`). */
  readonly heldTexts: { bytes: number; readonly bytesMax: number };
  /** How many MATCH conditions there are. */
  readonly matches: { count: number };
  readonly rules: ValueRules;
  readonly likePatternMax: number;
  /** Checks a condition within a value: one of a CASE. @throws ServiceError 132 */
  condition(expression: Expression, context: CheckContext): Condition;
  /** Replaces an expression about groups (`groups.ts`); absent for expressions about rows. */
  readonly grouped?: (expression: Expression) => TypedValue | null;
}

/**
 * The table that a reference names, under a unique alias.
 * @param isTaken whether an alias is already in use at the reference
 * @throws ServiceError `noTable`; 132
 */
export function checkTable(
  { table: name, alias, position }: TableReference,
  definition: SpaceDefinition,
  isTaken: (alias: string) => boolean,
): CheckedTable {
  const table = definition.tables.get(name);
  if (table === undefined) {
    const meant = whatBecameOf(name, definition.former, definition.tables.keys());
    throw new ServiceError('noTable', `${positionText(position)}: table ${quoted(name)} is not defined${meant}`);
  }
  if (!isName(alias)) throw notValid(position, `the alias ${quoted(alias)} is not ${nameForm}.`);
  if (isTaken(alias)) throw notValid(position, `the alias "${alias}" already stands for another table.`);
  return { table, alias };
}

/**
 * The column that a reference names. Names are case-sensitive.
 * @throws ServiceError 132
 */
export function resolve(reference: ColumnReference, context: CheckContext): ColumnUse {
  const index = context.names.get(reference.alias);
  if (index === undefined) throw unknownAlias(reference.alias, reference.position, context);
  const found = context.tables[index]!;
  const column = found.table.columns.find((candidate) => candidate.name === reference.column);
  if (column !== undefined) return { kind: 'column', table: index, column };
  const names = found.table.columns.map((candidate) => candidate.name);
  const owner = found.alias === found.table.name ? '' : ` (alias "${found.alias}")`;
  throw notValid(
    reference.position,
    `unknown column "${cut(reference.column)}" of table "${found.table.name}"${owner}${whatBecameOf(reference.column, found.table.former, names)}`,
  );
}

function unknownAlias(alias: string, position: Position, { names, later }: CheckContext): Error {
  if (later.has(alias)) {
    const message = `the alias "${alias}" is joined later; a join's expression refers to the tables up to its own.`;
    return notValid(position, message);
  }
  return notValid(position, `unknown alias "${cut(alias)}"${didYouMeanOneOf(alias, [...names.keys(), ...later])}`);
}

function cut(name: string): string {
  return name.length <= 63 ? name : `${name.slice(0, 60)}...`;
}
