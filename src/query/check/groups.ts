/**
 * Checks grouping and expressions about groups (docs/reference/queries.md#groups). Such an expression is a key, an
 * aggregate, or made of these. Keys and aggregates are the columns of the groups.
 */
import { quoted, type ServiceError } from '../../errors.ts';
import { didYouMean } from '../../nearest.ts';
import { typeText } from '../../schema/column-type.ts';
import type { Expression, GroupsForm, SelectItem } from '../ast.ts';
import { checkBound, distinctCountsMax, groupColumnsMax } from '../bounds.ts';
import type { CheckedAggregate, CheckedGroups, SelectedValue, TypedValue } from '../checked.ts';
import { notValid } from '../fault.ts';
import { aggregateRuleOf } from '../language.ts';
import { checkCondition } from './conditions.ts';
import type { CheckContext } from './context.ts';
import { countValues } from './held-texts.ts';
import { describe, infer } from './infer.ts';
import { isInteger } from './types.ts';
import { settleAny } from './values.ts';

/** The groups of a query, while expressions about them are checked. */
interface Groups {
  /** The context for keys and the operands of aggregates. */
  readonly ofRows: CheckContext;
  readonly keys: readonly (TypedValue & { readonly expression: Expression })[];
  /** Collects the aggregates of expressions. */
  readonly aggregates: (CheckedAggregate & { readonly expression: Aggregate })[];
  /** The values of `select` by name; null within `select`, where they cannot be named. */
  readonly named: ReadonlyMap<string, SelectedValue> | null;
}

type Aggregate = Extract<Expression, { kind: 'aggregate' }>;

/**
 * @param select each value under its name
 * @throws ServiceError 132
 */
export function checkGroups(
  { by, having, orderBy }: GroupsForm,
  select: readonly SelectItem[],
  context: CheckContext,
): { readonly selected: readonly SelectedValue[]; readonly groups: CheckedGroups } {
  const keys = distinctExpressions(by.map((key) => ofName(key, select))).map((expression) => ({
    expression,
    ...ordered(expression, 'grouped by', context),
  }));
  const groups: Groups = { ofRows: context, keys, aggregates: [], named: null };
  const ofGroups = about(groups);
  const selected = select.map(({ name, expression }) => ({ name, ...settleAny(expression, ofGroups) }));
  const named = new Map(selected.map((value) => [value.name, value]));
  const withNames = about({ ...groups, named });
  const condition = having === null ? null : checkCondition(having, withNames);
  const order = orderBy.map(({ value, descending }) => ({ ...ordered(value, 'sorted by', withNames), descending }));
  const { aggregates } = groups;
  checkBound(keys.length + aggregates.length, groupColumnsMax, 'keys and aggregates of its groups');
  const distinctCounts = aggregates.filter(({ distinct }) => distinct).length;
  checkBound(distinctCounts, distinctCountsMax, 'counts of distinct values');
  countValues(selected, context);
  countValues([...keys, ...aggregates.flatMap(({ operand }) => operand ?? [])], context);
  return { selected, groups: { keys, aggregates, having: condition, orderBy: order } };
}

function about(groups: Groups): CheckContext {
  return { ...groups.ofRows, inferred: new Map(), grouped: (expression) => groupedValue(expression, groups) };
}

/**
 * The replacement for an expression about groups: the value of `select` that it names, or a column of the groups. Null
 * for any other expression.
 * @throws ServiceError 132 for a column that is not one of the groups'
 */
function groupedValue(expression: Expression, groups: Groups): TypedValue | null {
  if (expression.kind === 'name') {
    const value = groups.named?.get(expression.name);
    if (value === undefined) throw unknownName(expression, groups.named?.keys() ?? []);
    return value;
  }
  const column = groups.keys.findIndex((key) => isSame(key.expression, expression));
  if (column !== -1) return { value: { kind: 'grouped', column }, type: groups.keys[column]!.type };
  if (expression.kind === 'aggregate') return aggregateValue(expression, groups);
  if (expression.kind !== 'column') return null;
  const written = `#${expression.alias}.${expression.column}`;
  throw notValid(
    expression.position,
    `${describe(expression, groups.ofRows)} has many values in a group: list ${written} in groupBy, or write MIN(${written}) or another aggregate.`,
  );
}

function aggregateValue(expression: Aggregate, { ofRows, keys, aggregates }: Groups): TypedValue {
  let index = aggregates.findIndex((known) => isSame(known.expression, expression));
  if (index === -1) index = aggregates.push({ expression, ...checkAggregate(expression, ofRows) }) - 1;
  return { value: { kind: 'grouped', column: keys.length + index }, type: aggregates[index]!.type };
}

function checkAggregate({ name, operand: taken, distinct }: Aggregate, ofRows: CheckContext): CheckedAggregate {
  const { takes, result } = aggregateRuleOf(name);
  if (taken === null) return { name, distinct, operand: null, type: result({ kind: 'integer' }) };
  if (takes === 'number') requireExact(taken, name, ofRows);
  const use = distinct ? 'counted by its values' : 'compared';
  const operand = takes === 'ordered' || distinct ? ordered(taken, use, ofRows) : settleAny(taken, ofRows);
  return { name, distinct, operand, type: result(operand.type) };
}

/** @throws ServiceError 132 for an operand without an exact sum */
function requireExact(operand: Expression, name: string, ofRows: CheckContext): void {
  const { type } = infer(operand, ofRows);
  if (isInteger(type) || type.kind === 'decimal') return;
  const expected = `${name}: expected an integer, a long or a decimal, got ${describe(operand, ofRows)}`;
  const why = type.kind === 'double' ? '; a sum of doubles depends on their order, decimals are added exactly.' : '.';
  throw notValid(operand.position, `${expected}${why}`);
}

/** @param use what the value is used for, for errors */
function ordered(expression: Expression, use: string, context: CheckContext): TypedValue {
  const settled = settleAny(expression, context);
  if (settled.type.kind !== 'json') return settled;
  throw notValid(expression.position, `a value of type ${typeText(settled.type)} can't be ${use}.`);
}

/** The expression of `select` that a name stands for, or the expression itself. */
function ofName(expression: Expression, select: readonly SelectItem[]): Expression {
  if (expression.kind !== 'name') return expression;
  const item = select.find(({ name }) => name === expression.name);
  if (item !== undefined) return item.expression;
  throw unknownName(
    expression,
    select.map(({ name }) => name),
  );
}

function unknownName({ name, position }: Extract<Expression, { kind: 'name' }>, known: Iterable<string>): ServiceError {
  const names = [...known];
  const advice = names.length === 0 ? '.' : `, select has ${names.map(quoted).join(', ')}${didYouMean(name, names)}`;
  return notValid(position, `unknown word ${quoted(name)}${advice}`);
}

function distinctExpressions(expressions: readonly Expression[]): Expression[] {
  return expressions.filter((one, index) => expressions.findIndex((other) => isSame(one, other)) === index);
}

/** Whether two expressions are equal, ignoring positions; each `?` is a different value. */
function isSame(one: Expression, other: Expression): boolean {
  if (one === other) return true;
  return one.kind === other.kind && sameMembers(one, other);
}

function sameMembers(one: object, other: object): boolean {
  const members = Object.entries(one).filter(([name]) => name !== 'position');
  return members.every(([name, value]) => sameMember(value, (other as Record<string, unknown>)[name]));
}

function sameMember(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((each, index) => sameMember(each, other[index]));
  }
  if (typeof one === 'object' && one !== null && typeof other === 'object' && other !== null) {
    return sameMembers(one, other);
  }
  return one === other;
}
