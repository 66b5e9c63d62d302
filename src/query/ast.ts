/**
 * The one tree that both query forms become (docs/reference/queries.md) and that every later stage reads. Nodes are
 * plain and read-only; what is done with them stands in functions outside. Every expression node knows where it came
 * from, for errors.
 */

/** A place in what the client sent: `source` is the field (`where.expression.source`), `at` the character, from 1, or 0 for the field as a whole. */
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
  readonly kind: 'inner' | 'left' | 'right';
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
  readonly where: Expression | null;
  readonly orderBy: readonly SortKey[];
  /** True when the rows are limited; offset and limit are bound, not part of the shape. */
  readonly ranged: boolean;
  /** Which aliases are answered, in this order. */
  readonly returned: readonly string[];
}

export interface ColumnReference {
  readonly kind: 'column';
  readonly alias: string;
  readonly column: string;
  readonly position: Position;
}

export type ComparisonOperator = '=' | '<>' | '<' | '<=' | '>' | '>=';
export type FunctionName = 'LOWER' | 'UPPER' | 'LENGTH' | 'TRIM' | 'COALESCE';

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
      /** One character, or null for none. */
      readonly escape: string | null;
      readonly negated: boolean;
      readonly ignoreCase: boolean;
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
  | {
      readonly kind: 'arithmetic';
      readonly operator: '+' | '-' | '*';
      readonly left: Expression;
      readonly right: Expression;
      readonly position: Position;
    }
  | {
      readonly kind: 'call';
      readonly name: FunctionName;
      readonly arguments: readonly Expression[];
      readonly position: Position;
    };
