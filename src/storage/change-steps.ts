/** Executes the steps of a change of tables, on either engine. */

import { ServiceError } from '../errors.ts';
import { parseStoredText } from '../schema/default-value.ts';
import type { ChangeStep, Column, DefinitionChange, NumberedTable } from '../schema/model.ts';
import { storedName } from '../schema/names.ts';
import { zoneOf } from '../schema/time.ts';
import { convert } from './conversion.ts';
import type { ExpectedValues } from './expected-values.ts';
import {
  addColumn,
  createIndex,
  createIndexes,
  createTable,
  dropColumn,
  dropIndex,
  dropTable,
  indexTerms,
  type LayoutDialect,
  tableSql,
} from './layout.ts';
import {
  notUnique,
  refuseRepeated,
  refuseTooLarge,
  requireValues,
  type StepContext,
  storedRecords,
} from './present-records.ts';
import type { Work } from './work.ts';

const cancelledText = 'changes: They were cancelled, and nothing was changed.';

/** For the steps of a change, inside its transaction. */
export function stepContext(
  dialect: LayoutDialect,
  { members = [], zone = 'UTC', cancelled }: DefinitionChange,
): StepContext {
  const its = zoneOf(zone);
  const flag = cancelled === undefined ? null : new Int32Array(cancelled);
  return {
    dialect,
    members,
    wireText: (type) => dialect.wireText(type, its),
    refuseCancelled() {
      if (flag !== null && Atomics.load(flag, 0) !== 0) throw new ServiceError('malformed', cancelledText);
    },
  };
}

/** @throws ServiceError `malformed` if the present records don't allow the step */
export function* performStep(context: StepContext, step: ChangeStep): Work<void> {
  const { dialect } = context;
  const { table } = step;
  context.refuseCancelled();
  switch (step.kind) {
    case 'createTable':
      yield { sql: createTable(dialect, table) };
      for (const sql of createIndexes(dialect, table)) yield { sql };
      break;
    case 'dropTable':
      for (const sql of dropTable(dialect, table)) yield { sql };
      yield { sql: `DELETE FROM ${dialect.table('_tombstone')} WHERE table_id = ${table.id}` };
      break;
    case 'addColumn':
      yield { sql: addColumn(dialect, table, step.column) };
      break;
    case 'dropColumn':
      for (const sql of dropColumn(dialect, table, step.column)) yield { sql };
      break;
    case 'fill':
      yield* fill(dialect, table, step.column);
      break;
    case 'loosen':
      yield* loosen(dialect, table, step.column);
      break;
    case 'requireValues':
      yield* requireValues(context, step, storedRecords(dialect, table));
      break;
    case 'convert':
      yield* convert(context, step, null);
      break;
    case 'createIndex':
      yield* refuseTooLarge(dialect, step, storedRecords(dialect, table));
      try {
        for (const sql of createIndex(dialect, table, step.index)) yield { sql };
      } catch (error) {
        throw dialect.isUnique(error) ? notUnique(step, error) : error;
      }
      break;
    case 'dropIndex':
      for (const sql of dropIndex(dialect, table, step.index)) yield { sql };
      break;
    case 'indexTerms':
      for (const sql of indexTerms(dialect, table, step.column)) yield { sql };
  }
}

/**
 * Reads whether the records contradict the step, as they will be after the steps before it. Steps are to be checked in
 * order. Returns false if only executing it can tell, because it depends on values that the change itself computes.
 * @throws ServiceError `malformed` as `performStep`
 */
export function* checkStep(context: StepContext, expected: ExpectedValues, step: ChangeStep): Work<boolean> {
  const isJudged = expected.isNew(step.table) || (yield* judgeStep(context, expected, step));
  expected.note(step);
  return isJudged;
}

function* judgeStep(context: StepContext, expected: ExpectedValues, step: ChangeStep): Work<boolean> {
  const { dialect } = context;
  const { table } = step;
  switch (step.kind) {
    case 'requireValues':
      yield* requireValues(context, step, expected.records(table, [step.column]));
      return true;
    case 'convert':
      if (!expected.isKnown(table, [step.from])) return false;
      yield* convert(context, step, expected.records(table, [step.from]));
      return true;
    case 'createIndex': {
      const { index } = step;
      const columns = table.columns.filter(({ name }) => index.columns.includes(name));
      const records = expected.records(table, columns);
      // Only texts differ in size.
      const sized = columns.filter(({ type }) => type.kind === 'varchar');
      if (!expected.isKnown(table, sized)) return false;
      yield* refuseTooLarge(dialect, step, records);
      if (!index.unique) return true;
      if (!expected.isKnown(table, columns)) return false;
      yield* refuseRepeated(dialect, step, records);
      return true;
    }
    default:
      return true;
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

/** A column that was required when its table was created refuses records without a value. */
function* loosen(dialect: LayoutDialect, table: NumberedTable, column: Column): Work<void> {
  const refusing = yield { sql: dialect.isNotNull(storedName(table), storedName(column)) };
  if (refusing.length === 0) return;
  const name = dialect.column(storedName(column));
  yield { sql: `ALTER TABLE ${tableSql(dialect, table)} ALTER COLUMN ${name} DROP NOT NULL` };
}
