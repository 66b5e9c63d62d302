/** Converts rows of a database to the JSON text of records: the hot loop of every read. */
import type { AnswerForm } from '../query/statement.ts';
import type { ColumnType } from '../schema/model.ts';
import { systemPosition } from '../schema/system.ts';
import { type JsonPiece, type JsonText, joined } from './json-text.ts';

/** JSON text of one record from a row. */
export type RecordWriter<Value> = (row: readonly (Value | null)[]) => JsonText;

/**
 * @param isTyped whether values are JSON of their type: numbers that JSON can hold, booleans, json unchanged; otherwise
 * the wire text as a JSON string
 */
export type JsonTextOf<Value> = (type: ColumnType, isTyped: boolean) => (value: Value) => JsonText;

export interface AnswerWriters<Value> {
  /** One for each array of the answer. */
  readonly arrays: readonly RecordWriter<Value>[];
  /** Makes the array of the wire texts of a row's keys; null without a cursor. */
  readonly keys: RecordWriter<Value> | null;
}

/** The outputs' columns follow each other in the row, then the keys. */
export function answerWriters<Value>(
  { outputs, rows }: AnswerForm,
  jsonTextOf: JsonTextOf<Value>,
): AnswerWriters<Value> {
  const typed = (type: ColumnType) => jsonTextOf(type, rows?.typed ?? false);
  let first = 0;
  const records = outputs.map((output): Present<Value> => {
    const idAt = first + systemPosition.objectId;
    const { columns } = output;
    const before = beforeMembers(columns.map(({ name }) => name));
    const write = valuesWriter(
      columns.map(({ type }) => typed(type)),
      first,
      before,
      '}',
    );
    first += columns.length;
    return { key: output.key, idAt, write };
  });
  const all = records.map(({ write }) => write);
  if (rows === undefined) return { arrays: all, keys: null };
  const arrays = rows.nested ? [rowWriter(records)] : all;
  if (rows.keys.length === 0) return { arrays, keys: null };
  const texts = rows.keys.map((type) => jsonTextOf(type, false));
  const before = rows.keys.map((_, index) => (index === 0 ? '[' : ','));
  return { arrays, keys: valuesWriter(texts, first, before, ']') };
}

interface Present<Value> {
  readonly key: string;
  /** Position of the record's objectId in the row, which is null on the missing side of a join. */
  readonly idAt: number;
  readonly write: RecordWriter<Value>;
}

/** A row as an object: each record under its key. */
function rowWriter<Value>(records: readonly Present<Value>[]): RecordWriter<Value> {
  const before = beforeMembers(records.map(({ key }) => key));
  return (row) =>
    joined([
      ...records.flatMap(({ idAt, write }, index) => [
        before[index] as string,
        row[idAt] === null ? 'null' : write(row),
      ]),
      '}',
    ]);
}

/** The text before each value of an object with these names. */
function beforeMembers(names: readonly string[]): string[] {
  return names.map((name, index) => `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`);
}

/**
 * Builds the text column by column: only texts need escaping, and building an object first would take half as long
 * again.
 * @param before the text before each value; `end` follows the last one
 */
function valuesWriter<Value>(
  writers: readonly ((value: Value) => JsonText)[],
  first: number,
  before: readonly string[],
  end: string,
): RecordWriter<Value> {
  return (row) => {
    let record = '';
    let pieces: JsonPiece[] | null = null;
    for (let index = 0; index < before.length; index++) {
      const value = row[first + index] as Value | null;
      const text = value === null ? 'null' : (writers[index] as (value: Value) => JsonText)(value);
      record += before[index] as string;
      if (typeof text === 'string') record += text;
      else {
        pieces ??= [];
        pieces.push(record, ...text);
        record = '';
      }
    }
    return pieces === null ? record + end : [...pieces, record + end];
  };
}
