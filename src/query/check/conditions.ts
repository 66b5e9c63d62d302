/** Checks conditions: each operand must be allowed in its position, and compared operands must be comparable. */
import type { Expression, SubQuery } from '../ast.ts';
import type { Condition, Pattern, Value } from '../checked.ts';
import { notValid } from '../fault.ts';
import { patternFlaw } from '../like.ts';
import { type CheckContext, checkTable } from './context.ts';
import { countOperands, foldedColumn } from './held-texts.ts';
import { certainty, describe, infer } from './infer.ts';
import { checkMatch } from './match.ts';
import { bool, isText } from './types.ts';
import { settle, settleAny, settleGroup, settleText } from './values.ts';

/** @throws ServiceError 132 */
export function checkCondition(expression: Expression, context: CheckContext): Condition {
  switch (expression.kind) {
    case 'logical': {
      const operands = expression.operands.map((operand) => checkCondition(operand, context));
      return { kind: 'logical', operator: expression.operator, operands };
    }
    case 'not':
      return { kind: 'not', operand: checkCondition(expression.operand, context) };
    case 'comparison': {
      const [left, right] = settleFolded([expression.left, expression.right], expression.ignoreCase, context);
      return { kind: 'comparison', operator: expression.operator, left: left!, right: right! };
    }
    case 'in': {
      const members = [expression.operand, ...expression.list];
      const [operand, ...list] = settleFolded(members, expression.ignoreCase, context);
      return { kind: 'in', operand: operand!, list, negated: expression.negated };
    }
    case 'between': {
      const { values } = settleGroup([expression.operand, expression.low, expression.high], context);
      const [operand, low, high] = values as [Value, Value, Value];
      return { kind: 'between', operand, low, high, negated: expression.negated };
    }
    case 'like': {
      const operand = settleText(expression.operand, 'LIKE', context);
      const pattern = checkPattern(expression, context);
      if (foldedColumn(operand) === null) countOperands([operand], context);
      return { kind: 'like', operand: folded(operand, expression.ignoreCase), pattern, negated: expression.negated };
    }
    case 'match':
      return checkMatch(expression, context);
    case 'isNull':
      return { kind: 'isNull', operand: settleAny(expression.operand, context).value, negated: expression.negated };
    case 'exists': {
      const { query } = expression;
      const inner = within(query, context);
      return { kind: 'exists', query: { table: inner.table, value: null, where: whereOf(query, inner) } };
    }
    case 'inQuery': {
      const { query, negated } = expression;
      // Refuses an alias that exists only in the sub-query.
      infer(expression.operand, context);
      const inner = within(query, context);
      const { values } = settleGroup([expression.operand, query.value], inner);
      const [operand, value] = values as [Value, Value];
      return { kind: 'inQuery', operand, query: { table: inner.table, value, where: whereOf(query, inner) }, negated };
    }
    default:
      return checkTruth(expression, context);
  }
}

/** The context within a sub-query: the number of its table, and the names of the enclosing query. */
type InnerContext = CheckContext & { readonly table: number };

function within({ from }: SubQuery<unknown>, outer: CheckContext): InnerContext {
  const { tables, names, later, grouped } = outer;
  const checked = checkTable(from, outer.definition, (alias) => names.has(alias) || later.has(alias));
  const table = tables.push(checked) - 1;
  const isOwn = (expression: Expression) => expression.kind === 'column' && expression.alias === from.alias;
  return {
    ...outer,
    table,
    names: new Map([...names, [from.alias, table]]),
    ...(grouped && { grouped: (expression: Expression) => (isOwn(expression) ? null : grouped(expression)) }),
  };
}

function whereOf({ where }: SubQuery<unknown>, inner: InnerContext): Condition | null {
  return where === null ? null : checkCondition(where, inner);
}

function settleFolded(expressions: readonly Expression[], ignoreCase: boolean, context: CheckContext): Value[] {
  const { type, values } = settleGroup(expressions, context);
  return isText(type) ? values.map((value) => folded(value, ignoreCase)) : values;
}

function folded(operand: Value, ignoreCase: boolean): Value {
  return ignoreCase ? { kind: 'fold', to: 'lower', operand } : operand;
}

function checkPattern(like: Extract<Expression, { kind: 'like' }>, context: CheckContext): Pattern {
  const { pattern, ignoreCase } = like;
  if (pattern.kind === 'parameter') {
    context.slots.set(pattern.index, {
      position: pattern.position,
      use: { kind: 'pattern', escape: like.escape, ignoreCase },
    });
    return { kind: 'slot', slot: pattern.index };
  }
  if (pattern.kind !== 'text') throw notValid(pattern.position, 'LIKE takes a text or "?".');
  const flaw = patternFlaw(pattern.value, like.escape, context.likePatternMax);
  if (flaw !== null) throw notValid(pattern.position, flaw);
  return { kind: 'literal', pattern: pattern.value, escape: like.escape, ignoreCase };
}

/** A bool column, TRUE, FALSE, NULL or a `?` can stand for a condition. */
function checkTruth(expression: Expression, context: CheckContext): Condition {
  const { type, certainty: sure } = infer(expression, context);
  if (type.kind !== 'bool' && sure !== certainty.none) {
    const came = describe(expression, context);
    throw notValid(expression.position, `expected a condition, got ${came}; compare it with something.`);
  }
  return { kind: 'truth', operand: settle(expression, { type: bool, as: 'a condition (bool)' }, context) };
}
