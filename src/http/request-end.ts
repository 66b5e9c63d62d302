/** Notices the end of a request: its answer was sent, or its connection closed before. */
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';

export type AtEnd = (request: FastifyRequest, reply: FastifyReply, ended: () => void) => void;

/** Calls `ended` once; immediately when the connection has already closed. */
export function atRequestEnd(): AtEnd {
  // By connection: an answer that waits behind another one only gets the connection's close event.
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
