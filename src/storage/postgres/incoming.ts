/**
 * Filters the data that a connection receives for the driver. The work yields to all other events after a time slice,
 * and can be paused until a large result gets its turn. If requested, large texts become JSON piece by piece as they
 * arrive: the driver would collect the row and make a string of it, which in total takes some 5 ms per megabyte.
 */
import { EventEmitter } from 'node:events';
import { TurnQueue } from '../../time-slices.ts';
import { bufferBytes, type JsonPiece, type JsonText, pieceOf, takeBuffer } from '../json-text.ts';

/** The text of each column, as PostgreSQL sends it. */
export type TextRow = readonly (string | null)[];

/** The same, but with large texts as JSON strings. */
export type Row = readonly (JsonText | null)[];

/** Members of the driver's connection that its type declarations omit. */
export interface DriverConnection {
  /** Called with the socket, or the TLS socket on top of it. */
  attachListeners(stream: Pick<EventEmitter, 'on'>): void;
  emit(event: 'dataRow', row: { readonly fields: Row }): unknown;
}

interface Stream extends EventEmitter {
  pause(): unknown;
  resume(): unknown;
}

/** Bytes of the kind and length of a message (https://www.postgresql.org/docs/current/protocol-message-formats.html). */
const headerBytes = 5;
const dataRow = 'D'.charCodeAt(0);

/** Rows and texts of more bytes are large. */
const largeFrom = 64 * 1024;

/** Time slice for the data of all connections, milliseconds; the current packet is finished. */
const sliceMs = 1;

/** Time worked since connections last yielded. */
let workedMs = 0;

const paused = new TurnQueue();

export class Incoming {
  /** Whether large texts of the current statement are wanted as JSON text. */
  takesPieces = false;
  readonly #connection: DriverConnection;
  readonly #driver = new EventEmitter();
  #stream: Stream | null = null;
  #isPaused = false;
  #isHeld = false;
  /** The beginning of a message that can't be processed before the rest arrives. */
  #left: Buffer = Buffer.alloc(0);
  /** Bytes of the current message still to come, all for the driver. */
  #passingBytes = 0;
  #row: LargeRow | null = null;

  /** @param connection that is not open yet */
  constructor(connection: DriverConnection) {
    this.#connection = connection;
    const attach = connection.attachListeners.bind(connection);
    connection.attachListeners = (stream) => {
      attach(this.#driver);
      this.#stream = stream as Stream;
      this.#stream.on('data', (chunk: Buffer) => this.#receive(chunk));
    };
  }

  /** No further packet is read until `release`; rows of the current one still arrive. */
  hold(): void {
    this.#isHeld = true;
    this.#stream?.pause();
  }

  release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#resume();
  }

  #resume(): void {
    if (!this.#isPaused && !this.#isHeld) this.#stream?.resume();
  }

  #receive(chunk: Buffer): void {
    const begin = performance.now();
    this.#take(chunk);
    workedMs += performance.now() - begin;
    if (this.#isPaused || workedMs < sliceMs) return;
    this.#isPaused = true;
    this.#stream?.pause();
    paused.wait(() => {
      workedMs = 0;
      this.#isPaused = false;
      this.#resume();
    });
  }

  #take(chunk: Buffer): void {
    let data = this.#left.length === 0 ? chunk : Buffer.concat([this.#left, chunk]);
    for (let taken = -1; taken !== 0 && data.length > 0; data = data.subarray(taken)) {
      taken = this.#row === null ? this.#takeMessages(data) : this.#takeRow(this.#row, data);
    }
    this.#left = data;
  }

  /** Passes messages to the driver, up to a large row that is wanted in pieces. @returns bytes consumed */
  #takeMessages(data: Buffer): number {
    let end = 0;
    let taken = 0;
    do {
      const passing = Math.min(this.#passingBytes, data.length - end);
      this.#passingBytes -= passing;
      end += passing;
      taken = end;
      if (data.length - end < headerBytes) break;
      const bytes = 1 + data.readUInt32BE(end + 1);
      if (this.takesPieces && data[end] === dataRow && bytes > largeFrom) {
        this.#row = new LargeRow();
        taken += headerBytes;
      } else this.#passingBytes = bytes;
    } while (this.#passingBytes > 0);
    if (end > 0) this.#driver.emit('data', data.subarray(0, end));
    return taken;
  }

  #takeRow(row: LargeRow, data: Buffer): number {
    const taken = row.take(data);
    if (row.isWhole) {
      this.#row = null;
      this.#connection.emit('dataRow', { fields: row.fields });
    }
    return taken;
  }
}

/** The content of a row's message: how many fields, and the length and the bytes of each. */
class LargeRow {
  readonly fields: (string | JsonPiece[] | null)[] = [];
  #count: number | null = null;
  /** Bytes left of the last field, a large text. */
  #textBytesLeft = 0;
  /** The buffer of its current piece, and how much of it is filled. */
  #buffer: Buffer<ArrayBuffer> | null = null;
  #filledBytes = 0;

  get isWhole(): boolean {
    return this.fields.length === this.#count && this.#textBytesLeft === 0;
  }

  /** @returns bytes consumed; the rest belongs to the next message, or must be passed again with the following data */
  take(data: Buffer): number {
    if (this.#textBytesLeft > 0) return this.#takeText(data);
    if (this.#count === null) {
      if (data.length < 2) return 0;
      this.#count = data.readInt16BE(0);
      return 2;
    }
    if (data.length < 4) return 0;
    const bytes = data.readInt32BE(0);
    if (bytes > largeFrom) {
      this.fields.push(['"']);
      this.#textBytesLeft = bytes;
      return 4;
    }
    const end = 4 + Math.max(0, bytes);
    if (data.length < end) return 0;
    this.fields.push(bytes === -1 ? null : data.toString('utf8', 4, end));
    return end;
  }

  #takeText(data: Buffer): number {
    this.#buffer ??= takeBuffer();
    const taken = Math.min(data.length, this.#textBytesLeft, bufferBytes - this.#filledBytes);
    data.copy(this.#buffer, this.#filledBytes, 0, taken);
    this.#filledBytes += taken;
    this.#textBytesLeft -= taken;
    if (this.#filledBytes === bufferBytes || this.#textBytesLeft === 0) this.#endPiece(this.#buffer);
    return taken;
  }

  #endPiece(buffer: Buffer<ArrayBuffer>): void {
    const pieces = this.fields.at(-1) as JsonPiece[];
    const bytes = buffer.subarray(0, this.#filledBytes);
    // One character for each byte: JSON escapes no multi-byte character, and none of their bytes looks like an escaped
    // one.
    const json = JSON.stringify(bytes.toString('latin1'));
    if (json.length === bytes.length + 2 && bytes.length > bufferBytes / 2) {
      pieces.push(bytes);
      this.#buffer = null;
    } else pieces.push(pieceOf(json.slice(1, -1), 'latin1'));
    this.#filledBytes = 0;
    if (this.#textBytesLeft === 0) pieces.push('"');
  }
}
