/**
 * Large bodies under way. The received part of a body stays in memory until it is complete, and a client may send it as
 * slowly as `requestTimeMs` allows; the parsed value stays until the request is answered, and may be thirty times as
 * large. So the totals of both are limited (settings `bodiesBytesMax` and `parsedBodiesBytesMax`), and one network may
 * use half of each, so that no client locks out all others. While memory is short (`residentBytesMax`), each network
 * may send one. Small bodies are always accepted, and so is a single large one.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { networkOf } from '../auth/limits/keys.ts';
import type { Settings } from '../config.ts';
import { ServiceError } from '../errors.ts';
import { isMemoryShort, memoryShortage } from '../memory.ts';
import { atRequestEnd } from './request-end.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Counts the memory of a parsed large body until the request is answered; null for small bodies. */
    weighBody: ((weightBytes: number) => void) | null;
    /** What it was told. */
    bodyWeightBytes: number;
  }
}

/** Bytes from which a body is large. */
const largeFrom = 16 * 1024;

const retryAfterSeconds = 1;

export function boundBodies(
  app: FastifyInstance,
  settings: Pick<Settings, 'bodiesBytesMax' | 'parsedBodiesBytesMax' | 'residentBytesMax'>,
): void {
  const { residentBytesMax } = settings;
  const atEnd = atRequestEnd();
  const sent = new Held(settings.bodiesBytesMax);
  const parsed = new Held(settings.parsedBodiesBytesMax);
  app.decorateRequest('weighBody', null);
  app.decorateRequest('bodyWeightBytes', 0);

  app.addHook('preParsing', (request, reply, payload, done) => {
    if (!mayBeLarge(request)) return done(null, payload);
    const network = networkOf(request.ip);
    let came = 0;
    const count = (chunk: Buffer) => {
      came += chunk.length;
      sent.add(network, chunk.length);
      const refusal = sent.isTooMuch(network, came)
        ? tooMuchSent(settings)
        : !sent.isAlone(network, came) && isMemoryShort(residentBytesMax)
          ? busy(`${memoryShortage(residentBytesMax)} Try again later, or send less at once.`)
          : null;
      if (refusal === null) return;
      drop();
      // The body of a request that takes none is not read.
      if (payload.listenerCount('error') > 0) payload.emit('error', refusal);
      else payload.destroy();
    };
    // A refused body is dropped at once, which frees its memory for others.
    const drop = () => {
      payload.off('data', count);
      sent.add(network, -came);
      came = 0;
    };
    payload.on('data', count);
    request.weighBody = (bytes) => {
      // Do not wait for a disconnected client; its end has been counted already.
      if (request.raw.socket.destroyed) throw tooMuchParsed(settings);
      request.bodyWeightBytes = bytes;
      parsed.add(network, bytes);
      if (parsed.isTooMuch(network, bytes)) throw tooMuchParsed(settings);
    };
    atEnd(request, reply, () => {
      drop();
      parsed.add(network, -request.bodyWeightBytes);
    });
    done(null, payload);
  });
}

/** Bytes that are held, in total and by network. */
class Held {
  readonly #max: number;
  readonly #by = new Map<string, number>();
  #all = 0;

  constructor(max: number) {
    this.#max = max;
  }

  add(network: string, bytes: number): void {
    this.#all += bytes;
    const now = (this.#by.get(network) ?? 0) + bytes;
    if (now > 0) this.#by.set(network, now);
    else this.#by.delete(network);
  }

  /** Whether a body exceeds the limits together with the others. @param own the part of it that is already counted */
  isTooMuch(network: string, own: number): boolean {
    const ofNetwork = this.#by.get(network) ?? 0;
    return (this.#all > this.#max && this.#all > own) || (ofNetwork > this.#max / 2 && ofNetwork > own);
  }

  /** Whether the network has no other body. @param own the part of this one that is already counted */
  isAlone(network: string, own: number): boolean {
    return (this.#by.get(network) ?? 0) <= own;
  }
}

/** A chunked body does not announce its size. Bodies of GET are not kept. */
function mayBeLarge({ headers, method }: FastifyRequest): boolean {
  if (method === 'GET' || method === 'HEAD') return false;
  const length = headers['content-length'];
  return length === undefined ? headers['transfer-encoding'] !== undefined : Number(length) >= largeFrom;
}

function tooMuchSent({ bodiesBytesMax }: Pick<Settings, 'bodiesBytesMax'>): ServiceError {
  return busy(
    `Too many large bodies are arriving; together they may have ${bodiesBytesMax} bytes, and those of one network half of that (setting bodiesBytesMax). Try again later, or send less at once.`,
  );
}

function tooMuchParsed({ parsedBodiesBytesMax }: Pick<Settings, 'parsedBodiesBytesMax'>): ServiceError {
  return busy(
    `Too many large bodies are being processed; together they may take ${parsedBodiesBytesMax} bytes of memory, and those of one network half of that (setting parsedBodiesBytesMax). Try again later, or send less at once.`,
  );
}

function busy(message: string): ServiceError {
  return new ServiceError('busy', message, { retryAfterSeconds });
}
