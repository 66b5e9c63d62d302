/** Refusals of `rowhouse move` with PostgreSQL as a storage location, and what it detects in the end. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pino } from 'pino';
import { withClient } from '../../../lab/machine/client.ts';
import { type Engine, makeStorage, type Scratch } from '../../../lab/machine/scratch.ts';
import { defaults } from '../../../src/config.ts';
import { openDirectory } from '../../../src/directory/directory.ts';
import { systemEnvironment } from '../../../src/environment.ts';
import type { Storage } from '../../../src/storage/contract.ts';
import { openStorage } from '../../../src/storage/open.ts';
import { serverUrl } from '../../engines/server.ts';
import { moved, typeMove } from '../house.ts';

async function place(t: TestContext, engine: Engine): Promise<Scratch> {
  const scratch = await makeStorage(engine, serverUrl);
  t.after(() => scratch.remove());
  return scratch;
}

const open = ({ settings }: Scratch): Promise<Storage> =>
  openStorage({ ...defaults, ...settings }, systemEnvironment, pino({ level: 'silent' }));

async function addCompany(scratch: Scratch, name: string): Promise<void> {
  const storage = await open(scratch);
  await openDirectory(storage, systemEnvironment).companies.create({ name });
  await storage.close();
}

/** Kills a move at its n-th call that writes. */
async function interrupt(from: Scratch, to: Scratch, call: number): Promise<void> {
  const script = join(import.meta.dirname, '../interrupted.ts');
  const interruption = { from: from.settings.storage, to: to.settings.storage, call, when: 'after' };
  const child = spawn(process.execPath, [script, JSON.stringify(interruption)], { stdio: 'inherit' });
  await once(child, 'close');
  assert.equal(child.signalCode, 'SIGKILL');
}

test('a database with connected instances is refused as a source', async (t) => {
  const [from, to] = [await place(t, 'postgres'), await place(t, 'sqlite')];
  const storage = await open(from);
  const ended = await typeMove('--from', from.settings.storage, '--to', to.settings.storage);
  await storage.close();
  assert.equal(ended.status, 1);
  assert.match(ended.error, /A Rowhouse service is connected to the source \(\d+ connections\)/);
});

test('a target with data, and a source without, are reported', async (t) => {
  const [folder, taken, empty] = [await place(t, 'sqlite'), await place(t, 'postgres'), await place(t, 'postgres')];
  await addCompany(folder, 'Ours');
  await addCompany(taken, 'Theirs');
  const onto = await typeMove('--from', folder.settings.storage, '--to', taken.settings.storage);
  assert.match(onto.error, /is not empty: it has the schema rowhouse_directory/);
  const out = await typeMove('--from', empty.settings.storage, '--to', folder.settings.storage);
  assert.match(out.error, /There are no data in postgres:/);
  const schemas = await withClient(empty.settings.storage, (client) =>
    client.query("SELECT 1 FROM pg_namespace WHERE nspname LIKE 'rowhouse%'"),
  );
  assert.equal(schemas.rowCount, 0);
});

test('a target with an unfinished move accepts only that move, and no service', async (t) => {
  const [from, other, to] = [await place(t, 'sqlite'), await place(t, 'sqlite'), await place(t, 'postgres')];
  await addCompany(from, 'Ours');
  await addCompany(other, 'Theirs');
  await interrupt(from, to, 4);
  await assert.rejects(open(to), /A move into this storage location has not ended/);
  const another = await typeMove('--from', other.settings.storage, '--to', to.settings.storage);
  assert.match(another.error, /holds an unfinished move of everything from/);
  const part = await typeMove('--from', from.settings.storage, '--to', to.settings.storage, '--company', '1');
  assert.match(part.error, /holds an unfinished move of everything from/);
  assert.equal((await moved(from, to)).resumed, true);
  await (await open(to)).close();
});

test('a change of the source between interruption and end is found, and no service can start on the target', async (t) => {
  const [from, to] = [await place(t, 'sqlite'), await place(t, 'postgres')];
  await addCompany(from, 'Ours');
  await interrupt(from, to, 4);
  const storage = await open(from);
  await openDirectory(storage, systemEnvironment).companies.update(1, { name: 'Renamed' });
  await storage.close();
  const ended = await typeMove('--from', from.settings.storage, '--to', to.settings.storage);
  assert.equal(ended.status, 1);
  assert.match(
    ended.error,
    /The two storage locations differ in directory company \(1 and 1 rows\)\. The source may have been/,
  );
  await assert.rejects(open(to), /A move into this storage location has not ended/);
});
