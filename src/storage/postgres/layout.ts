/** How tables of a data space lie in its schema: the SQL that makes them, their columns and indexes. */
import type { Column, ColumnType, Index, Table } from '../../schema/model.ts';
import { systemName } from '../../schema/system.ts';
import { postgresDialect, sqlType } from './dialect.ts';

/** Columns of every data table besides those of its definition. */
export const audienceColumn = '"_audience"';
export const seqColumn = '"_seq"';

/** With the schema `"~"`, which `inSpace` fills in. */
export const tableSql = (name: string) => postgresDialect.table(name);
export const columnSql = (name: string) => postgresDialect.column(name);

/** What the entries of indexes are made of, in the SQL of a record. */
export const entrySql = { column: columnSql, audience: audienceColumn, objectId: columnSql(systemName.objectId) };

export function createTable(table: Pick<Table, 'name' | 'columns'>): string {
  const columns = table.columns.map((column) => {
    if (column.name === systemName.objectId) return `${columnDefinition(column)} NOT NULL PRIMARY KEY`;
    return `${columnDefinition(column)}${isNeverNull(column) ? ' NOT NULL' : ''}`;
  });
  const hidden = [`${audienceColumn} text COLLATE "C" NOT NULL`, `${seqColumn} bigint NOT NULL`];
  return `CREATE TABLE ${tableSql(table.name)} (${[...columns, ...hidden].join(', ')})`;
}

function isNeverNull(column: Column): boolean {
  return column.required || column.name === systemName.serverCreateTime || column.name === systemName.serverUpdateTime;
}

/** A required column that comes later may be null in the records from before, so the engine does not insist. */
export function addColumn(table: string, column: Column): string {
  return `ALTER TABLE ${tableSql(table)} ADD COLUMN ${columnDefinition(column)}`;
}

/** @param column in quotes, as it is in the schema */
export function dropColumn(table: string, column: string): string {
  return `ALTER TABLE ${tableSql(table)} DROP COLUMN ${column}`;
}

export function dropTable(table: string): string {
  return `DROP TABLE ${tableSql(table)}`;
}

/** @param position of the index among those of the table, from 0 */
export function createIndex(table: Pick<Table, 'name' | 'id'>, index: Index, position: number): string {
  const name = `"_ix_${table.id}_${position}"`;
  const columns = index.columns.map(sorted);
  // objectId last serves the order of equal keys (docs/reference/queries.md#order); a unique index would not be unique
  // with it.
  if (index.unique) return `CREATE UNIQUE INDEX ${name} ON ${tableSql(table.name)} (${columns.join(', ')})`;
  return `CREATE INDEX ${name} ON ${tableSql(table.name)} (${withObjectId(columns).join(', ')})`;
}

/**
 * The index by which a caller who sees little of a large table finds, counts and pages it, also in the order of the given
 * index.
 */
export function createAudienceIndex(table: Pick<Table, 'name' | 'id'>, index?: Index, position?: number): string {
  const name = index === undefined ? `"_ix_${table.id}_audience"` : `"_ix_${table.id}_${position}_audience"`;
  const columns = withObjectId((index?.columns ?? []).map(sorted));
  return `CREATE INDEX ${name} ON ${tableSql(table.name)} (${[audienceColumn, ...columns].join(', ')})`;
}

/** As queries sort it (`dialect.ts`), or the planner would not use the index for their order; objectId is never null. */
function sorted(column: string): string {
  return column === systemName.objectId ? columnSql(column) : `${columnSql(column)} NULLS FIRST`;
}

function withObjectId(columns: readonly string[]): string[] {
  return [...new Set([...columns, columnSql(systemName.objectId)])];
}

function columnDefinition(column: Column): string {
  return `${columnSql(column.name)} ${storedType(column.type)}`;
}

function storedType(type: ColumnType): string {
  const name = sqlType(type);
  if (name === 'text') return 'text COLLATE "C"';
  if (type.kind === 'decimal') return `numeric(${type.precision}, ${type.scale})`;
  return type.kind === 'datetime' ? 'timestamptz(3)' : name;
}
