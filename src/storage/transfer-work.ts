/** The reads and writes of a move that are the same on both engines (`transfer.ts`). */
import type { BoundValue } from '../query/statement.ts';
import type { ColumnType, NumberedTable, SpaceDefinition } from '../schema/model.ts';
import { completeTable, noteFormer, readDefinition } from './catalogue.ts';
import { createTable, type LayoutDialect } from './layout.ts';
import type { RowsRequest, Store, TransferRow, TransferTarget } from './transfer.ts';
import { fromSql, type TransferTable } from './transfer-tables.ts';
import type { Step, Work } from './work.ts';

type Bound = Required<Pick<Step, 'sql' | 'values'>>;

/** The requested rows, in the order of their key. */
export function rowsStep(dialect: LayoutDialect, request: RowsRequest): Bound {
  const { columns, key } = request.table;
  const selected = columns.map(({ name, type }) => dialect.selected(dialect.column(name), type));
  const { sql, values } = from(dialect, request);
  return { sql: `SELECT ${selected.join(', ')} ${sql} ORDER BY ${key.map(dialect.column).join(', ')}`, values };
}

export function* countRows(dialect: LayoutDialect, request: RowsRequest): Work<number> {
  const { sql, values } = from(dialect, request);
  const [row] = yield { sql: `SELECT count(*) ${sql}`, values };
  return Number(row?.[0]);
}

function from(dialect: LayoutDialect, { table, filter, after }: RowsRequest): Bound {
  const values: BoundValue[] = [];
  const bind = (value: string, type: ColumnType) => {
    const bound = dialect.bound(type.kind === 'long' ? BigInt(value) : value, type);
    return dialect.placeholder(values.push(bound), true, type);
  };
  const sql = fromSql({ table: dialect.table, column: dialect.column, bind }, table, filter, after);
  return { sql, values };
}

/** How an engine executes work on the stores of a target. */
export interface TransferWriter {
  readonly layout: LayoutDialect;
  run<Result>(store: Store, work: Work<Result>): Promise<Result>;
  /** In one transaction. */
  transact<Result>(store: Store, work: Work<Result>): Promise<Result>;
}

export function tableTarget({
  layout,
  run,
  transact,
}: TransferWriter): Pick<TransferTarget, 'makeTable' | 'lastKey' | 'completeTable' | 'completeSpace'> {
  return {
    makeTable: (spaceId, table) => run(spaceId, makeTable(layout, table)),
    lastKey: (store, table) => run(store, lastKey(layout, table)),
    completeTable: (spaceId, table) => transact(spaceId, completeTable(layout, table)),
    completeSpace: (spaceId, { definition }) => transact(spaceId, completed(layout, definition)),
  };
}

function* makeTable(layout: LayoutDialect, table: NumberedTable): Work<boolean> {
  if ((yield* readDefinition(layout)).catalogue.tables.some(({ id }) => id === table.id)) return false;
  yield { sql: createTable(layout, table, 'CREATE TABLE IF NOT EXISTS') };
  return true;
}

/**
 * The key of the last row, as text. The output columns have different names; PostgreSQL would otherwise give them the
 * columns' names, and order by the text.
 */
function* lastKey({ table, column }: LayoutDialect, { name, key }: TransferTable): Work<TransferRow | null> {
  const columns = key.map(column);
  const [row] = yield {
    sql: `SELECT ${columns.map((each, index) => `CAST(${each} AS TEXT) AS key_${index}`).join(', ')} FROM ${table(name)}
      ORDER BY ${columns.map((each) => `${each} DESC`).join(', ')} LIMIT 1`,
  };
  return (row as TransferRow | undefined) ?? null;
}

function* completed(layout: LayoutDialect, { version, catalogue }: SpaceDefinition): Work<void> {
  yield* noteFormer(layout, catalogue);
  yield {
    sql: `UPDATE ${layout.table('_space')} SET definition_version = ${version}, next_table_id = ${catalogue.nextId}`,
  };
}

/** Removes the roles that every directory begins with, because they are moved with the others. */
export function* removeBuiltInRoles({ table }: LayoutDialect): Work<void> {
  yield { sql: `DELETE FROM ${table('role')} WHERE NOT EXISTS (SELECT 1 FROM ${table('company')})` };
}
