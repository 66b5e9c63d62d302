/**
 * The layout of a data space's tables in its database, on either engine: the SQL that creates them, their columns and
 * indexes.
 */
import type { Dialect } from '../query/statement.ts';
import type { Column, ColumnType, NumberedIndex, NumberedTable } from '../schema/model.ts';
import { isOfTerms, storedName } from '../schema/names.ts';
import { isStoredAlways, systemName } from '../schema/system.ts';
import type { Zone } from '../schema/time.ts';
import type { EntrySql } from './index-size.ts';

/** Columns of every data table besides those of its definition. */
export const audienceColumn = '"_audience"';
export const seqColumn = '"_seq"';

/** What differs between engines in creating tables and storing their catalogue. */
export interface LayoutDialect
  extends Pick<Dialect, 'table' | 'column' | 'selected' | 'placeholder' | 'bound' | 'boundMembers' | 'visibleRecord'> {
  /** The SQL type of a new column. */
  columnType(type: ColumnType): string;
  /** SQL after the columns of a new table. */
  readonly tableOptions: string;
  /** A column of an index in the order in which queries sort it (`Dialect.sorted`). */
  indexed(columnSql: string): string;
  /** A statement that gives the planner estimates for a new index on the audience and other columns; null for none. */
  estimates(table: string, index: string, columns: number): string | null;
  /** Whether a unique index refused the values of a statement. */
  isUnique(error: unknown): boolean;
  /** How long a step takes, as a multiple of the time for a query to read the whole table; 0 if its size doesn't matter. */
  readonly scans: Readonly<Record<'fill' | 'convert' | 'createIndex' | 'dropColumn', number>>;
  /** Converts a value that a statement returned (`Dialect.selected`) to wire text. */
  wireText(type: ColumnType, zone: Zone): (raw: unknown) => string;
  /** Statements that create the search structure for the terms in the column, from the existing records. */
  indexTerms(table: string, index: string, column: string): string[];
  /** Statements to run before such a column or its table is dropped. */
  unindexTerms(index: string): string[];
  /** Returns a row if the database refuses records without a value of the column. */
  isNotNull(table: string, column: string): string;
}

/** The table's name in SQL. */
export function tableSql(dialect: Pick<Dialect, 'table'>, table: Pick<NumberedTable, 'name' | 'stored'>): string {
  return dialect.table(storedName(table));
}

/** Writes the columns of a table in SQL, by the names that requests use. */
export function columnSql(
  dialect: Pick<Dialect, 'column'>,
  { columns }: Pick<NumberedTable, 'columns'>,
): (name: string) => string {
  const differing = new Map(columns.flatMap(({ name, stored }) => (stored === undefined ? [] : [[name, stored]])));
  return (name) => dialect.column(differing.get(name) ?? name);
}

/** The parts of index entries, as SQL on a record. */
export function entrySql(dialect: Pick<Dialect, 'column'>, table: Pick<NumberedTable, 'columns'>): EntrySql {
  return {
    column: columnSql(dialect, table),
    audience: audienceColumn,
    objectId: dialect.column(systemName.objectId),
  };
}

/** @param create the keywords that begin the statement, for a table that may exist already */
export function createTable(
  dialect: LayoutDialect,
  table: Pick<NumberedTable, 'name' | 'stored' | 'columns'>,
  create = 'CREATE TABLE',
): string {
  const columns = table.columns.map((column) => {
    const notNull = column.required || isStoredAlways(column) ? ' NOT NULL' : '';
    const key = column.name === systemName.objectId ? ' PRIMARY KEY' : '';
    return columnDefinition(dialect, column) + notNull + key;
  });
  const hidden = [
    `${audienceColumn} ${dialect.columnType({ kind: 'text' })} NOT NULL`,
    `${seqColumn} ${dialect.columnType({ kind: 'long' })} NOT NULL`,
  ];
  return `${create} ${tableSql(dialect, table)} (${[...columns, ...hidden].join(', ')})${dialect.tableOptions}`;
}

function columnDefinition(dialect: LayoutDialect, column: Column): string {
  return `${dialect.column(storedName(column))} ${dialect.columnType(column.type)}`;
}

export function addColumn(dialect: LayoutDialect, table: Named, column: Column): string {
  return `ALTER TABLE ${tableSql(dialect, table)} ADD COLUMN ${columnDefinition(dialect, column)}`;
}

export function dropColumn(dialect: LayoutDialect, table: Indexed, column: Column): string[] {
  const drop = `ALTER TABLE ${tableSql(dialect, table)} DROP COLUMN ${dialect.column(storedName(column))}`;
  return [...unindexTerms(dialect, table, column), drop];
}

export function dropTable(dialect: LayoutDialect, table: Indexed): string[] {
  const indexes = table.columns.flatMap((column) => unindexTerms(dialect, table, column));
  return [...indexes, `DROP TABLE ${tableSql(dialect, table)}`];
}

/** @param column the one that holds the terms */
export function indexTerms(dialect: LayoutDialect, table: Indexed, column: Column): string[] {
  return dialect.indexTerms(storedName(table), termsIndexName(table, column), storedName(column));
}

function unindexTerms(dialect: LayoutDialect, table: Indexed, column: Column): string[] {
  return isOfTerms(column.name) ? dialect.unindexTerms(termsIndexName(table, column)) : [];
}

/** The name of the search structure for the terms in a column. */
export function termsIndexName({ id }: Pick<NumberedTable, 'id'>, column: Column): string {
  return `_ix_${id}${storedName(column)}`;
}

type Named = Pick<NumberedTable, 'name' | 'stored'>;
type Indexed = Pick<NumberedTable, 'name' | 'stored' | 'id' | 'columns'>;

/** All indexes of a table, one statement after the other. */
export function createIndexes(dialect: LayoutDialect, table: NumberedTable): string[] {
  const declared = table.indexes.flatMap((index) => createIndex(dialect, table, index));
  const terms = table.columns.filter(({ name }) => isOfTerms(name));
  const fullText = terms.flatMap((column) => indexTerms(dialect, table, column));
  return [...createAudienceIndex(dialect, table), ...declared, ...fullText];
}

/** A declared index, and its counterpart that begins with the audience. */
export function createIndex(dialect: LayoutDialect, table: Indexed, index: NumberedIndex): string[] {
  const names = index.columns.map(indexedColumn(dialect, table));
  // A final objectId orders equal keys (docs/reference/queries.md#order); it would make a unique index not unique.
  const columns = index.unique ? names : withObjectId(dialect, names);
  const create = index.unique ? 'CREATE UNIQUE INDEX' : 'CREATE INDEX';
  return [
    `${create} "${indexName(table, index)}" ON ${tableSql(dialect, table)} (${columns.join(', ')})`,
    ...createAudienceIndex(dialect, table, { name: `${index.number}_`, columns: names }),
  ];
}

export function dropIndex(dialect: LayoutDialect, table: Pick<NumberedTable, 'id'>, index: NumberedIndex): string[] {
  return [indexName(table, index), audienceIndexName(table, index)].map((each) => `DROP INDEX ${dialect.table(each)}`);
}

/** The name of an index's counterpart that begins with the audience; for null, of the index on the audience alone. */
export function audienceIndexName(
  table: Pick<NumberedTable, 'id'>,
  index: Pick<NumberedIndex, 'number'> | null,
): string {
  return index === null ? `_ix_${table.id}_audience` : `${indexName(table, index)}_audience`;
}

export function indexName({ id }: Pick<NumberedTable, 'id'>, { number }: Pick<NumberedIndex, 'number'>): string {
  return `_ix_${id}_${number}`;
}

/**
 * The index for callers who see little of a large table: for finding, counting and paging, also in the order of the
 * given index (1 000 of 1 000 000 records on SQLite: 0.1 ms instead of 15 to 200 ms).
 */
function createAudienceIndex(
  dialect: LayoutDialect,
  table: Indexed,
  beside: { readonly name: string; readonly columns: readonly string[] } = { name: '', columns: [] },
): string[] {
  const name = `_ix_${table.id}_${beside.name}audience`;
  const columns = [audienceColumn, ...withObjectId(dialect, beside.columns)];
  const estimates = dialect.estimates(storedName(table), name, columns.length);
  const create = `CREATE INDEX "${name}" ON ${tableSql(dialect, table)} (${columns.join(', ')})`;
  return estimates === null ? [create] : [create, estimates];
}

/** objectId is never null, so it has one order only. */
function indexedColumn(dialect: LayoutDialect, table: Indexed): (name: string) => string {
  const column = columnSql(dialect, table);
  return (name) => (name === systemName.objectId ? column(name) : dialect.indexed(column(name)));
}

function withObjectId(dialect: LayoutDialect, columns: readonly string[]): string[] {
  return [...new Set([...columns, dialect.column(systemName.objectId)])];
}
