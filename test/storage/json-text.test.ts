/** Reusable buffers of large texts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bufferBytes, buffersOf, giveBack, pieceOf, reusable, takeBuffer } from '../../src/storage/json-text.ts';

test('a returned buffer is reused by one text, even if returned twice, and no other buffer is reused', () => {
  const own = takeBuffer();
  const other = pieceOf('x'.repeat(bufferBytes));
  assert.equal(other.buffer.byteLength, bufferBytes);
  assert.deepEqual(reusable(['[', own, other, ']']), [own.buffer]);
  for (let time = 0; time < 2; time++) giveBack(buffersOf([[own, other]]), 10 * bufferBytes);
  const next = [takeBuffer(), takeBuffer(), takeBuffer()].map(({ buffer }) => buffer);
  assert.equal(new Set(next).size, next.length);
  assert.ok(next.includes(own.buffer) && !next.includes(other.buffer));
});

test('unused buffers are kept up to a limit in bytes', () => {
  const taken = [takeBuffer(), takeBuffer(), takeBuffer()];
  giveBack(buffersOf([taken]), 2 * bufferBytes + 1);
  const again = [takeBuffer(), takeBuffer(), takeBuffer()].map(({ buffer }) => buffer);
  assert.equal(again.filter((buffer) => taken.some((one) => one.buffer === buffer)).length, 2);
});
