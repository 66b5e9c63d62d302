/**
 * The values of a `text[]` parameter in PostgreSQL's binary form, which needs no escaping. For large values, because
 * escaping a megabyte of quotation marks would take 30 ms without a pause.
 */

/** PostgreSQL's number of the type `text`. */
const textType = 25;

/** Dimensions, whether there may be NULLs, type of the elements; length and lower bound of the one dimension. */
const headerBytes = 5 * 4;
const lengthBytes = 4;

export class TextArray {
  #bytes: Buffer;
  #endBytes = headerBytes;

  /** @param characters of all its values, from which its size is estimated */
  constructor(count: number, characters: number) {
    const bytes = Buffer.allocUnsafe(headerBytes + count * lengthBytes + characters);
    bytes.writeInt32BE(1, 0);
    bytes.writeInt32BE(1, 4);
    bytes.writeInt32BE(textType, 8);
    bytes.writeInt32BE(count, 12);
    bytes.writeInt32BE(1, 16);
    this.#bytes = bytes;
  }

  add(value: string | null): void {
    const bytes = value === null ? 0 : Buffer.byteLength(value);
    this.#reserve(lengthBytes + bytes);
    this.#endBytes = this.#bytes.writeInt32BE(value === null ? -1 : bytes, this.#endBytes);
    if (value !== null) this.#endBytes += this.#bytes.write(value, this.#endBytes);
  }

  /** After all values. */
  bytes(): Buffer {
    return this.#bytes.subarray(0, this.#endBytes);
  }

  /** Text beyond ASCII takes more bytes than it has characters. */
  #reserve(bytes: number): void {
    const needed = this.#endBytes + bytes;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#endBytes);
    this.#bytes = larger;
  }
}
