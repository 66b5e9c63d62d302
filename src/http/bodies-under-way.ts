/**
 * Large bodies on their way in. What came of one stays in memory until it is whole, and a client may send it as slowly as
 * `requestTimeMs` allows; so all of them together are bounded (setting `bodiesBytesMax`), and those of one network to half
 * of it, so that no client keeps out those of all others. Small bodies always come in, and a large one that is alone.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { networkOf } from '../auth/limits/keys.ts';
import type { Settings } from '../config.ts';
import { ServiceError } from '../errors.ts';
import { atRequestEnd } from './request-end.ts';

/** Bytes from which a body is large. */
const largeFrom = 64 * 1024;

const retryAfterSeconds = 1;

export function boundBodies(app: FastifyInstance, { bodiesBytesMax }: Pick<Settings, 'bodiesBytesMax'>): void {
  const atEnd = atRequestEnd();
  const heldBy = new Map<string, number>();
  let held = 0;

  function hold(network: string, bytes: number): void {
    held += bytes;
    const now = (heldBy.get(network) ?? 0) + bytes;
    if (now > 0) heldBy.set(network, now);
    else heldBy.delete(network);
  }

  /** Whether there is no room for a body beside the others, of which so much has come. */
  function isTooMuch(network: string, came: number): boolean {
    const ofNetwork = heldBy.get(network) ?? 0;
    return (held > bodiesBytesMax && held > came) || (ofNetwork > bodiesBytesMax / 2 && ofNetwork > came);
  }

  app.addHook('preParsing', (request, reply, payload, done) => {
    if (!mayBeLarge(request)) return done(null, payload);
    const network = networkOf(request.ip);
    let came = 0;
    const count = (chunk: Buffer) => {
      came += chunk.length;
      hold(network, chunk.length);
      if (!isTooMuch(network, came)) return;
      payload.off('data', count);
      // Of a request that takes no body, nobody waits for it.
      if (payload.listenerCount('error') > 0) payload.emit('error', tooMuch(bodiesBytesMax));
      else payload.destroy();
    };
    payload.on('data', count);
    atEnd(request, reply, () => {
      payload.off('data', count);
      hold(network, -came);
    });
    done(null, payload);
  });
}

/** A body in chunks does not tell its size. Those of GET are not kept. */
function mayBeLarge({ headers, method }: FastifyRequest): boolean {
  if (method === 'GET' || method === 'HEAD') return false;
  const length = headers['content-length'];
  return length === undefined ? headers['transfer-encoding'] !== undefined : Number(length) >= largeFrom;
}

function tooMuch(bodiesBytesMax: number): ServiceError {
  return new ServiceError(
    'busy',
    `Too many large bodies are on their way in; together they have at most ${bodiesBytesMax} bytes, and those of one network half of it (setting bodiesBytesMax). Try again later, or send less at once.`,
    { retryAfterSeconds },
  );
}
