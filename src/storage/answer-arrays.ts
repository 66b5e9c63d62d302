/** The arrays of a query's answer, built row by row within size limits, and the errors for exceeding them. */
import type { Settings } from '../config.ts';
import { ServiceError } from '../errors.ts';
import type { SelectResult } from './contract.ts';
import { type JsonPiece, type JsonText, pieceCharacters, pieceOf } from './json-text.ts';
import type { AnswerWriters, RecordWriter } from './record-writer.ts';

/**
 * Large results are made one at a time: by one reader thread on SQLite, from one connection on PostgreSQL. A result
 * that has not grown for this time loses its turn, so that a slow query delays no other. Milliseconds.
 */
export const largeTurnIdleMs = 250;

export type ResultLimits = Pick<Settings, 'queryTimeMs' | 'resultRowsMax' | 'resultBytesMax'>;

export class AnswerArrays<Value> {
  readonly #writers: readonly RecordWriter<Value>[];
  readonly #keys: AnswerWriters<Value>['keys'];
  readonly #limits: ResultLimits;
  readonly #onLarge: () => void;
  /** The text after the pieces. */
  readonly #texts: string[];
  readonly #pieces: JsonPiece[][];
  #rows = 0;
  #last: readonly (Value | null)[] | null = null;
  #bytes = 0;

  /**
   * @param onLarge called for each piece of a result of `pieceCharacters` or more
   */
  constructor({ arrays, keys }: AnswerWriters<Value>, limits: ResultLimits, onLarge: () => void = () => {}) {
    this.#writers = arrays;
    this.#keys = keys;
    this.#limits = limits;
    this.#onLarge = onLarge;
    this.#texts = arrays.map(() => '');
    this.#pieces = arrays.map(() => []);
  }

  /** @throws ServiceError 212, 413: the answer is too large; it is never truncated */
  add(row: readonly (Value | null)[]): void {
    const { resultRowsMax, resultBytesMax } = this.#limits;
    if (++this.#rows > resultRowsMax) throw tooLarge(`${resultRowsMax} rows (setting resultRowsMax)`);
    for (let index = 0; index < this.#writers.length; index++) {
      const text = (this.#writers[index] as RecordWriter<Value>)(row);
      if (this.#rows > 1) this.#texts[index] += ',';
      if (typeof text === 'string') this.#addText(index, text);
      else for (const piece of text) this.#addPiece(index, piece);
      this.#bytes++;
    }
    this.#last = row;
    if (this.#bytes > resultBytesMax) throw tooLarge(`${resultBytesMax} bytes (setting resultBytesMax)`);
  }

  /** The arrays and, with a cursor, the keys of the last row. */
  result(): Pick<SelectResult, 'arrays' | 'page'> {
    const arrays = this.#arrays();
    if (this.#keys === null) return { arrays };
    return { arrays, page: { rows: this.#rows, keys: this.#last === null ? null : this.#keys(this.#last) } };
  }

  #arrays(): JsonText[] {
    return this.#texts.map((text, index) => {
      const pieces = this.#pieces[index] as JsonPiece[];
      return pieces.length === 0 ? `[${text}]` : ['[', ...pieces, `${text}]`];
    });
  }

  #addText(index: number, text: string): void {
    this.#bytes += Buffer.byteLength(text);
    const whole = this.#texts[index] + text;
    this.#texts[index] = whole;
    if (whole.length >= pieceCharacters) this.#addBytes(index, pieceOf(whole));
  }

  #addPiece(index: number, piece: JsonPiece): void {
    if (typeof piece === 'string') {
      this.#addText(index, piece);
      return;
    }
    this.#bytes += piece.length;
    if (this.#texts[index] !== '') this.#pieces[index]?.push(this.#texts[index] as string);
    this.#addBytes(index, piece);
  }

  /** Adds bytes in place of the text, or after it. */
  #addBytes(index: number, bytes: Uint8Array<ArrayBuffer>): void {
    if (this.#bytes >= pieceCharacters) this.#onLarge();
    this.#pieces[index]?.push(bytes);
    this.#texts[index] = '';
  }
}

function tooLarge(limit: string): ServiceError {
  return new ServiceError(
    212,
    `The result is larger than ${limit}; ask for it in parts with range (offset and limit), or narrow the conditions.`,
    { status: 413 },
  );
}

export function tooManyGroups(groupsMax: number, cause?: unknown): ServiceError {
  return new ServiceError(
    212,
    `The query has more than ${groupsMax} groups (setting groupsMax); narrow "where", or group by values that more rows share.`,
    { status: 413, cause },
  );
}

export function outOfTime({ queryTimeMs }: ResultLimits, cause?: unknown): ServiceError {
  return new ServiceError(
    212,
    `The query was stopped after ${queryTimeMs} ms (setting queryTimeMs); narrow its conditions or ask for less.`,
    { status: 503, retryAfterSeconds: 1, cause },
  );
}
