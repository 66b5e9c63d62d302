/**
 * Checks whether existing records allow a step of a change of tables. Each check only reads, so it can run before the
 * change (`rehearsal.ts`), on the records as they will be (`expected-values.ts`); the engine repeats it in the change's
 * transaction.
 */
import { ServiceError } from '../errors.ts';
import type { BoundValue } from '../query/statement.ts';
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

/** The records of a table as SQL after FROM, with the values of its placeholders, which are the first ones. */
export interface Records {
  readonly sql: string;
  readonly values: readonly BoundValue[];
}

export function storedRecords(dialect: LayoutDialect, table: NumberedTable): Records {
  return { sql: tableSql(dialect, table), values: [] };
}

/** How many records fulfil the condition. */
export function* countOf(dialect: LayoutDialect, { sql, values }: Records, what: string, where = 'true'): Work<number> {
  const counted = dialect.selected(`count(${what})`, long);
  const rows = yield { sql: `SELECT ${counted} FROM ${sql} WHERE ${where}`, values, types: [long] };
  return Number(rows[0]?.[0]);
}

/** @throws ServiceError `malformed` if a record has no value in the column */
export function* requireValues(context: StepContext, step: StepOf<'requireValues'>, records: Records): Work<void> {
  const { dialect } = context;
  const { table, column, path } = step;
  const where = `${dialect.column(storedName(column))} IS NULL`;
  const count = yield* countOf(dialect, records, '*', where);
  if (count === 0) return;
  const objectId = dialect.column(systemName.objectId);
  const values = [...records.values, dialect.boundMembers(context.members)];
  const rows = yield {
    sql: `SELECT ${objectId} FROM ${records.sql}
      WHERE ${where} AND ${visibleSql(context, values.length)} ORDER BY ${objectId} LIMIT ${idsMax}`,
    values,
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
export function* refuseTooLarge(
  dialect: LayoutDialect,
  { table, index, path }: StepOf<'createIndex'>,
  records: Records,
): Work<void> {
  const where = isPresentTooLargeSql(index, table.columns, entrySql(dialect, table));
  const sql = `SELECT ${dialect.selected('1', long)} FROM ${records.sql} WHERE ${where} LIMIT 1`;
  const found = yield { sql, values: records.values, types: [long] };
  if (found.length > 0) throw recordsTooLarge(table.name, index, path);
}

/** @throws ServiceError `malformed` if two records have the same values in the unique index */
export function* refuseRepeated(dialect: LayoutDialect, step: StepOf<'createIndex'>, records: Records): Work<void> {
  const { table, index } = step;
  const columns = index.columns.map(columnSql(dialect, table));
  const where = columns.map((column) => `${column} IS NOT NULL`).join(' AND ');
  const found = yield {
    sql: `SELECT ${dialect.selected('1', long)} FROM ${records.sql} WHERE ${where}
      GROUP BY ${columns.join(', ')} HAVING count(*) > 1 LIMIT 1`,
    values: records.values,
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
