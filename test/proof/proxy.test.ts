/** The fault proxy produces the requested faults: checked on both of its sides, with a server that counts requests. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, test } from 'node:test';
import { Connection, Lost } from '../../lab/client/connection.ts';
import { type Fault, type FaultProxy, openProxy } from '../../lab/prove/proxy.ts';

/** The client gives up after its request has arrived, even on a busy machine, and before the proxy continues. */
const giveUpMs = 500;
const stallMs = 2_000;

let arrived: string[] = [];
let witnessed: { attempt: number; isHandedOn: boolean }[] = [];
let proxy: FaultProxy;
const server = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => {
    body += chunk;
  });
  request.on('end', () => {
    arrived.push(body);
    response.setHeader('content-length', '4').end('done');
  });
});

before(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  proxy = await openProxy({
    port: (server.address() as AddressInfo).port,
    stallMs,
    witness: (attempt, _, isHandedOn) => witnessed.push({ attempt, isHandedOn }),
  });
});
after(async () => {
  await proxy.close();
  server.close();
});
beforeEach(() => {
  arrived = [];
  witnessed = [];
});

const body = JSON.stringify({ text: 'long enough to be cut in the middle of the body' });

async function send(fault: Fault, timeoutMs = 5_000): Promise<string | null> {
  const head = `POST / HTTP/1.1\r\nhost: 127.0.0.1\r\nx-fault: ${fault}\r\nx-attempt: 7\r\n`;
  const connection = new Connection(proxy.port);
  try {
    const bytes = Buffer.from(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    return (await connection.exchange(bytes, timeoutMs)).body;
  } catch (error) {
    assert.ok(error instanceof Lost);
    return null;
  } finally {
    connection.close();
    await proxy.settled();
  }
}

/** What the client receives, and the forwarded answers: one for each complete arrival of the request. */
const cases: readonly (readonly [Fault, string | null, boolean[], number?])[] = [
  ['none', 'done', [true]],
  ['drop', null, [false]],
  ['reset', null, []],
  ['late', null, [true], giveUpMs],
  ['hold', null, [true], giveUpMs],
  ['twice', 'done', [true, false]],
];

for (const [fault, heard, handedOn, timeoutMs] of cases) {
  test(fault, async () => {
    assert.equal(await send(fault, timeoutMs), heard);
    assert.deepEqual(
      arrived,
      handedOn.map(() => body),
    );
    assert.deepEqual(
      witnessed,
      handedOn.map((isHandedOn) => ({ attempt: 7, isHandedOn })),
    );
  });
}
