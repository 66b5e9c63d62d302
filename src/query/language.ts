/**
 * The operators and functions of the expression language (docs/reference/expression-language.md#grammar): one table
 * from which the lexer, the parser, the check and the compiler take all that they know of each.
 */
import type { Fold } from '../schema/fold.ts';
import type { ColumnType } from '../schema/model.ts';
import { exactDecimal, integer, long, text } from './check/types.ts';
import type { Dialect } from './statement.ts';

/** How SQL writes each comparison. */
export const comparisons = { '=': '=', '<>': '<>', '!=': '<>', '<': '<', '<=': '<=', '>': '>', '>=': '>=' } as const;

export type ComparisonOperator = (typeof comparisons)[keyof typeof comparisons];

/** What an operand has to be: text, or an integer or long, which is computed with as a long. */
export type OperandKind = 'text' | 'integer';

/** What an operator or function does with operands of fixed types. */
interface Typed {
  /** One for each operand, in order. */
  readonly operands: readonly OperandKind[];
  readonly result: ColumnType;
}

export type Rule =
  /** 64-bit arithmetic, which `Dialect.arithmetic` writes; an overflow gives null. */
  | (Typed & { readonly form: 'arithmetic' })
  /** A case fold, which the compiler moves down to the columns and applies to other values before they are bound. */
  | (Typed & { readonly form: 'fold'; readonly to: Fold })
  /** The first operand that is not null, of any number of operands of one common type. */
  | { readonly form: 'coalesce' }
  /**
   * Written as SQL, which must be null where an operand is null, and must not fail for any value. A function from text
   * to text must give the same when the fold of a case is moved to its operands.
   */
  | (Typed & {
      readonly form: 'sql';
      /** For a function of one text: true when the result is a part of it, and null only where the text is. */
      readonly isPart?: boolean;
      sql(operands: readonly string[], dialect: Dialect): string;
    });

const ofLongs = { form: 'arithmetic', operands: ['integer', 'integer'], result: long } as const;
const ofText = { operands: ['text'], result: text } as const;

/** Between two values. `precedence` counts from 0; a higher one binds more tightly. */
export const operators = {
  '+': { precedence: 0, ...ofLongs },
  '-': { precedence: 0, ...ofLongs },
  '*': { precedence: 1, ...ofLongs },
} as const satisfies Readonly<Record<string, Rule & { readonly precedence: number }>>;

/** In upper case; errors list them in this order. */
export const functions = {
  LOWER: { form: 'fold', to: 'lower', ...ofText },
  UPPER: { form: 'fold', to: 'upper', ...ofText },
  LENGTH: { form: 'sql', operands: ['text'], result: integer, sql: ([of]) => `length(${of})` },
  TRIM: { form: 'sql', isPart: true, ...ofText, sql: ([of]) => `trim(${of}, ' ')` },
  COALESCE: { form: 'coalesce' },
} as const satisfies Readonly<Record<string, Rule>>;

/** A function of all rows of a group. */
export interface AggregateRule {
  /** Of its operand: any, one that has an order, or an exact number. */
  readonly takes: 'any' | 'ordered' | 'number';
  /** The type of the result for the operand's. It is null where no operand is a value, but for COUNT. */
  result(operand: ColumnType): ColumnType;
  /** Whether it may count each value once, and rows. */
  readonly counts?: boolean;
}

/** Digits after the point that an average has more than its operand. */
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

export function isOperator(name: string): name is Operator {
  return Object.hasOwn(operators, name);
}

export function isFunction(name: string): name is keyof typeof functions {
  return Object.hasOwn(functions, name);
}
