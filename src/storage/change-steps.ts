/** Carries out the steps of a change of tables, on either engine. */

import { ServiceError } from '../errors.ts';
import type { BoundValue } from '../query/statement.ts';
import { parseStoredText } from '../schema/default-value.ts';
import type { ChangeStep, Column, Index, NumberedTable } from '../schema/model.ts';
import { storedName } from '../schema/names.ts';
import { systemName } from '../schema/system.ts';
import { isPresentTooLargeSql, recordsTooLarge } from './index-size.ts';
import {
  addColumn,
  audienceColumn,
  createAudienceIndex,
  createIndex,
  createTable,
  dropColumn,
  dropIndex,
  entrySql,
  type LayoutDialect,
  tableSql,
} from './layout.ts';
import type { Work } from './work.ts';

/** How many ids of records an error names. */
const idsMax = 10;

export interface StepContext {
  readonly dialect: LayoutDialect;
  /** Audiences of the caller (`DefinitionChange.members`). */
  readonly members: readonly string[];
}

/** @throws ServiceError `malformed` where the present records don't allow the step */
export function* performStep(context: StepContext, step: ChangeStep): Work<void> {
  const { dialect } = context;
  const { table } = step;
  switch (step.kind) {
    case 'createTable':
      yield { sql: createTable(dialect, table) };
      for (const sql of createAudienceIndex(dialect, table)) yield { sql };
      for (const index of table.indexes) for (const sql of createIndex(dialect, table, index)) yield { sql };
      break;
    case 'dropTable':
      yield { sql: `DROP TABLE ${tableSql(dialect, table)}` };
      yield { sql: `DELETE FROM ${dialect.table('_tombstone')} WHERE table_id = ${table.id}` };
      break;
    case 'addColumn':
      yield { sql: addColumn(dialect, table, step.column) };
      break;
    case 'dropColumn':
      yield { sql: dropColumn(dialect, table, step.column) };
      break;
    case 'fill':
      yield* fill(dialect, table, step.column);
      break;
    case 'loosen':
      yield* loosen(dialect, table, step.column);
      break;
    case 'requireValues':
      yield* requireValues(context, table, step.column, step.path);
      break;
    case 'createIndex':
      yield* refuseTooLarge(dialect, table, step.index, step.path);
      try {
        for (const sql of createIndex(dialect, table, step.index)) yield { sql };
      } catch (error) {
        throw dialect.isUnique(error) ? notUnique(step, error) : error;
      }
      break;
    case 'dropIndex':
      for (const sql of dropIndex(dialect, table, step.index)) yield { sql };
  }
}

function* fill(dialect: LayoutDialect, table: NumberedTable, column: Column): Work<void> {
  const value = dialect.bound(parseStoredText(column.type, column.default as string), column.type);
  const name = dialect.column(storedName(column));
  yield {
    sql: `UPDATE ${tableSql(dialect, table)} SET ${name} = ${dialect.placeholder(1, true, column.type)}`,
    values: [value],
  };
}

/** A column that was required when its table was made refuses records without a value. */
function* loosen(dialect: LayoutDialect, table: NumberedTable, column: Column): Work<void> {
  const refusing = yield { sql: dialect.isNotNull(storedName(table), storedName(column)) };
  if (refusing.length === 0) return;
  const name = dialect.column(storedName(column));
  yield { sql: `ALTER TABLE ${tableSql(dialect, table)} ALTER COLUMN ${name} DROP NOT NULL` };
}

function* requireValues(context: StepContext, table: NumberedTable, column: Column, path: string): Work<void> {
  const { dialect } = context;
  const where = `${dialect.column(storedName(column))} IS NULL`;
  const count = yield* countOf(dialect, table, where);
  if (count === 0) return;
  const ids = yield* visibleIds(context, table, where);
  throw new ServiceError(
    'malformed',
    `${path}: ${count} of the records of "${table.name}" have no value of "${column.name}"${idsText(ids)}. Give them one first.`,
  );
}

function* countOf(dialect: LayoutDialect, table: NumberedTable, where: string): Work<number> {
  const [row] = yield { sql: `SELECT count(*) FROM ${tableSql(dialect, table)} WHERE ${where}` };
  return Number(row?.[0]);
}

/** The first ids, of those that the caller may see. */
function* visibleIds({ dialect, members }: StepContext, table: NumberedTable, where: string): Work<string[]> {
  const objectId = dialect.column(systemName.objectId);
  const placeholder = dialect.placeholder(1, false, 'members');
  const bound: BoundValue = dialect.boundMembers(members);
  const rows = yield {
    sql: `SELECT ${objectId} FROM ${tableSql(dialect, table)}
      WHERE ${where} AND ${dialect.visibleRecord(audienceColumn, placeholder)} ORDER BY ${objectId} LIMIT ${idsMax}`,
    values: [bound],
  };
  return rows.map(([id]) => id as string);
}

function idsText(ids: readonly string[]): string {
  return ids.length === 0 ? '' : `, among them those with the objectId ${ids.map((id) => `"${id}"`).join(', ')}`;
}

/** @throws ServiceError `malformed` where a present record does not fit the index */
export function* refuseTooLarge(dialect: LayoutDialect, table: NumberedTable, index: Index, path: string): Work<void> {
  const where = isPresentTooLargeSql(index, table.columns, entrySql(dialect, table));
  const found = yield { sql: `SELECT 1 FROM ${tableSql(dialect, table)} WHERE ${where} LIMIT 1` };
  if (found.length > 0) throw recordsTooLarge(table.name, index, path);
}

export function notUnique(
  { table, index, path, advice }: Extract<ChangeStep, { kind: 'createIndex' }>,
  cause?: unknown,
): ServiceError {
  return new ServiceError(
    'malformed',
    `${path}: the index of "${table.name}" on ${index.columns.join(', ')} can't be unique, because there are records with equal values.${advice}`,
    { cause },
  );
}
