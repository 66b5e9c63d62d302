/**
 * The lock of a folder's single server: removing or replacing its file admits no second server, and a dead server
 * blocks nothing.
 */
import assert from 'node:assert/strict';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { ServiceError } from '../../../src/errors.ts';
import { judge, ServerLock, self } from '../../../src/storage/sqlite/server-lock.ts';
import { openScratch } from '../scratch.ts';
import { dataFolder } from '../stored.ts';

const isSecondServer = (error: unknown) =>
  error instanceof ServiceError && /Another Rowhouse server/.test(error.message);

/** A folder with a directory that no server uses; locks are released after the test. */
async function emptyFolder(t: TestContext) {
  const { scratch, close } = await openScratch(t);
  await close();
  const folder = dataFolder(scratch);
  const told: string[] = [];
  const note = (_: unknown, text: string) => void told.push(text);
  const open = (ownerTimeMs = 1, warn = note) => {
    const lock = new ServerLock(folder, { error: note, warn } as never, { ownerTimeMs });
    scratch.closeFirst(() => lock.release());
    return lock;
  };
  const file = join(folder, 'server.lock');
  const setOwner = (change: object) => {
    const db = new DatabaseSync(join(folder, 'directory.db'));
    db.prepare('UPDATE installation SET server = ?').run(JSON.stringify({ ...self(folder, file), ...change }));
    db.close();
  };
  return { scratch, folder, file, told, open, setOwner };
}

for (const [what, harm] of [
  ['removed', (file: string) => rmSync(file)],
  ['moved away', (file: string) => renameSync(file, `${file}.away`)],
  [
    'replaced',
    (file: string) => {
      writeFileSync(`${file}.new`, '');
      renameSync(`${file}.new`, file);
    },
  ],
] as const) {
  test(`with its lock file ${what} a second server is still refused, and the first one takes the lock again`, async (t) => {
    const { scratch, file, told, open } = await emptyFolder(t);
    const first = await openScratch(t, { place: scratch });
    await first.storage.check();
    harm(file);
    const second = await openScratch(t, { place: scratch });
    await assert.rejects(second.storage.check(), isSecondServer);
    const { directory } = second.storage;
    await directory.write([directory.build.insertInto('company').values({ name: 'Beside', created: 1 })]);
    await first.close();
    await second.storage.check();
    await second.close();

    const lock = open();
    await lock.take();
    harm(file);
    await lock.look();
    assert.match(told.join(), /removed or replaced\. It is taken again/);
    const db = new DatabaseSync(file);
    t.after(() => db.close());
    assert.throws(() => db.exec('BEGIN EXCLUSIVE'), /locked/);
    assert.equal(lock.isHeld, true);
    told.length = 0;
    await lock.look();
    assert.deepEqual(told, []);
  });
}

test('a killed server blocks nothing, whatever happened to the lock file', async (t) => {
  const { file, open, setOwner } = await emptyFolder(t);
  for (const change of [{ lock: '1:1', started: '1' }, { lock: '1:1', directory: '1:2' }, {}]) {
    writeFileSync(file, '');
    setOwner(change);
    const lock = open(1e9);
    await lock.take();
    lock.release();
  }
});

test('an owner that cannot be inspected gets time to take its lock again', async (t) => {
  const { file, told, open, setOwner } = await emptyFolder(t);
  const elsewhere = { lock: '1:1', namespace: 'pid:[1]' };
  setOwner(elsewhere);
  const lock = open();
  await lock.take();
  assert.match(told.join(), /gets time to take the lock again/);
  lock.release();

  setOwner(elsewhere);
  const owner = new DatabaseSync(file);
  t.after(() => owner.close());
  const second = open(200, () => void setImmediate(() => owner.exec('BEGIN EXCLUSIVE')));
  await assert.rejects(second.take(), isSecondServer);
});

test('a server whose folder was taken over by another one stops writing', async (t) => {
  const { file, told, open, setOwner } = await emptyFolder(t);
  const lock = open();
  await lock.take();
  rmSync(file);
  setOwner({ pid: 1 });
  await lock.look();
  assert.equal(lock.isHeld, false);
  await assert.rejects(lock.take(), isSecondServer);
  assert.match(told.join(), /has stopped writing/);
});

test('a process is distinguished from a later one with the same id', () => {
  const owner = { lock: '1:2', directory: '1:3', boot: 'b', namespace: 'n', pid: process.pid, started: '' };
  const mine = { ...owner, lock: '1:4', started: self('/', '/').started };
  assert.equal(judge({ ...mine, lock: '1:2' }, mine), 'alive');
  assert.equal(judge({ ...mine, lock: '1:2', started: '1' }, mine), 'gone');
  assert.equal(judge({ ...mine, lock: '1:2', boot: 'another' }, mine), 'unknown');
  assert.equal(judge(mine, mine), 'gone', 'it would hold this very file');
  assert.equal(judge({ ...mine, lock: '1:2', directory: '9:9' }, mine), 'gone', 'of a copy');
  assert.equal(judge(null, mine), 'gone');
});
