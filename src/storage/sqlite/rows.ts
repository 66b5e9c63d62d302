/** From the values of rows as SQLite gives them to wire text. */
import type { SQLOutputValue } from 'node:sqlite';
import type { Output } from '../../query/statement.ts';
import type { ColumnType } from '../../schema/model.ts';
import { decimalText } from '../../schema/numbers.ts';
import { formatInstant, type Zone } from '../../schema/time.ts';
import { type RecordWriter as Writer, recordWriters as writersOf } from '../record-writer.ts';

export type RecordWriter = Writer<SQLOutputValue>;

export function recordWriters(outputs: readonly Output[], zone: Zone): RecordWriter[] {
  return writersOf(outputs, (type) => jsonTextOf(type, zone));
}

/** JSON text of a value: its wire text as a JSON string. */
function jsonTextOf(type: ColumnType, zone: Zone): WireText {
  const wireText = wireTextOf(type, zone);
  switch (type.kind) {
    case 'varchar':
    case 'text':
    case 'json':
      return (raw) => JSON.stringify(raw);
    default:
      return (raw) => `"${wireText(raw)}"`;
  }
}

export type WireText = (raw: SQLOutputValue) => string;

/** Like `wireText` of `schema/values.ts`, but from SQLite's values; 64-bit values are already text. */
export function wireTextOf(type: ColumnType, zone: Zone): WireText {
  switch (type.kind) {
    case 'varchar':
    case 'text':
    case 'json':
    case 'long':
      return (raw) => raw as string;
    case 'integer':
    case 'double':
      return (raw) => String(raw);
    case 'decimal':
      return (raw) => decimalText(raw as string, type.scale);
    case 'bool':
      return (raw) => (raw === 0 ? 'false' : 'true');
    case 'datetime':
      return (raw) => formatInstant(raw as number, zone);
  }
}
