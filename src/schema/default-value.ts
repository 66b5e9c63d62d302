/** The default of a column: the value for records added without one, stored as wire text with times in UTC. */
import { malformed } from '../errors.ts';
import { parseValue } from './column-type.ts';
import type { Column, ColumnType, StoredValue, Table } from './model.ts';
import { decimalText } from './numbers.ts';
import { formatInstant, type Zone, zoneOf } from './time.ts';
import { ValueError } from './values.ts';

const utc = zoneOf('UTC');

/** Longer values belong in records. */
const defaultBytesMax = 10_000;

/**
 * Wire text of a default in a request.
 * @param zone of datetimes without an offset
 * @throws ServiceError `malformed` for a value that does not fit the type
 */
export function readDefault(type: ColumnType, input: unknown, zone: Zone, path: string): string {
  try {
    return storedText(type, parseValue(type, input, { zone, valueBytesMax: defaultBytesMax }));
  } catch (error) {
    if (error instanceof ValueError) throw malformed(path, error.message);
    throw error;
  }
}

function storedText(type: ColumnType, value: StoredValue): string {
  if (type.kind === 'decimal') return decimalText(String(value), type.scale);
  return type.kind === 'datetime' ? formatInstant(value as number, utc) : String(value);
}

/** The value of wire text with times in UTC. @throws ValueError where it does not fit the type */
export function parseStoredText(type: ColumnType, text: string): StoredValue {
  return parseValue(type, text, { zone: utc, valueBytesMax: Number.MAX_SAFE_INTEGER });
}

const known = new WeakMap<Table, readonly StoredValue[] | null>();

/** The default of each column of the table, in order, null for none; null where no column has one. */
export function defaultsOf(table: Table): readonly StoredValue[] | null {
  let values = known.get(table);
  if (values === undefined) {
    const hasOne = table.columns.some((column) => column.default !== undefined);
    values = hasOne ? table.columns.map(presetOf) : null;
    known.set(table, values);
  }
  return values;
}

function presetOf({ type, default: text }: Column): StoredValue {
  return text === undefined ? null : parseStoredText(type, text);
}
