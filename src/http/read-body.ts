/**
 * The bytes of a request body. Large ones hold nobody up: of all that come in at once, so much is taken in in one turn of the
 * event loop, and of those that are whole, one at a time is put together.
 */
import type { Readable } from 'node:stream';
import Fastify, { type FastifyRequest } from 'fastify';
import { TimeSlice } from '../time-slices.ts';

const { FST_ERR_CTP_BODY_TOO_LARGE: tooLarge, FST_ERR_CTP_INVALID_CONTENT_LENGTH: otherLength } = Fastify.errorCodes;

/** In one turn; each body that comes in may have one chunk more. */
const bytesPerTurn = 512 * 1024;

/** Calls back with a small body at once, or gives a promise of it. */
export type BodyParser = (
  request: FastifyRequest,
  bytes: Buffer,
  done: (error: Error | null, body?: unknown) => void,
) => unknown;

/**
 * For the framework, a parser that takes the bytes when all are there. It gets a FastifyError for a body that is larger than the
 * route takes, or not as long as its header says, and whatever the payload fails with.
 */
export function takingWhole(parse: BodyParser) {
  return (request: FastifyRequest, payload: Readable, done: Parameters<BodyParser>[2]): void => {
    const parsed = (bytes: Buffer) => {
      try {
        const parsing = parse(request, bytes, done);
        if (parsing instanceof Promise) parsing.then((body) => done(null, body), done);
      } catch (error) {
        done(error as Error);
      }
    };
    readBody(request, payload, (error, chunks) => {
      if (error !== null) done(error);
      else if (request.weighBody === null) parsed(Buffer.concat(chunks));
      else joined(chunks).then(parsed, done);
    });
  };
}

function readBody(
  { headers, weighBody, routeOptions }: FastifyRequest,
  payload: Readable,
  done: (error: Error | null, chunks: readonly Buffer[]) => void,
): void {
  const { bodyLimit = Number.POSITIVE_INFINITY } = routeOptions;
  const length = headers['content-length'] === undefined ? undefined : Number(headers['content-length']);
  if (length !== undefined && length > bodyLimit) {
    done(new tooLarge(), []);
    return;
  }
  const chunks: Buffer[] = [];
  let came = 0;
  const take = (chunk: Buffer) => {
    came += chunk.length;
    if (came > bodyLimit) return end(new tooLarge());
    chunks.push(chunk);
    if (weighBody !== null) takeTurns(payload, chunk.length);
  };
  const end = (error?: Error & { statusCode?: number }) => {
    payload.off('data', take);
    payload.off('end', end);
    payload.off('error', end);
    if (error === undefined) return done(length === undefined || length === came ? null : new otherLength(), chunks);
    // Nobody wants the rest of it.
    payload.resume();
    // The client's doing: its connection ended.
    error.statusCode ??= 400;
    done(error, []);
  };
  payload.on('data', take);
  payload.on('end', end);
  payload.on('error', end);
  payload.resume();
}

let bytesOfTurn = 0;
const paused: Readable[] = [];

function takeTurns(payload: Readable, bytes: number): void {
  if (bytesOfTurn === 0) setImmediate(endTurn);
  bytesOfTurn += bytes;
  if (bytesOfTurn < bytesPerTurn) return;
  payload.pause();
  paused.push(payload);
}

function endTurn(): void {
  bytesOfTurn = 0;
  for (const payload of paused.splice(0)) payload.resume();
}

/** One after the other of those that came whole in the same turn. */
async function joined(chunks: readonly Buffer[]): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(chunks.reduce((sum, { length }) => sum + length, 0));
  const slice = new TimeSlice();
  await slice.next();
  let at = 0;
  for (const chunk of chunks) {
    if (slice.isOver) await slice.next();
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
