/** The stored form of each type of column on SQLite, and its conversion to wire text. */
import type { SQLInputValue, SQLOutputValue } from 'node:sqlite';
import { isWide } from '../../query/check/types.ts';
import type { AnswerForm } from '../../query/statement.ts';
import { isJsonText } from '../../schema/column-type.ts';
import type { ColumnType } from '../../schema/model.ts';
import { decimalText } from '../../schema/numbers.ts';
import { formatInstant, type Zone } from '../../schema/time.ts';
import {
  type RecordWriter as Writer,
  type AnswerWriters as Writers,
  answerWriters as writersOf,
} from '../record-writer.ts';
import { wideDigits } from './wide.ts';

export type WireText = (raw: SQLOutputValue) => string;

interface SqliteType<Type extends ColumnType> {
  readonly column: 'TEXT' | 'INTEGER' | 'REAL';
  /** Values of 64 bits, which JavaScript's numbers cannot hold, are selected as text. */
  readonly isSelectedAsText?: true;
  /** Wire text of a selected value. */
  readonly wire: (type: Type, zone: Zone) => WireText;
  /** The value to store for wire text with times in UTC. */
  readonly stored: (text: string) => SQLInputValue;
}

const ofText: SqliteType<ColumnType> = { column: 'TEXT', wire: () => (raw) => raw as string, stored: (text) => text };

const types: { readonly [K in ColumnType['kind']]: SqliteType<Extract<ColumnType, { kind: K }>> } = {
  varchar: ofText,
  text: ofText,
  json: ofText,
  integer: { column: 'INTEGER', wire: () => String, stored: BigInt },
  long: { column: 'INTEGER', isSelectedAsText: true, wire: () => (raw) => raw as string, stored: BigInt },
  double: { column: 'REAL', wire: () => String, stored: Number },
  // Unscaled: 12.50 with scale 2 is 1250.
  decimal: {
    column: 'INTEGER',
    isSelectedAsText: true,
    wire: (type) =>
      isWide(type)
        ? (raw) => decimalText(wideDigits(raw as string), type.scale)
        : (raw) => decimalText(raw as string, type.scale),
    stored: (text) => BigInt(text.replace('.', '')),
  },
  bool: {
    column: 'INTEGER',
    wire: () => (raw) => (raw === 0 ? 'false' : 'true'),
    stored: (text) => (text === 'true' ? 1n : 0n),
  },
  datetime: {
    column: 'INTEGER',
    wire: (_type, zone) => (raw) => formatInstant(raw as number, zone),
    stored: (text) => BigInt(Date.parse(text)),
  },
};

/** SQLite's rules for the type's kind. */
export function sqliteTypeOf({ kind }: ColumnType): SqliteType<ColumnType> {
  return types[kind] as SqliteType<ColumnType>;
}

export function wireTextOf(type: ColumnType, zone: Zone): WireText {
  return sqliteTypeOf(type).wire(type, zone);
}

export type RecordWriter = Writer<SQLOutputValue>;

export type AnswerWriters = Writers<SQLOutputValue>;

export function answerWriters(form: AnswerForm, zone: Zone): AnswerWriters {
  return writersOf(form, (type, isTyped) => jsonTextOf(type, isTyped, zone));
}

/** See `JsonTextOf`. */
function jsonTextOf(type: ColumnType, isTyped: boolean, zone: Zone): WireText {
  const wireText = wireTextOf(type, zone);
  if (isTyped && isJsonText(type)) return wireText;
  if (sqliteTypeOf(type).column === 'TEXT') return (raw) => JSON.stringify(raw);
  return (raw) => `"${wireText(raw)}"`;
}
