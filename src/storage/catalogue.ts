/** The catalogue of a data space, kept in its own database: reading the definition, and noting tables, columns and indexes in it. */
import { ServiceError } from '../errors.ts';
import type { BoundValue } from '../query/statement.ts';
import type {
  Column,
  ColumnType,
  Index,
  NumberedTable,
  SpaceDefinition,
  Table,
  TableDefinition,
} from '../schema/model.ts';
import { tableFrom } from '../schema/table.ts';
import { isPresentTooLargeSql, recordsTooLarge } from './index-size.ts';
import { addColumn, createAudienceIndex, createIndex, createTable, entrySql, type LayoutDialect } from './layout.ts';
import type { Step, StepRow, Work } from './work.ts';

/** What a row of `definitionSql` tells about. */
const kind = { space: 0, table: 1, column: 2, index: 3 } as const;

/** One statement, so that it reads one state: what the row tells about, its table, its position, two texts, two flags. */
export function definitionSql({ table }: LayoutDialect): string {
  return `SELECT ${kind.space}, definition_version, 0, '', '', 0, 0 FROM ${table('_space')}
    UNION ALL SELECT ${kind.table}, id, 0, name, '', CAST(lock_free AS INTEGER), 0 FROM ${table('_table')}
    UNION ALL SELECT ${kind.column}, table_id, position, name, type, CAST(required AS INTEGER), CAST(system AS INTEGER)
      FROM ${table('_column')}
    UNION ALL SELECT ${kind.index}, table_id, position, '', columns, CAST(is_unique AS INTEGER), 0 FROM ${table('_index')}
    ORDER BY 1, 2, 3`;
}

/** @param rows of `definitionSql`; what follows its columns is passed over */
export function definitionOf(rows: readonly StepRow[]): SpaceDefinition {
  let version: number | undefined;
  const tables = new Map<
    number,
    { name: string; id: number; columns: Column[]; indexes: Index[]; lockFree: boolean }
  >();
  for (const row of rows) {
    const id = Number(row[1]);
    const [, , , name, content] = row as readonly [unknown, unknown, unknown, string, string];
    const [one, other] = [Number(row[5]) === 1, Number(row[6]) === 1];
    switch (Number(row[0])) {
      case kind.space:
        version = id;
        break;
      case kind.table:
        tables.set(id, { name, id, columns: [], indexes: [], lockFree: one });
        break;
      case kind.column:
        tables.get(id)?.columns.push({ name, type: JSON.parse(content), required: one, system: other });
        break;
      case kind.index:
        tables.get(id)?.indexes.push({ columns: JSON.parse(content), unique: one });
    }
  }
  if (version === undefined) throw new Error('The data space was damaged: one of its own tables lacks its row.');
  return { version, tables: new Map([...tables.values()].map((table) => [table.name, tableFrom(table)])) };
}

export function* readDefinition(dialect: LayoutDialect): Work<SpaceDefinition> {
  return definitionOf(yield { sql: definitionSql(dialect) });
}

/** Drops every table, with tombstones and history. Table numbers continue, so that none is reused. */
export function* reset({ table }: LayoutDialect, before: SpaceDefinition): Work<void> {
  for (const name of before.tables.keys()) yield { sql: `DROP TABLE ${table(name)}` };
  for (const name of ['_column', '_index', '_table', '_tombstone', '_audience_member', '_history']) {
    yield { sql: `DELETE FROM ${table(name)}` };
  }
}

export function* addTable(dialect: LayoutDialect, table: TableDefinition): Work<void> {
  const [row] = yield {
    sql: `UPDATE ${dialect.table('_space')} SET next_table_id = next_table_id + 1 RETURNING next_table_id - 1`,
  };
  yield { sql: createTable(dialect, table) };
  yield* completeTable(dialect, { ...table, id: Number(row?.[0]) });
}

/** Builds the indexes of a table that has none, and puts it into the definition. */
export function* completeTable(dialect: LayoutDialect, table: NumberedTable): Work<void> {
  yield inserted(dialect, '_table', ['id', 'name', 'lock_free'], [[table.id, table.name, table.lockFree]]);
  yield* noteColumns(dialect, { ...table, columns: [] }, table.columns);
  for (const sql of createAudienceIndex(dialect, table)) yield { sql };
  yield* makeIndexes(dialect, { ...table, indexes: [] }, table.indexes);
}

/** @param table before it has the columns */
export function* addColumns(dialect: LayoutDialect, table: Table, columns: readonly Column[]): Work<void> {
  for (const column of columns) yield { sql: addColumn(dialect, table.name, column) };
  yield* noteColumns(dialect, table, columns);
}

/** @param table before it has the columns */
export function* noteColumns(dialect: LayoutDialect, table: NumberedTable, columns: readonly Column[]): Work<void> {
  if (columns.length === 0) return;
  const rows = columns.map(({ name, type, required, system }, index) => {
    return [table.id, table.columns.length + index, name, JSON.stringify(type), required, system];
  });
  yield inserted(dialect, '_column', ['table_id', 'position', 'name', 'type', 'required', 'system'], rows);
}

/**
 * Makes further indexes and notes them.
 * @param table before it has the indexes
 * @throws ServiceError `malformed` for a unique index that the present records contradict
 */
export function* makeIndexes(dialect: LayoutDialect, table: NumberedTable, indexes: readonly Index[]): Work<void> {
  for (const [offset, index] of indexes.entries()) {
    const position = table.indexes.length + offset;
    try {
      for (const sql of createIndex(dialect, table, index, position)) yield { sql };
    } catch (error) {
      throw dialect.isUnique(error) ? notUnique(table.name, index, error) : error;
    }
    const row = [table.id, position, JSON.stringify(index.columns), index.unique];
    yield inserted(dialect, '_index', ['table_id', 'position', 'columns', 'is_unique'], [row]);
  }
}

/** @param columns of the table, new ones too. @throws ServiceError `malformed` where a present record does not fit the index */
export function* refuseTooLarge(
  dialect: LayoutDialect,
  table: string,
  index: Index,
  columns: readonly Column[],
): Work<void> {
  const where = isPresentTooLargeSql(index, columns, entrySql(dialect));
  const found = yield { sql: `SELECT 1 FROM ${dialect.table(table)} WHERE ${where} LIMIT 1` };
  if (found.length > 0) throw recordsTooLarge(table, index);
}

export function* makeLockFree(dialect: LayoutDialect, { id }: NumberedTable): Work<void> {
  const type = typeOf(true);
  const sql = `UPDATE ${dialect.table('_table')} SET lock_free = ${dialect.placeholder(1, true, type)} WHERE id = ${id}`;
  yield { sql, values: [dialect.bound(true, type)] };
}

/** Last in a change: counts the definition's version up, and reads what it is now. */
export function* changed(dialect: LayoutDialect): Work<SpaceDefinition> {
  yield { sql: `UPDATE ${dialect.table('_space')} SET definition_version = definition_version + 1` };
  return yield* readDefinition(dialect);
}

/** @throws Error when there is no such table: the change was planned for this very definition */
export function tableIn(definition: SpaceDefinition, name: string): Table {
  const table = definition.tables.get(name);
  if (table === undefined) throw new Error(`The definition change names a table that is not there: ${name}.`);
  return table;
}

export function notUnique(table: string, { columns }: Index, cause?: unknown): ServiceError {
  return new ServiceError(
    'malformed',
    `tables: the index of "${table}" on ${columns.join(', ')} can't be unique, because there are records with equal values.`,
    { cause },
  );
}

type Cell = number | string | boolean;

function inserted(
  { table, column, placeholder, bound }: LayoutDialect,
  name: string,
  columns: readonly string[],
  rows: readonly (readonly Cell[])[],
): Step {
  const values: BoundValue[] = [];
  const boundAt = (cell: Cell) => {
    const type = typeOf(cell);
    return placeholder(values.push(bound(cell, type)), true, type);
  };
  const tuples = rows.map((row) => `(${row.map(boundAt).join(', ')})`);
  return { sql: `INSERT INTO ${table(name)} (${columns.map(column).join(', ')}) VALUES ${tuples.join(', ')}`, values };
}

function typeOf(cell: Cell): ColumnType {
  if (typeof cell === 'boolean') return { kind: 'bool' };
  return { kind: typeof cell === 'number' ? 'long' : 'text' };
}
