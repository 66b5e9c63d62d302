/** Settles a value expression on a type: brings columns to one scale, reads literals, and gives each `?` its use. */
import { parseValue, typeText } from '../../schema/column-type.ts';
import type { ColumnType } from '../../schema/model.ts';
import { ValueError } from '../../schema/values.ts';
import type { Expression } from '../ast.ts';
import { checkLongCalls } from '../bounds.ts';
import type { Value } from '../checked.ts';
import { notValid } from '../fault.ts';
import { type CallName, type OperandKind, ruleOf } from '../language.ts';
import type { NumericTypes } from '../numeric.ts';
import { type CheckContext, resolve } from './context.ts';
import { countOperands } from './held-texts.ts';
import {
  type Call,
  certainty,
  describe,
  infer,
  inferGroup,
  nameOf,
  numericTypes,
  roundedTypes,
  valuesOf,
} from './infer.ts';
import { jsonPath } from './json-path.ts';
import { datetime, isInteger, isText, isWide, long, text } from './types.ts';

/** A type and its origin, for error messages. */
export interface Wanted {
  readonly type: ColumnType;
  readonly as: string;
}

/**
 * Settles expressions that are compared with each other on their common type.
 * @throws ServiceError 132
 */
export function settleGroup(
  expressions: readonly Expression[],
  context: CheckContext,
): { readonly type: ColumnType; readonly values: Value[] } {
  const { type, certainty: sure, decisive } = inferGroup(expressions, context);
  const as = sure === certainty.none ? 'text, since nothing here has a type' : describe(decisive, context);
  const wanted = { type, as };
  return { type, values: expressions.map((expression) => settle(expression, wanted, context)) };
}

/** Settles any value, including json, on its own type. @throws ServiceError 132 */
export function settleAny(
  expression: Expression,
  context: CheckContext,
): { readonly value: Value; readonly type: ColumnType } {
  const grouped = context.grouped?.(expression) ?? null;
  if (grouped !== null) return { value: grouped.value, type: grouped.type };
  if (expression.kind === 'column') {
    const value = resolve(expression, context);
    return { value, type: value.column.type };
  }
  const { type } = infer(expression, context);
  return { value: settle(expression, { type, as: describe(expression, context) }, context), type };
}

/** @throws ServiceError 132 when the expression is not a value, or a literal of it does not fit the type */
export function settle(expression: Expression, wanted: Wanted, context: CheckContext): Value {
  const grouped = context.grouped?.(expression) ?? null;
  if (grouped !== null) return rescaled(grouped.value, grouped.type, wanted.type);
  switch (expression.kind) {
    case 'column': {
      const use = resolve(expression, context);
      return rescaled(use, use.column.type, wanted.type);
    }
    case 'parameter':
      context.slots.set(expression.index, { position: expression.position, use: { kind: 'value', ...wanted } });
      return { kind: 'parameter', slot: expression.index, type: wanted.type };
    case 'null':
      return { kind: 'literal', value: null, type: wanted.type };
    case 'bool':
    case 'text':
    case 'number':
      return settleLiteral(expression, wanted, context);
    case 'call':
      return settleCall(expression, wanted, context);
    case 'case':
      return settleCase(expression, wanted, context);
    default:
      throw notValid(expression.position, `expected a value, got ${describe(expression, context)}.`);
  }
}

function settleLiteral(
  literal: Extract<Expression, { kind: 'bool' | 'text' | 'number' }>,
  { type, as }: Wanted,
  context: CheckContext,
): Value {
  const refusal = `${describe(literal, context)} does not fit ${as}`;
  if (literal.kind === 'number' && isText(type)) {
    throw notValid(literal.position, `${refusal}: text is written in single quotes.`);
  }
  if (literal.kind === 'bool' && type.kind !== 'bool') {
    throw notValid(literal.position, `${refusal}: TRUE and FALSE are compared with bool only.`);
  }
  try {
    const sent = literal.kind === 'number' ? literal.text : literal.value;
    return { kind: 'literal', value: parseValue(type, sent, context.rules), type };
  } catch (error) {
    if (error instanceof ValueError) throw notValid(literal.position, `${refusal}: ${error.message}`);
    throw error;
  }
}

function settleInstant(expression: Expression, user: string, context: CheckContext): Value {
  const { type, certainty: sure } = infer(expression, context);
  if (sure === certainty.known && type.kind !== 'datetime') {
    throw notValid(expression.position, `${user}: expected a datetime, got ${describe(expression, context)}.`);
  }
  return settle(expression, { type: datetime, as: `a value of ${user} (datetime)` }, context);
}

function settleInteger(expression: Expression, user: string, context: CheckContext): Value {
  const { type, certainty: sure } = infer(expression, context);
  if (sure === certainty.known && !isInteger(type)) {
    const came = describe(expression, context);
    throw notValid(expression.position, `${user}: expected an integer or a long, got ${came}.`);
  }
  return settle(expression, { type: long, as: `a value of ${user} (long)` }, context);
}

/** @throws ServiceError 132 when the expression is not text */
export function settleText(expression: Expression, user: string, context: CheckContext): Value {
  const { type, certainty: sure } = infer(expression, context);
  if (sure !== certainty.none && !isText(type)) {
    const came = describe(expression, context);
    throw notValid(expression.position, `${user}: expected text, got ${came}.`);
  }
  return settle(expression, { type: text, as: `a value of ${user} (text)` }, context);
}

/** How an operand of each kind is settled, and on which type. */
const operandKinds: {
  readonly [Kind in OperandKind]: {
    readonly type: ColumnType;
    settle(expression: Expression, user: string, context: CheckContext): Value;
  };
} = {
  text: { type: text, settle: settleText },
  integer: { type: long, settle: settleInteger },
  datetime: { type: datetime, settle: settleInstant },
};

function settleCall(call: Call, wanted: Wanted, context: CheckContext): Value {
  const { name } = call;
  const rule = ruleOf(name);
  const user = nameOf(call);
  if ('weight' in rule) {
    context.long.weight += rule.weight ?? 0;
    checkLongCalls(context.long.weight);
  }
  switch (rule.form) {
    case 'coalesce':
      return settleCoalesce(call, wanted, context);
    case 'arithmetic':
    case 'numeric':
      return settleNumbers(call, call.arguments, numericTypes(call, rule, context), wanted, context);
    case 'round':
      return settleNumbers(call, call.arguments.slice(0, 1), roundedTypes(call, context), wanted, context);
    case 'now':
      return { kind: 'now' };
    case 'json': {
      const [column, path] = jsonPath(call, context);
      const types = { operands: [column.column.type, text], result: rule.result };
      return { kind: 'call', name, operands: [column, { kind: 'literal', value: path, type: text }], types };
    }
    case 'fold':
      return { kind: 'fold', to: rule.to, operand: settleText(call.arguments[0]!, user, context) };
    case 'sql': {
      const links = rule.isChain === true ? linksOf(call, name) : call.arguments;
      const kinds = links.map((_, index) => operandKinds[rule.operands[Math.min(index, rule.operands.length - 1)]!]);
      const operands = links.map((link, index) => kinds[index]!.settle(link, user, context));
      if (rule.repeats === true) countOperands(operands, context);
      const types = { operands: kinds.map(({ type }) => type), result: rule.result };
      return rescaled({ kind: 'call', name, operands, types }, rule.result, wanted.type);
    }
  }
}

function settleNumbers(
  call: Call,
  expressions: readonly Expression[],
  types: NumericTypes,
  wanted: Wanted,
  context: CheckContext,
): Value {
  const operands = expressions.map((expression, index) => {
    const type = types.operands[index]!;
    return settle(expression, { type, as: `a value of ${nameOf(call)} (${typeText(type)})` }, context);
  });
  return rescaled({ kind: 'call', name: call.name, operands, types }, types.result, wanted.type);
}

/** The operands of a chain of one operator, in order: `a || b || c`. */
function linksOf(call: Call, name: CallName): readonly Expression[] {
  return call.arguments.flatMap((argument) =>
    argument.kind === 'call' && argument.name === name ? linksOf(argument, name) : [argument],
  );
}

function settleCase(expression: Extract<Expression, { kind: 'case' }>, wanted: Wanted, context: CheckContext): Value {
  const { type, certainty: sure } = infer(expression, context);
  const isKnown = sure === certainty.known;
  const as = isKnown ? describe(inferGroup(valuesOf(expression), context).decisive, context) : wanted.as;
  const common = isKnown ? { type, as } : wanted;
  const choices = expression.choices.map(({ when, value }) => ({
    when: context.condition(when, context),
    value: settle(value, common, context),
  }));
  const { otherwise } = expression;
  const none: Value = { kind: 'literal', value: null, type: common.type };
  const settled: Value = {
    kind: 'case',
    choices,
    otherwise: otherwise === null ? none : settle(otherwise, common, context),
  };
  return rescaled(settled, common.type, wanted.type);
}

function settleCoalesce(call: Call, wanted: Wanted, context: CheckContext): Value {
  if (infer(call, context).certainty === certainty.known) {
    const { type, values } = settleGroup(call.arguments, context);
    return rescaled({ kind: 'coalesce', operands: values }, type, wanted.type);
  }
  return { kind: 'coalesce', operands: call.arguments.map((argument) => settle(argument, wanted, context)) };
}

/** Decimals are stored unscaled, so comparing them takes one scale and one width; an integer is a decimal of scale 0. */
function rescaled(operand: Value, from: ColumnType, to: ColumnType): Value {
  if (to.kind !== 'decimal' || !(from.kind === 'decimal' || isInteger(from))) return operand;
  const digits = to.scale - (from.kind === 'decimal' ? from.scale : 0);
  if (digits === 0 && isWide(from) === isWide(to)) return operand;
  return { kind: 'rescaled', operand, digits, isWide: isWide(to) };
}
