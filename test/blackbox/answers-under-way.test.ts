/**
 * Large answers that clients do not read: bounded in memory and time, while others are served (setting
 * answersBytesMax).
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { assertEnvelope } from '../harness/cases.ts';
import type { Answer } from '../harness/client.ts';
import { valueAt } from '../harness/match.ts';
import { addRecords, defineTables, getRecord, type QueryBody, send } from '../harness/requests.ts';
import { startWorld, type World } from '../harness/world.ts';

const mib = 1024 * 1024;
const records = 24;
/** More than the buffers at both ends of a connection hold, so that the answer stays in the service. */
const answerBytes = records * 0.9 * mib;
const body: QueryBody = { from: { phyName: 'Wide', alias: 'w' } };
/** All records, with a condition that takes more than ten MiB while it is processed. */
const heavy: QueryBody = {
  ...body,
  where: {
    expression: {
      source: `#w.objectId NOT IN (${Array.from({ length: 9_999 }, () => '?').join(',')})`,
      params: Array.from({ length: 9_999 }, (_, index) => `none ${index}`),
    },
  },
};
const page: QueryBody = { ...body, where: { expression: { source: "#w.objectId = 'small'", params: [] } } };

let world: World;
let impatient: World;
/** A process always uses more memory. */
let short: World;
before(async () => {
  world = await worldWith({ answersBytesMax: 2.5 * answerBytes, parsedBodiesBytesMax: 24 * mib });
  impatient = await worldWith({ answersBytesMax: 1.5 * answerBytes, answerTimeMs: 4_000 });
  short = await worldWith({ residentBytesMax: 1, trustProxy: true });
});
after(() => Promise.all([world.close(), impatient.close(), short.close()]));

async function worldWith(settings: object): Promise<World> {
  const made = await startWorld({ people: ['alice'], settings });
  await defineTables(made, 'alice', [
    { name: 'Wide', primary_key: 'objectId', columns: [{ colName: 'body', type: 'text' }] },
  ]);
  const text = 'x'.repeat(0.9 * mib);
  for (let number = 0; number < records; number += 6) {
    const data = Array.from({ length: 6 }, (_, index) => ({ objectId: `w${number + index}`, body: text }));
    await addRecords(made, 'alice', 'Wide', data);
  }
  await addRecords(made, 'alice', 'Wide', [{ objectId: 'small', body: 'short' }]);
  return made;
}

const everything = (of = world) => send(of, 'alice', 'POST', 'data/query/Wide', body);

/**
 * Requests everything several times at once, and reads only the beginning of the first answer; repeats this while
 * answers of an earlier test are still under way.
 */
async function slowClient(of: World, times = 1, asked = body): Promise<Socket> {
  const { hostname, port } = new URL(of.server.url);
  const socket = connect(Number(port), hostname);
  const content = JSON.stringify(asked);
  const path = `${of.prefixOf('alice')}/data/query/Wide`;
  const head = `host: ${hostname}\r\nservice-token: ${of.token('alice')}\r\ncontent-type: application/json`;
  const request = `POST ${path} HTTP/1.1\r\n${head}\r\ncontent-length: ${Buffer.byteLength(content)}\r\n\r\n${content}`;
  socket.write(request.repeat(times));
  const [chunk] = await once(socket, 'data');
  socket.pause();
  if (String(chunk).startsWith('HTTP/1.1 200')) return socket;
  socket.destroy();
  return slowClient(of, times, asked);
}

/**
 * A connection with two answers under way; requests again if the second was refused because an earlier one had not
 * ended yet.
 */
async function slowPair(): Promise<Socket> {
  for (;;) {
    const both = await slowClient(world, 2);
    for (let asked = 0; asked < 20; asked++) if ((await everything()).status === 503) return both;
    both.destroy();
  }
}

function assertRefused(answer: Answer, setting = 'answersBytesMax'): void {
  assertEnvelope(answer, 212);
  assert.equal(answer.status, 503);
  assert.equal(answer.headers['retry-after'], '1');
  assert.match(String(valueAt(answer.json, 'description')), new RegExp(`setting ${setting}`));
}

/** Waits until the service has noticed that an answer is no longer under way. */
async function untilAnswered(of = world): Promise<Answer> {
  for (;;) {
    const answer = await everything(of);
    if (answer.status !== 503) return answer;
    assertRefused(answer);
  }
}

test('large answers that are made and read concurrently and repeatedly do not mix', async () => {
  await defineTables(world, 'alice', [
    { name: 'Letter', primary_key: 'objectId', columns: [{ colName: 'body', type: 'text' }] },
  ]);
  const letters = ['a', 'b', 'ā', '"', '😀', '\n', 'c', 'd'];
  const data = letters.map((letter, index) => ({ objectId: `l${index}`, body: letter.repeat(200_000) }));
  await addRecords(world, 'alice', 'Letter', data);
  const askFor = async (index: number) => {
    for (let time = 0; time < 5; time++) {
      const expression = { source: `#l.objectId = 'l${index}'`, params: [] };
      const form = { from: { phyName: 'Letter', alias: 'l' }, where: { expression } };
      const queried = await send(world, 'alice', 'POST', 'data/query/Letter', form);
      const found = valueAt(queried.json, 'l.0.body');
      assert.ok(found === data[index]?.body, `query for ${letters[index]}: ${queried.text.slice(0, 100)}`);
      const got = await getRecord(world, 'alice', 'Letter', `l${index}`);
      assert.ok(got.body === data[index]?.body, `GET of ${letters[index]}`);
    }
  };
  await Promise.all(letters.map((_, index) => askFor(index)));
});

test('while clients do not read large answers, a further one is refused, and small ones are sent', async () => {
  const slow = [await slowClient(world), await slowClient(world)];
  assertRefused(await everything());
  assert.equal((await getRecord(world, 'alice', 'Wide', 'small')).body, 'short');
  assert.equal((await send(world, 'alice', 'POST', 'data/query/Wide', page)).status, 200);
  slow[0]?.destroy();
  const answer = await untilAnswered();
  assert.equal(answer.status, 200);
  assert.ok(answer.text.length > answerBytes);
  slow[1]?.destroy();
});

test('a large query counts with its compiled form until it is answered', async () => {
  const ask = () => send(world, 'alice', 'POST', 'data/query/Wide', heavy);
  const slow = await slowClient(world, 1, heavy);
  assertRefused(await ask(), 'parsedBodiesBytesMax');
  assert.equal((await send(world, 'alice', 'POST', 'data/query/Wide', page)).status, 200);
  slow.destroy();
  while ((await ask()).status === 503);
});

test('while memory is short, a large answer is accepted only as the only one of its network', async () => {
  const slow = await slowClient(short);
  assertRefused(await everything(short), 'residentBytesMax');
  const elsewhere = await short.call('POST', `${short.prefixOf('alice')}/data/query/Wide`, {
    token: short.token('alice'),
    raw: JSON.stringify(body),
    headers: { 'x-forwarded-for': '192.0.2.1' },
  });
  assert.equal(elsewhere.status, 200);
  assert.equal((await send(short, 'alice', 'POST', 'data/query/Wide', page)).status, 200);
  slow.destroy();
  while ((await everything(short)).status === 503);
});

test('a client that continues reading gets its whole answer, and frees its memory', async () => {
  const slow = [await slowClient(world), await slowClient(world)];
  assertRefused(await everything());
  const whole = new Promise<void>((resolve) => {
    slow[0]?.on('data', () => {
      if ((slow[0]?.bytesRead ?? 0) > answerBytes) resolve();
    });
  });
  slow[0]?.resume();
  await whole;
  assert.equal((await untilAnswered()).status, 200);
  for (const socket of slow) socket.destroy();
});

test('a large answer is complete in both forms of query, and states its length', async () => {
  const older = { objectNames: ['Wide'], returnedObjectNames: ['Wide'] };
  const text = 'x'.repeat(0.9 * mib);
  const answers = [await untilAnswered(impatient), await send(impatient, 'alice', 'POST', 'data/query', older)];
  const arrays = [valueAt(answers[0]!.json, 'w'), valueAt(answers[1]!.json, 'results.0.Wide')] as { body: string }[][];
  for (const [index, { status, headers, text: whole }] of answers.entries()) {
    assert.equal(status, 200);
    assert.equal(headers['content-length'], String(Buffer.byteLength(whole)));
    assert.equal(arrays[index]!.length, records + 1);
    assert.equal(arrays[index]!.filter(({ body }) => body === text).length, records);
  }
  assert.equal(valueAt(answers[1]!.json, 'counter'), records + 1);
});

test('answers that wait behind another one on a closed connection are not counted for ever', async () => {
  const both = await slowPair();
  both.destroy();
  const slow = await slowClient(world);
  assert.equal((await untilAnswered()).status, 200);
  slow.destroy();
});

test('a client that does not read in time is disconnected', async () => {
  const slow = await slowClient(impatient);
  assertRefused(await everything(impatient));
  assert.equal((await untilAnswered(impatient)).status, 200);
  const ended = new Promise((resolve) => slow.once('close', resolve));
  slow.on('error', () => {});
  slow.resume();
  await ended;
  assert.ok(slow.bytesRead < answerBytes);
});
