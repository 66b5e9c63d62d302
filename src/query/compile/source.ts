/** FROM and WHERE of a query: the sub-selects of visible records, joined. */
import type { Column } from '../../schema/model.ts';
import type { CheckedQuery } from '../checked.ts';
import { visibleRecords } from '../scope.ts';
import { columnSql, filterPart, heldName, type Writer } from './expressions.ts';
import { foundByTerms } from './match.ts';
import { objectIdOf } from './order.ts';

/** How many terms of its conditions the planner of a query considers. */
export const plannedTermsMax = 128;

export function bothSql(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other;
  return `(${one}) AND ${other}`;
}

/** The columns of a table that the query reads, at least one. Valid only after the rest of the query is written. */
export function usedColumns(index: number, { tables, used }: Writer): readonly Column[] {
  const { table } = tables[index]!;
  const columns = table.written.filter((column) => used[index]!.has(column));
  return columns.length > 0 ? columns : [objectIdOf(table)];
}

/** `Writer.held` after the first `count` joins. */
export function heldAfter(joins: CheckedQuery['joins'], count: number): Writer['held'] {
  const done = joins.slice(0, count);
  return Array.from({ length: joins.length + 1 }, (_, table) => {
    const last = done.findLastIndex(({ kind }, join) => kind === 'full' && table <= join + 1);
    return last === -1 ? null : last;
  });
}

/** The SQL joined so far. */
interface Source {
  readonly sql: string;
  readonly isJoin: boolean;
}

/**
 * Written last, when the columns that the sub-selects must hold are known. `X RIGHT JOIN t` becomes `t LEFT JOIN (X)`:
 * SQLite neither flattens nor indexes a right join of sub-selects (ARCHITECTURE.md, "One request").
 * @param inOrder whether the inner joins are best executed in written order
 * @param after a further condition, or null
 */
export function sourceSql(checked: CheckedQuery, writer: Writer, inOrder: boolean, after: string | null): string {
  const { joins, tables, where } = checked;
  const termsMax = Math.max(1, Math.floor(plannedTermsMax / (joins.length + 1)));
  const writers = joins.map((_, index): Writer => ({ ...writer, held: heldAfter(joins, index) }));
  const conditions = joins.map(({ on }, index) => filterPart(on, termsMax, writers[index]!).sql);
  const unmatched = joins.map(({ kind }, index) =>
    kind === 'full' ? missingSql(index, checked, writers[index]!) : '',
  );
  const condition = bothSql(where === null ? null : filterPart(where, termsMax, writer).sql, after);
  const isAlone = tables.length === 1;
  const records = tables.map(({ table }, index) => {
    const columns = usedColumns(index, writer);
    const rowNumber = writer.steps?.rowNumberOf(index) ?? null;
    const found = foundByTerms(where, index, writer);
    const narrowed = { rowNumber, found };
    return visibleRecords(table, columns, `t${index}`, writer.binder.members(), isAlone, writer.dialect, narrowed);
  });
  const inner = writer.dialect.innerJoin(inOrder);
  let before: Source = { sql: records[0]!, isJoin: false };
  for (const [index, { kind }] of joins.entries()) {
    const joined = records[index + 1]!;
    const on = conditions[index]!;
    const left = `${before.sql} ${kind === 'inner' ? inner : 'LEFT JOIN'} ${joined} ON ${on}`;
    const right = `${joined} LEFT JOIN ${before.isJoin ? `(${before.sql})` : before.sql} ON ${on}`;
    if (kind === 'full') {
      const columns = heldColumns(index, checked, writers[index]!);
      const others = `SELECT ${columns} FROM ${right} WHERE ${unmatched[index]}`;
      before = { sql: `(SELECT ${columns} FROM ${left} UNION ALL ${others}) AS x${index}`, isJoin: false };
    } else before = { sql: kind === 'right' ? right : left, isJoin: true };
  }
  return `FROM ${before.sql}${condition === null ? '' : ` WHERE ${condition}`}`;
}

/** The condition that a row of a full outer join has no record of any table before it. */
function missingSql(join: number, { tables }: CheckedQuery, writer: Writer): string {
  const ids = tables.slice(0, join + 1).map(({ table }, index) => {
    return columnSql({ kind: 'column', table: index, column: objectIdOf(table) }, writer);
  });
  return ids.map((id) => `${id} IS NULL`).join(' AND ');
}

/** The columns of the joined tables that the result of a full outer join holds. Valid when `usedColumns` is. */
function heldColumns(join: number, { tables }: CheckedQuery, writer: Writer): string {
  const columns = tables.slice(0, join + 2).flatMap((_, table) => [
    ...[...writer.used[table]!].map((column) => {
      const use = { kind: 'column', table, column } as const;
      return `${columnSql(use, writer)} AS ${heldName(use, writer)}`;
    }),
    ...(writer.steps?.heldRowNumber(table, writer) ?? []),
  ]);
  return columns.join(', ');
}
