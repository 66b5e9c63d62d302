/** `rowhouse serve` and `rowhouse demo token` as processes of their own: start lines, a second instance, and the end. */
import assert from 'node:assert/strict';
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { test } from 'node:test';
import { scratchOf, type TestScratch } from '../engines/scratch.ts';
import { bareVariables } from '../harness/bare.ts';

const command = join(import.meta.dirname, '../../src/cli/main.ts');

type Child = ChildProcessByStdio<null, Readable, Readable>;

function start(
  { variables, folder, closeFirst }: TestScratch,
  ...words: string[]
): { child: Child; lines: string[]; errors: string[] } {
  const env = { ...bareVariables, ...variables, ROWHOUSE_READER_THREADS: '1' };
  const child = spawn(process.execPath, [command, ...words], { env, stdio: ['ignore', 'pipe', 'pipe'], cwd: folder });
  const closed = once(child, 'close');
  closeFirst(async () => {
    child.kill('SIGKILL');
    await closed;
  });
  const lines: string[] = [];
  const errors: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => void lines.push(line));
  createInterface({ input: child.stderr }).on('line', (line) => void errors.push(line));
  return { child, lines, errors };
}

/** The first matching line on the standard output; fails if the process ends before. */
async function lineOf(child: Child, lines: readonly string[], pattern: RegExp): Promise<string> {
  for (;;) {
    const found = lines.find((line) => pattern.test(line));
    if (found !== undefined) return found;
    if (child.exitCode !== null) throw new Error(`It ended with ${child.exitCode}: ${lines.join('\n')}`);
    await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function ended(child: Child): Promise<number | null> {
  if (child.exitCode === null) await once(child, 'close');
  return child.exitCode;
}

test('the service logs JSON, prints its address, works alongside commands, and stops cleanly', async (t) => {
  const scratch = await scratchOf(t);
  const { child, lines, errors } = start(scratch, 'serve', '--port', '0');
  const { url, level } = JSON.parse(await lineOf(child, lines, /"msg":"Listening."/));
  assert.equal(level, 30);
  assert.equal((await fetch(`${url}/livez`)).status, 200);

  const add = start(scratch, 'company', 'add', '--name', 'Beside', '--json');
  assert.equal(await ended(add.child), 0, add.errors.join('\n'));
  assert.equal(JSON.parse(add.lines.join('')).name, 'Beside');

  const port = new URL(url).port;
  const second = start(await scratchOf(t), 'serve', '--port', port);
  assert.equal(await ended(second.child), 1);
  assert.match(second.errors.join('\n'), /^rowhouse: 127\.0\.0\.1, port \d+: another program is listening there;.*$/);

  const links = errors.map((line) => /\/admin\/set-up#([0-9a-f]{64})$/.exec(line)?.[1]);
  const body = JSON.stringify({ secret: links.find(Boolean), account: 'root', password: 'a password for the tests' });
  const headers = { 'content-type': 'application/json' };
  const signedIn = await fetch(`${url}/admin/api/set-up`, { method: 'POST', headers, body });
  const cookie = signedIn.headers.getSetCookie().join().split(';')[0] as string;
  const asked = await fetch(`${url}/admin/api/settings`, { headers: { cookie } });
  const { results } = (await asked.json()) as {
    results: { name: string; value: string; source: string; from: string }[];
  };
  const toldOf = (wanted: string) =>
    results.flatMap(({ name, value, source, from }) => (name === wanted ? [value, source, from] : []));
  assert.deepEqual(toldOf('port'), ['0', 'flag', '--port']);
  assert.deepEqual(toldOf('storage').slice(1), ['environment', 'ROWHOUSE_STORAGE']);
  assert.deepEqual(toldOf('zone'), ['UTC', 'default', null]);

  // As from a process manager that signals the whole group: still one request to stop.
  child.kill('SIGTERM');
  child.kill('SIGTERM');
  assert.equal(await ended(child), 0, errors.join('\n'));
  for (const line of lines) JSON.parse(line);

  // The link is a secret: printed once, outside the log.
  const link = new RegExp(`^There is no administrator yet\\. .*: ${url}/admin/set-up#([0-9a-f]{64})$`);
  assert.equal(errors.filter((line) => link.test(line)).length, 1, errors.join('\n'));
  const [, secret] = errors.map((line) => link.exec(line)).find((found) => found !== null) ?? [];
  assert.ok(secret !== undefined && !lines.join('\n').includes(secret));
});

test('a request that does not end delays the stop until a second signal', async (t) => {
  const { child, lines } = start(await scratchOf(t), 'serve', '--port', '0');
  const { url } = JSON.parse(await lineOf(child, lines, /"msg":"Listening."/));
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => {});
  t.after(() => socket.destroy());
  const head = ['POST /api/1/a/1/auth/oidc/idp/Login HTTP/1.1', 'Host: x', 'Content-Type: application/json'];
  socket.write([...head, 'Content-Length: 9', 'Expect: 100-continue', '', ''].join('\r\n'));
  await once(socket, 'data');
  child.kill('SIGTERM');
  await lineOf(child, lines, /"msg":"Stopping/);
  const again = setInterval(() => child.kill('SIGTERM'), 200);
  t.after(() => clearInterval(again));
  assert.equal(await ended(child), 143);
});

for (const words of [[], ['--demo']]) {
  test(`a log that is written to a full disk does not stop the service: ${['serve', ...words].join(' ')}`, async (t) => {
    const { variables, folder, closeFirst } = await scratchOf(t);
    const env = { ...bareVariables, ...variables, ROWHOUSE_READER_THREADS: '1', ROWHOUSE_LOG_LEVEL: 'trace' };
    const full = openSync('/dev/full', 'w');
    t.after(() => closeSync(full));
    const port = await freePort();
    const child = spawn(process.execPath, [command, 'serve', '--port', String(port), ...words], {
      env,
      stdio: ['ignore', full, full],
      cwd: folder,
    });
    closeFirst(async () => void child.kill('SIGKILL'));
    const exited = once(child, 'exit');
    const ready = async () => (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null))?.status === 200;
    while (!(await ready())) assert.equal(child.exitCode, null, 'It ended.');
    await fetch(`http://127.0.0.1:${port}/api/1/none/1_0_0/schemas`);
    assert.ok(await ready());
    child.kill('SIGTERM');
    assert.deepEqual(await exited, [0, null]);
  });
}

test('the demo has readable output, and gives a token that works', async (t) => {
  const scratch = await scratchOf(t);
  const { child, lines, errors } = start(scratch, 'serve', '--demo', '--port', '0');
  const first = await lineOf(child, lines, /answers at /);
  const url = first.split(' ').at(-1) as string;
  await lineOf(child, lines, /npx rowhouse demo token alice/);

  const alice = start(scratch, 'demo', 'token', 'alice', '--url', url);
  assert.equal(await ended(alice.child), 0, alice.errors.join('\n'));
  assert.equal(alice.lines.length, 1);
  const token = alice.lines[0] as string;
  assert.match(token, /^[0-9a-f]{64}$/);
  const prefix = `${url}/api/1/sampleApp/1_0_0`;
  const answer = await fetch(`${prefix}/data/query/DemoNote`, {
    method: 'POST',
    headers: { 'service-token': token, 'content-type': 'application/json' },
    body: JSON.stringify({ from: { phyName: 'DemoNote', alias: 'n' } }),
  });
  const { n } = (await answer.json()) as { n: { title: string; createUserId: string; groupIds: string | null }[] };
  assert.deepEqual(
    n.map(({ title }) => title),
    ['Welcome', 'Call back', 'Tidy the sample data'],
  );
  assert.deepEqual([n[0]?.createUserId, n[0]?.groupIds], ['1', null]);

  const dave = start(scratch, 'demo', 'token', 'dave', '--url', url, '--json');
  assert.equal(await ended(dave.child), 0, dave.errors.join('\n'));
  assert.equal(JSON.parse(dave.lines.join('')).userInfo.account, 'dave');
  const stranger = start(scratch, 'demo', 'token', 'dave', '--company', '1', '--url', url);
  assert.equal(await ended(stranger.child), 1);
  assert.deepEqual(stranger.lines, []);

  child.kill('SIGINT');
  assert.equal(await ended(child), 0, errors.join('\n'));
  const output = [...lines, ...errors].join('\n');
  assert.equal(output.includes(token), false, 'no token in the log');
});
