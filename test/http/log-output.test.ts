/** The log's output may block for a while: no line is split, and lost ones are counted. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openLogOutput } from '../../src/log-output.ts';

const { O_RDONLY, O_RDWR, O_NONBLOCK } = constants;
/** More than a pipe holds, and more than may wait. */
const sent = Array.from({ length: 300 }, (_, number) => `${String(number).padEnd(1_023, '.')}\n`);

test('lines wait for a full pipe, and those beyond logQueuedBytesMax are lost and counted', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'rowhouse-log-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const fd = openSync(pipe, O_RDWR | O_NONBLOCK);
  t.after(() => closeSync(fd));
  const lost = Promise.withResolvers<number>();
  const output = openLogOutput(fd, { logQueuedBytesMax: 128 * 1_024 }, lost.resolve);
  for (const line of sent) output.write(line);
  const reader = new Socket({ fd: openSync(pipe, O_RDONLY | O_NONBLOCK), readable: true });
  t.after(() => reader.destroy());
  let received = '';
  reader.setEncoding('utf8').on('data', (part: string) => {
    received += part;
  });
  assert.equal(await lost.promise, 300 - 128);
  output.write('afterwards\n');
  while (!received.endsWith('afterwards\n')) await new Promise((resolve) => reader.once('data', resolve));
  assert.equal(received, `${sent.slice(0, 128).join('')}afterwards\n`);
});
