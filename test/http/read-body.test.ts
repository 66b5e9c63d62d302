/** Bytes of request bodies: all are received, large ones in turns, and no more than the route accepts. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { test } from 'node:test';
import type { FastifyRequest } from 'fastify';
import { takingWhole } from '../../src/http/read-body.ts';

const chunkBytes = 64 * 1024;

/** A payload that is available at once. @param pulled called for each chunk taken from it */
function payloadOf(chunks: number, pulled = () => {}): Readable {
  let left = chunks;
  return new Readable({
    highWaterMark: 1,
    read() {
      if (left > 0) pulled();
      this.push(left-- > 0 ? Buffer.alloc(chunkBytes, left) : null);
    },
  });
}

const requestOf = (isLarge: boolean, bodyLimit = Number.POSITIVE_INFINITY, headers = {}) =>
  ({ headers, weighBody: isLarge ? () => {} : null, routeOptions: { bodyLimit } }) as unknown as FastifyRequest;

function read(payload: Readable, ...request: Parameters<typeof requestOf>): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const parser = takingWhole((_request, bytes, done) => done(null, bytes));
  parser(requestOf(...request), payload, (error, body) => (error === null ? resolve(body as Buffer) : reject(error)));
  return promise;
}

test('bodies received at once take turns, and one complete body is joined in each turn', async () => {
  let turn = 0;
  let isDone = false;
  const taken: number[] = [];
  const count = () => {
    turn++;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const pulled = () => {
    taken[turn] = (taken[turn] ?? 0) + 1;
  };
  const whole: number[] = [];
  const bodies = await Promise.all(
    Array.from({ length: 16 }, async () => {
      const bytes = await read(payloadOf(60, pulled), true);
      whole.push(turn);
      return bytes;
    }),
  );
  isDone = true;
  assert.equal(new Set(whole).size, 16, 'in a turn of its own each');
  // The first chunk of each, and as many chunks that streams read ahead.
  assert.ok(Math.max(...taken.filter(Boolean)) <= 2 * 16, `${taken.join(' ')} chunks in the turns`);
  for (const bytes of bodies) {
    assert.equal(bytes.length, 60 * chunkBytes);
    for (let chunk = 0; chunk < 60; chunk++) assert.equal(bytes[chunk * chunkBytes], 59 - chunk);
  }
});

test('the memory of a large body is freed when it was read, and when it is refused', async () => {
  for (const bodyLimit of [3 * chunkBytes, 2 * chunkBytes]) {
    const chunks = Array.from({ length: 3 }, (_, index) => Buffer.alloc(chunkBytes, index));
    const payload = Readable.from(chunks);
    let whole: Buffer | undefined;
    const parser = takingWhole(async (_request, bytes) => {
      whole = bytes;
      return bytes.reduce((sum, byte) => sum + byte, 0);
    });
    const sum = await new Promise((resolve) =>
      parser(requestOf(true, bodyLimit), payload, (error, body) => resolve(error === null ? body : error)),
    );
    if (bodyLimit === 3 * chunkBytes) assert.equal(sum, 3 * chunkBytes);
    else assert.ok(sum instanceof Error);
    await finished(payload);
    for (const { buffer } of whole === undefined ? chunks : [whole, ...chunks])
      assert.ok((buffer as ArrayBuffer).detached);
  }
});

test('a small body is read unchanged', async () => {
  assert.equal((await read(Readable.from([Buffer.from('{"a"'), Buffer.from(':1}')]), false)).toString(), '{"a":1}');
  assert.equal((await read(Readable.from([]), false)).length, 0);
});

for (const isLarge of [false, true]) {
  test(`more than the route accepts is refused, ${isLarge ? 'large' : 'small'}, and so is a length other than announced`, async () => {
    const limit = 3 * chunkBytes;
    assert.equal((await read(payloadOf(3), isLarge, limit)).length, limit);
    const payload = payloadOf(40);
    await assert.rejects(read(payload, isLarge, limit), { code: 'FST_ERR_CTP_BODY_TOO_LARGE', statusCode: 413 });
    await finished(payload);
    const long = { 'content-length': String(limit + 1) };
    await assert.rejects(read(payloadOf(1), isLarge, limit, long), { code: 'FST_ERR_CTP_BODY_TOO_LARGE' });
    const wrong = { 'content-length': String(chunkBytes) };
    await assert.rejects(read(payloadOf(2), isLarge, limit, wrong), { code: 'FST_ERR_CTP_INVALID_CONTENT_LENGTH' });
  });
}

test('errors of a parser are answered, at once or later', async () => {
  for (const parse of [
    () => {
      throw new Error('not JSON');
    },
    () => Promise.reject(new Error('not JSON')),
  ]) {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    takingWhole(parse)(requestOf(false), Readable.from([Buffer.from('x')]), resolve);
    assert.match(String(await promise), /not JSON/);
  }
});

test('an ended connection is the fault of the client', async () => {
  const payload = new Readable({ read() {} });
  payload.push(Buffer.alloc(10));
  const reading = read(payload, true);
  payload.destroy(new Error('aborted'));
  await assert.rejects(reading, { message: 'aborted', statusCode: 400 });
});
