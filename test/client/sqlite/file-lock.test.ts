/** The lock of an outbox in a file, with processes that are killed, stopped, or open it at the same time. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Child, startChild } from '../../../lab/machine/child.ts';
import { fileStore } from '../../../packages/client/src/node/file-store.ts';
import type { NewEntry } from '../../../packages/client/src/outbox/store.ts';

let folder: string;
let holders: Child[];
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rowhouse-lock-'));
  holders = await Promise.all([0, 1, 2].map(() => startChild(join(import.meta.dirname, 'lock-holder.ts'), [])));
});
after(async () => {
  await Promise.all(holders.map((holder) => holder.kill()));
  rmSync(folder, { recursive: true });
});

const entryOf = (transactionId: string): NewEntry => {
  const writes = [{ op: 'add' as const, table: 'Job', values: { objectId: transactionId }, base: null }];
  return { transactionId, prefix: 'https://service.example/api/1/a/1', userId: '7', writes, tried: null, held: null };
};

/** Longer than the tests run: whoever opens a file is not to wait for the silence of the one before. */
const never = 1e9;
const isOpen = /has this outbox open/;

const numbersOf = (name: string) =>
  readdirSync(folder).flatMap((file) => (file.startsWith(`${name}.lock.`) ? [Number(file.split('.').at(-1))] : []));
const lockOf = (name: string) => join(folder, `${name}.lock.${Math.max(0, ...numbersOf(name))}`);
/** The lock as another process would have made it: one in another container, one that is gone. */
const pretend = (name: string, changes: object) =>
  writeFileSync(lockOf(name), JSON.stringify({ ...JSON.parse(readFileSync(lockOf(name), 'utf8')), ...changes }));

async function idsIn(path: string): Promise<string[]> {
  const store = await fileStore(path, { silentMs: never });
  const entries = await store.entries();
  await store.close();
  return entries.map(({ transactionId }) => transactionId);
}

test('an open file is refused, in the same program and in another one; once closed, it is free immediately', async () => {
  const path = join(folder, 'open');
  const store = await fileStore(path);
  await assert.rejects(fileStore(path), isOpen);
  await assert.rejects(holders[0]!.ask('open', path), isOpen);
  await store.close();
  await holders[0]!.ask('open', path);
  await assert.rejects(
    fileStore(path, { silentMs: never }),
    new RegExp(`Process ${holders[0]!.pid}.*${isOpen.source}`),
  );
  // Like two containers: neither sees the other's processes.
  pretend('open', { machine: 'another' });
  await assert.rejects(fileStore(path), isOpen);
  await holders[0]!.ask('close');
  assert.deepEqual(await idsIn(path), []);
  assert.equal(numbersOf('open').length, 1, 'one small file stays');
});

test('the file of a killed program is free immediately, with all stored writes', async () => {
  const path = join(folder, 'killed');
  const holder = holders.pop()!;
  await holder.ask('open', path);
  await holder.ask('append', entryOf('kept'));
  await holder.kill();
  assert.deepEqual(await idsIn(path), ['kept']);
});

test('a different process with the id of the last owner does not count as owner', async () => {
  const path = join(folder, 'reused');
  const { pid } = holders[0]!;
  for (const [changes, silentMs] of [
    // The one before has ended; where the start of a process is not known, its silence tells.
    [{ pid, started: 'before' }, process.platform === 'linux' ? never : 300],
    [{ pid: process.pid, started: 'before' }, process.platform === 'linux' ? never : 300],
    [{ pid: 2 ** 30 }, never],
    [{ pid, started: null }, 300],
    // The machine started anew, or it was another container with a process 1.
    [{ machine: 'before', pid: 1 }, 300],
    [{ machine: null }, 300],
  ] as const) {
    const store = await fileStore(path, { silentMs: never });
    pretend('reused', changes);
    const lock = readFileSync(lockOf('reused'));
    await store.close();
    writeFileSync(lockOf('reused'), lock);
    await (await fileStore(path, { silentMs })).close();
  }
  writeFileSync(lockOf('reused'), '');
  await (await fileStore(path, { silentMs: 300 })).close();
});

test('of several programs that open a file at the same time, one gets it', async () => {
  const path = join(folder, 'at-once');
  const own = await fileStore(path);
  const gone = JSON.stringify({ ...JSON.parse(readFileSync(lockOf('at-once'), 'utf8')), pid: 2 ** 30 });
  await own.close();
  for (let round = 0; round < 10; round++) {
    if (round % 2 === 1) writeFileSync(lockOf('at-once'), gone);
    const tries = holders.map((holder) => holder.ask('open', path).then(() => holder));
    const outcomes = await Promise.allSettled(tries);
    const [winner, ...others] = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    assert.ok(winner && others.length === 0, `round ${round}: ${outcomes.map(({ status }) => status)}`);
    await winner.ask('append', entryOf(`round ${round}`));
    await winner.ask('close');
  }
  assert.equal((await idsIn(path)).length, 10);
});

test('opening fails if another program takes the lock while the locks are read', async () => {
  const path = join(folder, 'overtaken');
  await holders[0]!.ask('open', join(folder, 'other'));
  // Reading this lock does not end before the test writes it.
  execFileSync('mkfifo', [`${path}.lock.1`]);
  const refused = assert.rejects(fileStore(path, { silentMs: never }), isOpen);
  const pipe = await open(`${path}.lock.1`, 'w');
  rmSync(`${path}.lock.1`);
  copyFileSync(lockOf('other'), `${path}.lock.3`);
  await pipe.writeFile('null');
  await pipe.close();
  await refused;
  assert.deepEqual(numbersOf('overtaken'), [3]);
  await holders[0]!.ask('close');
});

test('a program that was suspended while another one took its file over can no longer store or send', async () => {
  const path = join(folder, 'stopped');
  const holder = holders[0]!;
  await holder.ask('open', path);
  await holder.ask('append', entryOf('first'));
  pretend('stopped', { machine: 'another' });
  process.kill(holder.pid, 'SIGSTOP');
  const store = await fileStore(path, { silentMs: 500 });
  await store.append(entryOf('second'));
  process.kill(holder.pid, 'SIGCONT');
  for (const id of ['lost', 'lost too'])
    await assert.rejects(holder.ask('append', entryOf(id)), /taken this outbox over/);
  await assert.rejects(holder.ask('send'), /taken this outbox over/);
  await store.append(entryOf('third'));
  await holder.ask('close');
  await assert.rejects(holders[1]!.ask('open', path), isOpen);
  await store.close();
  assert.deepEqual(await idsIn(path), ['first', 'second', 'third']);
});
