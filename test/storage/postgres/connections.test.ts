/**
 * Connections: texts are transferred unchanged, their number is bounded, and their end is reported with its meaning.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { pipeline, Transform } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { inspect } from 'node:util';
import { ServiceError } from '../../../src/errors.ts';
import type { Connection } from '../../../src/storage/postgres/connections.ts';
import { ConnectionLost, isUnique, OutOfTime, serviceError, sqlState } from '../../../src/storage/postgres/failure.ts';
import { databaseOf, one, processId, terminate } from './database.ts';

const state = (wanted: string) => (error: unknown) => sqlState(error) === wanted;
const lost = (mayHaveRun: boolean) => (error: unknown) =>
  error instanceof ConnectionLost && error.mayHaveRun === mayHaveRun;

test('text is transferred unchanged, with the number of changed rows', async (t) => {
  const pool = (await databaseOf(t)).connect();
  const { rows } = await pool.query({
    text: "SELECT $1::text, $2::bigint, true, 12.50::numeric(5, 2), NULL, '2026-01-02 03:04:05.678'::timestamptz(3)",
    values: ['é\u{1f600}\n', '-9223372036854775808'],
  });
  assert.deepEqual(rows, [['é\u{1f600}\n', '-9223372036854775808', 't', '12.50', null, '2026-01-02 03:04:05.678+00']]);
  await pool.query({ text: 'CREATE SCHEMA s' });
  await pool.query({ text: 'CREATE TABLE s.t (a integer)' });
  const insert = await pool.query({ text: 'INSERT INTO s.t VALUES (1), (2), ($1) RETURNING a', values: ['3'] });
  assert.deepEqual([insert.rows, insert.changed], [[['1'], ['2'], ['3']], 3]);
  assert.equal((await pool.query({ text: 'UPDATE s.t SET a = a + 1 WHERE a > 1' })).changed, 2);
  assert.equal((await pool.query({ text: 'SELECT a FROM s.t' })).changed, 0);
});

test('columns are described on request', async (t) => {
  const pool = (await databaseOf(t)).connect();
  const text = "SELECT 1::bigint AS a, 'x'::text AS b";
  assert.deepEqual((await pool.query({ text, name: 'n', isDescribed: true })).fields, [
    { name: 'a', type: 20 },
    { name: 'b', type: 25 },
  ]);
  assert.deepEqual((await pool.query({ text, name: 'n' })).fields, []);
});

test('a failed statement leaves the connection intact, named or not', async (t) => {
  const pool = (await databaseOf(t)).connect({ max: 1 });
  const pid = await one(pool, processId);
  for (const name of [undefined, 'divide', 'divide']) {
    const sql = { text: 'SELECT 1 / $1::integer', ...(name === undefined ? {} : { name }) };
    await assert.rejects(pool.query({ ...sql, values: ['0'] }), state('22012'));
    assert.deepEqual((await pool.query({ ...sql, values: ['1'] })).rows, [['1']]);
  }
  await assert.rejects(pool.query({ text: 'SELECT nothing' }), state('42703'));
  assert.equal(await one(pool, processId), pid);
});

test('a name stands for one text', async (t) => {
  const pool = (await databaseOf(t)).connect({ max: 1 });
  await pool.query({ text: 'SELECT 1', name: 'same' });
  await assert.rejects(pool.query({ text: 'SELECT 2', name: 'same' }), /Two statements have the name same/);
  assert.deepEqual((await pool.query({ text: 'SELECT 1', name: 'same' })).rows, [['1']]);
});

test('rows are passed one by one; a receiver that throws gets no more', async (t) => {
  const pool = (await databaseOf(t)).connect({ max: 1 });
  const pid = await one(pool, processId);
  const seen: unknown[] = [];
  const { rows } = await pool.query({ text: 'SELECT generate_series(1, 3)' }, ([value]) => seen.push(value));
  assert.deepEqual([rows, seen], [[], ['1', '2', '3']]);
  const enough = new Error('enough');
  let count = 0;
  const take = () => {
    if (++count === 10) throw enough;
  };
  await assert.rejects(pool.query({ text: 'SELECT generate_series(1, 1000000)' }, take), (error) => error === enough);
  assert.equal(count, 10);
  assert.notEqual(await one(pool, processId), pid, 'the rest of the rows is not waited for');
});

test('a transaction is committed as a whole, or not at all', async (t) => {
  const pool = (await databaseOf(t)).connect();
  await pool.query({ text: 'CREATE SCHEMA s' });
  await pool.query({ text: 'CREATE TABLE s.t (a integer PRIMARY KEY)' });
  const insert = (connection: Connection, value: string) =>
    connection.query({ text: 'INSERT INTO s.t VALUES ($1)', values: [value] });
  const count = () => one(pool, 'SELECT count(*) FROM s.t');

  assert.equal(
    await pool.transaction('read committed', async (connection) => (await insert(connection, '1')).changed),
    1,
  );
  const refused = new Error('refused');
  const refusing = pool.transaction('serializable', async (connection) => {
    await insert(connection, '2');
    throw refused;
  });
  await assert.rejects(refusing, (error) => error === refused);
  const failing = pool.transaction('repeatable read', async (connection) => {
    await insert(connection, '3');
    await insert(connection, '1');
  });
  await assert.rejects(failing, isUnique);
  const hiding = pool.transaction('read committed', async (connection) => {
    await insert(connection, '4');
    await insert(connection, '1').catch(() => {});
  });
  await assert.rejects(hiding, /rolled back/);
  assert.equal(await count(), '1');
  const isolation = pool.transaction('serializable', (connection) => one(connection, 'SHOW transaction_isolation'));
  assert.equal(await isolation, 'serializable');
  assert.equal(await one(pool, 'SHOW transaction_isolation'), 'read committed');
});

test('a connection that ends says whether the statement may have run', async (t) => {
  const pool = (await databaseOf(t)).connect();
  await assert.rejects(pool.query({ text: 'SELECT pg_terminate_backend(pg_backend_pid())' }), lost(true));
  const cut = pool.transaction('read committed', async (connection) => {
    await terminate(pool, await one(connection, processId));
    await connection.query({ text: 'SELECT 1' });
  });
  await assert.rejects(cut, lost(false), 'nothing of it was committed');
  const cutAtCommit = pool.transaction('read committed', async (connection) => {
    await connection.query({ text: 'CREATE SCHEMA made' });
    await terminate(pool, await one(connection, processId));
  });
  await assert.rejects(cutAtCommit, (error) => error instanceof ConnectionLost);
  assert.equal(await one(pool, 'SELECT 1'), '1');
});

test('a COMMIT that fails before it is carried out leaves nothing open on the connection', async (t) => {
  const database = await databaseOf(t);
  const url = await through(t, database.scratch.settings.storage, 'COMMIT\0', 'COMMIX\0');
  const pool = database.connect({ url, max: 1 });
  const pid = await one(pool, processId);
  const failing = pool.transaction('read committed', (connection) => connection.query({ text: 'SELECT 1' }));
  await assert.rejects(failing, state('42601'));
  assert.deepEqual(await one(pool, 'SELECT 1'), '1');
  assert.equal(await one(pool, processId), pid);
});

test('a connection that ended while unused is replaced', async (t) => {
  const { connect } = await databaseOf(t);
  const [pool, other] = [connect({ max: 1 }), connect()];
  const pid = await one(pool, processId);
  await terminate(other, pid);
  // The end may be noticed only with the next statement.
  const next = await one(pool, processId).catch(() => one(pool, processId));
  assert.notEqual(next, pid);
});

test('there are never more connections than allowed, and a limited number waits', async (t) => {
  const pool = (await databaseOf(t)).connect({ max: 3, waitingMax: 40 });
  const asking = Array.from({ length: 40 }, () => one(pool, `${processId} FROM pg_sleep(0.002)`));
  await assert.rejects(
    pool.query({ text: 'SELECT 1' }),
    (error) => error instanceof ServiceError && error.reason === 'busy',
  );
  assert.ok(new Set(await Promise.all(asking)).size <= 3);
  assert.equal(pool.waiting, 0);
});

test('a connection is retired when it is old, keeps too many statements, or was on too many data spaces', async (t) => {
  const { connect } = await databaseOf(t);
  const settings = { databasePreparedMax: 3 };
  const pool = connect({ max: 1, settings });
  const pids = [];
  for (const name of ['a', 'b', 'c', 'd']) pids.push((await pool.query({ text: processId, name })).rows[0]?.[0]);
  assert.deepEqual([pids[0], pids[0]], [pids[1], pids[2]]);
  assert.notEqual(pids[3], pids[0]);

  const few = connect({ max: 1, settings: { databaseSpacesMax: 2 } });
  const on = (space: number) => one(few, `${processId} AS "rowhouse_space_${space}"`);
  const [first, second, again, third] = [await on(7), await on(7), await on(8), await on(9)];
  assert.deepEqual([second, again], [first, first]);
  assert.notEqual(third, first);

  const young = connect({ max: 1, settings: { databaseConnectionLifeMs: 1 } });
  const slow = `${processId} FROM pg_sleep(0.01)`;
  assert.notEqual(await one(young, slow), await one(young, slow));
});

test('a statement ends at its time limit', async (t) => {
  const pool = (await databaseOf(t)).connect({ max: 1, statementTimeMs: 50 });
  await assert.rejects(pool.query({ text: 'SELECT pg_sleep(60)' }), state('57014'));
  assert.equal(await one(pool, 'SELECT 1'), '1');
});

test('work with a deadline is stopped at most a quarter of the usual time after it', async (t) => {
  const pool = (await databaseOf(t)).connect({ max: 1, statementTimeMs: 100_000 });
  const limit = 'SHOW statement_timeout';
  const within = (timeMs: number) => pool.until(performance.now() + timeMs);
  assert.equal(await one(within(200_000), limit), '100s');
  assert.equal(await one(within(40_000), limit), '50s');
  assert.equal(await within(20_000).transaction('read committed', (connection) => one(connection, limit)), '25s');
  assert.equal(await one(pool, limit), '100s');
  assert.equal(await pool.transaction('read committed', (connection) => one(connection, limit)), '100s');
  await assert.rejects(one(within(0), limit), OutOfTime);
  const later = within(25_100).transaction('read committed', async (connection) => {
    await one(connection, 'SELECT pg_sleep(0.1)');
    return one(connection, limit);
  });
  assert.equal(await later, '25s');
  assert.equal(await one(pool, limit), '100s');
});

test('a transaction whose time is over does not continue', async (t) => {
  const pool = (await databaseOf(t)).connect({ max: 1, statementTimeMs: 100_000 });
  await pool.query({ text: 'CREATE SCHEMA s' });
  const slow = pool.until(performance.now() + 200).transaction('read committed', async (connection) => {
    await connection.query({ text: 'CREATE TABLE s.t ()' });
    await one(connection, 'SELECT pg_sleep(0.2)');
    await one(connection, 'SELECT 1');
  });
  await assert.rejects(slow, OutOfTime);
  assert.equal(await one(pool, `SELECT to_regclass('s.t')`), null);
});

test('closing completes running and waiting work, and accepts no more', async (t) => {
  const pool = (await databaseOf(t)).connect({ max: 1 });
  const running = [1, 2, 3].map((number) => one(pool, `SELECT ${number} FROM pg_sleep(0.01)`));
  const closing = pool.close();
  await assert.rejects(pool.query({ text: 'SELECT 1' }), /stopping/);
  assert.deepEqual(await Promise.all(running), ['1', '2', '3']);
  await closing;
});

test('the first server that answers is used, and no password is revealed', async (t) => {
  const { connect, scratch } = await databaseOf(t);
  const url = new URL(scratch.settings.storage);
  const nowhere = '127.0.0.1:1';
  const both = connect({ url: `postgres://rowhouse:hush@${nowhere},${url.host}${url.pathname}` });
  assert.equal(await one(both, 'SELECT 1'), '1');

  const none = connect({ url: `postgres://rowhouse:hush@${nowhere}${url.pathname}` });
  const failures = await Promise.all(
    [1, 2].map(() => none.query({ text: 'SELECT 1' }).catch((error: unknown) => error)),
  );
  for (const failure of failures) {
    assert.ok(lost(false)(failure));
    const told = serviceError(failure, 'asking');
    assert.ok(told instanceof ServiceError && told.reason === 'busy' && told.details.retryAfterSeconds === 1);
    assert.doesNotMatch(inspect(told, { depth: 10 }), /hush/);
  }
  assert.throws(
    () => connect({ url: 'postgres:rowhouse:hush@there' }),
    ({ message }: Error) => /address/.test(message) && !/hush/.test(message),
  );
});

test('a server that may lose commits is refused', async (t) => {
  const { connect, scratch } = await databaseOf(t);
  const database = new URL(scratch.settings.storage).pathname.slice(1);
  for (const commit of ['off', 'local', 'remote_write']) {
    await connect().query({ text: `ALTER DATABASE ${database} SET synchronous_commit = ${commit}` });
    const after = connect({ max: 1 });
    await assert.rejects(after.query({ text: 'SELECT 1' }), new RegExp(`synchronous_commit = ${commit}; on or`));
    await connect({ url: `${scratch.settings.storage}?options=-c%20synchronous_commit%3Don` }).query({
      text: `ALTER DATABASE ${database} RESET synchronous_commit`,
    });
  }
});

/** The address of a relay to the server that sends one text instead of another of the same length. */
async function through(t: TestContext, url: string, text: string, instead: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const relay = createServer((socket) => {
    const upstream = connect({ host: hostname, port: Number(port) });
    const change = new Transform({
      transform: (chunk: Buffer, _, done) =>
        done(null, Buffer.from(chunk.toString('latin1').replaceAll(text, instead), 'latin1')),
    });
    pipeline(socket, change, upstream, () => {});
    pipeline(upstream, socket, () => {});
  }).listen(0, '127.0.0.1');
  t.after(() => relay.close());
  await once(relay, 'listening');
  const address = new URL(url);
  address.host = `127.0.0.1:${(relay.address() as AddressInfo).port}`;
  return address.href;
}
