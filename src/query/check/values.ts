/** Settles a value expression on a type: brings columns to one scale, reads literals, and gives each `?` its use. */
import { parseValue } from '../../schema/column-type.ts';
import type { ColumnType } from '../../schema/model.ts';
import { ValueError } from '../../schema/values.ts';
import type { Expression } from '../ast.ts';
import type { Value } from '../checked.ts';
import { notValid } from '../fault.ts';
import { isOperator, ruleOf } from '../language.ts';
import { type CheckContext, resolve } from './context.ts';
import { certainty, describe, infer, inferGroup } from './infer.ts';
import { isInteger, isText, isWide, long, text } from './types.ts';

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

/** Any value, also json, as the type that it has by itself. @throws ServiceError 132 */
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

function settleCall(call: Extract<Expression, { kind: 'call' }>, wanted: Wanted, context: CheckContext): Value {
  const { name } = call;
  const rule = ruleOf(name);
  if (rule.form === 'coalesce') return settleCoalesce(call, wanted, context);
  const user = isOperator(name) ? `"${name}"` : name;
  const operands = call.arguments.map((argument, index) =>
    rule.operands[index] === 'text' ? settleText(argument, user, context) : settleInteger(argument, user, context),
  );
  if (rule.form === 'fold') return { kind: 'fold', to: rule.to, operand: operands[0]! };
  return rescaled({ kind: 'call', name, operands }, rule.result, wanted.type);
}

function settleCoalesce(call: Extract<Expression, { kind: 'call' }>, wanted: Wanted, context: CheckContext): Value {
  if (infer(call, context).certainty === certainty.known) {
    const { type, values } = settleGroup(call.arguments, context);
    return rescaled({ kind: 'coalesce', operands: values }, type, wanted.type);
  }
  return { kind: 'coalesce', operands: call.arguments.map((argument) => settle(argument, wanted, context)) };
}

/** Decimals are stored unscaled, so comparing them takes one scale and one width; an integer is a decimal of scale 0. */
function rescaled(operand: Value, from: ColumnType, to: ColumnType): Value {
  if (to.kind !== 'decimal') return operand;
  const digits = to.scale - (from.kind === 'decimal' ? from.scale : 0);
  if (digits === 0 && isWide(from) === isWide(to)) return operand;
  return { kind: 'rescaled', operand, digits, isWide: isWide(to) };
}
