/**
 * Limits on connections: how long a request may take, how long a connection may idle, and how many an address may have.
 */
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { networkOf } from '../auth/limits/keys.ts';
import type { Settings } from '../config.ts';

type Times = Pick<Settings, 'headersTimeMs' | 'requestTimeMs' | 'keepAliveMs'>;

/** Checks for late connections per shortest time limit; a late one is noticed up to one interval later. */
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
      // Tells a disconnected client from a silent one.
      keepAlive: true,
      keepAliveInitialDelay: keepAliveMs,
    },
  };
}

/**
 * Any further connection is closed at once. Behind a proxy, all connections have its address, so the proxy must limit
 * them.
 */
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
