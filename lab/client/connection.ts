/**
 * A client's connection on a bare socket, with one request under way at a time. It can send a request partly or twice,
 * or abort it, and knows exactly which bytes were sent when there is no answer.
 */
import { connect, type Socket } from 'node:net';

/** An answer, parsed lazily. */
export class Reply {
  /** Without chunk sizes, if it was chunked. */
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  get status(): number {
    return Number(this.bytes.toString('latin1', 9, 12));
  }

  get body(): string {
    return this.bytes.toString('utf8', this.bytes.indexOf(endOfHeaders) + endOfHeaders.length);
  }

  /** Headers and body. */
  get text(): string {
    return this.bytes.toString();
  }
}

/** There was no answer: the request may or may not have been executed. */
export class Lost extends Error {}

export class Connection {
  readonly #port: number;
  #socket: Socket | null = null;
  /** The received part of an answer: joined once its length is known and reached, because it may have many pieces. */
  #pieces: Buffer[] = [];
  #bytesCome = 0;
  #length: number | null = null;
  #waiting: { resolve(reply: Reply): void; reject(error: Error): void } | null = null;

  constructor(port: number) {
    this.#port = port;
  }

  /**
   * @param timeoutMs after which the connection is abandoned
   * @throws Lost
   */
  exchange(bytes: Buffer | string, timeoutMs: number): Promise<Reply> {
    const socket = this.#open();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#lose(socket, `no answer within ${timeoutMs} ms`), timeoutMs);
      this.#waiting = {
        resolve(reply) {
          clearTimeout(timer);
          resolve(reply);
        },
        reject(error) {
          clearTimeout(timer);
          reject(error);
        },
      };
      socket.write(bytes);
    });
  }

  /** Sends the beginning of a request, then resets the connection. */
  async abandon(beginning: Buffer): Promise<void> {
    const socket = this.#open();
    await new Promise<void>((resolve) => {
      socket.once('close', () => resolve());
      socket.write(beginning, () => reset(socket));
    });
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = null;
  }

  #open(): Socket {
    if (this.#waiting !== null) throw new Error('A request is under way on this connection.');
    if (this.#socket !== null) return this.#socket;
    const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true });
    this.#socket = socket;
    this.#clear();
    socket.on('data', (chunk: Buffer) => this.#receive(socket, chunk));
    socket.on('error', () => {});
    socket.on('close', () => this.#lose(socket, 'the connection ended'));
    return socket;
  }

  #receive(socket: Socket, piece: Buffer): void {
    if (socket !== this.#socket) return;
    this.#pieces.push(piece);
    this.#bytesCome += piece.length;
    if (this.#length === null) {
      if (this.#pieces.length > 1) this.#pieces = [Buffer.concat(this.#pieces)];
      this.#length = messageLength(this.#pieces[0] as Buffer);
    }
    if (this.#length === null || this.#bytesCome < this.#length) return;
    const isChunked = this.#length === chunked;
    if (isChunked && !endsWithLastChunk(piece, this.#pieces)) return;
    const bytes = this.#pieces.length === 1 ? (this.#pieces[0] as Buffer) : Buffer.concat(this.#pieces);
    this.#clear();
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.resolve(new Reply(isChunked ? unchunked(bytes) : bytes));
  }

  #clear(): void {
    this.#pieces = [];
    this.#bytesCome = 0;
    this.#length = null;
  }

  #lose(socket: Socket, why: string): void {
    socket.destroy();
    if (socket !== this.#socket) return;
    this.#socket = null;
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.reject(new Lost(why));
  }
}

/**
 * Ends a connection at once, with a reset unless it is already ending: then the operating system refuses the reset, and
 * Node (`resetAndDestroy`) would drop the handle without closing it.
 */
export function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}

/** Many requests at once, each on its own connection, which is then reused. */
export class Connections {
  readonly #port: number;
  readonly #free: Connection[] = [];

  constructor(port: number) {
    this.#port = port;
  }

  async using<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = this.#free.pop() ?? new Connection(this.#port);
    try {
      return await work(connection);
    } finally {
      this.#free.push(connection);
    }
  }

  close(): void {
    for (const connection of this.#free.splice(0)) connection.close();
  }
}

const endOfHeaders = Buffer.from('\r\n\r\n');
const lengthNames = [Buffer.from('ontent-length: '), Buffer.from('ontent-Length: ')];

/** Used instead of a length: the answer is chunked, as PocketBase's are from 2 KiB on. */
const chunked = -1;
const lastChunk = Buffer.from('\r\n0\r\n\r\n');

/**
 * Bytes of the whole message, or `chunked`, or null while its headers are incomplete. Called for every answer of a
 * benchmark.
 */
export function messageLength(bytes: Buffer): number | null {
  const end = bytes.indexOf(endOfHeaders);
  if (end < 0) return null;
  for (const name of lengthNames) {
    const at = bytes.indexOf(name);
    if (at < 0 || at > end) continue;
    let length = 0;
    for (let index = at + name.length; bytes[index] !== 13; index++) {
      length = length * 10 + (bytes[index] as number) - 48;
    }
    return end + endOfHeaders.length + length;
  }
  return headerOf(bytes, 'transfer-encoding') === 'chunked' ? chunked : end + endOfHeaders.length;
}

/** Whether the received bytes end with the empty chunk; nothing in JSON has the same bytes. */
function endsWithLastChunk(latest: Buffer, all: readonly Buffer[]): boolean {
  const tail = latest.length >= lastChunk.length ? latest : Buffer.concat(all);
  return tail.subarray(-lastChunk.length).equals(lastChunk);
}

/** Headers and body, without the sizes of the chunks. */
function unchunked(bytes: Buffer): Buffer {
  let at = bytes.indexOf(endOfHeaders) + endOfHeaders.length;
  const parts = [bytes.subarray(0, at)];
  for (;;) {
    const endOfSize = bytes.indexOf('\r\n', at);
    const size = Number.parseInt(bytes.toString('latin1', at, endOfSize), 16);
    if (!(size > 0)) return Buffer.concat(parts);
    parts.push(bytes.subarray(endOfSize + 2, endOfSize + 2 + size));
    at = endOfSize + 2 + size + 2;
  }
}

export function headerOf(bytes: Buffer, name: string): string | undefined {
  const head = bytes.toString('latin1', 0, bytes.indexOf(endOfHeaders));
  return new RegExp(`\\r\\n${name}: *([^\\r]*)`, 'i').exec(head)?.[1];
}
