/**
 * SQL of groups: the innermost statement has the rows, with the keys and what is aggregated; the one around it makes one row of
 * each group, with its keys and what its aggregates are computed from; the outer one has the values of the answer, the condition
 * on groups, the order and the page, as if the groups were a table.
 */
import type { CheckedGroups, CheckedQuery, GroupSortKey, TypedValue } from '../checked.ts';
import { aggregateRuleOf } from '../language.ts';
import type { Dialect } from '../statement.ts';
import { conditionSql, valueSql, type Writer } from './expressions.ts';
import { followsSql, type Key } from './order.ts';

/** Named `g`, with the number of the group within the statement. */
const number = 'g.n';

/** The client's sort keys, then the keys of the groups, which make the order total; they have the direction of the last key. */
export function groupOrder({ keys, orderBy }: CheckedGroups): readonly GroupSortKey[] {
  const isSorted = (column: number) => orderBy.some(({ value }) => value.kind === 'grouped' && value.column === column);
  const descending = orderBy.at(-1)?.descending === true;
  const rest = keys.flatMap(({ type }, column) =>
    isSorted(column) ? [] : [{ value: { kind: 'grouped', column } as const, type, descending }],
  );
  return [...orderBy, ...rest];
}

/**
 * @param source writes FROM and WHERE of the rows, once the columns read are known
 * @param groupsMax with more groups the statement fails (`Dialect.withinGroups`)
 */
export function groupedSql(
  checked: CheckedQuery,
  groups: CheckedGroups,
  writer: Writer,
  source: () => string,
  groupsMax: number,
): string {
  const { dialect } = writer;
  const { rows, columns, grouped } = columnsOf(groups, writer);
  const outer = { ...writer, grouped };
  const order = groupOrder(groups);
  const computed = ({ value, type }: TypedValue) => dialect.computed(valueSql(value, outer), type);
  const after = checked.rows?.after ?? null;
  const values = [...(checked.rows?.selected ?? []), ...(after === null ? [] : order)].map(computed);
  const conditions = [
    ...(groups.having === null ? [] : [conditionSql(groups.having, outer)]),
    ...(after === null || after.length === 0 ? [] : [afterGroupSql(order, after, outer)]),
  ];
  const condition = conditions.length === 0 ? null : conditions.map((sql) => `(${sql})`).join(' AND ');
  const keys = order.map(({ value, descending }) => dialect.sorted(valueSql(value, outer), descending, false));
  const isOne = groups.keys.length === 0;
  const where = isOne ? condition : dialect.withinGroups(number, groupsMax, condition);
  const inner = isOne ? columns : [...columns, 'row_number() OVER () AS n'];
  const all = `SELECT ${rows.join(', ')} ${source()}`;
  const from = isOne ? all : dialect.rowsToGroup(all);
  const by = isOne ? '' : ` GROUP BY ${groups.keys.map((_, index) => keyName(index)).join(', ')}`;
  const parts = [
    `SELECT ${values.join(', ')} FROM (SELECT ${inner.join(', ')} FROM (${from}) AS r${by}) AS g`,
    ...(where === null ? [] : [`WHERE ${where}`]),
    ...(keys.length === 0 ? [] : [`ORDER BY ${keys.join(', ')}`]),
    ...(checked.ranged ? [dialect.range(writer.binder.limit(), writer.binder.offset())] : []),
  ];
  return parts.join(' ');
}

/** Whether the statement fails where a sum overflows, unless `Writer.hasWideSums`. */
export function sumsMayOverflow({ aggregates }: CheckedGroups, dialect: Dialect): boolean {
  return aggregates.some(({ name, operand }) => {
    return operand !== null && aggregateRuleOf(name).takes === 'number' && dialect.sumOverflows(operand.type);
  });
}

const keyName = (index: number) => `k${index}`;

/** Names the SQL of columns, each once. */
class Names {
  readonly #names = new Map<string, string>();
  readonly #prefix: string;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  of(sql: string): string {
    const name = this.#names.get(sql) ?? `${this.#prefix}${this.#names.size}`;
    this.#names.set(sql, name);
    return name;
  }

  columns(): string[] {
    return [...this.#names].map(([sql, name]) => `${sql} AS ${name}`);
  }
}

interface Columns {
  /** Of the rows. */
  readonly rows: readonly string[];
  /** Of the statement that groups them. */
  readonly columns: readonly string[];
  /** SQL of the groups' columns. */
  readonly grouped: readonly string[];
}

function columnsOf(groups: CheckedGroups, writer: Writer): Columns {
  const operands = new Names('o');
  const parts = new Names('a');
  const keys = groups.keys.map(({ value }, index) => `${valueSql(value, writer)} AS ${keyName(index)}`);
  const aggregates = groups.aggregates.map(({ name, distinct, operand }) => {
    const sql = operand === null ? null : operands.of(valueSql(operand.value, writer));
    const { parts: sqls, value } = writer.dialect.aggregate(
      name,
      distinct,
      sql,
      operand?.type ?? null,
      writer.hasWideSums,
    );
    return value(sqls.map((part) => `g.${parts.of(part)}`));
  });
  const rows = [...keys, ...operands.columns()];
  const columns = [...keys.map((_, index) => keyName(index)), ...parts.columns()];
  return {
    rows: rows.length > 0 ? rows : ['1 AS one'],
    columns: columns.length > 0 ? columns : ['count(*) AS a0'],
    grouped: [...keys.map((_, index) => `g.${keyName(index)}`), ...aggregates],
  };
}

/** The condition that a group comes after the group of the bound keys. */
function afterGroupSql(order: readonly GroupSortKey[], after: readonly boolean[] | 'beyond', writer: Writer): string {
  const keys = order.map(({ value, type, descending }, index): Key => {
    const bound = after[index] === true ? null : writer.binder.key(index, type);
    return { sql: valueSql(value, writer), value: bound, descending, isRequired: false };
  });
  return followsSql(keys) ?? 'FALSE';
}
