/**
 * Large bodies under way. What came of one stays in memory until it is whole, and a client may send it as slowly as
 * `requestTimeMs` allows; what was made of it stays until the request is answered, and may weigh thirty times as much. So
 * all of them together are bounded in both (settings `bodiesBytesMax` and `parsedBodiesBytesMax`), and those of one network
 * to half of it, so that no client keeps out those of all others. While memory is short (`residentBytesMax`), one of each
 * network is let in. Small bodies always come in, and a large one that is alone.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { networkOf } from '../auth/limits/keys.ts';
import type { Settings } from '../config.ts';
import { ServiceError } from '../errors.ts';
import { memoryIsShort, memoryWatch } from '../memory.ts';
import { atRequestEnd } from './request-end.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Counts what a large body takes once it is parsed, until the request is answered; null on small ones. */
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
  const isMemoryShort = memoryWatch(residentBytesMax);
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
        : !sent.isAlone(network, came) && isMemoryShort()
          ? busy(`${memoryIsShort(residentBytesMax)} Try again later, or send less at once.`)
          : null;
      if (refusal === null) return;
      drop();
      // Of a request that takes no body, nobody waits for it.
      if (payload.listenerCount('error') > 0) payload.emit('error', refusal);
      else payload.destroy();
    };
    // Of a refused body nothing is kept, so that it makes way for the others at once.
    const drop = () => {
      payload.off('data', count);
      sent.add(network, -came);
      came = 0;
    };
    payload.on('data', count);
    request.weighBody = (bytes) => {
      // A client that is gone is not waited for, and its end was told already.
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

/** Bytes that are held, in all and by network. */
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

  /** Whether there is no room for a body beside the others, of which so much is counted. */
  isTooMuch(network: string, own: number): boolean {
    const ofNetwork = this.#by.get(network) ?? 0;
    return (this.#all > this.#max && this.#all > own) || (ofNetwork > this.#max / 2 && ofNetwork > own);
  }

  /** Whether the network has no other body, of which so much is counted. */
  isAlone(network: string, own: number): boolean {
    return (this.#by.get(network) ?? 0) <= own;
  }
}

/** A body in chunks does not tell its size. Those of GET are not kept. */
function mayBeLarge({ headers, method }: FastifyRequest): boolean {
  if (method === 'GET' || method === 'HEAD') return false;
  const length = headers['content-length'];
  return length === undefined ? headers['transfer-encoding'] !== undefined : Number(length) >= largeFrom;
}

function tooMuchSent({ bodiesBytesMax }: Pick<Settings, 'bodiesBytesMax'>): ServiceError {
  return busy(
    `Too many large bodies are on their way in; together they have at most ${bodiesBytesMax} bytes, and those of one network half of it (setting bodiesBytesMax). Try again later, or send less at once.`,
  );
}

function tooMuchParsed({ parsedBodiesBytesMax }: Pick<Settings, 'parsedBodiesBytesMax'>): ServiceError {
  return busy(
    `Too many large bodies are being worked on; together they may take ${parsedBodiesBytesMax} bytes of memory, and those of one network half of it (setting parsedBodiesBytesMax). Try again later, or send less at once.`,
  );
}

function busy(message: string): ServiceError {
  return new ServiceError('busy', message, { retryAfterSeconds });
}
