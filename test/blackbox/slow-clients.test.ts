/** Clients that are slow or too many: their resources are released, and others are served meanwhile. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { pino } from 'pino';
import { defaults } from '../../src/config.ts';
import { type Rowhouse, startRowhouse } from '../../src/main.ts';
import { makeScratch, type Scratch } from '../engines/scratch.ts';
import { openClient } from '../harness/client.ts';

const addressConnectionsMax = 8;

let scratch: Scratch;
let server: Rowhouse;
before(async () => {
  scratch = await makeScratch();
  const times = { headersTimeMs: 1_000, requestTimeMs: 2_000, keepAliveMs: 1_000 };
  const settings = { ...defaults, ...scratch.settings, ...times, port: 0, addressConnectionsMax };
  server = await startRowhouse(settings, { demo: false, log: pino({ level: 'silent' }) });
});
after(async () => {
  await server.close();
  await scratch.remove();
});

interface Connection {
  readonly socket: Socket;
  /** Resolves to everything received, when the other side has closed. */
  readonly closed: Promise<string>;
}

function open(): Connection {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.on('data', (chunk) => {
    text += String(chunk);
  });
  socket.on('error', () => undefined);
  const closed = new Promise<string>((resolve) => socket.on('close', () => resolve(text)));
  return { socket, closed };
}

async function isServed(): Promise<boolean> {
  const client = openClient(server.url);
  try {
    return (await client.call('GET', '/livez')).status === 200;
  } finally {
    client.close();
  }
}

/** Writes one byte after the other for as long as the connection lasts. */
function trickle({ socket }: Connection, bytes: string): void {
  let at = 0;
  const timer = setInterval(() => socket.write(bytes[at++ % bytes.length] as string), 20);
  socket.on('close', () => clearInterval(timer));
}

function assertTimedOut(text: string): void {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  assert.match(head, /^HTTP\/1\.1 408 /);
  assert.match(head, /cache-control: no-store/);
  assert.equal(JSON.parse(body).errCode, 131);
  assert.match(JSON.parse(body).description, /headersTimeMs and requestTimeMs/);
}

test('a head sent byte by byte is aborted', async () => {
  const slow = open();
  slow.socket.write('GET /livez HTTP/1.1\r\nhost: x\r\nlong: ');
  trickle(slow, 'x');
  assert.ok(await isServed());
  assertTimedOut(await slow.closed);
});

test('a body sent byte by byte is aborted', async () => {
  const slow = open();
  const head = 'POST /api/1/notes/1_0_0/auth/oidc/idp/Login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json';
  slow.socket.write(`${head}\r\ncontent-length: 60000\r\n\r\n{`);
  trickle(slow, ' ');
  assert.ok(await isServed());
  assertTimedOut(await slow.closed);
});

test('a chunked body that never ends is aborted', async () => {
  const slow = open();
  const head = 'POST /api/1/notes/1_0_0/auth/oidc/idp/Login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json';
  slow.socket.write(`${head}\r\ntransfer-encoding: chunked\r\n\r\n`);
  trickle(slow, '1\r\n \r\n');
  assertTimedOut(await slow.closed);
});

test('an unused connection, and one that was used once, are closed', async () => {
  const silent = open();
  const used = open();
  used.socket.write('GET /livez HTTP/1.1\r\nhost: x\r\n\r\n');
  assert.match(await used.closed, /^HTTP\/1\.1 200 .*keep-alive/is);
  await silent.closed;
});

test('a client that half-closes gets its answer, and the connection ends', async () => {
  const half = open();
  half.socket.end('GET /livez HTTP/1.1\r\nhost: x\r\n\r\n');
  assert.match(await half.closed, /^HTTP\/1\.1 200 /);
  const halfHead = open();
  halfHead.socket.end('GET /livez HTTP/1.1\r\nhost: x\r\n');
  assert.doesNotMatch(await halfHead.closed, /^HTTP\/1\.1 2/);
});

test('one address may have a limited number of connections, and no more until one ends', async () => {
  const held = Array.from({ length: addressConnectionsMax }, open);
  const answers = held.map(async ({ socket }) => {
    socket.write('GET /livez HTTP/1.1\r\nhost: x\r\n\r\n');
    const [chunk] = await once(socket, 'data');
    return String(chunk);
  });
  for (const answer of await Promise.all(answers)) assert.match(answer, /^HTTP\/1\.1 200 /);
  // Regular requests keep all of them open.
  const asking = setInterval(() => {
    for (const { socket } of held) socket.write('GET /livez HTTP/1.1\r\nhost: x\r\n\r\n');
  }, 50);
  try {
    const refused = open();
    refused.socket.write('GET /livez HTTP/1.1\r\nhost: x\r\n\r\n');
    assert.equal(await refused.closed, '');
    const [first] = held;
    first?.socket.destroy();
    await first?.closed;
    // The service notices the end a moment later.
    while (!(await isServed().catch(() => false)));
  } finally {
    clearInterval(asking);
    for (const { socket } of held) socket.destroy();
  }
});
