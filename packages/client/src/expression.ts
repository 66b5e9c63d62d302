/** Values and conditions of queries: text of the expression language, and the values of its parameters (docs/reference/expression-language.md). */
import type { Kind, ValueOf } from './tables.ts';

interface Inputs {
  text: string;
  integer: number;
  long: string | number | bigint;
  double: number;
  decimal: string | number;
  bool: boolean;
  datetime: string | Date | number;
  json: never;
}

/** Which kinds a value may be compared with; other comparisons would be inexact or meaningless. */
interface Comparable {
  text: 'text';
  integer: 'integer' | 'long' | 'double' | 'decimal';
  long: 'integer' | 'long' | 'decimal';
  double: 'integer' | 'double';
  decimal: 'integer' | 'long' | 'decimal';
  bool: 'bool';
  datetime: 'datetime';
  json: never;
}

type Known<K> = Exclude<K, null> & Kind;
/** Values of comparable kinds. */
export type ComparableWith<K> = Typed<Comparable[Known<K>] | null>;
/** What a value may be compared with: a value of its kind, or another expression. Use `isNull` for null. */
export type Operand<K> = Inputs[Known<K>] | ComparableWith<K>;

type Parameter = string | number | bigint | boolean;

/** A part of a query: its text, and a value for each `?` in it. */
export interface Part {
  readonly source: string;
  readonly params: readonly Parameter[];
}

/** A part that represents a value of a kind, with null if it may be absent. */
export interface Typed<K extends Kind | null> extends Part {
  /** Never set; carries the type. */
  readonly kind: K;
}

/** A value with an order: json has none. */
type Sortable = Typed<Exclude<Kind, 'json'> | null>;

/** A key to sort by. */
export interface Order extends Part {
  readonly type: 'ASC' | 'DESC';
}

/** A column to sort by: rows are sorted by columns only, groups by any value. */
export interface ColumnOrder extends Order {
  /** Never set; carries the type. */
  readonly isColumn: true;
}

/** The value of `where`: a condition, or a bool column. */
export type Where = Condition | Typed<'bool' | null>;

/** A part that keeps what it was made of. */
class Fragment implements Part {
  readonly source: string;
  readonly params: readonly Parameter[];

  constructor({ source, params }: Part) {
    this.source = source;
    this.params = params;
  }
}

/** True, false, or neither if a null is compared. */
export class Condition extends Fragment {
  declare private readonly isCondition: true;
}

type Text = Typed<'text' | null>;

/** A value: a column, or an expression on columns. `K` is its kind, with null if it may be absent, and `Value` its type
 * in rows. */
export class Expression<K extends Kind | null, Value = ValueOf<K>> extends Fragment implements Typed<K> {
  declare readonly kind: K;
  declare readonly value: Value;
  /** Converts the received value for rows. */
  readonly decode: ((value: never) => unknown) | undefined;

  constructor(part: Part, decode?: (value: never) => unknown) {
    super(part);
    this.decode = decode;
  }

  eq(other: Operand<K>): Condition {
    return joined(this, '=', other);
  }
  ne(other: Operand<K>): Condition {
    return joined(this, '<>', other);
  }
  lt(other: Operand<K>): Condition {
    return joined(this, '<', other);
  }
  lte(other: Operand<K>): Condition {
    return joined(this, '<=', other);
  }
  gt(other: Operand<K>): Condition {
    return joined(this, '>', other);
  }
  gte(other: Operand<K>): Condition {
    return joined(this, '>=', other);
  }
  between(from: Operand<K>, to: Operand<K>): Condition {
    return condition`${this} BETWEEN ${from as Part} AND ${to as Part}`;
  }
  /** Whether it is one of the values; false for an empty list. */
  in(values: readonly Operand<K>[]): Condition {
    return values.length === 0 ? or() : joined(this, 'IN', listOf(values));
  }
  isNull(): Condition {
    return condition`${this} IS NULL`;
  }
  isNotNull(): Condition {
    return condition`${this} IS NOT NULL`;
  }
  /** `%` stands for any text, `_` for one character. */
  like(this: Text, pattern: string): Condition {
    return joined(this, 'LIKE', pattern);
  }
  /** As `like`, without regard to case. */
  ilike(this: Text, pattern: string): Condition {
    return joined(this, 'ILIKE', pattern);
  }
  /** Contains all the words; one that ends with `*` is a prefix. The column must have full text. */
  match(this: Text, words: string): Condition {
    return condition`MATCH(${this}, ${words})`;
  }
  /** Ascending, nulls first. */
  asc(this: Sortable): Order {
    return { ...this, type: 'ASC' };
  }
  /** Descending, nulls last. */
  desc(this: Sortable): Order {
    return { ...this, type: 'DESC' };
  }
  /**
   * Converts the value in rows: `t.amount.as(BigInt)`. Nulls stay null. Two readings count as the same if the source
   * text of the function is the same, so do not use variables from outside in it.
   */
  as<Read>(decode: (value: ValueOf<Known<K>>) => Read): Expression<K, Read | Extract<K, null>> {
    return new Expression(this, decode);
  }
}

/** A column of a table. */
export interface Column<K extends Kind | null> extends Expression<K> {
  asc(this: Sortable): ColumnOrder;
  desc(this: Sortable): ColumnOrder;
}

/** What rows can hold. */
export interface Valued extends Typed<Kind | null> {
  /** Never set; carries the type. */
  readonly value: unknown;
  readonly decode: ((value: never) => unknown) | undefined;
}

/** The type of an expression's value in a row. */
export type ResultOf<E> = E extends { readonly value: infer Value } ? Value : never;

/** Text with embedded expressions and values; values become parameters. */
export function composed(texts: readonly string[], values: readonly unknown[]): Part {
  const parts = values.map(partOf);
  const source = String.raw({ raw: texts }, ...parts.map((part) => part.source));
  return { source, params: parts.flatMap(({ params }) => params) };
}

function partOf(value: unknown): Part {
  if (value instanceof Object && 'source' in value && 'params' in value) return value as Part;
  return { source: '?', params: [value instanceof Date ? value.toISOString() : (value as Parameter)] };
}

function joined(one: unknown, operator: string, other: unknown): Condition {
  return new Condition(listOf([one, other], ` ${operator} `));
}

/** A part without parameters. */
export function textPart(source: string): Part {
  return { source, params: [] };
}

/**
 * In parentheses, like every part with operators, so that it can be embedded anywhere; at least one value is required.
 */
function listOf(values: readonly unknown[], separator = ', '): Part {
  return composed(['(', ...values.slice(1).map(() => separator), ')'], values);
}

/** A condition in the expression language, for cases without a method: `` condition`LENGTH(${t.title}) > ${5}` ``. */
export function condition(texts: TemplateStringsArray, ...values: readonly (Part | Parameter | Date)[]): Condition {
  return new Condition(listOf([composed(texts, values)]));
}

/** A value in the expression language, of a kind that the caller states: `` expression<'integer'>`LENGTH(${t.title})`
 * ``. */
export function expression<K extends Kind | null>(
  texts: TemplateStringsArray,
  ...values: readonly (Part | Parameter | Date)[]
): Expression<K> {
  return new Expression(listOf([composed(texts, values)]));
}

function combined(operator: string, conditions: readonly Where[], whenNone: string): Condition {
  return new Condition(conditions.length === 0 ? textPart(whenNone) : listOf(conditions, ` ${operator} `));
}

/** True if all conditions are; true if there are none. */
export function and(...conditions: readonly Where[]): Condition {
  return combined('AND', conditions, 'TRUE');
}
/** True if at least one condition is; false if there are none. */
export function or(...conditions: readonly Where[]): Condition {
  return combined('OR', conditions, 'FALSE');
}
export function not(one: Where): Condition {
  return condition`NOT ${one}`;
}

function called<K extends Kind | null>(name: string, ...values: readonly unknown[]): Expression<K> {
  return new Expression(composed([name, ''], [listOf(values)]));
}

export function lower<K extends 'text' | null>(text: Typed<K>): Expression<K> {
  return called('LOWER', text);
}
export function upper<K extends 'text' | null>(text: Typed<K>): Expression<K> {
  return called('UPPER', text);
}
/** The common kind of several kinds: the one that holds the others exactly. */
type Widest<K> = 'decimal' extends K ? 'decimal' : 'long' extends K ? 'long' : 'double' extends K ? 'double' : Known<K>;
type KindOf<Other> = Other extends { readonly kind: infer K } ? K : never;

/** The value, or the other one instead of null; null if both are null. */
export function coalesce<K extends Kind | null, const Other extends Operand<K>>(
  value: Typed<K>,
  other: Other,
): Expression<Widest<Known<K> | KindOf<Other>> | Extract<KindOf<Other>, null>> {
  return called('COALESCE', value, other);
}
/** The number of rows; for a value, the number that are not null. */
export function count(value?: Typed<Kind | null>): Expression<'integer'> {
  return called('COUNT', value ?? textPart('*'));
}
/** The number of distinct values. */
export function countDistinct(value: Typed<Kind | null>): Expression<'integer'> {
  return expression`COUNT(DISTINCT ${value})`;
}
type Exact = Typed<'integer' | 'long' | 'decimal' | null>;
/** The exact sum; null if there are no values. */
export function sum(value: Exact): Expression<'decimal' | null> {
  return called('SUM', value);
}
/** The average; null if there are no values. */
export function avg(value: Exact): Expression<'decimal' | null> {
  return called('AVG', value);
}
export function min<K extends Exclude<Kind, 'json'> | null>(value: Typed<K>): Expression<K | null> {
  return called('MIN', value);
}
export function max<K extends Exclude<Kind, 'json'> | null>(value: Typed<K>): Expression<K | null> {
  return called('MAX', value);
}
