/**
 * Checks whether existing records allow a step of a change of tables. Each check only reads, so it can run before the
 * change (`rehearsal.ts`); the engine repeats it in the change's transaction.
 */
import { ServiceError } from '../errors.ts';
import type { ChangeStep, ColumnType, NumberedTable } from '../schema/model.ts';
import { storedName } from '../schema/names.ts';
import { systemName } from '../schema/system.ts';
import { isPresentTooLargeSql, recordsTooLarge } from './index-size.ts';
import { audienceColumn, columnSql, entrySql, type LayoutDialect, tableSql } from './layout.ts';
import type { Work } from './work.ts';

/** How many ids of records an error names. */
export const idsMax = 10;

export interface StepContext {
  readonly dialect: LayoutDialect;
  /** Audiences of the caller (`DefinitionChange.members`). */
  readonly members: readonly string[];
  /** Converts a selected value to wire text. */
  wireText(type: ColumnType): (raw: unknown) => string;
  /** @throws ServiceError when the change was cancelled */
  refuseCancelled(): void;
}

export type StepOf<Kind extends ChangeStep['kind']> = Extract<ChangeStep, { kind: Kind }>;

const text: ColumnType = { kind: 'text' };
const long: ColumnType = { kind: 'long' };

/**
 * Whether the columns were in the database before the change.
 * @param before the table before the change; undefined if it did not exist
 * @param names of columns in the table at a step of the change
 */
export function isStoredAlready(
  before: NumberedTable | undefined,
  { columns }: NumberedTable,
  names: readonly string[],
): boolean {
  const stored = new Set(before?.columns.map(storedName));
  const wanted = columns.filter(({ name }) => names.includes(name));
  return before !== undefined && wanted.every((column) => stored.has(storedName(column)));
}

/** How many records fulfil the condition. */
export function* countOf(dialect: LayoutDialect, table: NumberedTable, what: string, where = 'true'): Work<number> {
  const counted = dialect.selected(`count(${what})`, long);
  const rows = yield { sql: `SELECT ${counted} FROM ${tableSql(dialect, table)} WHERE ${where}`, types: [long] };
  return Number(rows[0]?.[0]);
}

/** @throws ServiceError `malformed` if a record has no value in the column */
export function* requireValues(context: StepContext, step: StepOf<'requireValues'>): Work<void> {
  const { dialect } = context;
  const { table, column, path } = step;
  const where = `${dialect.column(storedName(column))} IS NULL`;
  const count = yield* countOf(dialect, table, '*', where);
  if (count === 0) return;
  const objectId = dialect.column(systemName.objectId);
  const rows = yield {
    sql: `SELECT ${objectId} FROM ${tableSql(dialect, table)}
      WHERE ${where} AND ${visibleSql(context, 1)} ORDER BY ${objectId} LIMIT ${idsMax}`,
    values: [dialect.boundMembers(context.members)],
    types: [text],
  };
  const ids = rows.map(([id]) => id as string);
  throw new ServiceError(
    'malformed',
    `${path}: ${count} of the records of "${table.name}" have no value of "${column.name}"${idsText(ids)}. Give them one first.`,
  );
}

/** @param placeholder number of the members' placeholder */
export function visibleSql({ dialect }: StepContext, placeholder: number): string {
  return dialect.visibleRecord(audienceColumn, dialect.placeholder(placeholder, false, 'members'));
}

export function idsText(ids: readonly string[]): string {
  return ids.length === 0 ? '' : `, among them those with the objectId ${ids.map((id) => `"${id}"`).join(', ')}`;
}

/** @throws ServiceError `malformed` if a record does not fit the index */
export function* refuseTooLarge(dialect: LayoutDialect, { table, index, path }: StepOf<'createIndex'>): Work<void> {
  const where = isPresentTooLargeSql(index, table.columns, entrySql(dialect, table));
  const sql = `SELECT ${dialect.selected('1', long)} FROM ${tableSql(dialect, table)} WHERE ${where} LIMIT 1`;
  const found = yield { sql, types: [long] };
  if (found.length > 0) throw recordsTooLarge(table.name, index, path);
}

/** @throws ServiceError `malformed` if two records have the same values in a unique index */
export function* refuseRepeated(dialect: LayoutDialect, step: StepOf<'createIndex'>): Work<void> {
  const { table, index } = step;
  if (!index.unique) return;
  const columns = index.columns.map(columnSql(dialect, table));
  const where = columns.map((column) => `${column} IS NOT NULL`).join(' AND ');
  const found = yield {
    sql: `SELECT ${dialect.selected('1', long)} FROM ${tableSql(dialect, table)} WHERE ${where}
      GROUP BY ${columns.join(', ')} HAVING count(*) > 1 LIMIT 1`,
    types: [long],
  };
  if (found.length > 0) throw notUnique(step);
}

export function notUnique({ table, index, path, advice }: StepOf<'createIndex'>, cause?: unknown): ServiceError {
  return new ServiceError(
    'malformed',
    `${path}: the index of "${table.name}" on ${index.columns.join(', ')} can't be unique, because there are records with equal values.${advice}`,
    { cause },
  );
}
