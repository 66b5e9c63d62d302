/** The files of a data folder: layouts, damage, bounds on what is open, copies, and the lock of the server. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readlinkSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { pino } from 'pino';
import { defaults } from '../../../src/config.ts';
import { systemEnvironment } from '../../../src/environment.ts';
import { ServiceError } from '../../../src/errors.ts';
import { openStorage } from '../../../src/storage/open.ts';
import { openDatabase } from '../../../src/storage/sqlite/database.ts';
import { migrate, spaceSteps } from '../../../src/storage/sqlite/migrations.ts';
import { folderOf, scratchOf } from '../../engines/scratch.ts';
import { defineTables, itemsOf, openScratch, start, statementOf, taskScratch, tasksIn, taskTable } from '../scratch.ts';
import { dataFolder } from '../stored.ts';

const fileOf = (folder: string, spaceId: number) => join(folder, `spaces/${String(spaceId).padStart(10, '0')}.db`);

test('a connection is durable: write-ahead log, FULL synchronous, foreign keys, as it reports itself', (t) => {
  const path = join(folderOf(t), 'x.db');
  for (const use of ['write', 'read'] as const) {
    const db = openDatabase(path, spaceSteps, { create: true, use, pageCacheBytes: 1e6 });
    t.after(() => db.close());
    const pragma = (name: string) => Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0];
    assert.deepEqual(['journal_mode', 'synchronous', 'foreign_keys', 'query_only'].map(pragma), [
      'wal',
      2,
      1,
      use === 'read' ? 1 : 0,
    ]);
  }
});

test('the folder is for its owner only', async (t) => {
  const folder = dataFolder((await openScratch(t)).scratch);
  assert.equal(statSync(folder).mode & 0o777, 0o700);
  assert.equal(statSync(join(folder, 'spaces')).mode & 0o777, 0o700);
});

test('an older file gets the steps that it lacks, a newer one is refused', (t) => {
  const path = join(folderOf(t), 'x.db');
  const db = new DatabaseSync(path);
  t.after(() => db.close());
  const one = 'CREATE TABLE a (x INTEGER) STRICT; INSERT INTO a VALUES (1)';
  const two = 'ALTER TABLE a ADD COLUMN y INTEGER; UPDATE a SET y = 2';
  const broken = 'INSERT INTO a VALUES (3, 4); INSERT INTO missing VALUES (1)';
  assert.equal(migrate(db, [one], true), true);
  assert.equal(migrate(db, [one], false), false);
  assert.equal(migrate(db, [one, two], false), true);
  assert.throws(() => migrate(db, [one, two, broken], false), /missing/);
  assert.equal(db.prepare('PRAGMA user_version').get()?.user_version, 2);
  assert.deepEqual(
    db
      .prepare('SELECT * FROM a')
      .all()
      .map((row) => ({ ...row })),
    [{ x: 1, y: 2 }],
  );
  assert.throws(() => migrate(db, [one], false), /layout 2, made by a newer Rowhouse; this one knows 1/);
});

test('a missing, damaged, emptied or newer file gives an error without its path, and others work', async (t) => {
  const { storage, scratch, close } = await taskScratch(t);
  const folder = dataFolder(scratch);
  for (let spaceId = 2; spaceId <= 6; spaceId++) {
    await storage.spaces.create(spaceId);
    await defineTables(storage, spaceId, [taskTable]);
  }
  await close();
  rmSync(fileOf(folder, 2));
  writeFileSync(fileOf(folder, 3), 'this is not a database, and long enough to be looked at '.repeat(100));
  truncateSync(fileOf(folder, 4), 0);
  const newer = new DatabaseSync(fileOf(folder, 5));
  newer.exec('PRAGMA user_version = 99');
  newer.close();
  truncateSync(fileOf(folder, 6), 4096 * 3);

  const again = await openScratch(t, { place: scratch });
  const tasks = await tasksIn(again.storage, 1);
  const count = statementOf('SELECT count(*) FROM task');
  for (let spaceId = 2; spaceId <= 6; spaceId++) {
    const calls = [
      () => again.storage.spaces.definition(spaceId),
      () => again.storage.spaces.record(spaceId, tasks.record, ['x', '["a"]']),
      () => again.storage.spaces.select(spaceId, { count: { statement: count, values: [] } }),
      () => again.storage.spaces.write(spaceId, { ...batchOf(tasks.definition.version) }),
    ];
    for (const [index, call] of calls.entries()) {
      await assert.rejects(call, (error) => {
        const where = `data space ${spaceId}, call ${index}: ${error}`;
        assert.ok(error instanceof ServiceError && error.reason === 'internal', where);
        assert.doesNotMatch(error.message, /spaces|\.db|SQLITE/, where);
        assert.match(String(error.details.cause), new RegExp(`0${spaceId}\\.db`), where);
        return true;
      });
    }
    assert.equal((await tasks.add([{}])).kind, 'done');
  }
  assert.equal(existsSync(fileOf(folder, 2)), false, 'a missing file is not made by reading or writing');
});

function batchOf(definitionVersion: number) {
  const by = {
    transactionId: null,
    requestHash: '',
    now: start,
    userId: 1,
    groupIds: [1],
    roleIds: [],
    members: ['g1'],
  };
  const changes = [{ table: 'task', operation: 'delete', items: [{ objectId: 'x', base: 0 }] }] as const;
  return { ...by, definitionVersion, refused: false, changes };
}

test('open files stay within their bound, over all threads', { skip: !existsSync('/proc/self/fd') }, async (t) => {
  const openFilesMax = 16;
  const { storage, scratch } = await openScratch(t, { settings: { openFilesMax, writerThreads: 1 } });
  const folder = dataFolder(scratch);
  const openNow = () => {
    const targets = readdirSync('/proc/self/fd').map((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`);
      } catch {
        return '';
      }
    });
    return targets.filter((target) => target.startsWith(join(folder, 'spaces')) && target.endsWith('.db')).length;
  };
  let most = 0;
  const spaceIds = Array.from({ length: 30 }, (_, index) => index + 1);
  for (const spaceId of spaceIds) {
    await storage.spaces.create(spaceId);
    await defineTables(storage, spaceId, [taskTable]);
  }
  const count = statementOf('SELECT count(*) FROM task');
  for (let round = 0; round < 2; round++) {
    for (const spaceId of spaceIds) {
      const tasks = await tasksIn(storage, spaceId);
      await tasks.add([{ id: `round ${round}` }]);
      assert.equal((await tasks.get(`round ${round}`))?.createUserId, '7');
      const selected = await storage.spaces.select(spaceId, { count: { statement: count, values: [] } });
      assert.equal(selected.count, round + 1);
      most = Math.max(most, openNow());
    }
  }
  assert.ok(most > 0 && most <= openFilesMax, `${most} data files were open at once`);
});

test('a copy is one state of the source, without its history, while both are written to', async (t) => {
  const { storage, tasks, scratch } = await taskScratch(t);
  const folder = dataFolder(scratch);
  const once = { transactionId: 'T', requestHash: 'h' };
  await tasks.add([{ id: 'first' }, { id: 'second' }], once);
  await tasks.add([{ id: 'gone' }]);
  await tasks.delete([{ objectId: 'gone', base: start }]);
  let isOver = false;
  const adding = (async () => {
    let pairs = 0;
    for (; !isOver; pairs++) await tasks.add([{}, {}]);
    return pairs;
  })();
  await storage.spaces.copy(1, 2);
  isOver = true;
  assert.ok((await adding) > 0);

  const copy = await tasksIn(storage, 2);
  const count = { statement: statementOf('SELECT count(*) FROM task'), values: [] };
  assert.equal((await storage.spaces.select(2, { count })).count % 2, 0, 'no batch is half there');
  assert.deepEqual(copy.definition, tasks.definition);
  assert.equal((await copy.add([{ id: 'third' }], once)).kind, 'done', 'the history stayed behind');
  assert.equal((await tasks.add([{ id: 'third' }], once)).kind, 'replay');
  assert.equal(itemsOf(await copy.add([{ id: 'gone' }]))[0]?.updated, start + 2, 'the tombstones came along');
  assert.equal(await tasks.get('third'), null);
  await assert.rejects(storage.spaces.copy(1, 2), (error) => error instanceof ServiceError);
  await assert.rejects(storage.spaces.copy(77, 3), (error) => error instanceof ServiceError);
  assert.deepEqual(
    readdirSync(join(folder, 'spaces')).filter((name) => /copying|0003/.test(name)),
    [],
  );
});

test('a second server on the folder is refused; the command line is not', async (t) => {
  const { storage, scratch, close } = await taskScratch(t);
  const folder = dataFolder(scratch);
  await storage.check();
  const second = await openScratch(t, { place: scratch });
  const isSecondServer = (error: unknown) =>
    error instanceof ServiceError && /Another Rowhouse server/.test(error.message) && !error.message.includes(folder);
  await assert.rejects(second.storage.check(), isSecondServer);
  const tasks = await tasksIn(second.storage, 1);
  await assert.rejects(tasks.add([{}]), isSecondServer);
  await assert.rejects(defineTables(second.storage, 1, []), isSecondServer);

  const { directory } = second.storage;
  await directory.write([directory.build.insertInto('company').values({ name: 'One', created: 1 })]);
  await second.storage.spaces.create(2);
  await second.storage.spaces.copy(1, 3);
  assert.equal((await storage.directory.read(storage.directory.build.selectFrom('company').select('name'))).length, 1);
  assert.equal((await storage.spaces.definition(3)).tables.size, 1);
  await close();
  await second.storage.check();
  assert.equal((await tasks.add([{}])).kind, 'done');
});

test('a killed server keeps everything that it had acknowledged, and its lock ends', async (t) => {
  const scratch = await scratchOf(t);
  const folder = dataFolder(scratch);
  const source = (path: string) => JSON.stringify(new URL(path, import.meta.url));
  const script = `
    import { openStorage } from ${source('../../../src/storage/open.ts')};
    import { defaults } from ${source('../../../src/config.ts')};
    import { systemEnvironment } from ${source('../../../src/environment.ts')};
    import { defineTables, tasksIn, taskTable } from ${source('../scratch.ts')};
    const log = { error() {}, warn() {} };
    const storage = await openStorage({ ...defaults, storage: 'sqlite:' + process.argv[1] }, systemEnvironment, log);
    await storage.check();
    await storage.spaces.create(1);
    await defineTables(storage, 1, [taskTable]);
    const tasks = await tasksIn(storage, 1);
    const add = async (id) => {
      await tasks.add([{ id, groupIds: [1] }, { id: id + ' twin', groupIds: [1] }]);
      process.stdout.write(id + '\\n');
    };
    for (let round = 0; ; round++) await Promise.all([1, 2, 3, 4].map((number) => add(round + '.' + number)));`;
  const server = spawn(process.execPath, ['--input-type=module', '--eval', script, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => server.kill('SIGKILL'));
  let told = '';
  server.stdout.setEncoding('utf8').on('data', (text: string) => {
    told += text;
  });
  while (told.split('\n').length < 100) await once(server.stdout, 'data');
  const { storage } = await openScratch(t, { place: scratch });
  await assert.rejects(storage.check(), /Another Rowhouse server/);
  const ended = once(server, 'close');
  server.kill('SIGKILL');
  await ended;
  await storage.check();

  const acknowledged = told.slice(0, told.lastIndexOf('\n')).split('\n');
  const { get } = await tasksIn(storage, 1);
  for (const id of acknowledged) assert.notEqual(await get(`${id} twin`), null, id);
  const count = { statement: statementOf('SELECT count(*) FROM task'), values: [] };
  const { count: records } = await storage.spaces.select(1, { count });
  assert.ok(records >= 2 * acknowledged.length && records % 2 === 0, `${records} records`);
});

test('a setting that names no engine is refused, without its password', async () => {
  const open = (storage: string) => openStorage({ ...defaults, storage }, systemEnvironment, pino({ level: 'silent' }));
  await assert.rejects(open('mysql://root:secret@host/db'), (error) => {
    assert.match(String(error), /storage: expected "sqlite:<folder>" or "postgres:/);
    assert.doesNotMatch(String(error), /secret/);
    return true;
  });
  await assert.rejects(open('sqlite:'), /without a folder/);
});
