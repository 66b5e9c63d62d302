/** The directory and the logs: rows written and read, refusals, and retention. */
import assert from 'node:assert/strict';
import { mkdirSync, rmdirSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { sql } from 'kysely';
import { pino } from 'pino';
import { defaults } from '../../src/config.ts';
import {
  ForeignKeyViolation,
  UniqueViolation,
  UnmetExpectation,
  type WriteStatement,
} from '../../src/storage/contract.ts';
import { noIds } from '../../src/storage/identity.ts';
import { openRetention } from '../../src/storage/retention.ts';
import { makeFolder, pathOf } from '../../src/storage/sqlite/folder.ts';
import { openRelational } from '../../src/storage/sqlite/relational.ts';
import { Writers } from '../../src/storage/sqlite/writers.ts';
import type { LogTables } from '../../src/storage/tables.ts';
import { folderOf } from '../engines/scratch.ts';
import { clockAt, openScratch, start } from './scratch.ts';

test('statements of one write are one transaction, and return rows and counts', async (t) => {
  const { directory } = (await openScratch(t)).storage;
  const { build } = directory;
  const company = (name: string) => build.insertInto('company').values({ name, created: start });
  const group = (name: string, company_id = 1) =>
    build.insertInto('user_group').values({ company_id, name, created: start });
  const written = await directory.write([
    company('One').returning(['id', 'name']),
    company('Two'),
    build.updateTable('company').set({ disabled: 1 }),
    build.deleteFrom('company').where('name', '=', 'nobody'),
  ]);
  assert.deepEqual(written, [
    { rows: [{ id: 1, name: 'One' }], changed: 1 },
    { rows: [], changed: 1 },
    { rows: [], changed: 2 },
    { rows: [], changed: 0 },
  ]);
  const names = () => directory.read(build.selectFrom('user_group').select('name').orderBy('id'));
  await assert.rejects(directory.write([group('a'), group('b'), group('a')]), UniqueViolation);
  await assert.rejects(directory.write([group('a'), group('b', 99)]), ForeignKeyViolation);
  assert.deepEqual(await names(), []);
  await directory.write([group('a')]);
  const outcomes = await Promise.allSettled([
    directory.write([group('b'), group('a')]),
    directory.write([group('c')]),
    directory.write([group('d', 99)]),
  ]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['rejected', 'fulfilled', 'rejected'],
  );
  assert.deepEqual(await names(), [{ name: 'a' }, { name: 'c' }]);
});

test('a statement that finds or changes an unexpected number of rows rolls back only its own transaction', async (t) => {
  const { directory } = (await openScratch(t)).storage;
  const { build } = directory;
  const company = (name: string) => build.insertInto('company').values({ name, created: start });
  await directory.write([company('One'), company('Two')]);
  const expecting = (rows: number, query: Pick<WriteStatement, 'compile'>): WriteStatement => ({
    compile: () => query.compile(),
    expect: { rows },
  });
  const all = build.selectFrom('company').select('id');
  const update = build.updateTable('company').set({ disabled: 1 });
  const remove = build.deleteFrom('company').where('name', '=', 'nobody');
  const outcomes = await Promise.allSettled([
    directory.write([company('a'), expecting(1, all)]),
    directory.write([company('b'), expecting(1, update)]),
    directory.write([company('c'), expecting(1, update.where('id', '=', 1).returning('id')), expecting(1, remove)]),
    directory.write([company('d'), expecting(1, all.where('id', '=', 99))]),
    directory.write([company('e'), expecting(3, all), expecting(0, remove), expecting(1, update.where('id', '=', 2))]),
  ]);
  const refused = outcomes.map((one) => one.status === 'rejected' && one.reason instanceof UnmetExpectation);
  assert.deepEqual(refused, [true, true, true, true, false]);
  assert.equal(outcomes[4]?.status, 'fulfilled');
  const companies = await directory.read(build.selectFrom('company').select(['name', 'disabled']).orderBy('id'));
  assert.deepEqual(companies, [
    { name: 'One', disabled: 0 },
    { name: 'Two', disabled: 1 },
    { name: 'e', disabled: 0 },
  ]);
});

test('ids are not reused, custom roles begin at 100, and names are unique as required', async (t) => {
  const { directory } = (await openScratch(t)).storage;
  const { build } = directory;
  await directory.write([build.insertInto('company').values({ name: 'One', created: start })]);
  const user = (account: string, email: string | null) =>
    build.insertInto('user').values({ company_id: 1, account, email, created: start }).returning('id');
  const role = (name: string) => build.insertInto('role').values({ company_id: 1, name }).returning('id');
  const idOf = async (query: ReturnType<typeof user | typeof role>) => (await directory.write([query]))[0]?.rows[0]?.id;

  assert.equal(await idOf(user('Ann', 'ann@example.com')), 1);
  assert.equal(await idOf(user('Ben', null)), 2);
  assert.equal(await idOf(user('Cem', null)), 3);
  await directory.write([build.deleteFrom('user').where('id', '=', 3)]);
  assert.equal(await idOf(user('Dora', null)), 4);
  await assert.rejects(idOf(user('ANN', null)), UniqueViolation);
  await assert.rejects(idOf(user('Eve', 'ann@example.com')), UniqueViolation);
  assert.deepEqual([await idOf(role('Auditor')), await idOf(role('Clerk'))], [100, 101]);
  const builtIn = await directory.read(
    build.selectFrom('role').select(['id', 'name']).where('company_id', 'is', null).orderBy('id'),
  );
  assert.deepEqual(
    builtIn.map(({ id, name }) => `${id} ${name}`),
    ['1 App Admin', '2 Super Admin', '3 Admin', '4 Manager', '5 User', '6 Developer'],
  );
});

test('a failed read is an internal error, and the next one works', async (t) => {
  const { directory, logs } = (await openScratch(t)).storage;
  const broken = { compile: () => ({ sql: 'SELECT * FROM nowhere', parameters: [] }) } as never;
  await assert.rejects(directory.read(broken), { name: 'ServiceError' });
  await assert.rejects(logs.write([broken]), { name: 'ServiceError' });
  assert.deepEqual(await logs.read(logs.build.selectFrom('entry').selectAll()), []);
  await (await openScratch(t)).storage.check();
});

const day = 24 * 3_600_000;

/** The retention of a storage, with functions that fill and read what it deletes. */
function openForgetful(t: TestContext) {
  const folder = makeFolder(folderOf(t));
  const installation = 'ab'.repeat(16);
  const warnings: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => void warnings.push(JSON.parse(line).msg) });
  const share = { filesMax: 4, pageCacheBytes: 1e6 };
  const settings = { ...defaults, historyDays: 10, logDays: 3 };
  const writers = new Writers({ folder, installation, share, maintenanceShare: share, settings, log });
  const logs = openRelational<LogTables>(folder, 'logs', 1e6, { installation, writers });
  const clock = clockAt(start);
  const prune = (spaceId: number, before: number, rowsMax: number) =>
    writers.write(spaceId, { kind: 'prune', before, rowsMax });
  const retention = openRetention({ prune, emptyBin: async () => false, logs, settings, environment: clock, log });
  t.after(async () => {
    await retention.close();
    await writers.close();
    logs.close();
  });

  const common = { company_id: 1, app_id: 'a', version: '1.0.0', user_id: 1, device_udid: 'd', level: 'ERROR' };
  const insert = `INSERT INTO _history (transaction_id, request_hash, answer, time) VALUES (?, '', '[]', ?)`;
  return {
    folder,
    clock,
    retention,
    warnings,
    logs,
    entry: (message: string, time: number) => logs.build.insertInto('entry').values({ ...common, time, message }),
    history: (id: string, time: number) => ({ sql: insert, parameters: [id, time] }),
    async makeSpace(spaceId: number, history: { sql: string; parameters: readonly (string | number)[] }[]) {
      await writers.write(spaceId, { kind: 'create', highestIds: noIds });
      await writers.write(spaceId, { kind: 'sql', queries: history });
    },
    async historyOf(spaceId: number): Promise<unknown[]> {
      const select = 'SELECT transaction_id AS id FROM _history';
      const [read] = await writers.write(spaceId, { kind: 'sql', queries: [{ sql: select, parameters: [] }] });
      return read?.rows.map(({ id }) => id) ?? [];
    },
    async messages(): Promise<string[]> {
      const entries = await logs.read(logs.build.selectFrom('entry').select(sql<string>`message`.as('message')));
      return entries.map(({ message }) => message);
    },
  };
}

test('log entries and history are deleted after their time, in pieces, and younger ones stay', async (t) => {
  const { clock, retention, logs, entry, history, makeSpace, historyOf, messages } = openForgetful(t);
  await logs.write(Array.from({ length: 1_200 }, (_, index) => entry(`old ${index}`, start)));
  await logs.write([entry('young', start + 2 * day)]);
  const old = Array.from({ length: 1_200 }, (_, index) => history(`old ${index}`, start));
  await makeSpace(4, [...old, history('young', start + day)]);

  const left = async () => {
    const [ids, texts] = [await historyOf(4), await messages()];
    return [ids.length, texts.length, ids.at(-1), texts.at(-1)];
  };
  clock.time = start + 3 * day;
  retention.wrote(4);
  await retention.sweep();
  assert.deepEqual(await left(), [1_201, 1_201, 'young', 'young'], 'nothing is older than the settings allow');
  clock.time = start + 10 * day + 1;
  await retention.sweep();
  assert.deepEqual(await left(), [1_201, 0, 'young', undefined], 'data spaces that nobody wrote to are left alone');
  retention.wrote(4);
  await retention.sweep();
  assert.deepEqual(await left(), [1, 0, 'young', undefined]);
});

test('a data space whose history could not be deleted is tried again, and delays the others at most once', async (t) => {
  const { folder, clock, retention, warnings, logs, entry, history, makeSpace, historyOf, messages } = openForgetful(t);
  await logs.write([entry('old', start)]);
  await makeSpace(4, [history('old', start)]);
  mkdirSync(pathOf(folder, 5));
  clock.time = start + 11 * day;
  retention.wrote(5);
  retention.wrote(4);
  await retention.sweep();
  assert.equal(warnings.length, 1);
  assert.deepEqual([await historyOf(4), await messages()], [['old'], []], 'log entries go whatever fails');
  await retention.sweep();
  assert.equal(warnings.length, 2);
  assert.deepEqual(await historyOf(4), []);
  rmdirSync(pathOf(folder, 5));
  await makeSpace(5, [history('old', start)]);
  await retention.sweep();
  assert.equal(warnings.length, 2);
  assert.deepEqual(await historyOf(5), []);
});
