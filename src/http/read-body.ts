/**
 * The bytes of a request body. Large ones do not delay other requests: only a few receive data in one turn of the event
 * loop, one at a time is joined, and their memory is freed as soon as it is read, because garbage collection stops
 * every request.
 */
import type { Readable } from 'node:stream';
import Fastify, { type FastifyRequest } from 'fastify';
import { TimeSlice, TurnQueue } from '../time-slices.ts';

const { FST_ERR_CTP_BODY_TOO_LARGE: tooLarge, FST_ERR_CTP_INVALID_CONTENT_LENGTH: otherLength } = Fastify.errorCodes;

/** Calls back with a small body at once; returns a promise of a large one. */
export type BodyParser = (
  request: FastifyRequest,
  bytes: Buffer,
  done: (error: Error | null, body?: unknown) => void,
) => unknown;

/**
 * Adapts a parser to the framework: it gets the bytes when all have arrived, and must not keep those of a large body.
 * On failure it gets a FastifyError (a body larger than the route accepts, or of another length than its header states)
 * or the payload's error.
 */
export function takingWhole(parse: BodyParser) {
  return (request: FastifyRequest, payload: Readable, done: Parameters<BodyParser>[2]): void => {
    const parsed = (bytes: Buffer) => {
      try {
        const parsing = parse(request, bytes, done);
        if (parsing instanceof Promise) parsing.finally(() => release(bytes)).then((body) => done(null, body), done);
      } catch (error) {
        done(error as Error);
      }
    };
    readBody(request, payload, (error, chunks) => {
      if (error !== null) done(error);
      else if (chunks.length === 1) parsed(chunks[0] as Buffer);
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
  let isOver = false;
  const take = (chunk: Buffer) => {
    // The listener before this one may have refused the body with this very chunk.
    if (isOver) return release(chunk);
    came += chunk.length;
    chunks.push(chunk);
    if (came > bodyLimit) end(new tooLarge());
    else if (weighBody !== null) giveWay(payload, wanted);
  };
  const end = (error?: Error & { statusCode?: number }) => {
    isOver = true;
    payload.off('data', take);
    payload.off('end', end);
    payload.off('error', end);
    if (error === undefined) return done(length === undefined || length === came ? null : new otherLength(), chunks);
    for (const chunk of chunks) release(chunk);
    letGo(payload);
    // The client's fault: it closed the connection.
    error.statusCode ??= 400;
    done(error, []);
  };
  payload.on('data', take);
  payload.on('end', end);
  payload.on('error', end);
  payload.resume();
}

/**
 * Reads and drops the rest of an unwanted body, a little at a time, because many clients read no answer before they
 * have sent everything.
 */
export function letGo(payload: Readable): void {
  payload.on('data', (chunk: Buffer) => {
    release(chunk);
    giveWay(payload, unwanted);
  });
  payload.resume();
}

/** Bodies being received; a turn is one chunk of up to 64 KiB. */
const wanted = new TurnQueue(4);
const unwanted = new TurnQueue();

function giveWay(payload: Readable, queue: TurnQueue): void {
  payload.pause();
  queue.wait(() => payload.resume());
}

/** One at a time, for bodies that became complete in the same turn. */
async function joined(chunks: readonly Buffer[]): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(chunks.reduce((sum, { length }) => sum + length, 0));
  const slice = new TimeSlice();
  await slice.next();
  let at = 0;
  for (const chunk of chunks) {
    if (slice.isOver) await slice.next();
    bytes.set(chunk, at);
    at += chunk.length;
    release(chunk);
  }
  return bytes;
}

/**
 * Frees the memory of bytes that are no longer read. Left to the garbage collector, a few large bodies trigger
 * collections of the whole heap, because their size counts.
 */
function release(bytes: Buffer): void {
  if (bytes.length === bytes.buffer.byteLength) (bytes.buffer as ArrayBuffer).transfer(0);
}
