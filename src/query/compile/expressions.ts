/** SQL of conditions and values. The dialect supplies what engines spell differently. */
import { indexedLengthMax } from '../../schema/column-type.ts';
import { type Folds, foldBy, foldsThen } from '../../schema/fold.ts';
import type { Column } from '../../schema/model.ts';
import { storedName } from '../../schema/names.ts';
import type { Zone } from '../../schema/time.ts';
import { foldedColumn, isPlain } from '../check/held-texts.ts';
import { isText } from '../check/types.ts';
import type { CheckedTable, ColumnUse, Condition, Pattern, Value } from '../checked.ts';
import { ruleOf } from '../language.ts';
import type { Dialect } from '../statement.ts';
import { type Binder, boundPattern } from './binder.ts';
import { wordsSql } from './match.ts';
import { above, balanced, coalesce, leaf, negatedIf, nested, nestedLevels, type Part, writtenLevels } from './parts.ts';

/** State of one statement while it is written. */
export interface Writer {
  /** All tables of the query, by number. */
  readonly tables: readonly CheckedTable[];
  readonly dialect: Dialect;
  readonly binder: Binder;
  /** The time zone for parts of a datetime. */
  readonly zone: Zone;
  /** Limit on a concatenated text, in bytes of UTF-8. */
  readonly valueBytesMax: number;
  /** For each table of the query, the columns used, which its sub-select must hold. */
  readonly used: readonly Set<Column>[];
  /** By table, the number of the full outer join whose result holds its columns (`source.ts`); null for its own sub-select. */
  readonly held: readonly (number | null)[];
  /** SQL of the columns of the groups (`groups.ts`); empty if rows are not grouped, and for SQL about rows. */
  readonly grouped: readonly string[];
  /** Whether sums are written so that none overflows (`Dialect.aggregate`). */
  readonly hasWideSums: boolean;
  /** Whether records may be found by their terms (`match.ts`). */
  readonly findsTerms: boolean;
  /** Collects the conditions that are computed beforehand (`stepping.ts`); null where functions are called in place. */
  readonly steps: Steps | null;
  /** Writes a condition with a sub-query (`sub-queries.ts`). */
  subQuery(condition: Extract<Condition, { kind: 'exists' | 'inQuery' }>, writer: Writer): Part;
}

/** Each returns the SQL that replaces the expression, or null if the expression is written out. */
export interface Steps {
  condition(condition: Condition, writer: Writer): string | null;
  fold(column: ColumnUse, folds: Folds, writer: Writer): string;
  /** What the table's sub-select must hold besides the columns, or null. */
  rowNumberOf(table: number): string | null;
  /** The columns that the result of a full outer join must hold for it: none or one. */
  heldRowNumber(table: number, writer: Writer): readonly string[];
}

/**
 * A condition that filters, an ON or a WHERE. Planners look at each term that AND joins in it, and at every pair of
 * terms: SQLite took 5 s to plan a join by 20 000 terms, and gave up on 2 000 ORs joined by AND. So the terms beyond
 * the given number are combined into one that planners treat as opaque.
 */
export function filterPart(condition: Condition, termsMax: number, writer: Writer): Part {
  const terms = termsOf(condition);
  if (terms.length <= termsMax) return conditionPart(condition, writer);
  const parts = terms.map((term) => conditionPart(term, writer));
  const open = balanced(parts.slice(0, termsMax), 'AND');
  const closed = balanced(parts.slice(termsMax), 'AND');
  return above([open, above([closed], '')], `${open.sql} AND (${closed.sql}) IS TRUE`);
}

/** The terms joined by AND in a condition, at any depth of parentheses. */
export function termsOf(condition: Condition): readonly Condition[] {
  if (condition.kind !== 'logical' || condition.operator !== 'AND') return [condition];
  return condition.operands.flatMap(termsOf);
}

export function columnSql(use: ColumnUse, writer: Writer): string {
  const { table, column } = use;
  const { dialect, used, held } = writer;
  used[table]!.add(column);
  const join = held[table] ?? null;
  return join === null ? `t${table}.${dialect.column(storedName(column))}` : `x${join}.${heldName(use, writer)}`;
}

/** The name of a column in the result of a full outer join, because two tables may have columns of the same name. */
export function heldName({ table, column }: ColumnUse, { used }: Writer): string {
  return `c${table}_${[...used[table]!].indexOf(column)}`;
}

export function conditionSql(condition: Condition, writer: Writer): string {
  return conditionPart(condition, writer).sql;
}

function conditionPart(condition: Condition, writer: Writer): Part {
  const { dialect } = writer;
  const computed = writer.steps?.condition(condition, writer) ?? null;
  if (computed !== null) return leaf(computed);
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
      const column = foldedColumn(condition.operand);
      const source = column === null ? null : columnSql(column, writer);
      const like = dialect.like(operand.sql, pattern, isShortText(condition.operand), source);
      return negatedIf(condition.negated, nested([operand], like));
    }
    case 'match': {
      const column = leaf(columnSql(condition.operand, writer));
      return nested([column], dialect.hasTerms(column.sql, wordsSql(condition, writer)));
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
    case 'exists':
    case 'inQuery':
      return writer.subQuery(condition, writer);
  }
}

/** PostgreSQL turns a list that is not all constants into a tree as deep as the list is long. */
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

/** Whether every value is short enough for any engine to match any pattern quickly. */
function isShortText(value: Value): boolean {
  switch (value.kind) {
    case 'column':
      return value.column.type.kind === 'varchar' && value.column.type.length <= indexedLengthMax;
    case 'fold':
      return isShortText(value.operand);
    case 'call':
      return isPart(value) && isShortText(value.operands[0]!);
    case 'coalesce':
      return value.operands.every(isShortText);
    case 'case':
      return [...value.choices.map((choice) => choice.value), value.otherwise].every(isShortText);
    default:
      return false;
  }
}

export function valueSql(value: Value, writer: Writer): string {
  return valuePart(value, writer).sql;
}

export function valuePart(value: Value, writer: Writer): Part {
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
    case 'call':
      return callPart(value, writer);
    case 'fold':
      return foldPart(value, [], writer);
    case 'coalesce':
      return coalesce(value.operands.map(inner));
    case 'case':
      return casePart(value, inner, writer);
    case 'now':
      return leaf(binder.now());
    case 'rescaled': {
      const operand = inner(value.operand);
      return nested([operand], dialect.rescaled(operand.sql, value.digits, value.isWide));
    }
    case 'grouped':
      return groupedPart(value.column, writer);
  }
}

function groupedPart(column: number, { grouped }: Writer): Part {
  const sql = grouped[column]!;
  return nested([leaf(sql)], sql, groupedLevels);
}

/** The most levels that a column of groups has: those of the average on SQLite. */
const groupedLevels = 60;

type Call = Extract<Value, { kind: 'call' }>;

/** Whether the result is a part of the function's text. */
export function isPart({ name }: Call): boolean {
  const rule = ruleOf(name);
  return rule.form === 'sql' && rule.isPart === true;
}

/** @param textPart writes an operand that is text */
function callPart(call: Call, writer: Writer, textPart = (operand: Value) => valuePart(operand, writer)): Part {
  const rule = ruleOf(call.name);
  if (rule.form === 'arithmetic') return arithmeticPart(call, writer, false);
  if (!('sql' in rule)) throw new Error(`${call.name} is no call of SQL.`);
  const { operands, types } = call;
  const parts = operands.map((operand, index) =>
    isText(types.operands[index]!) ? textPart(operand) : valuePart(operand, writer),
  );
  const sqls = parts.map(({ sql }) => sql);
  const write = (names: readonly string[]) => rule.sql(names, { ...writer, types });
  if (rule.levels !== undefined) return nested(parts, write(sqls), rule.levels);
  if (rule.repeats !== true || operands.every(isPlain)) return above(parts, write(sqls));
  return nested(parts, writer.dialect.computedOnce(sqls, write), nestedLevels + writtenLevels);
}

function arithmeticPart({ name, operands, types }: Call, writer: Writer, isOperand: boolean): Part {
  const [left, right] = operands.map((operand) =>
    operand.kind === 'call' && ruleOf(operand.name).form === 'arithmetic'
      ? arithmeticPart(operand, writer, true)
      : valuePart(operand, writer),
  ) as [Part, Part];
  const sql = writer.dialect.arithmetic(name, left.sql, right.sql, types.result, isOperand);
  return isOperand ? above([above([left, right], sql)], sql) : nested([left, right], sql);
}

function casePart(
  { choices, otherwise }: Extract<Value, { kind: 'case' }>,
  inner: (value: Value) => Part,
  writer: Writer,
): Part {
  const written = choices.map(({ when, value }) => ({ when: conditionPart(when, writer), value: inner(value) }));
  const other = inner(otherwise);
  const whens = written.map(({ when, value }) => `WHEN ${when.sql} THEN ${value.sql}`);
  const parts = [...written.flatMap(({ when, value }) => [when, value]), other];
  return above(parts, `CASE ${whens.join(' ')} ELSE ${other.sql} END`);
}

/**
 * Moves folds down to the columns. Functions from text to text and COALESCE may follow them (`Rule`). Values are folded
 * before they are bound.
 * @param after folds applied to the text after its own fold
 */
function foldPart(value: Value, after: Folds, writer: Writer): Part {
  const inner = (operand: Value) => foldPart(operand, after, writer);
  switch (value.kind) {
    case 'fold':
      return foldPart(value.operand, after.reduce(foldsThen, [value.to]), writer);
    case 'call': {
      if (ruleOf(value.name).form !== 'json') return callPart(value, writer, inner);
      const part = callPart(value, writer);
      return nested(
        [part],
        writer.dialect.computedOnce([part.sql], ([text]) => writer.dialect.fold(text!, after)),
      );
    }
    case 'coalesce':
      return coalesce(value.operands.map(inner));
    case 'case':
      return casePart(value, inner, writer);
    case 'parameter':
      return leaf(writer.binder.parameter(value.slot, after));
    case 'literal':
      if (typeof value.value !== 'string') return valuePart(value, writer);
      return valuePart({ ...value, value: foldBy(value.value, after) }, writer);
    case 'grouped': {
      const column = groupedPart(value.column, writer);
      return nested([column], writer.dialect.fold(column.sql, after));
    }
    case 'column': {
      const sql = writer.steps?.fold(value, after, writer) ?? writer.dialect.fold(columnSql(value, writer), after);
      return nested([leaf(sql)], sql);
    }
    default:
      throw new Error(`A value of kind ${value.kind} is not text.`);
  }
}

function patternSql(pattern: Pattern, { binder, dialect }: Writer): string {
  if (pattern.kind === 'slot') return binder.parameter(pattern.slot);
  return binder.constant(boundPattern(pattern.pattern, pattern.escape, pattern.ignoreCase, dialect), 'pattern');
}
