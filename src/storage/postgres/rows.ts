/** From rows as PostgreSQL sends them, every value as text, to the JSON text of records: the hot loop of every read. */
import type { Output } from '../../query/statement.ts';
import type { ColumnType } from '../../schema/model.ts';
import { formatInstant, parseInstant, type Zone, zoneOf } from '../../schema/time.ts';
import type { TextRow } from './connections.ts';

/** JSON text of one record out of a row. */
export type RecordWriter = (row: TextRow) => string;

/** One writer per output, in their order; the outputs' columns follow each other in the row. */
export function recordWriters(outputs: readonly Output[], zone: Zone): RecordWriter[] {
  let first = 0;
  return outputs.map((output) => {
    const writer = recordWriter(output, first, zone);
    first += output.columns.length;
    return writer;
  });
}

/** Objects of the same shape, written as a whole: see `storage/sqlite/rows.ts` of how much faster that is. */
export function recordWriter(output: Output, first: number, zone: Zone): RecordWriter {
  const names = output.columns.map(({ name }) => name);
  const texts = output.columns.map(({ type }) => wireTextOf(type, zone));
  return (row) => {
    const record: Record<string, string | null> = {};
    for (let index = 0; index < names.length; index++) {
      const raw = row[first + index] as string | null;
      const text = texts[index] as WireText | null;
      record[names[index] as string] = raw === null || text === null ? raw : text(raw);
    }
    return JSON.stringify(record);
  };
}

export type WireText = (raw: string) => string;

/** How the text that PostgreSQL writes becomes wire text; null where it is the same. */
export function wireTextOf(type: ColumnType, zone: Zone): WireText | null {
  switch (type.kind) {
    case 'varchar':
    case 'text':
    case 'json':
    case 'integer':
    case 'long':
    case 'decimal':
      return null;
    case 'double':
      return (raw) => String(Number(raw));
    case 'bool':
      return (raw) => (raw === 't' ? 'true' : 'false');
    case 'datetime':
      return zone.name === 'UTC' ? utcText : (raw) => formatInstant(instantOf(raw), zone);
  }
}

/** What is missing of a fraction, by how many of its characters there are (the point included). */
const missing = ['.000', '', '00', '0', ''];

/** `2014-01-23 07:44:36.5+00`, as the connections show times, is `2014-01-23T07:44:36.500+00:00`. */
function utcText(raw: string): string {
  const end = raw.length - '+00'.length;
  return `${raw.slice(0, 10)}T${raw.slice(11, end)}${missing[end - 19] as string}+00:00`;
}

const utc = zoneOf('UTC');

/** Milliseconds since 1970. */
function instantOf(raw: string): number {
  return parseInstant(raw, utc) as number;
}
