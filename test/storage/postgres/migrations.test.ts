/**
 * The layout of our schemas: created once by the first instance, completely or not at all, and never by an older
 * program.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  directorySteps,
  lockStore,
  logsSteps,
  makeEmpty,
  migrate,
  spaceSteps,
} from '../../../src/storage/postgres/migrations.ts';
import { assertUnchanged } from '../pinned.ts';
import { openScratch, taskScratch, tasksIn } from '../scratch.ts';
import { databaseOf, one } from './database.ts';

const layouts = `SELECT (SELECT layout FROM rowhouse_directory._version) || ' ' || (SELECT layout FROM rowhouse_logs._version)
  || ' ' || (SELECT count(*) FROM rowhouse_directory.role)`;

/** The newest layouts, and the six built-in roles. */
const complete = `${directorySteps.length} ${logsSteps.length} 6`;

test('of several instances that start at once on an empty database, one creates the schemas and all start', async (t) => {
  const { scratch, connect } = await databaseOf(t);
  const opened = await Promise.all(Array.from({ length: 6 }, () => openScratch(t, { place: scratch })));
  await Promise.all(opened.map(({ storage }) => storage.check()));
  assert.equal(await one(connect(), layouts), complete);

  await Promise.all(opened.map(({ storage }) => storage.spaces.create(7)));
  const definitions = await Promise.all(opened.map(({ storage }) => storage.spaces.definition(7)));
  assert.deepEqual(new Set(definitions.map(({ version, tables }) => `${version} ${tables.size}`)), new Set(['1 0']));
});

test('one that dies half-way leaves nothing, and another one completes it', async (t) => {
  const { scratch, connect } = await databaseOf(t);
  const [dying, pool] = [connect({ max: 1 }), connect()];
  const { promise: isHalfWay, resolve: halfWay } = Promise.withResolvers<void>();
  const { promise: isToDie, resolve: die } = Promise.withResolvers<void>();
  const death = dying.transaction('read committed', async (connection) => {
    await lockStore(connection, 'directory');
    await makeEmpty(connection, 'directory');
    await connection.query({ text: 'CREATE TABLE rowhouse_directory.company (half integer)' });
    halfWay();
    await isToDie;
    await connection.query({ text: 'SELECT pg_terminate_backend(pg_backend_pid())' });
  });
  await isHalfWay;
  const opening = openScratch(t, { place: scratch });
  while ((await one(pool, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")) === '0');
  die();
  await assert.rejects(death);
  await (await opening).storage.check();
  assert.equal(await one(pool, layouts), complete);
});

test('a newer layout is refused', async (t) => {
  const { scratch, connect } = await databaseOf(t);
  const pool = connect();
  const { storage, close } = await openScratch(t, { place: scratch });
  await storage.spaces.create(1);
  const newer = spaceSteps.length + 1;
  await pool.query({ text: `UPDATE rowhouse_space_1._version SET layout = ${newer}` });
  await assert.rejects(storage.spaces.definition(1), (error: Error) => {
    const told = String((error.cause as Error).message);
    assert.ok(told.includes(`rowhouse_space_1 has layout ${newer}, made by a newer Rowhouse`), told);
    return true;
  });
  await close();
  const newerDirectory = directorySteps.length + 1;
  await pool.query({ text: `UPDATE rowhouse_directory._version SET layout = ${newerDirectory}` });
  await assert.rejects(
    openScratch(t, { place: scratch }),
    new RegExp(`rowhouse_directory has layout ${newerDirectory}, made by a newer Rowhouse; this one`),
  );
});

test('data spaces without their directory are refused', async (t) => {
  const { scratch, connect } = await databaseOf(t);
  await migrate(connect(), 7);
  await assert.rejects(openScratch(t, { place: scratch }), /has data spaces, but no schema rowhouse_directory/);
});

test('a data space older than the counter of commits continues above all its numbers', async (t) => {
  const { scratch, connect } = await databaseOf(t);
  const pool = connect();
  const { tasks, close } = await taskScratch(t, { place: scratch });
  await tasks.add([{ id: 'a' }]);
  await close();
  // The number of a transaction of another server, from which the space was restored.
  const before = 2n ** 40n;
  await pool.query({ text: `UPDATE rowhouse_space_1.task SET _seq = ${before}` });
  for (const undone of [
    'DROP TABLE rowhouse_space_1._counter',
    'ALTER TABLE rowhouse_space_1._history DROP COLUMN user_id, DROP COLUMN operations',
    'ALTER TABLE rowhouse_space_1._table DROP COLUMN lock_free, DROP COLUMN stored',
    'ALTER TABLE rowhouse_space_1._column DROP COLUMN stored, DROP COLUMN given, DROP COLUMN refers_to',
    'DROP TABLE rowhouse_space_1._job',
    'DROP TABLE rowhouse_space_1._bin',
    'DROP TABLE rowhouse_space_1._former_name',
  ]) {
    await pool.query({ text: undone });
  }
  await pool.query({ text: 'UPDATE rowhouse_space_1._version SET layout = 2' });
  const { storage } = await openScratch(t, { place: scratch });
  await storage.spaces.create(2);
  const again = await tasksIn(storage, 1);
  await again.add([{ id: 'b' }]);
  await again.add([{ id: 'c' }]);
  const numbers = (await pool.query({ text: 'SELECT _seq FROM rowhouse_space_1.task ORDER BY "objectId"' })).rows;
  const [a, b, c] = numbers.map(([number]) => BigInt(number as string)) as [bigint, bigint, bigint];
  assert.ok(b > a && c === b + 1n && c < 2n ** 53n, `${a}, ${b}, ${c}`);
  assert.equal(await one(pool, 'SELECT last FROM rowhouse_space_2._counter'), '0');
});

test('an unreachable database is reported at the start, without the password', async (t) => {
  const { scratch } = await databaseOf(t);
  const settings = { storage: 'postgres://rowhouse:hush@127.0.0.1:1/nowhere' };
  const away = { ...scratch, settings: { ...scratch.settings, ...settings } };
  await assert.rejects(openScratch(t, { place: away }), (error: Error) => {
    assert.match(error.message, /storage: .* does not answer: No connection to the database: .*127\.0\.0\.1:1/);
    assert.doesNotMatch(JSON.stringify([error, error.cause]), /hush/);
    return true;
  });
});

test('released steps of every schema are unchanged', () => {
  const joined = (steps: typeof directorySteps) => steps.map((statements) => statements.join(';\n'));
  assertUnchanged(joined(directorySteps), [
    'baf604bb8db6796f',
    '1751b28295d09ba5',
    '64aa20d1697b3b33',
    'd26f5bfe98fa1f02',
    'ada32da9e2c69ed6',
    '2c4ed6926e8ebbf1',
  ]);
  assertUnchanged(joined(logsSteps), ['fd1862e27c510b1e', 'f6208902ed31cf65', '81b76ba4552be89e']);
  assertUnchanged(joined(spaceSteps), ['3fa57cea1961ca9f', '6c55767fb3a7f7b9', '36f82e250e53c3f8']);
});
