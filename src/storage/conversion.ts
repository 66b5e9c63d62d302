/**
 * Gives a column another type, or full text: every value is read as wire text and parsed as the new type, or split into
 * terms, by the same code on both engines, so that both accept the same values.
 */
import { ServiceError } from '../errors.ts';
import type { BoundValue } from '../query/statement.ts';
import { parseValue, typeText } from '../schema/column-type.ts';
import type { Column, ColumnType, StoredValue } from '../schema/model.ts';
import { isOfTerms, storedName } from '../schema/names.ts';
import { systemName } from '../schema/system.ts';
import { storedTerms } from '../schema/terms.ts';
import { zoneOf } from '../schema/time.ts';
import { ValueError } from '../schema/values.ts';
import { tableSql } from './layout.ts';
import {
  idsMax,
  idsText,
  type Records,
  type StepContext,
  type StepOf,
  storedRecords,
  visibleSql,
} from './present-records.ts';
import type { Work } from './work.ts';

/** How many values one statement reads and writes; fewer for long texts, because they are held in memory. */
const valuesMax = { short: 1_000, long: 50 };

const utc = zoneOf('UTC');
const text: ColumnType = { kind: 'text' };
const long: ColumnType = { kind: 'long' };

/**
 * Reads all values, and writes them as those of the new type.
 * @param rehearsed the records to read instead of the stored ones, and to write nothing; null for the change itself
 * @throws ServiceError `malformed` with the number of values that don't fit, and ids of records that the caller sees
 */
export function* convert(context: StepContext, step: StepOf<'convert'>, rehearsed: Records | null): Work<void> {
  const { from, column } = step;
  const writes = rehearsed === null && storedName(from) !== storedName(column);
  const records = rehearsed ?? storedRecords(context.dialect, step.table);
  const misfits = { count: 0, ids: [] as string[], first: '' };
  const wireText = context.wireText(from.type);
  let last: string | null = null;
  for (;;) {
    context.refuseCancelled();
    const page: Page = yield* pageAfter(context, step, records, last);
    const fitting: [string, StoredValue][] = [];
    for (const [id, raw, isVisible] of page.rows) {
      last = id;
      try {
        fitting.push([id, parseAs(column, wireText(raw))]);
      } catch (error) {
        if (!(error instanceof ValueError)) throw error;
        misfits.count++;
        if (!isVisible || misfits.ids.length >= idsMax) continue;
        if (misfits.ids.push(id) === 1) misfits.first = ` "${id}": ${error.message}`;
      }
    }
    if (writes && misfits.count === 0 && fitting.length > 0) yield* write(context, step, fitting);
    if (page.isLast) break;
  }
  if (misfits.count > 0) throw misfit(step, misfits);
}

function parseAs({ name, type }: Column, wire: string): StoredValue {
  if (isOfTerms(name)) return storedTerms(wire);
  return parseValue(type, wire, { zone: utc, valueBytesMax: Number.MAX_SAFE_INTEGER });
}

interface Page {
  readonly rows: readonly (readonly [id: string, raw: unknown, isVisible: boolean])[];
  readonly isLast: boolean;
}

/** The values of the next records that have one, in the order of their ids. */
function* pageAfter(
  context: StepContext,
  { from }: StepOf<'convert'>,
  records: Records,
  last: string | null,
): Work<Page> {
  const { dialect, members } = context;
  const objectId = dialect.column(systemName.objectId);
  const value = dialect.column(storedName(from));
  const values: BoundValue[] = [...records.values, dialect.boundMembers(members)];
  const isVisible = `CASE WHEN ${visibleSql(context, values.length)} THEN 1 ELSE 0 END`;
  const conditions = [`${value} IS NOT NULL`];
  if (last !== null) conditions.push(`${objectId} > ${dialect.placeholder(values.push(last), false, text)}`);
  const { kind } = from.type;
  const max = kind === 'text' || kind === 'json' ? valuesMax.long : valuesMax.short;
  const rows = yield {
    sql: `SELECT ${objectId}, ${dialect.selected(value, from.type)}, ${dialect.selected(isVisible, long)}
      FROM ${records.sql} WHERE ${conditions.join(' AND ')} ORDER BY ${objectId} LIMIT ${max}`,
    values,
    types: [text, from.type, long],
  };
  return {
    rows: rows.map(([id, raw, visible]) => [id as string, raw, Number(visible) === 1]),
    isLast: rows.length < max,
  };
}

function* write(
  { dialect }: StepContext,
  { table, column }: StepOf<'convert'>,
  fitting: readonly (readonly [string, StoredValue])[],
): Work<void> {
  const values: BoundValue[] = [];
  const placed = (value: BoundValue, type: ColumnType) => dialect.placeholder(values.push(value), true, type);
  const rows = fitting.map(
    ([id, value]) => `(${placed(id, text)}, ${placed(dialect.bound(value, column.type), column.type)})`,
  );
  const stored = tableSql(dialect, table);
  yield {
    sql: `UPDATE ${stored} SET ${dialect.column(storedName(column))} = item.column2
      FROM (VALUES ${rows.join(', ')}) AS item WHERE ${stored}.${dialect.column(systemName.objectId)} = item.column1`,
    values,
  };
}

function misfit(
  { table, from, column, path }: StepOf<'convert'>,
  { count, ids, first }: { readonly count: number; readonly ids: readonly string[]; readonly first: string },
): ServiceError {
  const what = isOfTerms(column.name) ? 'have too many terms for full text' : `don't fit ${typeText(column.type)}`;
  return new ServiceError(
    'malformed',
    `${path}: ${count} of the values of "${from.name}" in "${table.name}", which is ${typeText(from.type)}, ${what}${idsText(ids)}.${first} Change these records first.`,
  );
}
