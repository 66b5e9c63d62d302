/** Converts values of rows, which PostgreSQL sends as text, to wire text. */
import type { AnswerForm } from '../../query/statement.ts';
import { isJsonText } from '../../schema/column-type.ts';
import type { ColumnType } from '../../schema/model.ts';
import { formatInstant, parseInstant, type Zone, zoneOf } from '../../schema/time.ts';
import type { JsonText } from '../json-text.ts';
import {
  type RecordWriter as Writer,
  type AnswerWriters as Writers,
  answerWriters as writersOf,
} from '../record-writer.ts';

export type RecordWriter = Writer<JsonText>;
export type AnswerWriters = Writers<JsonText>;

export function answerWriters(form: AnswerForm, zone: Zone): AnswerWriters {
  return writersOf(form, (type, isTyped) => jsonTextOf(type, isTyped, zone));
}

/** See `JsonTextOf`. Large texts arrive as JSON strings (`incoming.ts`), except in statements with typed json. */
function jsonTextOf(type: ColumnType, isTyped: boolean, zone: Zone): (raw: JsonText) => JsonText {
  const wireText = wireTextOf(type, zone);
  if (isTyped && isJsonText(type)) return wireText === null ? (raw) => raw : (raw) => wireText(raw as string);
  switch (type.kind) {
    case 'varchar':
    case 'text':
    case 'json':
      return (raw) => (typeof raw === 'string' ? JSON.stringify(raw) : raw);
    default:
      return wireText === null ? (raw) => `"${raw}"` : (raw) => `"${wireText(raw as string)}"`;
  }
}

export type WireText = (raw: string) => string;

/** Converts the text that PostgreSQL writes to wire text; null where both are the same. */
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

/** What a fraction lacks, by its number of characters (including the point). */
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
