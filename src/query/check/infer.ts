/** The type that an expression has by itself or can take: `?`, NULL and literals adapt to their neighbours. */
import { quoted } from '../../errors.ts';
import { typeText } from '../../schema/column-type.ts';
import type { ColumnType } from '../../schema/model.ts';
import type { Expression } from '../ast.ts';
import { notValid } from '../fault.ts';
import { isOperator, ruleOf } from '../language.ts';
import { type CheckContext, resolve } from './context.ts';
import { bool, commonType, double, long, text } from './types.ts';

/** How strongly an expression determines the type of its neighbours; the strongest one decides. */
export const certainty = { none: 0, text: 1, wholeNumber: 2, number: 3, bool: 4, known: 5 } as const;

export interface Inferred {
  readonly type: ColumnType;
  readonly certainty: (typeof certainty)[keyof typeof certainty];
}

/** @throws ServiceError 132 when it is a condition, or combines values of types that cannot be combined */
export function infer(expression: Expression, context: CheckContext): Inferred {
  // Only calls are cached: the types of their operands would be inferred again at every level of nesting.
  if (expression.kind !== 'call') return inferAnew(expression, context);
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
      return { type: rule.result, certainty: certainty.known };
    }
    case 'aggregate': {
      const advice = 'it may stand in select, having and orderBy of a select query, but not in another aggregate';
      throw notValid(expression.position, `${expression.name}(...) is no value of a row; ${advice}.`);
    }
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

/** The type of a group of expressions, and the first expression that determines it. */
export interface InferredGroup extends Inferred {
  readonly decisive: Expression;
}

/**
 * The common type as which several expressions (at least one) are compared.
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
    default:
      return 'a condition';
  }
}
