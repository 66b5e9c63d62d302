/**
 * A client's connection, one request under way at a time, on a bare socket: so that a request can be sent in part, sent
 * twice or cut off, and so that it is certain which bytes went out when an answer did not come.
 */
import { connect, type Socket } from 'node:net';

export interface Reply {
  readonly status: number;
  readonly bytes: Buffer;
  readonly body: string;
}

/** No answer came: the request may have been carried out or not. */
export class Lost extends Error {}

export class Connection {
  readonly #port: number;
  #socket: Socket | null = null;
  #received: Buffer = Buffer.alloc(0);
  #waiting: { resolve(reply: Reply): void; reject(error: Error): void } | null = null;

  constructor(port: number) {
    this.#port = port;
  }

  /**
   * @param timeoutMs after which the connection is given up
   * @throws Lost
   */
  exchange(bytes: Buffer, timeoutMs: number): Promise<Reply> {
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
    this.#received = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => this.#receive(socket, chunk));
    socket.on('error', () => {});
    socket.on('close', () => this.#lose(socket, 'the connection ended'));
    return socket;
  }

  #receive(socket: Socket, chunk: Buffer): void {
    if (socket !== this.#socket) return;
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const length = messageLength(this.#received);
    if (length === null || this.#received.length < length) return;
    const bytes = this.#received.subarray(0, length);
    this.#received = this.#received.subarray(length);
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.resolve({ status: Number(bytes.toString('latin1', 9, 12)), bytes, body: bodyOf(bytes) });
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
 * Ends a connection at once, with a reset where its own end is not under way already: there the operating system refuses
 * the reset, and Node (`resetAndDestroy`) would then drop the handle without closing it.
 */
export function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}

/** Many requests at once, each on a connection of its own that is used again afterwards. */
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

/** Bytes of the whole message, or null while its headers are not there. Requests and answers here always tell it. */
export function messageLength(bytes: Buffer): number | null {
  const end = bytes.indexOf(endOfHeaders);
  if (end < 0) return null;
  const length = headerOf(bytes, 'content-length');
  return end + endOfHeaders.length + Number(length ?? 0);
}

export function headerOf(bytes: Buffer, name: string): string | undefined {
  const head = bytes.toString('latin1', 0, bytes.indexOf(endOfHeaders));
  return new RegExp(`\\r\\n${name}: *([^\\r]*)`, 'i').exec(head)?.[1];
}

export function bodyOf(bytes: Buffer): string {
  return bytes.toString('utf8', bytes.indexOf(endOfHeaders) + endOfHeaders.length);
}
