/** Bounds on connections: how long one may take for a request, how long it may idle, and how many an address may have. */
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { networkOf } from '../auth/limits/keys.ts';
import type { Settings } from '../config.ts';

type Times = Pick<Settings, 'headersTimeMs' | 'requestTimeMs' | 'keepAliveMs'>;

/** How often Node looks for late ones, as a share of the shortest time: one may be late by so much. */
const looksPerTime = 5;
const looksEveryMs = { min: 20, max: 5_000 } as const;

export function connectionTimes({ headersTimeMs, requestTimeMs, keepAliveMs }: Times) {
  const every = Math.floor(Math.min(headersTimeMs, requestTimeMs) / looksPerTime);
  return {
    requestTimeout: requestTimeMs,
    keepAliveTimeout: keepAliveMs,
    http: {
      headersTimeout: headersTimeMs,
      connectionsCheckingInterval: Math.min(looksEveryMs.max, Math.max(looksEveryMs.min, every)),
      // Tells a client that is gone from one that is silent.
      keepAlive: true,
      keepAliveInitialDelay: keepAliveMs,
    },
  };
}

/** One connection more is closed at once. Behind a proxy all come from its address, and the proxy has to count. */
export function boundConnections(
  app: FastifyInstance,
  { addressConnectionsMax, trustProxy }: Pick<Settings, 'addressConnectionsMax' | 'trustProxy'>,
): void {
  if (trustProxy) return;
  const open = new Map<string, number>();
  app.server.on('connection', (socket: Socket) => {
    const network = networkOf(socket.remoteAddress ?? '');
    const count = (open.get(network) ?? 0) + 1;
    if (count > addressConnectionsMax) {
      socket.destroy();
      return;
    }
    open.set(network, count);
    socket.once('close', () => {
      const left = (open.get(network) ?? 0) - 1;
      if (left > 0) open.set(network, left);
      else open.delete(network);
    });
  });
}
