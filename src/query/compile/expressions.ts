/** SQL of conditions and values. What only some engines say so goes through the dialect. */
import type { Column } from '../../schema/model.ts';
import type { ColumnUse, Condition, Pattern, Value } from '../checked.ts';
import type { Dialect } from '../statement.ts';
import { type Binder, boundPattern } from './binder.ts';

/** What the SQL of one statement is written with. */
export interface Writer {
  readonly dialect: Dialect;
  readonly binder: Binder;
  /** Per table of the query, the columns that were written of it: its sub-select has to hold them. */
  readonly used: readonly Set<Column>[];
}

/** SQL and how deep its tree is: SQLite takes 1 000 levels, so long chains are built as balanced trees. */
interface Part {
  readonly sql: string;
  readonly height: number;
}

/**
 * SQL of a condition that filters, an ON or a WHERE. Planners look at each of the terms that AND joins in it, and at every
 * pair of them: SQLite took 5 s to plan a join by 20 000 terms, and gave up on 2 000 ORs joined by AND. So the terms past
 * the given number are put into one that planners don't look into.
 */
export function filterSql(condition: Condition, termsMax: number, writer: Writer): string {
  const terms = termsOf(condition);
  if (terms.length <= termsMax) return conditionPart(condition, writer).sql;
  const parts = terms.map((term) => conditionPart(term, writer));
  const open = balanced(parts.slice(0, termsMax), 'AND').sql;
  return `${open} AND (${balanced(parts.slice(termsMax), 'AND').sql}) IS TRUE`;
}

/** What AND joins in a condition, however deep its parentheses are. */
export function termsOf(condition: Condition): readonly Condition[] {
  if (condition.kind !== 'logical' || condition.operator !== 'AND') return [condition];
  return condition.operands.flatMap(termsOf);
}

export function columnSql({ table, column }: ColumnUse, { dialect, used }: Writer): string {
  used[table]!.add(column);
  return `t${table}.${dialect.column(column.name)}`;
}

function conditionPart(condition: Condition, writer: Writer): Part {
  const { dialect } = writer;
  const value = (operand: Value) => valuePart(operand, writer);
  switch (condition.kind) {
    case 'logical': {
      const operands = condition.operands.map((operand) => conditionPart(operand, writer));
      return balanced(operands, condition.operator);
    }
    case 'not':
      return negatedIf(true, conditionPart(condition.operand, writer));
    case 'comparison': {
      const left = value(condition.left);
      const right = value(condition.right);
      return above([left, right], `${left.sql} ${condition.operator} ${right.sql}`);
    }
    case 'like': {
      const operand = value(condition.operand);
      const pattern = patternSql(condition.pattern, writer);
      const like = dialect.like(operand.sql, pattern, isShortText(condition.operand));
      return negatedIf(condition.negated, above([operand], like));
    }
    case 'in':
      return inPart(condition, writer);
    case 'between': {
      const parts = [value(condition.operand), value(condition.low), value(condition.high)] as const;
      const word = condition.negated ? 'NOT BETWEEN' : 'BETWEEN';
      return above(parts, `${parts[0].sql} ${word} ${parts[1].sql} AND ${parts[2].sql}`);
    }
    case 'isNull': {
      const operand = value(condition.operand);
      return above([operand], `${operand.sql} IS ${condition.negated ? 'NOT NULL' : 'NULL'}`);
    }
    case 'truth':
      return value(condition.operand);
  }
}

/** PostgreSQL makes a tree of a list whose values are not all constant, as deep as the list is long. */
const mixedListMax = 1_000;

function inPart({ operand, list, negated }: Extract<Condition, { kind: 'in' }>, writer: Writer): Part {
  const left = valuePart(operand, writer);
  const members = list.map((member) => valuePart(member, writer));
  const isConstant = list.every(({ kind }) => kind === 'parameter' || kind === 'literal');
  const size = isConstant ? members.length : mixedListMax;
  const parts: Part[] = [];
  for (let index = 0; index < members.length; index += size) {
    const some = members.slice(index, index + size);
    const sql = `${left.sql} ${negated ? 'NOT IN' : 'IN'} (${some.map((part) => part.sql).join(', ')})`;
    parts.push(above([left, ...some], sql));
  }
  return balanced(parts, negated ? 'AND' : 'OR');
}

/** Characters up to which a varchar can be indexed (decisions.md §5). */
const shortTextMax = 600;

/** Whether every value is so short that any engine matches any pattern with it in an instant. */
function isShortText(value: Value): boolean {
  switch (value.kind) {
    case 'column':
      return value.column.type.kind === 'varchar' && value.column.type.length <= shortTextMax;
    case 'fold':
    case 'trim':
      return isShortText(value.operand);
    case 'coalesce':
      return value.operands.every(isShortText);
    default:
      return false;
  }
}

function valuePart(value: Value, writer: Writer): Part {
  const { dialect, binder } = writer;
  const inner = (operand: Value) => valuePart(operand, writer);
  switch (value.kind) {
    case 'column':
      return leaf(columnSql(value, writer));
    case 'parameter':
      return leaf(binder.parameter(value.slot));
    case 'literal':
      if (value.value === null) return leaf(dialect.nullOf(value.type));
      if (typeof value.value === 'boolean') return leaf(value.value ? 'TRUE' : 'FALSE');
      return leaf(binder.constant(dialect.bound(value.value, value.type), value.type));
    case 'arithmetic': {
      const left = inner(value.left);
      const right = inner(value.right);
      const sql = dialect.arithmetic(value.operator, left.sql, right.sql);
      return above([above([left, right], sql)], sql);
    }
    case 'fold': {
      const operand = inner(value.operand);
      return above([operand], dialect.fold(operand.sql, value.to));
    }
    case 'length': {
      const operand = inner(value.operand);
      return above([operand], `length(${operand.sql})`);
    }
    case 'trim': {
      const operand = inner(value.operand);
      return above([operand], `trim(${operand.sql}, ' ')`);
    }
    case 'coalesce':
      return coalesce(value.operands.map(inner));
    case 'rescaled': {
      const operand = inner(value.operand);
      return above([above([operand], '')], dialect.rescaled(operand.sql, value.digits));
    }
  }
}

function patternSql(pattern: Pattern, { binder, dialect }: Writer): string {
  if (pattern.kind === 'slot') return binder.parameter(pattern.slot);
  return binder.constant(boundPattern(pattern.pattern, pattern.escape, pattern.ignoreCase, dialect), 'pattern');
}

function leaf(sql: string): Part {
  return { sql, height: 1 };
}

function above(inner: readonly Part[], sql: string): Part {
  return { sql, height: 1 + inner.reduce((height, part) => Math.max(height, part.height), 0) };
}

function negatedIf(negated: boolean, part: Part): Part {
  return negated ? above([part], `NOT (${part.sql})`) : part;
}

/** Joins neighbours, the shallowest first, until one tree is left that is hardly deeper than its deepest operand. */
function balanced(operands: readonly Part[], operator: 'AND' | 'OR'): Part {
  let parts = operands;
  let height = parts.reduce((least, part) => Math.min(least, part.height), Number.POSITIVE_INFINITY);
  while (parts.length > 1) {
    const joined: Part[] = [];
    for (let index = 0; index < parts.length; index++) {
      const left = parts[index]!;
      const right = parts[index + 1];
      if (right === undefined || left.height > height || right.height > height) {
        joined.push(left);
      } else {
        joined.push(above([left, right], `(${left.sql} ${operator} ${right.sql})`));
        index++;
      }
    }
    parts = joined;
    height++;
  }
  return parts[0]!;
}

const coalesceMax = 100;

/** SQLite bounds the arguments of a function, so many are taken in groups, each a COALESCE of its own. */
function coalesce(operands: readonly Part[]): Part {
  if (operands.length === 1) return operands[0]!;
  if (operands.length <= coalesceMax) {
    return above(operands, `coalesce(${operands.map((part) => part.sql).join(', ')})`);
  }
  const groups: Part[] = [];
  for (let index = 0; index < operands.length; index += coalesceMax) {
    groups.push(coalesce(operands.slice(index, index + coalesceMax)));
  }
  return coalesce(groups);
}
