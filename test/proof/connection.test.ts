/** Connections that are reset are closed, whatever their state, and do not keep a process alive. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { reset } from '../../lab/client/connection.ts';

test('an open connection is reset', async (context) => {
  const server = createServer();
  context.after(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' });
  const [[served]] = await Promise.all([once(server, 'connection'), once(client, 'connect')]);
  const failed = once(served as Socket, 'error');
  reset(client);
  const [error] = await failed;
  assert.equal((error as NodeJS.ErrnoException).code, 'ECONNRESET');
});

/** A separate program, because the test is whether it ends. */
const program = `
  import { once } from 'node:events';
  import { connect, createServer } from 'node:net';
  import { reset } from '${new URL('../../lab/client/connection.ts', import.meta.url)}';
  const server = createServer((served) => served.on('error', () => {}).resume()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect(server.address().port, '127.0.0.1');
  client.on('error', () => {});
  await once(client, 'connect');
  client.end('the last words');
  reset(client);
  server.close();
`;

test('a connection that is already ending is still closed', async () => {
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], { timeout: 10_000 });
});
