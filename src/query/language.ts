/**
 * The operators and functions of the expression language (docs/reference/expression-language.md#grammar): the single
 * table that the lexer, the parser, the check and the compiler use.
 */
import type { Fold } from '../schema/fold.ts';
import type { ColumnType } from '../schema/model.ts';
import type { Zone } from '../schema/time.ts';
import { double, exactDecimal, integer, text } from './check/types.ts';
import { magnitude, type NumericRule, product, quotient, remainder, sum } from './numeric.ts';
import type { Dialect } from './statement.ts';

/** How SQL writes each comparison. */
export const comparisons = { '=': '=', '<>': '<>', '!=': '<>', '<': '<', '<=': '<=', '>': '>', '>=': '>=' } as const;

export type ComparisonOperator = (typeof comparisons)[keyof typeof comparisons];

/** The kind of an operand: text, an integer or long (computed as a long), or a datetime. */
export type OperandKind = 'text' | 'integer' | 'datetime';

/** What an operator or function does with operands of fixed types. */
interface Typed {
  /** One kind for each operand, in order. */
  readonly operands: readonly OperandKind[];
  /** How many of the last operands are optional. */
  readonly optional?: number;
  readonly result: ColumnType;
}

/** The input for writing SQL. */
export interface SqlContext {
  readonly dialect: Dialect;
  /** The time zone for parts of a datetime. */
  readonly zone: Zone;
  /** Limit on a concatenated text, in bytes of UTF-8. */
  readonly valueBytesMax: number;
  /** The types of the operands and of the result. */
  readonly types: { readonly operands: readonly ColumnType[]; readonly result: ColumnType };
}

/**
 * Written as SQL, which must be null if an operand is null, and must not fail for any value. A function from text to
 * text must give the same result when a case fold is moved to its operands.
 */
interface Written {
  sql(operands: readonly string[], context: SqlContext): string;
  /** The SQL repeats an operand, so one that is not a column or a value is computed first. */
  readonly repeats?: true;
  /** Counted towards `longCallsMax`, if the SQL is long. */
  readonly weight?: number;
  /** The most levels that the SQL adds to the tree, if more than `nestedLevels`. */
  readonly levels?: number;
}

export type Rule =
  /** Exact arithmetic of two numbers, which `Dialect.arithmetic` writes; an overflow gives null. */
  | { readonly form: 'arithmetic'; readonly arity: 2; readonly types: NumericRule }
  /** A function of numbers, written as SQL. */
  | ({
      readonly form: 'numeric';
      readonly arity: 1 | 2;
      readonly types: NumericRule;
      readonly doubles?: true;
    } & Written)
  /** A case fold, which the compiler moves down to the columns and applies to other values before they are bound. */
  | (Typed & { readonly form: 'fold'; readonly to: Fold })
  /** The first operand that is not null, of any number of operands of one common type. */
  | { readonly form: 'coalesce' }
  /** A number with fewer digits after the point; their count is a literal. */
  | ({ readonly form: 'round' } & Written)
  /** The time of the query, which is the same in all its rows and pages. */
  | { readonly form: 'now' }
  /** The text or number that a json column holds under a literal path. */
  | ({ readonly form: 'json'; readonly result: ColumnType } & Written)
  | (Typed &
      Written & {
        readonly form: 'sql';
        /** For a function of one text: true when the result is a part of the text, and null only if the text is. */
        readonly isPart?: boolean;
        /** Accepts chains: two or more operands. */
        readonly isChain?: boolean;
      });

const ofText = { operands: ['text'], result: text } as const;
const ofInstant = { form: 'sql', operands: ['datetime'], result: integer, weight: 8 } as const;

/** Between two values. `precedence` counts from 0; a higher one binds more tightly. */
export const operators = {
  '+': { precedence: 0, form: 'arithmetic', arity: 2, types: sum },
  '-': { precedence: 0, form: 'arithmetic', arity: 2, types: sum },
  '||': {
    precedence: 0,
    form: 'sql',
    operands: ['text', 'text'],
    isChain: true,
    result: text,
    repeats: true,
    sql: (texts, { valueBytesMax }) => {
      const bytes = texts.map((each) => `octet_length(${each})`).join(' + ');
      return `CASE WHEN ${bytes} <= ${valueBytesMax} THEN ${texts.join(' || ')} END`;
    },
  },
  '*': { precedence: 1, form: 'arithmetic', arity: 2, types: product },
  '/': {
    precedence: 1,
    form: 'numeric',
    arity: 2,
    types: quotient,
    weight: 1,
    levels: 20,
    sql: ([left, right], { dialect, types }) => dialect.quotient(left!, right!, types.operands, types.result),
  },
  '%': {
    precedence: 1,
    form: 'numeric',
    arity: 2,
    types: remainder,
    repeats: true,
    sql: ([left, right]) => `CASE WHEN ${right} <> 0 THEN ${left} % ${right} END`,
  },
} as const satisfies Readonly<Record<string, Rule & { readonly precedence: number }>>;

/** In upper case; errors list them in this order. */
export const functions = {
  LOWER: { form: 'fold', to: 'lower', ...ofText },
  UPPER: { form: 'fold', to: 'upper', ...ofText },
  LENGTH: { form: 'sql', operands: ['text'], result: integer, sql: ([of]) => `length(${of})` },
  TRIM: { form: 'sql', isPart: true, ...ofText, sql: ([of]) => `trim(${of}, ' ')` },
  SUBSTR: {
    form: 'sql',
    operands: ['text', 'integer', 'integer'],
    optional: 1,
    result: text,
    repeats: true,
    sql: ([of, from, count], { dialect }) => {
      const isInside = count === undefined ? `${from} >= 1` : `${from} >= 1 AND ${count} >= 0`;
      return `CASE WHEN ${isInside} THEN ${dialect.substring(of!, from!, count ?? null)} END`;
    },
  },
  COALESCE: { form: 'coalesce' },
  ABS: {
    form: 'numeric',
    arity: 1,
    types: magnitude,
    doubles: true,
    repeats: true,
    sql: ([of], { dialect, types }) => dialect.magnitude(of!, types.result),
  },
  ROUND: {
    form: 'round',
    repeats: true,
    sql: ([of], { dialect, types }) => dialect.rounded(of!, types.operands[0]!, types.result),
  },
  YEAR: { ...ofInstant, sql: ([at], { dialect, zone }) => dialect.datePart('year', at!, zone) },
  MONTH: { ...ofInstant, sql: ([at], { dialect, zone }) => dialect.datePart('month', at!, zone) },
  DAY: { ...ofInstant, sql: ([at], { dialect, zone }) => dialect.datePart('day', at!, zone) },
  NOW: { form: 'now' },
  JSON_TEXT: { form: 'json', result: text, sql: ([of, path], { dialect }) => dialect.json(of!, path!, 'text') },
  JSON_NUMBER: { form: 'json', result: double, sql: ([of, path], { dialect }) => dialect.json(of!, path!, 'number') },
} as const satisfies Readonly<Record<string, Rule>>;

/** A function of all rows of a group. */
export interface AggregateRule {
  /** The kind of its operand: any, an ordered one, or an exact number. */
  readonly takes: 'any' | 'ordered' | 'number';
  /** The type of the result, by the operand's type. Without values, the result is null, except for COUNT. */
  result(operand: ColumnType): ColumnType;
  /** Whether it may count distinct values, and rows. */
  readonly counts?: boolean;
}

/** Digits after the point that an average adds to its operand's. */
export const averageDigits = 6;

/** In upper case. `Dialect.aggregate` writes each. */
export const aggregates = {
  COUNT: { takes: 'any', result: () => integer, counts: true },
  SUM: { takes: 'number', result: (operand) => exactDecimal(operand, 0) },
  AVG: { takes: 'number', result: (operand) => exactDecimal(operand, averageDigits) },
  MIN: { takes: 'ordered', result: (operand) => operand },
  MAX: { takes: 'ordered', result: (operand) => operand },
} as const satisfies Readonly<Record<string, AggregateRule>>;

export type AggregateName = keyof typeof aggregates;

export function aggregateRuleOf(name: AggregateName): AggregateRule {
  return aggregates[name];
}

export function isAggregate(name: string): name is AggregateName {
  return Object.hasOwn(aggregates, name);
}

export type Operator = keyof typeof operators;
/** An operator or a function. */
export type CallName = Operator | keyof typeof functions;

const rules: Readonly<Record<CallName, Rule>> = { ...operators, ...functions };

export function ruleOf(name: CallName): Rule {
  return rules[name];
}

/** How many operands there may be, at least and at most. */
export function arityOf(rule: Rule): readonly [number, number] {
  switch (rule.form) {
    case 'coalesce':
      return [1, Number.POSITIVE_INFINITY];
    case 'round':
      return [1, 2];
    case 'now':
      return [0, 0];
    case 'json':
      return [2, 2];
    case 'arithmetic':
    case 'numeric':
      return [rule.arity, rule.arity];
    case 'fold':
    case 'sql':
      return [rule.operands.length - (rule.optional ?? 0), rule.operands.length];
  }
}

export function isOperator(name: string): name is Operator {
  return Object.hasOwn(operators, name);
}

export function isFunction(name: string): name is keyof typeof functions {
  return Object.hasOwn(functions, name);
}
