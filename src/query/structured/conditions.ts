/**
 * The older form's conditions: groups of tests on columns (docs/reference/older-query.md#conditions), parsed into
 * expressions over `?`.
 */
import { missing, quoted, ServiceError } from '../../errors.ts';
import { didYouMean } from '../../nearest.ts';
import type { ColumnReference, Expression, Position } from '../ast.ts';
import { checkBound, checkParameterCount } from '../bounds.ts';
import { notValid } from '../fault.ts';
import type { ComparisonOperator } from '../language.ts';
import { sentText } from '../sent.ts';

export interface SearchCondition {
  readonly type: number;
  readonly tableName: string;
  readonly columnName: string;
  /** One value; for type 8 one or more; for type 9 none. */
  readonly conditionValue?: readonly unknown[];
  readonly isIgnoreCase?: boolean | string;
}

export interface ConditionGroup {
  readonly searchConditions: readonly SearchCondition[];
  /** 'AND' or 'OR' combines this group with the next one; the last group's has no effect. */
  readonly type?: string;
}

export interface ConditionReader {
  /** Null for no groups. */
  groups(groups: readonly ConditionGroup[], field: string): Expression | null;
  /** Adds the next `?` with its value. */
  parameter(value: string | null, position: Position): Expression;
  /** The values of all `?` so far. */
  readonly parameters: readonly (string | null)[];
}

const operators: ReadonlyMap<number, ComparisonOperator> = new Map([
  [1, '='],
  [2, '<>'],
  [4, '>'],
  [5, '>='],
  [6, '<'],
  [7, '<='],
]);
const like = 3;
const inList = 8;
const isNull = 9;

/**
 * @param tables names of the query's tables, which are its aliases too
 * @param parametersMax limit on the values, and on the conditions too, since some have no value
 */
export function conditionReader(tables: readonly string[], parametersMax: number): ConditionReader {
  const parameters: (string | null)[] = [];
  let conditions = 0;
  const reader: ConditionReader = {
    parameters,
    parameter(value, position) {
      parameters.push(value);
      checkParameterCount(parameters.length, parametersMax);
      return { kind: 'parameter', index: parameters.length - 1, position };
    },
    groups(groups, field) {
      conditions = groups.reduce((sum, group) => sum + group.searchConditions.length, conditions);
      checkBound(conditions, parametersMax, 'search conditions', 'parametersMax');
      return groups.length === 0 ? null : readGroups(groups, field, tables, reader);
    },
  };
  return reader;
}

/** @throws ServiceError 132 unless the query uses the table */
export function requireTable(name: string, tables: readonly string[], field: string): void {
  if (tables.includes(name)) return;
  throw new ServiceError(132, `${field}: the query has no table ${quoted(name)}${didYouMean(name, tables)}`);
}

/**
 * AND joins the tests within a group. Groups are joined by the `type` of the preceding group, with SQL's precedence.
 */
function readGroups(
  groups: readonly ConditionGroup[],
  field: string,
  tables: readonly string[],
  reader: ConditionReader,
): Expression {
  const alternatives: Expression[][] = [[]];
  for (const [index, group] of groups.entries()) {
    const path = `${field}[${index}]`;
    if (group.searchConditions.length === 0) {
      throw new ServiceError(132, `${path}.searchConditions: it is empty; leave out a group without conditions.`);
    }
    for (const [number, condition] of group.searchConditions.entries()) {
      alternatives.at(-1)!.push(readCondition(condition, `${path}.searchConditions[${number}]`, tables, reader));
    }
    if (index < groups.length - 1 && readLink(group.type, `${path}.type`) === 'OR') alternatives.push([]);
  }
  const position = { source: field, at: 0 };
  return combined(
    'OR',
    alternatives.map((operands) => combined('AND', operands, position)),
    position,
  );
}

function readLink(type: string | undefined, field: string): 'AND' | 'OR' {
  if (type === undefined) throw missing(field);
  const link = type.trim().toUpperCase();
  if (link === 'AND' || link === 'OR') return link;
  throw new ServiceError(132, `${field}: expected AND or OR, got ${quoted(type)}.`);
}

/** The operands under one operator; a single operand is returned unchanged. */
export function combined(operator: 'AND' | 'OR', operands: readonly Expression[], position: Position): Expression {
  return operands.length === 1 ? operands[0]! : { kind: 'logical', operator, operands, position };
}

function readCondition(
  condition: SearchCondition,
  field: string,
  tables: readonly string[],
  reader: ConditionReader,
): Expression {
  const { type, tableName, columnName } = condition;
  requireTable(tableName, tables, `${field}.tableName`);
  const position: Position = { source: field, at: 0 };
  const column: ColumnReference = { kind: 'column', alias: tableName, column: columnName, position };
  const ignoreCase = readFlag(condition.isIgnoreCase, `${field}.isIgnoreCase`);
  const operator = operators.get(type);
  if (operator === undefined && type !== like && type !== inList && type !== isNull) {
    throw new ServiceError(132, `${field}.type: expected a number from 1 to 9, got ${quoted(type)}.`);
  }
  const values = readValues(condition, field, reader);
  if (type === isNull) return { kind: 'isNull', operand: column, negated: false, position };
  if (type === inList) return { kind: 'in', operand: column, list: values, negated: false, ignoreCase, position };
  const value = values[0]!;
  if (operator !== undefined) return { kind: 'comparison', operator, left: column, right: value, ignoreCase, position };
  return { kind: 'like', operand: column, pattern: value, escape: null, negated: false, ignoreCase, position };
}

function readValues(condition: SearchCondition, field: string, reader: ConditionReader): Expression[] {
  const { type, conditionValue } = condition;
  if (conditionValue === undefined && type !== isNull) throw missing(`${field}.conditionValue`);
  const values = conditionValue ?? [];
  const position: Position = { source: `${field}.conditionValue`, at: 0 };
  if (type === isNull && values.length > 0) {
    throw notValid(position, `expected no value for type 9 (IS NULL), got ${values.length}.`);
  }
  if (type === inList && values.length === 0)
    throw notValid(position, 'expected one value or more for type 8 (in), got none.');
  if (type !== isNull && type !== inList && values.length !== 1) {
    throw notValid(position, `expected exactly one value for type ${type}, got ${values.length}.`);
  }
  return values.map((value, index) => reader.parameter(sentText(value, `${position.source}[${index}]`), position));
}

function readFlag(sent: boolean | string | undefined, field: string): boolean {
  if (sent === undefined || typeof sent === 'boolean') return sent ?? false;
  const word = sent.trim().toLowerCase();
  if (word === 'true' || word === 'false') return word === 'true';
  throw new ServiceError(132, `${field}: expected "true" or "false", got ${quoted(sent)}.`);
}
