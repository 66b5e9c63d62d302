/** A start and a stop from the clients' view: readiness, and that no begun request is lost. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { pino } from 'pino';
import { defaults } from '../../src/config.ts';
import { walkDemoSignIn } from '../../src/demo/sign-in.ts';
import { startRowhouse } from '../../src/main.ts';
import { scratchOf } from '../engines/scratch.ts';
import { type Answer, openClient } from '../harness/client.ts';
import { defineTables } from '../harness/requests.ts';
import { startWorld, type World } from '../harness/world.ts';
import { kindTable } from './tables.ts';

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

test('/readyz answers 200 when a client of the demo can sign in, and not before', async (t) => {
  const { settings } = await scratchOf(t);
  const port = await freePort();
  const starting = startRowhouse(
    { ...defaults, ...settings, port, stopIdleMs: 0 },
    { demo: true, log: pino({ level: 'silent' }) },
  );
  t.after(async () => (await starting).close());
  const url = `http://127.0.0.1:${port}`;
  const client = openClient(url);
  t.after(() => client.close());
  const seen = new Set<string>();
  for (;;) {
    const answer = await client.call('GET', '/readyz').catch(() => null);
    if (answer?.status === 200) break;
    if (answer !== null) seen.add(answer.text);
    await Promise.race([starting, new Promise(setImmediate)]);
  }
  await walkDemoSignIn({ url, companyId: 1, login: 'alice', deviceUDID: 'd1' });
  assert.deepEqual([...seen], ['{"status":"error","description":"The service is starting."}']);
});

/** An open, idle connection; calling the function sends a request on it. */
async function idleConnection(world: World): Promise<(method: string, path: string, body?: object) => Promise<Answer>> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const { hostname, port } = new URL(world.server.url);
  const send = (method: string, path: string, body?: object) =>
    new Promise<Answer>((resolve, reject) => {
      const headers = { 'service-token': world.token('alice'), 'content-type': 'application/json' };
      const asked = request({ agent, hostname, port, method, path, headers }, async (response) => {
        const text = (await response.toArray()).join('');
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json: JSON.parse(text) });
      });
      asked.on('error', reject);
      asked.end(body === undefined ? undefined : JSON.stringify(body));
    });
  await send('GET', '/livez');
  return send;
}

/** Sends all but the end of a request that adds a record. `finish` sends the rest and reads the answer. */
async function begunRequest(world: World): Promise<{ finish(): Promise<string>; abandon(): void }> {
  const { hostname, port } = new URL(world.server.url);
  const socket: Socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const body = JSON.stringify({ objectName: kindTable.name, data: [{ objectId: 'Kind_begun' }] });
  const head = [
    `POST ${world.prefix}/data/batch/addData HTTP/1.1`,
    'Host: x',
    `service-token: ${world.token('alice')}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Expect: 100-continue',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  // The request has begun when the server asks for the body.
  await once(socket, 'data');
  socket.write(body.slice(0, 10));
  return {
    async finish() {
      socket.write(body.slice(10));
      return (await socket.toArray()).join('');
    },
    abandon: () => void socket.destroy(),
  };
}

/** Resolves when nothing listens there any more. */
async function noNewConnections(world: World): Promise<void> {
  const { hostname, port } = new URL(world.server.url);
  for (;;) {
    const socket = connect(Number(port), hostname);
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (!isOpen) return;
  }
}

test('a stopping service first tells load balancers, answers begun requests, and refuses the rest in the envelope', async () => {
  const world = await startWorld({ people: ['alice'], settings: { stopNoticeMs: 1_500, stopIdleMs: 3_000 } });
  let closing = Promise.resolve();
  let begun: Awaited<ReturnType<typeof begunRequest>> | undefined;
  try {
    await defineTables(world, 'alice', [kindTable]);
    const { prefix } = world;
    begun = await begunRequest(world);
    const early = await idleConnection(world);
    const late: Awaited<ReturnType<typeof idleConnection>>[] = [];
    const query = { from: { phyName: 'Kind', alias: 'k' } };
    const operations: readonly (readonly [code: number, method: string, path: string, body?: object])[] = [
      [212, 'GET', `${prefix}/data/Kind/Kind_1`],
      [212, 'POST', `${prefix}/data/query/Kind`, query],
      [210, 'POST', `${prefix}/data/batch/addData`, { objectName: 'Kind', data: [{}] }],
      [210, 'POST', `${prefix}/data/batch/deleteData`, { objectName: 'Kind', objectIds: [] }],
      [201, 'POST', `${prefix}/auth/logout`, {}],
      [131, 'GET', '/admin/api/companies'],
    ];
    for (const _each of operations) late.push(await idleConnection(world));
    const healthy = await idleConnection(world);

    closing = world.server.close();
    const readiness = await world.call('GET', '/readyz');
    assert.deepEqual([readiness.status, readiness.headers.connection], [503, 'close']);
    assert.match(readiness.text, /"The service is stopping\."/);
    // During the notice, everything else is served, on connections that end with their answer.
    const served = await early('POST', `${prefix}/data/query/Kind/count`, query);
    assert.deepEqual([served.status, served.headers.connection], [200, 'close']);

    await noNewConnections(world);
    const refused = await Promise.all(
      operations.map(([, method, path, body], index) => late[index]!(method, path, body)),
    );
    for (const [index, [code, , path]] of operations.entries()) {
      const { status, headers, json } = refused[index]!;
      const { errCode, description } = json as { errCode: number; description: string };
      assert.deepEqual([status, headers['retry-after'], headers.connection], [503, '1', 'close'], path);
      assert.match(description, /^The service is stopping; /);
      if (path.startsWith('/api')) assert.equal(errCode, code, path);
    }
    assert.equal((await healthy('GET', '/livez')).status, 200);
    assert.match(await begun.finish(), /^HTTP\/1\.1 200 OK[\s\S]*"objectId":"Kind_begun"/);
    await closing;
  } finally {
    // The stop would wait for it.
    begun?.abandon();
    await closing;
    await world.close();
  }
});
