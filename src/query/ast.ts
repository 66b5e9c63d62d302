/**
 * The tree that both query forms are parsed into (docs/reference/queries.md) and that every later stage reads. Nodes
 * are plain and read-only; functions elsewhere work on them. Every expression node records its position in the request,
 * for error messages.
 */
import type { AggregateName, CallName, ComparisonOperator } from './language.ts';

/**
 * A position in the request: `source` is the field (`where.expression.source`), `at` the character, counted from 1, or
 * 0 for the whole field.
 */
export interface Position {
  readonly source: string;
  readonly at: number;
}

export interface TableReference {
  readonly table: string;
  readonly alias: string;
  readonly position: Position;
}

export interface Join {
  readonly kind: 'inner' | 'left' | 'right' | 'full';
  readonly table: TableReference;
  readonly on: Expression;
}

export interface SortKey {
  readonly column: ColumnReference;
  readonly descending: boolean;
}

export interface Query {
  readonly from: TableReference;
  readonly joins: readonly Join[];
  /** The tables of all sub-queries, in the order in which they are written. */
  readonly further: readonly TableReference[];
  readonly where: Expression | null;
  readonly orderBy: readonly SortKey[];
  /** True when the rows are limited. Offset and limit are bound values and not part of the shape. */
  readonly ranged: boolean;
  /** The aliases whose records are returned, in this order. */
  readonly returned: readonly string[];
  /** Absent where the answer has an array of records for each alias. */
  readonly rows?: RowsForm;
}

/** An answer of one object per row (docs/reference/queries.md#selecting). */
export interface RowsForm {
  /** The members of a row; null for the records of all aliases, each under its alias. */
  readonly select: readonly SelectItem[] | null;
  /** Whether values are JSON of their type, or text. */
  readonly typed: boolean;
  /**
   * For pages by cursor: whether each key of the order is null in the row that the page follows. Empty on the first
   * page; `beyond` for the rows on the other side of the first key's nulls; null without a cursor.
   */
  readonly after: readonly boolean[] | 'beyond' | null;
  /** Absent if rows are not grouped; the order is then the query's `orderBy`. */
  readonly groups?: GroupsForm;
}

/** Rows with equal keys become one row of the answer, described by `select` (docs/reference/queries.md#groups). */
export interface GroupsForm {
  /** Empty for one group of all rows. */
  readonly by: readonly Expression[];
  readonly having: Expression | null;
  readonly orderBy: readonly { readonly value: Expression; readonly descending: boolean }[];
}

export interface SelectItem {
  readonly name: string;
  readonly expression: Expression;
  readonly position: Position;
}

export interface ColumnReference {
  readonly kind: 'column';
  readonly alias: string;
  readonly column: string;
  readonly position: Position;
}

/** The records of one table that meet a condition, which may also refer to the tables around it. */
export interface SubQuery<Value> {
  readonly from: TableReference;
  /** The value taken from each record; null if only its presence matters. */
  readonly value: Value;
  readonly where: Expression | null;
}

export type Expression =
  | ColumnReference
  /** `index` counts the `?` of the whole query from 0: joins in their order, then where. */
  | { readonly kind: 'parameter'; readonly index: number; readonly position: Position }
  | { readonly kind: 'number'; readonly text: string; readonly position: Position }
  | { readonly kind: 'text'; readonly value: string; readonly position: Position }
  | { readonly kind: 'bool'; readonly value: boolean; readonly position: Position }
  | { readonly kind: 'null'; readonly position: Position }
  | {
      readonly kind: 'logical';
      readonly operator: 'AND' | 'OR';
      readonly operands: readonly Expression[];
      readonly position: Position;
    }
  | { readonly kind: 'not'; readonly operand: Expression; readonly position: Position }
  | {
      readonly kind: 'comparison';
      readonly operator: ComparisonOperator;
      readonly left: Expression;
      readonly right: Expression;
      readonly ignoreCase: boolean;
      readonly position: Position;
    }
  | {
      readonly kind: 'like';
      readonly operand: Expression;
      /** A text literal or a parameter. */
      readonly pattern: Expression;
      /** One character, or null for no escape character. */
      readonly escape: string | null;
      readonly negated: boolean;
      readonly ignoreCase: boolean;
      readonly position: Position;
    }
  /** True if the text of a column has all words. */
  | {
      readonly kind: 'match';
      readonly column: Expression;
      /** A text literal or a parameter. */
      readonly words: Expression;
      readonly position: Position;
    }
  | {
      readonly kind: 'in';
      readonly operand: Expression;
      readonly list: readonly Expression[];
      readonly negated: boolean;
      readonly ignoreCase: boolean;
      readonly position: Position;
    }
  | {
      readonly kind: 'between';
      readonly operand: Expression;
      readonly low: Expression;
      readonly high: Expression;
      readonly negated: boolean;
      readonly position: Position;
    }
  | { readonly kind: 'isNull'; readonly operand: Expression; readonly negated: boolean; readonly position: Position }
  /** Whether the sub-query finds a record. */
  | { readonly kind: 'exists'; readonly query: SubQuery<null>; readonly position: Position }
  | {
      readonly kind: 'inQuery';
      readonly operand: Expression;
      readonly query: SubQuery<Expression>;
      readonly negated: boolean;
      readonly position: Position;
    }
  /** The value of the first true condition; if none is true, `otherwise` or null. */
  | {
      readonly kind: 'case';
      readonly choices: readonly { readonly when: Expression; readonly value: Expression }[];
      readonly otherwise: Expression | null;
      readonly position: Position;
    }
  /** A function, or an operator between two values. */
  | {
      readonly kind: 'call';
      readonly name: CallName;
      readonly arguments: readonly Expression[];
      readonly position: Position;
    }
  | {
      readonly kind: 'aggregate';
      readonly name: AggregateName;
      /** Null for COUNT(*). */
      readonly operand: Expression | null;
      /** Whether each value counts once. */
      readonly distinct: boolean;
      readonly position: Position;
    }
  /** A value of `select`. */
  | { readonly kind: 'name'; readonly name: string; readonly position: Position };
