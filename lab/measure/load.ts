/**
 * A load generator on raw sockets: keep-alive connections with one request under way on each. It shares the machine with
 * the server under test, so it does as little as possible per request (an HTTP library here costs more than the server).
 */
import { connect, type Socket } from 'node:net';
import { median, percentile } from '../machine/statistics.ts';

export interface Load {
  readonly port: number;
  readonly connections: number;
  /** Milliseconds. */
  readonly warmUpMs: number;
  readonly measureMs: number;
  /** Ends the run after so many requests, where that comes first. */
  readonly requestsMax?: number;
  /** The bytes of the n-th request of a run, which goes out on the given connection; called once per request. */
  request(sequence: number, connection: number): Buffer | string;
  /** Called with each answer, where the next request of the connection depends on it. */
  answered?(connection: number, text: string): void;
  /** Whether an answer is what the load is there for; without it, one with status 200 or 201 is. */
  isRight?(text: string): boolean;
}

export interface Measured {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly requests: number;
  /** Answers that were not right, with the first one's text. */
  readonly failures: number;
  readonly firstFailure: string | null;
}

export async function run(load: Load): Promise<Measured> {
  const latencies: number[] = [];
  const all: number[] = [];
  let sequence = 0;
  let failures = 0;
  let firstFailure: string | null = null;
  const start = performance.now();
  const from = start + load.warmUpMs;
  const until = from + load.measureMs;

  const worker = async (_: unknown, number: number) => {
    const connection = await open(load.port);
    for (;;) {
      const sent = performance.now();
      if (sent >= until || sequence >= (load.requestsMax ?? Number.POSITIVE_INFINITY)) break;
      const { ok, text } = await connection.exchange(load.request(sequence++, number));
      const done = performance.now();
      load.answered?.(number, text());
      if (!(load.isRight?.(text()) ?? ok)) {
        failures++;
        firstFailure ??= text();
      }
      all.push(done - sent);
      if (sent >= from && done <= until) latencies.push(done - sent);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: load.connections }, worker));

  // A server that takes seconds for an answer is judged by all that it answered, and by the time it took in all.
  if (latencies.length < few) return measuredOf(all, performance.now() - start, failures, firstFailure);
  return measuredOf(latencies, load.measureMs, failures, firstFailure);
}

/** @throws Error when an answer was not right: what is measured then is not what was asked for */
export async function runRight(load: Load): Promise<Measured> {
  const measured = await run(load);
  const { failures, firstFailure } = measured;
  if (failures > 0)
    throw new Error(`${failures} requests were not answered as they must be; the first: ${firstFailure}`);
  return measured;
}

export type Medians = Pick<Measured, 'perSecond' | 'p50' | 'p99'>;

/** The median of each figure by itself: the round with the median p50 may have any p99. */
export function mediansOf(rounds: readonly Measured[]): Medians {
  const of = (figure: keyof Medians) => median(rounds.map((measured) => measured[figure]));
  return { perSecond: of('perSecond'), p50: of('p50'), p99: of('p99') };
}

/** Answers within the time of measuring that are too few to tell a rate. */
const few = 20;

function measuredOf(latencies: number[], tookMs: number, failures: number, firstFailure: string | null): Measured {
  const at = (share: number) => percentile(latencies, share);
  const perSecond = latencies.length / (tookMs / 1000);
  return { perSecond, p50: at(0.5), p99: at(0.99), requests: latencies.length, failures, firstFailure };
}

interface Reply {
  readonly ok: boolean;
  text(): string;
}

interface Connection {
  exchange(bytes: Buffer | string): Promise<Reply>;
  close(): void;
}

/** After so long without a byte, a server is taken for hung. */
const answerTimeMs = 120_000;

async function open(port: number): Promise<Connection> {
  const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  let waiting: { resolve(reply: Reply): void; reject(error: Error): void } | null = null;
  socket.setTimeout(answerTimeMs, () => socket.destroy());

  // What has come of the answer: joined once its length is known and reached, since an answer may have many chunks.
  let chunks: Buffer[] = [];
  let bytesCome = 0;
  let length: number | null = null;

  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    bytesCome += chunk.length;
    if (length === null) {
      if (chunks.length > 1) chunks = [Buffer.concat(chunks)];
      length = lengthOf(chunks[0] as Buffer);
    }
    if (length === null || bytesCome < length) return;
    if (length === chunked && !endsWithLastChunk(chunk, chunks)) return;
    const bytes = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
    const text = length === chunked ? () => unchunked(bytes) : () => bytes.toString();
    chunks = [];
    bytesCome = 0;
    length = null;
    const answered = waiting;
    waiting = null;
    answered?.resolve({ ok: isOk(bytes), text });
  });
  const lost = () => {
    waiting?.reject(new Error('The server closed the connection, or gave no answer for two minutes.'));
    waiting = null;
  };
  socket.on('error', lost).on('close', lost);

  return {
    exchange: (bytes) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        socket.write(bytes);
      }),
    close: () => socket.destroy(),
  };
}

const endOfHeaders = Buffer.from('\r\n\r\n');
const lengthName = Buffer.from('ontent-length: ');
const lengthNameUpper = Buffer.from('ontent-Length: ');

/** In place of a length: the answer comes in chunks, as PocketBase's does from 2 KiB on. */
const chunked = -1;
const lastChunk = Buffer.from('\r\n0\r\n\r\n');

/** Bytes of the whole answer, or `chunked`, or null while its headers are not there. */
function lengthOf(bytes: Buffer): number | null {
  const end = bytes.indexOf(endOfHeaders);
  if (end < 0) return null;
  let at = bytes.indexOf(lengthName);
  if (at < 0 || at > end) at = bytes.indexOf(lengthNameUpper);
  if (at < 0 || at > end) {
    const headers = bytes.toString('latin1', 0, end);
    if (/^transfer-encoding: chunked$/im.test(headers.replaceAll('\r', ''))) return chunked;
    throw new Error(`An answer without content-length came: ${headers}`);
  }
  let length = 0;
  for (let index = at + lengthName.length; bytes[index] !== 13; index++)
    length = length * 10 + (bytes[index] as number) - 48;
  return end + endOfHeaders.length + length;
}

/** Whether what has come ends with the empty chunk; nothing in JSON has the same bytes. */
function endsWithLastChunk(latest: Buffer, all: readonly Buffer[]): boolean {
  const tail = latest.length >= lastChunk.length ? latest : Buffer.concat(all);
  return tail.subarray(-lastChunk.length).equals(lastChunk);
}

/** Headers and body as text, without the sizes of the chunks. */
function unchunked(bytes: Buffer): string {
  let at = bytes.indexOf(endOfHeaders) + endOfHeaders.length;
  const parts = [bytes.subarray(0, at)];
  for (;;) {
    const endOfSize = bytes.indexOf('\r\n', at);
    const size = Number.parseInt(bytes.toString('latin1', at, endOfSize), 16);
    if (!(size > 0)) return Buffer.concat(parts).toString();
    parts.push(bytes.subarray(endOfSize + 2, endOfSize + 2 + size));
    at = endOfSize + 2 + size + 2;
  }
}

/** `HTTP/1.1 200` or `201` */
function isOk(bytes: Buffer): boolean {
  return bytes[9] === 50 && bytes[10] === 48 && (bytes[11] === 48 || bytes[11] === 49);
}
