/**
 * Large bodies that clients do not complete: bounded in memory, while small ones and those of others are accepted
 * (setting bodiesBytesMax).
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { assertEnvelope } from '../harness/cases.ts';
import type { Answer } from '../harness/client.ts';
import { valueAt } from '../harness/match.ts';
import { startWorld, type World } from '../harness/world.ts';

const mib = 1024 * 1024;
const attemptsMax = 20;

let world: World;
/** A process always uses more memory. */
let short: World;
before(async () => {
  world = await startWorld({ people: ['alice'], settings: { bodiesBytesMax: 8 * mib, trustProxy: true } });
  short = await startWorld({ people: ['alice'], settings: { residentBytesMax: 1, trustProxy: true } });
});
after(() => Promise.all([world.close(), short.close()]));

/** Spaces, which are not JSON and cost only their size: 400 if they were accepted. */
const send = (address: string, bytes = 1.5 * mib, of = world) =>
  of.call('POST', `${of.prefixOf('alice')}/data/batch/addData`, {
    token: of.token('alice'),
    raw: ' '.repeat(bytes),
    headers: { 'x-forwarded-for': address },
  });

/** Begins a body, and resolves when its sent part should have been received; chunked if no length is given. */
async function unfinished(address: string, bytes: number, isChunked: boolean, of = world): Promise<Socket> {
  const { port } = new URL(of.server.url);
  const socket = connect(Number(port), '127.0.0.1').on('error', () => {});
  await once(socket, 'connect');
  const length = isChunked ? 'transfer-encoding: chunked' : `content-length: ${8 * mib}`;
  const head = `host: x\r\nservice-token: ${of.token('alice')}\r\ncontent-type: application/json\r\nx-forwarded-for: ${address}`;
  socket.write(`POST ${of.prefixOf('alice')}/data/batch/addData HTTP/1.1\r\n${head}\r\n${length}\r\n\r\n`);
  if (isChunked) socket.write(`${bytes.toString(16)}\r\n`);
  await new Promise((sent) => socket.write(Buffer.alloc(bytes, ' '), sent));
  // The sent data are received in portions, one in each turn of the event loop, like these requests.
  for (let turn = 0; turn < 20; turn++) await of.call('GET', '/livez');
  return socket;
}

/**
 * An unfinished body, and the refusal of another one. The service receives both in turns, so either may exceed the
 * limit, and the unfinished one may be refused after the other; hence this requires two refusals in a row, and repeats
 * if the unfinished one was refused.
 */
async function crowd(address: string, other: string, isChunked: boolean, of = world): Promise<[Socket, Answer]> {
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const socket = await unfinished(address, 3.5 * mib, isChunked, of);
    let isRefused = false;
    socket.once('data', () => {
      isRefused = true;
    });
    for (let refusals = 0, sent = 0; !isRefused && sent < attemptsMax; sent++) {
      const answer = await send(other, 1.5 * mib, of);
      refusals = answer.status === 503 ? refusals + 1 : 0;
      if (refusals === 2 && !isRefused) return [socket, answer];
    }
    socket.destroy();
  }
  return assert.fail(`No body was refused beside an unfinished one in ${attemptsMax} attempts.`);
}

/** The answers to a large body and a request after it, for a client that reads nothing before it has sent both. */
async function answersTo(address: string): Promise<string> {
  const bytes = 3 * mib;
  const { port } = new URL(world.server.url);
  const socket = connect(Number(port), '127.0.0.1').setEncoding('latin1').pause();
  await once(socket, 'connect');
  const head = `host: x\r\nservice-token: ${world.token('alice')}\r\nx-forwarded-for: ${address}`;
  socket.write(
    `POST ${world.prefixOf('alice')}/data/batch/addData HTTP/1.1\r\n${head}\r\ncontent-length: ${bytes}\r\n\r\n`,
  );
  await new Promise((sent) =>
    socket.write(`${' '.repeat(bytes)}GET /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`, sent),
  );
  let answers = '';
  for await (const text of socket) answers += text;
  return answers;
}

for (const isChunked of [false, true]) {
  test(`one network may use at most half, ${isChunked ? 'in chunks' : 'with a length'}`, async () => {
    assert.equal((await send('192.0.2.1')).status, 400);
    const [first, refused] = await crowd('192.0.2.1', '192.0.2.1', isChunked);
    assertEnvelope(refused, 210);
    assert.equal(refused.headers['retry-after'], '1');
    assert.match(String(valueAt(refused.json, 'description')), /setting bodiesBytesMax/);
    assert.equal((await send('192.0.2.1', 1_000)).status, 400, 'a small one');
    assert.equal((await send('192.0.2.2')).status, 400, 'one of elsewhere');

    const [second, refusedElsewhere] = await crowd('192.0.2.3', '192.0.2.2', isChunked);
    assertEnvelope(refusedElsewhere, 210);
    assert.match(await answersTo('192.0.2.1'), /^HTTP\/1.1 503 .*HTTP\/1.1 200 /s, 'the refused body was let go');
    for (const socket of [first, second]) socket.destroy();
    for (const address of ['192.0.2.1', '192.0.2.2']) while ((await send(address)).status === 503);
  });
}

test('while memory is short, one large body of each network is accepted', async () => {
  assert.equal((await send('192.0.2.1', 1.5 * mib, short)).status, 400, 'the only one');
  const [held, refused] = await crowd('192.0.2.1', '192.0.2.1', false, short);
  assertEnvelope(refused, 210);
  assert.equal(refused.headers['retry-after'], '1');
  assert.match(String(valueAt(refused.json, 'description')), /setting residentBytesMax/);
  assert.equal((await send('192.0.2.1', 1_000, short)).status, 400, 'a small one');
  assert.equal((await send('192.0.2.2', 1.5 * mib, short)).status, 400, 'one of elsewhere');
  held.destroy();
  while ((await send('192.0.2.1', 1.5 * mib, short)).status === 503);
});

test('an unread body does not end the process', async () => {
  const { port } = new URL(world.server.url);
  const held = await Promise.all(['192.0.2.1', '192.0.2.3'].map((address) => unfinished(address, 3.5 * mib, false)));
  for (const method of ['GET', 'DELETE', 'POST', 'PUT', 'OPTIONS', 'PROPFIND']) {
    for (const path of [`${world.prefixOf('alice')}/roles`, '/nothing', '/livez']) {
      const socket = connect(Number(port), '127.0.0.1').on('error', () => {});
      const ended = new Promise((close) => socket.once('close', close));
      const head = `host: x\r\nservice-token: ${world.token('alice')}\r\nx-forwarded-for: 192.0.2.1`;
      socket.on('data', () => socket.end());
      socket.write(`${method} ${path} HTTP/1.1\r\n${head}\r\ncontent-length: ${4 * mib}\r\n\r\n`);
      socket.write(Buffer.alloc(4 * mib, ' '));
      await ended;
    }
  }
  for (const socket of held) socket.destroy();
  assert.equal((await world.call('GET', '/livez')).status, 200);
});
