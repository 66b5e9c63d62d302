/** The wire text of stored values, independent of the engines, which make it from their databases' values. */
import type { ColumnType, StoredValue } from '../../src/schema/model.ts';
import { decimalText } from '../../src/schema/numbers.ts';
import { formatInstant, type Zone } from '../../src/schema/time.ts';

/** A stored value in a record's JSON: a string, or null. Datetimes are in the zone. */
export function wireText(type: ColumnType, value: StoredValue, zone: Zone): string | null {
  if (value === null) return null;
  switch (type.kind) {
    case 'varchar':
    case 'text':
    case 'json':
      return value as string;
    case 'integer':
    case 'long':
    case 'double':
    case 'bool':
      return String(value);
    case 'decimal':
      return decimalText(String(value), type.scale);
    case 'datetime':
      return formatInstant(value as number, zone);
  }
}
