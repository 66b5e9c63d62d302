/** The store of an outbox in a file: its guarantees, also after a kill or a full disk. */
import assert from 'node:assert/strict';
import {
  appendFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileStore } from '../../../packages/client/src/node/file-store.ts';
import { entryOf, testStore } from '../store-contract.ts';

let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'rowhouse-outbox-'));
});
after(() => rmSync(folder, { recursive: true }));

testStore('file', () => fileStore(join(folder, 'contract')));

test('a file whose last line was truncated has everything before it, and accepts more', async () => {
  const path = join(folder, 'cut');
  let store = await fileStore(path);
  await store.append(entryOf('whole'));
  await store.close();
  appendFileSync(path, JSON.stringify({ put: [entryOf('cut')] }).slice(0, -10));
  store = await fileStore(path);
  await store.append(entryOf('next'));
  await store.close();
  store = await fileStore(path);
  assert.deepEqual(
    (await store.entries()).map(({ transactionId }) => transactionId),
    ['whole', 'next'],
  );
  await store.close();
  assert.equal(statSync(path).mode & 0o777, 0o600);
});

test('lines that cannot be read are set aside, and the rest is kept', async () => {
  const path = join(folder, 'torn');
  let store = await fileStore(path);
  await store.append(entryOf('one'));
  await store.append(entryOf('two'));
  await store.append(entryOf('three'));
  await store.close();
  const lines = readFileSync(path, 'utf8').split('\n');
  // The first one is the empty outbox.
  writeFileSync(path, [lines[0], lines[1], '\0'.repeat(50), lines[3], ''].join('\n'));
  store = await fileStore(path);
  assert.equal((await store.entries()).length, 2);
  await store.close();
  assert.equal(readdirSync(folder).filter((name) => name.startsWith('torn.unreadable-')).length, 1);
});

test('a link to the file stays a link, and the lock is beside the file', async () => {
  mkdirSync(join(folder, 'volume'));
  const [link, target] = [join(folder, 'link'), join(folder, 'volume', 'outbox')];
  symlinkSync(target, link);
  const store = await fileStore(link);
  await store.append(entryOf('linked'));
  assert.ok(existsSync(`${target}.lock.1`));
  await store.close();
  assert.ok(lstatSync(link).isSymbolicLink());
  assert.match(readFileSync(target, 'utf8'), /linked/);
});

test('a file that has grown is rewritten', async () => {
  const path = join(folder, 'grown');
  const store = await fileStore(path);
  const long = { ...entryOf('long'), prefix: 'x'.repeat(300_000) };
  await store.append(long);
  for (let round = 0; round < 10; round++) {
    const [entry] = await store.entries();
    await store.change({ put: [{ ...entry!, userId: String(round) }] });
  }
  assert.ok(statSync(path).size < 2_000_000);
  await store.close();
  const again = await fileStore(path);
  assert.equal((await again.entries())[0]?.userId, '9');
  await again.close();
});

test('a failed write rejects all its callers, leaves no file open, and succeeds when repeated', async () => {
  const path = join(folder, 'full');
  const store = await fileStore(path);
  const openFiles = () => readdirSync('/dev/fd').length;
  const { fileHandle } = await fileHandles(path);
  const { appendFile } = fileHandle;
  fileHandle.appendFile = () => Promise.reject(new Error('ENOSPC'));
  const outcomes = await Promise.allSettled([store.append(entryOf('twice')), store.append(entryOf('twice'))]);
  fileHandle.appendFile = appendFile;
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.deepEqual(await store.entries(), []);
  // A folder in place of the file makes writing fail.
  rmSync(path);
  mkdirSync(path);
  const before = openFiles();
  for (let round = 0; round < 3; round++) await assert.rejects(store.append(entryOf('twice')));
  rmdirSync(path);
  assert.equal(openFiles(), before);
  await store.append(entryOf('twice'));
  assert.equal((await store.entries()).length, 1);
  await store.close();
});

test('a change is synced before it counts', async () => {
  const path = join(folder, 'synced');
  const store = await fileStore(path);
  const { fileHandle } = await fileHandles(path);
  const { datasync } = fileHandle;
  const events: string[] = [];
  fileHandle.datasync = async function (this: FileHandle) {
    await datasync.call(this);
    events.push('synced');
  };
  try {
    await store.append(entryOf('one')).then(() => events.push('kept'));
  } finally {
    fileHandle.datasync = datasync;
  }
  assert.deepEqual(events, ['synced', 'kept']);
  await store.close();
});

/** The prototype of all open files. */
async function fileHandles(path: string): Promise<{ fileHandle: FileHandle }> {
  const file = await open(path, 'r');
  await file.close();
  return { fileHandle: Object.getPrototypeOf(file) };
}
