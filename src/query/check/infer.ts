/** The type that an expression has by itself or can take: `?`, NULL and literals adapt to their neighbours. */
import { quoted } from '../../errors.ts';
import { decimalDigitsMax, typeText } from '../../schema/column-type.ts';
import type { ColumnType } from '../../schema/model.ts';
import type { Expression } from '../ast.ts';
import { notValid } from '../fault.ts';
import { isOperator, type Rule, ruleOf } from '../language.ts';
import { decimal, digitsOf, type NumericTypes } from '../numeric.ts';
import { type CheckContext, resolve } from './context.ts';
import { bool, commonType, datetime, double, isInteger, isWide, long, text } from './types.ts';

/** How strongly an expression determines the type of its neighbours; the strongest one decides. */
export const certainty = { none: 0, text: 1, wholeNumber: 2, number: 3, bool: 4, known: 5 } as const;

export interface Inferred {
  readonly type: ColumnType;
  readonly certainty: (typeof certainty)[keyof typeof certainty];
}

/** @throws ServiceError 132 when it is a condition, or combines values of types that cannot be combined */
export function infer(expression: Expression, context: CheckContext): Inferred {
  // Only expressions with operands are cached: their operands' types would otherwise be inferred again at every level
  // of nesting.
  if (expression.kind !== 'call' && expression.kind !== 'case') return inferAnew(expression, context);
  let inferred = context.inferred.get(expression);
  if (inferred === undefined) {
    inferred = inferAnew(expression, context);
    context.inferred.set(expression, inferred);
  }
  return inferred;
}

function inferAnew(expression: Expression, context: CheckContext): Inferred {
  const grouped = context.grouped?.(expression) ?? null;
  if (grouped !== null) return { type: comparable(expression, grouped.type, context), certainty: certainty.known };
  switch (expression.kind) {
    case 'column': {
      const { column } = resolve(expression, context);
      return { type: comparable(expression, column.type, context), certainty: certainty.known };
    }
    case 'parameter':
    case 'null':
      return { type: text, certainty: certainty.none };
    case 'text':
      return { type: text, certainty: certainty.text };
    case 'number':
      if (/^-?\d{1,18}$/.test(expression.text)) return { type: long, certainty: certainty.wholeNumber };
      return { type: double, certainty: certainty.number };
    case 'bool':
      return { type: bool, certainty: certainty.bool };
    case 'call': {
      const rule = ruleOf(expression.name);
      if (rule.form === 'coalesce') return inferGroup(expression.arguments, context);
      return { type: resultOf(expression, rule, context), certainty: certainty.known };
    }
    case 'aggregate': {
      const advice = 'it may stand in select, having and orderBy of a select query, but not in another aggregate';
      throw notValid(expression.position, `${expression.name}(...) is not a value of a row; ${advice}.`);
    }
    case 'case':
      return inferGroup(valuesOf(expression), context);
    default:
      throw notValid(expression.position, `expected a value, got ${describe(expression, context)}.`);
  }
}

/** @throws ServiceError 132 for json */
function comparable(expression: Expression, type: ColumnType, context: CheckContext): ColumnType {
  if (type.kind !== 'json') return type;
  const message = `${describe(expression, context)} can only be tested with IS NULL and IS NOT NULL.`;
  throw notValid(expression.position, message);
}

function resultOf(call: Call, rule: Exclude<Rule, { form: 'coalesce' }>, context: CheckContext): ColumnType {
  switch (rule.form) {
    case 'arithmetic':
    case 'numeric':
      return numericTypes(call, rule, context).result;
    case 'round':
      return roundedTypes(call, context).result;
    case 'now':
      return datetime;
    case 'fold':
    case 'json':
    case 'sql':
      return rule.result;
  }
}

/** The possible results of a CASE; without an ELSE, also a null of any type. */
export function valuesOf({ choices, otherwise }: Extract<Expression, { kind: 'case' }>): readonly Expression[] {
  const values = choices.map(({ value }) => value);
  return otherwise === null ? values : [...values, otherwise];
}

export type Call = Extract<Expression, { kind: 'call' }>;

/** An operator or function as errors name it. */
export function nameOf({ name }: Call): string {
  return isOperator(name) ? `"${name}"` : name;
}

/** @throws ServiceError 132 for an operand that is not a number, or numbers that can't be combined */
export function numericTypes(
  call: Call,
  rule: Extract<Rule, { form: 'arithmetic' | 'numeric' }>,
  context: CheckContext,
): NumericTypes {
  const takesDoubles = rule.form === 'numeric' && rule.doubles === true;
  const own = call.arguments.map((argument) => numberType(argument, call, takesDoubles, context));
  const known = own.find((type) => type !== null) ?? long;
  const types = rule.types(...own.map((type, index) => type ?? typeBeside(known, call.arguments[index]!)));
  if (typeof types !== 'string') return types;
  const operands = call.arguments.map((argument) => describe(argument, context));
  throw notValid(call.position, `${nameOf(call)}: ${operands.join(' and ')}: ${types}`);
}

/** An operand without a type of its own takes its neighbour's type, with the most digits. */
function typeBeside(known: ColumnType, argument: Expression): ColumnType {
  if (known.kind !== 'decimal') return long;
  if (argument.kind === 'number') return decimal(argument.text.replace(/^[-0]+/, '').length, 0);
  return decimal(decimalDigitsMax - known.scale, known.scale);
}

/** Null for an operand that takes its neighbour's type: a whole number, `?`, NULL, or quoted text. */
function numberType(argument: Expression, call: Call, takesDoubles: boolean, context: CheckContext): ColumnType | null {
  if (argument.kind === 'number') {
    return isWhole(argument.text)
      ? null
      : (literalType(argument.text) ?? refused(argument, call, takesDoubles, context));
  }
  const { type, certainty: sure } = infer(argument, context);
  if (sure === certainty.none || sure === certainty.text || sure === certainty.bool) return null;
  const isExact = isInteger(type) || (type.kind === 'decimal' && !isWide(type));
  const fits = isExact || (takesDoubles && type.kind === 'double');
  return fits ? type : refused(argument, call, takesDoubles, context);
}

function refused(argument: Expression, call: Call, takesDoubles: boolean, context: CheckContext): never {
  const expected = takesDoubles ? 'a number' : 'an integer, a long or a decimal';
  throw notValid(argument.position, `${nameOf(call)}: expected ${expected}, got ${describe(argument, context)}.`);
}

const isWhole = (text: string) => /^-?\d{1,19}$/.test(text);

/** `9.50` is a decimal with two digits after the point. Null for numbers with an exponent or too many digits. */
function literalType(text: string): ColumnType | null {
  const [, whole, fraction] = /^-?0*(\d*)\.(\d+)$/.exec(text) ?? [];
  if (whole === undefined || fraction === undefined || whole.length + fraction.length > decimalDigitsMax) return null;
  return decimal(whole.length, fraction.length);
}

/**
 * The types of ROUND. The second operand sets the result's digits after the point; 0 if it is absent.
 * @throws ServiceError 132
 */
export function roundedTypes(call: Call, context: CheckContext): NumericTypes {
  const [argument, wanted] = call.arguments as [Expression, Expression?];
  const type = numberType(argument, call, false, context) ?? long;
  const { whole, scale } = digitsOf(type);
  const digits = wanted === undefined ? 0 : digitsWanted(wanted, scale, context);
  if (isInteger(type)) return { operands: [long], result: long };
  return { operands: [type], result: decimal(whole + (digits < scale ? 1 : 0), digits) };
}

function digitsWanted(wanted: Expression, scale: number, context: CheckContext): number {
  const digits = wanted.kind === 'number' ? Number(wanted.text) : Number.NaN;
  if (Number.isInteger(digits) && digits >= 0 && digits <= scale) return digits;
  const got = wanted.kind === 'number' ? quoted(wanted.text) : describe(wanted, context);
  throw notValid(
    wanted.position,
    `ROUND: expected the number of digits after the point, from 0 to ${scale}, got ${got}.`,
  );
}

/** The common type of several expressions, and the first expression that determines it. */
export interface InferredGroup extends Inferred {
  readonly decisive: Expression;
}

/**
 * The common type in which one or more expressions are compared.
 * @throws ServiceError 132 when two of them cannot be compared
 */
export function inferGroup(expressions: readonly Expression[], context: CheckContext): InferredGroup {
  const [first, ...others] = expressions as [Expression, ...Expression[]];
  let group: InferredGroup = { ...infer(first, context), decisive: first };
  for (const expression of others) {
    const inferred = infer(expression, context);
    if (inferred.certainty > group.certainty) {
      group = { ...inferred, decisive: expression };
    } else if (inferred.certainty === certainty.known) {
      const type = commonType(group.type, inferred.type);
      if (typeof type === 'string') {
        const pair = `${describe(expression, context)} can't be compared with ${describe(group.decisive, context)}`;
        throw notValid(expression.position, `${pair}: ${type}`);
      }
      group = { ...group, type };
    }
  }
  return group;
}

/** An expression as errors name it. */
export function describe(expression: Expression, context: CheckContext): string {
  switch (expression.kind) {
    case 'column': {
      const { table, column } = resolve(expression, context);
      return `the column "${column.name}" of table "${context.tables[table]!.table.name}" (${typeText(column.type)})`;
    }
    case 'parameter':
      return 'a parameter';
    case 'null':
      return 'NULL';
    case 'text':
      return `the text ${quoted(expression.value)}`;
    case 'number':
      return `the number ${expression.text.length <= 60 ? expression.text : `${expression.text.slice(0, 57)}...`}`;
    case 'bool':
      return expression.value ? 'TRUE' : 'FALSE';
    case 'call': {
      const { name } = expression;
      const type = typeText(infer(expression, context).type);
      return isOperator(name) ? `the result of "${name}" (${type})` : `${name}(...) (${type})`;
    }
    case 'aggregate':
    case 'name': {
      const written = expression.kind === 'name' ? quoted(expression.name) : `${expression.name}(...)`;
      const type = context.grouped?.(expression)?.type;
      return type === undefined ? written : `${written} (${typeText(type)})`;
    }
    case 'case':
      return `CASE (${typeText(infer(expression, context).type)})`;
    default:
      return 'a condition';
  }
}
