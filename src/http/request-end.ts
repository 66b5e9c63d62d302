/** When a request is over: its answer went out, or its connection ended before. */
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';

export type AtEnd = (request: FastifyRequest, reply: FastifyReply, ended: () => void) => void;

/** Calls `ended` once; at once when the connection has ended already. */
export function atRequestEnd(): AtEnd {
  // By connection: of answers that wait behind another one, the end of the connection is all that is ever heard.
  const open = new Map<Socket, Set<() => void>>();

  function openOn(socket: Socket): Set<() => void> {
    const present = open.get(socket);
    if (present !== undefined) return present;
    const requests = new Set<() => void>();
    open.set(socket, requests);
    socket.once('close', () => {
      open.delete(socket);
      for (const ended of requests) ended();
    });
    return requests;
  }

  return ({ raw: { socket } }, reply, ended) => {
    if (socket.destroyed) return ended();
    const requests = openOn(socket);
    requests.add(ended);
    reply.raw.once('close', () => {
      if (requests.delete(ended)) ended();
    });
  };
}
