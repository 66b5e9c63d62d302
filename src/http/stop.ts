/**
 * Stops the server so that no request is lost that had begun: `/readyz` says so first, then there are no new connections;
 * on open ones running requests are answered and others refused in the envelope, and a silent one is closed.
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

/** Node keeps the answer that is under way on a connection there; null between requests. */
type HttpSocket = Socket & { readonly _httpMessage?: ServerResponse<IncomingMessage> | null };

/** Refuses operations while the server closes, and has every connection end with its next answer. */
export function refuseWhileClosing(app: FastifyInstance, state: ServiceState): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (state.stage === 'ready' || state.stage === 'starting') return done();
    reply.header('connection', 'close');
    if (state.stage === 'leaving' || request.routeOptions.config?.operation === undefined) return done();
    const message = 'The service is stopping; send the request again on a new connection.';
    done(new ServiceError('busy', message, { status: 503, retryAfterSeconds }));
  });
}

/** @returns what stops the server; it resolves when every request was answered and every connection is closed */
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
    // After connections that have come already, which would be reset with the socket that listens.
    await setImmediate();
    state.stage = 'closing';
    if (app.server.listening) await closeConnections(app.server, open, stopIdleMs);
    await app.close();
  };
}

/** `close` of the HTTP server would also close connections on which a request is just about to come. */
async function closeConnections(server: Server, open: ReadonlySet<HttpSocket>, idleMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  Server.prototype.close.call(server, () => resolve());
  const silences = new Map<HttpSocket, { bytes: number; since: number }>();
  const closeSilent = () => {
    const now = performance.now();
    for (const socket of open) {
      const bytes = socket.bytesRead + socket.bytesWritten;
      const silence = silences.get(socket);
      const isUnderWay = socket._httpMessage != null;
      if (isUnderWay || silence?.bytes !== bytes) silences.set(socket, { bytes, since: now });
      if (!isUnderWay && now - (silences.get(socket)?.since ?? now) >= idleMs) socket.destroy();
    }
  };
  closeSilent();
  const timer = setInterval(closeSilent, lookEveryMs);
  await promise;
  clearInterval(timer);
}
