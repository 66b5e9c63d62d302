/**
 * A synchronous standby: which of two servers gets the writes, and how a commit that does not wait for it is treated.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { after, before, test } from 'node:test';
import { withClient } from '../../../lab/machine/client.ts';
import { type Pair, startPair } from '../../../lab/machine/pair.ts';
import { defaults } from '../../../src/config.ts';
import { type Connections, openConnections } from '../../../src/storage/postgres/connections.ts';
import { ConnectionLost } from '../../../src/storage/postgres/failure.ts';

let pair: Pair;
let pool: Connections;

before(async () => {
  pair = await startPair();
  const [user, hosts] = pair.url.split('@') as [string, string];
  const [list, database] = hosts.split('/') as [string, string];
  // The standby first.
  const url = `${user}@${list.split(',').reverse().join(',')}/${database}`;
  pool = openConnections({ url, max: 1, statementTimeMs: 10_000, waitingMax: 10, settings: defaults });
});
after(async () => {
  await pool.close();
  await pair.stop();
});

test('of several servers the one that accepts writes is found', async () => {
  const { rows } = await pool.query({ text: "SELECT pg_is_in_recovery(), current_setting('port')" });
  assert.deepEqual(rows, [['f', String(pair.primary.port)]]);
});

test('a silent server does not delay the others', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const url = `postgres://rowhouse@127.0.0.1:${port},127.0.0.1:${pair.primary.port}/postgres`;
  // Longer than a test may take, so that waiting for it makes this test fail.
  const settings = { ...defaults, databaseConnectTimeMs: 3_600_000 };
  const other = openConnections({ url, max: 1, statementTimeMs: 10_000, waitingMax: 10, settings });
  assert.deepEqual((await other.query({ text: 'SELECT 1' })).rows, [['1']]);
  await other.close();
  silent.close();
});

test('a commit whose wait for the standby was cancelled is not trusted', async () => {
  await pool.query({ text: 'CREATE TABLE public.kept (number integer)' });
  await pair.standby.stop();
  const inserted = pool.query({ text: 'INSERT INTO public.kept VALUES (1)' }).then(
    () => null,
    (error: unknown) => error,
  );
  await withClient(pair.primary.url, async (client) => {
    const cancel = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
    while ((await client.query(cancel)).rowCount === 0);
  });
  const error = await inserted;
  assert.ok(error instanceof ConnectionLost && error.mayHaveRun, String(error));
  // The server itself would have reported the commit, and on that server it happened.
  const { rows } = await pool.query({ text: 'SELECT number FROM public.kept' });
  assert.deepEqual(rows, [['1']]);
});
