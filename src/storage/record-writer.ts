/** From rows of a database to the JSON text of records: the hot loop of every read. */
import type { Output } from '../query/statement.ts';
import type { ColumnType } from '../schema/model.ts';
import type { JsonPiece, JsonText } from './json-text.ts';

/** JSON text of one record from a row. */
export type RecordWriter<Value> = (row: readonly (Value | null)[]) => JsonText;

/**
 * One writer per output, in their order; the outputs' columns follow each other in the row.
 * @param jsonTextOf JSON text of the values of a type: their wire text as a JSON string
 */
export function recordWriters<Value>(
  outputs: readonly Output[],
  jsonTextOf: (type: ColumnType) => (value: Value) => JsonText,
): RecordWriter<Value>[] {
  let first = 0;
  return outputs.map((output) => {
    const writer = recordWriter(output, first, jsonTextOf);
    first += output.columns.length;
    return writer;
  });
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
