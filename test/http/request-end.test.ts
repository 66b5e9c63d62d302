/** The end of a request, which is reported once. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { atRequestEnd } from '../../src/http/request-end.ts';

test('a request whose connection closes ends once, even if the connection had another request before', async (t) => {
  const atEnd = atRequestEnd();
  const ended: (string | undefined)[] = [];
  const server = createServer((raw, response) => {
    const end = () => void ended.push(raw.url);
    atEnd({ raw } as FastifyRequest, { raw: response } as FastifyReply, end);
    if (raw.url === '/whole') response.end('all');
    else response.write('a part');
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const closed = once(server, 'connection').then(([ofServer]) => once(ofServer, 'close'));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  for (const path of ['/whole', '/cut']) {
    socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`);
    await once(socket, 'data');
  }
  socket.destroy();
  await closed;
  assert.deepEqual(ended, ['/whole', '/cut']);
});
