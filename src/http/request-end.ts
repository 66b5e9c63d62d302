/** When a request has ended: its answer went out, or its connection closed before. */
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';

export type AtEnd = (request: FastifyRequest, reply: FastifyReply, ended: () => void) => void;

/** Calls `ended` once; immediately when the connection has already closed. */
export function atRequestEnd(): AtEnd {
  // By connection: answers that wait behind another one only ever see the connection close.
  const open = new Map<Socket, Set<() => void>>();

  function openOn(socket: Socket): Set<() => void> {
    const present = open.get(socket);
    if (present !== undefined) return present;
    const requests = new Set<() => void>();
    open.set(socket, requests);
    socket.once('close', () => {
      open.delete(socket);
      // An answer may close after its connection, and must then find its request gone.
      const left = [...requests];
      requests.clear();
      for (const ended of left) ended();
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
