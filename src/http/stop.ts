/**
 * Stops the server without losing a request that has begun: `/readyz` reports it first, then new connections are
 * refused. On open connections, running requests are answered and new ones refused in the envelope; idle connections
 * are closed.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Server, type Socket } from 'node:net';
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Settings } from '../config.ts';
import { ServiceError } from '../errors.ts';
import type { ServiceState } from './state.ts';

const lookEveryMs = 20;
const retryAfterSeconds = 1;

/** Node keeps a connection's current answer there; null between requests. */
type HttpSocket = Socket & { readonly _httpMessage?: ServerResponse<IncomingMessage> | null };

/** Refuses operations while the server closes, and closes every connection with its next answer. */
export function refuseWhileClosing(app: FastifyInstance, state: ServiceState): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (state.stage === 'ready' || state.stage === 'starting') return done();
    reply.header('connection', 'close');
    if (state.stage === 'leaving' || request.routeOptions.config?.operation === undefined) return done();
    const message = 'The service is stopping; send the request again on a new connection.';
    done(new ServiceError('busy', message, { status: 503, retryAfterSeconds }));
  });
}

/** @returns a function that stops the server; it resolves when every request is answered and every connection closed */
export function orderlyStop(
  app: FastifyInstance,
  { stopNoticeMs, stopIdleMs }: Pick<Settings, 'stopNoticeMs' | 'stopIdleMs'>,
  state: ServiceState,
): () => Promise<void> {
  const open = new Set<HttpSocket>();
  app.server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return async () => {
    if (state.stage === 'ready' && stopNoticeMs > 0) {
      state.stage = 'leaving';
      await setTimeout(stopNoticeMs);
    }
    // After pending connections, which would be reset together with the listening socket.
    await setImmediate();
    state.stage = 'closing';
    if (app.server.listening) await closeConnections(app.server, open, stopIdleMs);
    await app.close();
  };
}

/** `close` of the HTTP server would also close connections on which a request is arriving. */
async function closeConnections(server: Server, open: ReadonlySet<HttpSocket>, idleMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  Server.prototype.close.call(server, () => resolve());
  const silences = new Map<HttpSocket, { bytes: number; since: number }>();
  /**
   * Checks after all received data are read; otherwise, after a delay of the thread, a connection with unread data
   * would seem idle.
   */
  const closeSilent = async () => {
    await setImmediate();
    const now = performance.now();
    for (const socket of open) {
      const bytes = socket.bytesRead + socket.bytesWritten;
      const silence = silences.get(socket);
      const isUnderWay = socket._httpMessage != null;
      if (isUnderWay || silence?.bytes !== bytes) silences.set(socket, { bytes, since: now });
      if (!isUnderWay && now - (silences.get(socket)?.since ?? now) >= idleMs) socket.destroy();
    }
  };
  await closeSilent();
  const timer = setInterval(closeSilent, lookEveryMs);
  await promise;
  clearInterval(timer);
}
