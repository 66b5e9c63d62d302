/** The server of every floor: a bare `node:http` server, which listens when its parent orders it. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { carryOut } from '../../machine/child.ts';

/** The locations of data spaces, by the prefix of their request paths. */
export type Places = readonly { readonly prefix: string; readonly place: string }[];

/** @param handle gets the path below the space's prefix */
export function serveFloor(
  handle: (request: IncomingMessage, response: ServerResponse, place: string, path: string) => void,
): void {
  const placeOf = new Map<string, string>();
  const server = createServer((request, response) => {
    const url = request.url as string;
    const at = url.indexOf('/data/');
    handle(request, response, placeOf.get(url.slice(0, at)) as string, url.slice(at + '/data/'.length));
  });
  carryOut({
    async listen(places: Places) {
      for (const { prefix, place } of places) placeOf.set(prefix, place);
      await once(server.listen(0, '127.0.0.1'), 'listening');
      return (server.address() as AddressInfo).port;
    },
    memory: () => process.memoryUsage().rss,
  });
}

export function readBody(request: IncomingMessage, done: (bytes: Buffer) => void): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => done(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
}

export function answer(response: ServerResponse, body: string, status = 200): void {
  const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(body) };
  response.writeHead(status, headers);
  response.end(body);
}
