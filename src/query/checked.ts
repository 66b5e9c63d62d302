/**
 * A query whose names and types are all settled: `check` makes it from the tree, and `compile` turns it into SQL.
 * Conditions and values are separate types here, so a truth value is never compared, selected or computed with (engines
 * differ there).
 */
import type { Fold } from '../schema/fold.ts';
import type { Column, ColumnType, StoredValue, Table } from '../schema/model.ts';
import type { Join, Position, RowsForm } from './ast.ts';
import type { AggregateName, CallName, ComparisonOperator } from './language.ts';

export interface CheckedQuery {
  /** In the query's order; later nodes refer to a table by its number here. */
  readonly tables: readonly CheckedTable[];
  /** The same, then the tables of sub-queries. */
  readonly allTables: readonly CheckedTable[];
  /** The n-th join adds table n + 1. */
  readonly joins: readonly { readonly kind: Join['kind']; readonly on: Condition }[];
  readonly where: Condition | null;
  readonly orderBy: readonly { readonly column: ColumnUse; readonly descending: boolean }[];
  readonly ranged: boolean;
  /** Numbers of the tables whose records are returned, in this order. */
  readonly returned: readonly number[];
  /** One for each `?`, in order. */
  readonly slots: readonly Slot[];
  /** Absent where the answer has an array of records for each returned table. */
  readonly rows?: CheckedRows;
}

export interface CheckedRows {
  /** The values of a row; null for the records of all tables. */
  readonly selected: readonly SelectedValue[] | null;
  readonly typed: boolean;
  /** As in `RowsForm`. */
  readonly after: RowsForm['after'];
  readonly groups?: CheckedGroups;
}

/** The columns of the groups are the keys, then the aggregates; the values of `selected` are made of them. */
export interface CheckedGroups {
  /** The values that the rows of a group share. Empty for a single group of all rows, which may have no rows. */
  readonly keys: readonly TypedValue[];
  readonly aggregates: readonly CheckedAggregate[];
  readonly having: Condition | null;
  readonly orderBy: readonly GroupSortKey[];
}

export interface GroupSortKey extends TypedValue {
  readonly descending: boolean;
}

export interface CheckedAggregate {
  readonly name: AggregateName;
  readonly distinct: boolean;
  /** Null for COUNT(*). */
  readonly operand: TypedValue | null;
  /** Of the result. */
  readonly type: ColumnType;
}

export interface TypedValue {
  readonly value: Value;
  readonly type: ColumnType;
}

export interface SelectedValue extends TypedValue {
  readonly name: string;
}

export interface CheckedTable {
  readonly table: Table;
  readonly alias: string;
}

export interface ColumnUse {
  readonly kind: 'column';
  readonly table: number;
  readonly column: Column;
}

/** The use of a `?`, which decides how its value is read. Values are not part of the shape. */
export interface Slot {
  /** The position of the `?`. */
  readonly position: Position;
  /** Number of the `?` within its source, from 1. */
  readonly number: number;
  readonly use:
    | {
        readonly kind: 'value';
        readonly type: ColumnType /** what determined the type, for errors */;
        readonly as: string;
      }
    | { readonly kind: 'pattern'; readonly escape: string | null; readonly ignoreCase: boolean }
    | { readonly kind: 'words' };
}

export type Value =
  | ColumnUse
  | { readonly kind: 'parameter'; readonly slot: number; readonly type: ColumnType }
  | { readonly kind: 'literal'; readonly value: StoredValue; readonly type: ColumnType }
  /** An operator or function of `language.ts` that is written as SQL. */
  | {
      readonly kind: 'call';
      readonly name: CallName;
      readonly operands: readonly Value[];
      readonly types: { readonly operands: readonly ColumnType[]; readonly result: ColumnType };
    }
  /** The value of the first true condition. */
  | {
      readonly kind: 'case';
      readonly choices: readonly { readonly when: Condition; readonly value: Value }[];
      readonly otherwise: Value;
    }
  /** The time of the query, a datetime. */
  | { readonly kind: 'now' }
  | { readonly kind: 'fold'; readonly to: Fold; readonly operand: Value }
  | { readonly kind: 'coalesce'; readonly operands: readonly Value[] }
  /** An unscaled decimal, or an integer, times a power of ten that is known not to overflow the type. */
  | { readonly kind: 'rescaled'; readonly operand: Value; readonly digits: number; readonly isWide: boolean }
  /** A column of the groups (`CheckedGroups`). */
  | { readonly kind: 'grouped'; readonly column: number };

export interface CheckedSubQuery<Selected> {
  /** Its number in `allTables`. */
  readonly table: number;
  readonly value: Selected;
  readonly where: Condition | null;
}

export type Condition =
  | { readonly kind: 'logical'; readonly operator: 'AND' | 'OR'; readonly operands: readonly Condition[] }
  | { readonly kind: 'not'; readonly operand: Condition }
  | {
      readonly kind: 'comparison';
      readonly operator: ComparisonOperator;
      readonly left: Value;
      readonly right: Value;
    }
  | { readonly kind: 'like'; readonly operand: Value; readonly pattern: Pattern; readonly negated: boolean }
  /** @property operand the column that holds the terms */
  | { readonly kind: 'match'; readonly operand: ColumnUse; readonly words: Words }
  | { readonly kind: 'in'; readonly operand: Value; readonly list: readonly Value[]; readonly negated: boolean }
  | {
      readonly kind: 'between';
      readonly operand: Value;
      readonly low: Value;
      readonly high: Value;
      readonly negated: boolean;
    }
  | { readonly kind: 'isNull'; readonly operand: Value; readonly negated: boolean }
  | { readonly kind: 'exists'; readonly query: CheckedSubQuery<null> }
  | {
      readonly kind: 'inQuery';
      readonly operand: Value;
      readonly query: CheckedSubQuery<Value>;
      readonly negated: boolean;
    }
  /** A value of type bool. */
  | { readonly kind: 'truth'; readonly operand: Value };

/** What MATCH looks for. Terms are read when the words are bound, so that a browser checks queries without the tables of Unicode. */
export type Words =
  | { readonly kind: 'slot'; readonly slot: number }
  | { readonly kind: 'literal'; readonly words: string; readonly position: Position };

export type Pattern =
  | { readonly kind: 'slot'; readonly slot: number }
  | {
      readonly kind: 'literal';
      readonly pattern: string;
      readonly escape: string | null;
      readonly ignoreCase: boolean;
    };
