/** The arrays of a query's answer, put together row by row within the bounds on their size, and the errors of its bounds. */
import type { Settings } from '../config.ts';
import { ServiceError } from '../errors.ts';
import { type JsonText, pieceCharacters, pieceOf } from './json-text.ts';

export type ResultLimits = Pick<Settings, 'queryTimeMs' | 'resultRowsMax' | 'resultBytesMax'>;

export class AnswerArrays<Row> {
  readonly #writers: readonly ((row: Row) => string)[];
  readonly #limits: ResultLimits;
  readonly #onLarge: () => void;
  /** What follows the pieces. */
  readonly #texts: string[];
  readonly #pieces: Uint8Array<ArrayBuffer>[][];
  #rows = 0;
  #bytes = 0;

  /**
   * @param writers one per array: JSON text of its record out of a row
   * @param onLarge called for each piece of a result that does not stay small
   */
  constructor(writers: readonly ((row: Row) => string)[], limits: ResultLimits, onLarge: () => void = () => {}) {
    this.#writers = writers;
    this.#limits = limits;
    this.#onLarge = onLarge;
    this.#texts = writers.map(() => '');
    this.#pieces = writers.map(() => []);
  }

  /** @throws ServiceError 212, 413: the answer is too large; it is never cut */
  add(row: Row): void {
    const { resultRowsMax, resultBytesMax } = this.#limits;
    if (++this.#rows > resultRowsMax) throw tooLarge(`${resultRowsMax} rows (setting resultRowsMax)`);
    for (let index = 0; index < this.#writers.length; index++) {
      const text = (this.#writers[index] as (row: Row) => string)(row);
      this.#bytes += Buffer.byteLength(text) + 1;
      const whole = this.#texts[index] + (this.#rows === 1 ? text : `,${text}`);
      this.#texts[index] = whole.length < pieceCharacters ? whole : this.#cut(index, whole);
    }
    if (this.#bytes > resultBytesMax) throw tooLarge(`${resultBytesMax} bytes (setting resultBytesMax)`);
  }

  /** JSON text of each array. */
  texts(): JsonText[] {
    return this.#texts.map((text, index) => {
      const pieces = this.#pieces[index] as Uint8Array<ArrayBuffer>[];
      return pieces.length === 0 ? `[${text}]` : ['[', ...pieces, `${text}]`];
    });
  }

  #cut(index: number, text: string): string {
    this.#onLarge();
    this.#pieces[index]?.push(pieceOf(text));
    return '';
  }
}

function tooLarge(limit: string): ServiceError {
  return new ServiceError(
    212,
    `The result is larger than ${limit}; ask for it in parts with range (offset and limit), or narrow the conditions.`,
    { status: 413 },
  );
}

export function outOfTime({ queryTimeMs }: ResultLimits, cause?: unknown): ServiceError {
  return new ServiceError(
    212,
    `The query was stopped after ${queryTimeMs} ms (setting queryTimeMs); narrow its conditions or ask for less.`,
    { status: 503, retryAfterSeconds: 1, cause },
  );
}
