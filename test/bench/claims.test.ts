/** The benchmark of claims: a refused load is not a measurement, and one tiny run; times are not judged. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { httpRequest } from '../../lab/client/messages.ts';
import { type Load, mediansOf, runRight } from '../../lab/measure/load.ts';

/** Four requests to a server that answers every one with this status. */
async function asking(context: TestContext, status: number, isRight?: Load['isRight']) {
  const server = createServer((_, response) => response.writeHead(status, { 'content-length': 7 }).end('its end'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const request = () => httpRequest('GET', '/', 'token');
  const load = { port, connections: 2, warmUpMs: 0, measureMs: 60_000, requestsMax: 4, request };
  return runRight(isRight === undefined ? load : { ...load, isRight });
}

test('a load whose requests are refused is an error, not a fast one', async (context) => {
  assert.equal((await asking(context, 200)).requests, 4);
  await assert.rejects(asking(context, 503), /^Error: 4 requests were not answered as they must be; .* 503 /);
});

test('a load may expect other answers', async (context) => {
  const isRight = (text: string) => text.endsWith('its end');
  assert.equal((await asking(context, 503, isRight)).requests, 4);
  await assert.rejects(
    asking(context, 200, () => false),
    /4 requests were not answered/,
  );
});

test('each figure is a separate median', () => {
  const round = (p50: number, p99: number, perSecond: number) => {
    return { p50, p99, perSecond, requests: 1, failures: 0, firstFailure: null };
  };
  const rounds = [round(1, 90, 300), round(2, 10, 100), round(3, 80, 200)];
  assert.deepEqual(mediansOf(rounds), { perSecond: 200, p50: 2, p99: 80 });
});

const claims = [
  /^page of 20 with a join, 2000 rows against 200\n {2}p50 .* ms against .* ms; ratio .* \(≤ 1\.3/m,
  /^page of 20 in the order of ids by a caller who sees 0\.1 % of 2000, .*\n {2}p50 .*; ratio .* \(≤ 3/m,
  /^page of 20 in an indexed order by a caller who sees 0\.1 % of 2000, .*\n {2}p50 .*; ratio .* \(≤ 3/m,
  /^single GETs, 32 connections, .*\n {2}p99 .*, beside [1-9]\d* heavy queries .*; ratio .* \(≤ 2/m,
  /^adds spread over 4 data spaces, 64 connections\n {2}[1-9]\d*\/s, .*; reported/m,
  /^the same while one more tenant .*\n {2}p99 of the others .*, beside [1-9]\d* batches; ratio .* \(reported\)/m,
  /^4 data spaces, written to in turn, .*\n {2}(\d+ MiB, \d+ files( · )?){4}; ratio .* \(≤ 1\.1/m,
];

test('a tiny run reports every claim, and exits with 1 only if it reports a bound that was not met', async () => {
  const command = join(import.meta.dirname, '../../lab/measure/claims.ts');
  const sizes = ['--small', '200', '--large', '2000', '--spaces', '4', '--touched', '4'];
  const { code, output, errors } = await run([command, ...sizes, '--seconds', '0.05', '--rounds', '1', '--noisy']);
  for (const line of claims) assert.match(output, line, errors);
  assert.equal(code, /^Bounds that were not met: [1-9]/m.test(output) ? 1 : 0, errors);
  assert.equal(output.includes('NOT MET'), code === 1);
  assert.doesNotMatch(errors, /Error/);
});

function run(flags: readonly string[]): Promise<{ code: number; output: string; errors: string }> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, flags, (error, output, errors) => {
      const code = error === null ? 0 : error.code;
      if (typeof code === 'number') resolve({ code, output, errors });
      else reject(error);
    });
  });
}
