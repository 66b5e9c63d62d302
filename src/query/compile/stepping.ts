/**
 * A statement in steps, for an engine whose functions keep memory until the next row (`Dialect.stepping`): conditions
 * that call them are computed beforehand, record by record, and the statement reads the results.
 */
import type { Folds } from '../../schema/fold.ts';
import type { Column } from '../../schema/model.ts';
import type { CheckedGroups, CheckedQuery, ColumnUse, Condition, Value } from '../checked.ts';
import { computedForVisible } from '../scope.ts';
import type { SteppedStatement, Stepping } from '../statement.ts';
import type { Binder } from './binder.ts';
import { columnSql, conditionSql, isPart, type Steps, type Writer } from './expressions.ts';
import { partsOf, readsOf } from './join-order.ts';

/** Bytes that the engine keeps for each byte of UTF-8 in arguments and result. */
const keptPerByte = 4;

/** Whether the statement of the query may call a function. */
export function callsFunctions({ joins, where, rows }: CheckedQuery): boolean {
  const { keys, aggregates, having, orderBy } = rows?.groups ?? noGroups;
  const operands = aggregates.flatMap(({ operand }) => operand ?? []);
  const values = [...(rows?.selected ?? []), ...keys, ...operands, ...orderBy].map(({ value }) => value);
  const conditions = [...joins.map(({ on }) => on), where, having].filter((condition) => condition !== null);
  return [...conditions, ...values].some(hasCall);
}

const noGroups: CheckedGroups = { keys: [], aggregates: [], having: null, orderBy: [] };

function hasCall(node: Condition | Value): boolean {
  if (node.kind === 'column') return false;
  return node.kind === 'fold' || node.kind === 'like' || partsOf(node).some(hasCall);
}

/** Whether it has a sub-query, whose conditions are computed separately. */
function hasSubQuery(node: Condition | Value): boolean {
  if (node.kind === 'column') return false;
  return node.kind === 'exists' || node.kind === 'inQuery' || partsOf(node).some(hasSubQuery);
}

/** A value computed for each record of a table. */
interface Computed {
  readonly table: number;
  readonly value: string;
  readonly condition: string | null;
  readonly name: string;
}

export interface SteppingBounds {
  readonly valueBytesMax: number;
  /** The memory that computing one value of one record may keep; a condition that may need more is split. */
  readonly functionBytesMax: number;
}

export class SteppedWriting implements Steps {
  readonly #query: CheckedQuery;
  readonly #stepping: Stepping;
  readonly #bounds: SteppingBounds;
  readonly #computed = new Map<string, Computed>();

  constructor(query: CheckedQuery, stepping: Stepping, bounds: SteppingBounds) {
    this.#query = query;
    this.#stepping = stepping;
    this.#bounds = bounds;
  }

  condition(condition: Condition, writer: Writer): string | null {
    if (!hasCall(condition) || hasSubQuery(condition)) return null;
    const [table, ...others] = readsOf(condition);
    if (others.length > 0) return this.#ofSeveralTables(condition, writer);
    if (condition.kind !== 'like' && this.#keptBytes(condition) > this.#bounds.functionBytesMax) return null;
    // A condition without a table is computed once, or once for each group.
    if (table === undefined || table === 'groups')
      return `(SELECT ${conditionSql(condition, { ...writer, steps: null })})`;
    const sql = conditionSql(condition, ofRecords(writer));
    return this.#computedOf({ table, value: sql, condition: null }, writer);
  }

  fold(column: ColumnUse, folds: Folds, writer: Writer): string {
    const sql = columnSql(column, ofRecords(writer));
    const needed = this.#stepping.needsComputing(sql);
    const value = writer.dialect.fold(sql, folds);
    const computed = this.#computedOf({ table: column.table, value, condition: needed }, writer);
    return this.#stepping.computedFold(columnSql(column, writer), folds, computed);
  }

  rowNumberOf(table: number): string | null {
    const isRead = [...this.#computed.values()].some((computed) => computed.table === table);
    return isRead ? this.#stepping.selectedRowNumber : null;
  }

  heldRowNumber(table: number, writer: Writer): readonly string[] {
    return this.rowNumberOf(table) === null ? [] : [`${this.#rowNumber(table, writer)} AS r${table}`];
  }

  /** SQL for the number of the table's record at the expression's position. */
  #rowNumber(table: number, { held }: Writer): string {
    const join = held[table] ?? null;
    return join === null ? this.#stepping.rowNumber(`t${table}`) : `x${join}.r${table}`;
  }

  /** Called after the statement is written. */
  fills(binder: Binder, dialect: Writer['dialect']): SteppedStatement['fills'] {
    return [...this.#computed.values()].map(({ table, value, condition, name }) => {
      const alias = `t${table}`;
      const computed = { rowNumber: this.#stepping.rowNumber(alias), value, condition };
      const of = this.#query.allTables[table]!.table;
      return { table: name, ...binder.finish(computedForVisible(of, alias, binder.members(), computed, dialect)) };
    });
  }

  /**
   * `COALESCE(a, b) LIKE p` is `a LIKE p` where a is not null, else `b LIKE p`. In other expressions the parts are
   * examined. A longer COALESCE is not split, because that would deepen the SQL.
   */
  #ofSeveralTables(condition: Condition, writer: Writer): string | null {
    if (condition.kind !== 'like') return null;
    const [first, ...rest] = choices(condition.operand);
    if (first === undefined || rest.length === 0 || rest.length >= choicesMax) return null;
    const like = (operands: readonly Value[]): Condition => ({
      ...condition,
      negated: false,
      operand: operands.length === 1 ? operands[0]! : { kind: 'coalesce', operands },
    });
    const isNull = (negated: boolean): Condition => ({ kind: 'isNull', operand: first, negated });
    const both = (left: Condition, right: Condition): Condition => ({
      kind: 'logical',
      operator: 'AND',
      operands: [left, right],
    });
    const operands = [both(isNull(true), like([first])), both(isNull(false), like(rest))];
    const sql = `(${conditionSql({ kind: 'logical', operator: 'OR', operands }, writer)})`;
    return condition.negated ? `NOT ${sql}` : sql;
  }

  #computedOf(computed: Omit<Computed, 'name'>, writer: Writer): string {
    const key = `${computed.table} ${computed.value}`;
    const known = this.#computed.get(key);
    const name = known?.name ?? `computed_${this.#computed.size}`;
    if (known === undefined) this.#computed.set(key, { ...computed, name });
    return this.#stepping.computed(name, this.#rowNumber(computed.table, writer));
  }

  /** The most memory that the functions keep for one record. */
  #keptBytes(node: Condition | Value): number {
    if (node.kind === 'column') return 0;
    const ofParts = partsOf(node).map((part) => this.#keptBytes(part));
    // COALESCE reads its next operand only after a null.
    if (node.kind === 'coalesce') return Math.max(...ofParts);
    const own = node.kind === 'fold' || node.kind === 'like' ? this.#textBytesMax(node.operand) * keptPerByte : 0;
    return own + ofParts.reduce((sum, bytes) => sum + bytes, 0);
  }

  #textBytesMax(value: Value): number {
    if (value.kind === 'column' && value.column.type.kind === 'varchar') {
      return Math.min(this.#bounds.valueBytesMax, value.column.type.length * keptPerByte);
    }
    if (value.kind === 'fold') return this.#textBytesMax(value.operand);
    if (value.kind === 'call' && isPart(value)) return this.#textBytesMax(value.operands[0]!);
    if (value.kind === 'coalesce') return Math.max(...value.operands.map((operand) => this.#textBytesMax(operand)));
    if (value.kind === 'case') {
      const values = [...value.choices.map((choice) => choice.value), value.otherwise];
      return Math.max(...values.map((one) => this.#textBytesMax(one)));
    }
    return value.kind === 'parameter' || value.kind === 'literal' ? 0 : this.#bounds.valueBytesMax;
  }
}

/** The writer for the records of one table alone, whose columns the statement need not hold. */
function ofRecords(writer: Writer): Writer {
  return { ...writer, steps: null, used: writer.used.map(() => new Set<Column>()), held: writer.held.map(() => null) };
}

const choicesMax = 50;

/** The operands of COALESCE, each trimmed and folded like the whole. */
function choices(value: Value): readonly Value[] {
  switch (value.kind) {
    case 'coalesce':
      return value.operands.flatMap(choices);
    case 'fold':
      return choices(value.operand).map((operand) => ({ ...value, operand }));
    case 'call':
      if (!isPart(value)) return [value];
      return choices(value.operands[0]!).map((operand) => ({ ...value, operands: [operand] }));
    default:
      return [value];
  }
}
