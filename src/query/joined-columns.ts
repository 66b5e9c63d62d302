/**
 * On which columns a query joins tables: every pair of columns of two of its tables whose equality is part of a condition. A
 * pair is stored as ids of tables and numbers of columns, which stay the same when these are renamed.
 */
import type { SpaceDefinition } from '../schema/model.ts';
import type { CheckedQuery, Condition, Value } from './checked.ts';
import { partsOf } from './compile/join-order.ts';

/** `<table id>.<column number>=<table id>.<column number>`; the same text for both directions. */
export type JoinedColumns = string;

/** Without repeats. Sub-queries with EXISTS and IN are joins, too. */
export function joinedColumns({ joins, where, allTables }: CheckedQuery): readonly JoinedColumns[] {
  if (allTables.length === 1) return [];
  const found = new Set<JoinedColumns>();
  const add = (one: Value, other: Value) => {
    const [a, b] = [columnIn(one), columnIn(other)];
    if (a === null || b === null || a.table === b.table) return;
    const ends = [a, b].map(({ table, column }) => `${allTables[table]!.table.id}.${column.number}`);
    found.add(ends.sort().join('='));
  };
  const read = (node: Condition | Value) => {
    if (node.kind === 'column') return;
    if (node.kind === 'comparison' && node.operator === '=') add(node.left, node.right);
    if (node.kind === 'inQuery') add(node.operand, node.query.value);
    for (const part of partsOf(node)) read(part);
  };
  for (const { on } of joins) read(on);
  if (where !== null) read(where);
  return [...found];
}

/** The column itself, or the column whose letter case or scale the value changes; null for other values. */
function columnIn(value: Value): Extract<Value, { kind: 'column' }> | null {
  if (value.kind === 'fold' || value.kind === 'rescaled') return columnIn(value.operand);
  return value.kind === 'column' ? value : null;
}

export interface NamedJoin {
  readonly table: string;
  readonly column: string;
  readonly otherTable: string;
  readonly otherColumn: string;
}

/** Names joins by the present definition; the result is null for a join with a table or column that is no longer defined. */
export function joinNames({ tables }: SpaceDefinition): (joined: JoinedColumns) => NamedJoin | null {
  const byId = new Map([...tables.values()].map((table) => [table.id, table]));
  return (joined) => {
    const [one, other] = joined.split('=').map((end) => {
      const [id, number] = end.split('.').map(Number);
      const table = byId.get(id as number);
      const column = table?.columns.find((each) => each.number === number);
      return column && table && { table: table.name, column: column.name };
    });
    return one && other ? { ...one, otherTable: other.table, otherColumn: other.column } : null;
  };
}
