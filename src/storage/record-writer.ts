/** From rows of a database to the JSON text of records: the hot loop of every read. */
import type { AnswerForm, Output } from '../query/statement.ts';
import type { ColumnType } from '../schema/model.ts';
import { systemPosition } from '../schema/system.ts';
import { type JsonPiece, type JsonText, joined } from './json-text.ts';

/** JSON text of one record from a row. */
export type RecordWriter<Value> = (row: readonly (Value | null)[]) => JsonText;

/** @param isTyped JSON of the type itself: numbers that JSON has, booleans, json as it is; otherwise the wire text as a JSON string */
export type JsonTextOf<Value> = (type: ColumnType, isTyped: boolean) => (value: Value) => JsonText;

export interface AnswerWriters<Value> {
  /** One for each array of the answer. */
  readonly arrays: readonly RecordWriter<Value>[];
  /** Makes the array of the wire texts of a row's keys; null where there is no cursor. */
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
    const write = recordWriter(output, first, typed);
    first += output.columns.length;
    return { key: output.key, idAt, write };
  });
  const all = records.map(({ write }) => write);
  if (rows === undefined) return { arrays: all, keys: null };
  const keys = rows.keys.length === 0 ? null : listWriter(rows.keys, first, (type) => jsonTextOf(type, false));
  return { arrays: rows.nested ? [rowWriter(records)] : all, keys };
}

interface Present<Value> {
  readonly key: string;
  /** Where the row has the record's objectId, which is null on the missing side of a join. */
  readonly idAt: number;
  readonly write: RecordWriter<Value>;
}

/** A row as an object: each record under its key. */
function rowWriter<Value>(records: readonly Present<Value>[]): RecordWriter<Value> {
  return (row) =>
    joined([
      ...records.flatMap(({ key, idAt, write }, index): JsonText[] => [
        `${index === 0 ? '{' : ','}${JSON.stringify(key)}:`,
        row[idAt] === null ? 'null' : write(row),
      ]),
      '}',
    ]);
}

function listWriter<Value>(
  types: readonly ColumnType[],
  first: number,
  jsonTextOf: (type: ColumnType) => (value: Value) => JsonText,
): RecordWriter<Value> {
  const writers = types.map(jsonTextOf);
  return (row) =>
    joined([
      ...writers.flatMap((write, index): JsonText[] => {
        const value = row[first + index] as Value | null;
        return [index === 0 ? '[' : ',', value === null ? 'null' : write(value)];
      }),
      ']',
    ]);
}

/**
 * The text is built column by column: only texts need escaping, and building an object first would take half as long
 * again.
 */
function recordWriter<Value>(
  { columns }: Output,
  first: number,
  jsonTextOf: (type: ColumnType) => (value: Value) => JsonText,
): RecordWriter<Value> {
  const names = columns.map(({ name }, index) => `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`);
  const writers = columns.map(({ type }) => jsonTextOf(type));
  return (row) => {
    let record = '';
    let pieces: JsonPiece[] | null = null;
    for (let index = 0; index < names.length; index++) {
      const value = row[first + index] as Value | null;
      const text = value === null ? 'null' : (writers[index] as (value: Value) => JsonText)(value);
      record += names[index] as string;
      if (typeof text === 'string') record += text;
      else {
        pieces ??= [];
        pieces.push(record, ...text);
        record = '';
      }
    }
    return pieces === null ? `${record}}` : [...pieces, `${record}}`];
  };
}
