/** From rows as SQLite gives them to the JSON text of records: the hot loop of every read. */
import type { SQLOutputValue } from 'node:sqlite';
import type { Output } from '../../query/statement.ts';
import type { ColumnType } from '../../schema/model.ts';
import { decimalText } from '../../schema/numbers.ts';
import { formatInstant, type Zone } from '../../schema/time.ts';

export type Row = readonly SQLOutputValue[];

/** JSON text of one record out of a row. */
export type RecordWriter = (row: Row) => string;

/** One writer per output, in their order; the outputs' columns follow each other in the row. */
export function recordWriters(outputs: readonly Output[], zone: Zone): RecordWriter[] {
  let first = 0;
  return outputs.map((output) => {
    const writer = recordWriter(output, first, zone);
    first += output.columns.length;
    return writer;
  });
}

/** The text is put together column by column: only texts need escaping, and an object of it would take half as long again. */
function recordWriter(output: Output, first: number, zone: Zone): RecordWriter {
  const names = output.columns.map(({ name }, index) => `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`);
  const texts = output.columns.map(({ type }) => jsonTextOf(type, zone));
  return (row) => {
    let record = '';
    for (let index = 0; index < names.length; index++) {
      const raw = row[first + index] as SQLOutputValue;
      record += (names[index] as string) + (raw === null ? 'null' : (texts[index] as WireText)(raw));
    }
    return `${record}}`;
  };
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

/** As `wireText` of `schema/values.ts`, but from what SQLite stores; 64-bit values come as text already. */
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
