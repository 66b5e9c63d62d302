/**
 * The installation and data space that a database belongs to: swapped, wrongly restored or foreign ones are refused, no
 * id is reused after the restore of an older directory, and databases older than identities get them once.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { ServiceError } from '../../src/errors.ts';
import type { Storage } from '../../src/storage/contract.ts';
import { scratchOf } from '../engines/scratch.ts';
import { defineTables, openScratch, start, taskScratch, tasksIn, taskTable } from './scratch.ts';
import { tampering } from './tampering.ts';

async function spaceOf(storage: Storage, spaceId: number, ...ids: readonly string[]) {
  await storage.spaces.create(spaceId);
  await defineTables(storage, spaceId, [taskTable]);
  const tasks = await tasksIn(storage, spaceId);
  for (const id of ids) assert.equal((await tasks.add([{ id }])).kind, 'done');
  return tasks;
}

/** @param told the logged text, which the caller does not see */
async function refused(calls: readonly (() => Promise<unknown>)[], told: RegExp): Promise<void> {
  for (const [index, call] of calls.entries()) {
    await assert.rejects(call, (error) => {
      assert.ok(error instanceof ServiceError && error.reason === 'internal', `call ${index}: ${error}`);
      assert.doesNotMatch(error.message, /installation|space|[0-9a-f]{16}/);
      assert.match(String(error.details.cause), told, `call ${index}`);
      return true;
    });
  }
}

test('swapped data spaces are refused, both named, and other data spaces work', async (t) => {
  const { storage, scratch, close, tasks } = await taskScratch(t);
  await spaceOf(storage, 2, 'of two');
  await spaceOf(storage, 3, 'of three');
  await close();
  const tamper = tampering(scratch);
  await tamper.swap(2, 3);

  const again = await openScratch(t, { place: scratch });
  const id = await tamper.installation();
  const told = (here: number, there: number) =>
    new RegExp(
      `It is data space ${there} of installation ${id}; here belongs data space ${here} of installation ${id}`,
    );
  for (const [here, there] of [
    [2, 3],
    [3, 2],
  ] as const) {
    const batch = batchOn(tasks.definition.version);
    await refused(
      [
        () => again.storage.spaces.definition(here),
        () => again.storage.spaces.write(here, batch),
        () => again.storage.spaces.copy(here, 9),
      ],
      told(here, there),
    );
  }
  assert.equal((await (await tasksIn(again.storage, 1)).add([{}])).kind, 'done');
});

function batchOn(definitionVersion: number) {
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

test('a data space of another installation is refused, both installations named; foreign logs prevent the start', async (t) => {
  // Not a copy of the layout, which brings an identity.
  const other = await openScratch(t, { place: await scratchOf(t) });
  const foreign = await tampering(other.scratch).installation();
  const { storage, scratch, close } = await openScratch(t);
  await spaceOf(storage, 2, 'x');
  await storage.logs.write([storage.logs.build.insertInto('entry').values(entryOf(1, 1))]);
  await close();
  const tamper = tampering(scratch);
  const own = await tamper.installation();
  assert.match(own, /^[0-9a-f]{32}$/);
  assert.notEqual(own, foreign);
  await tamper.run(2, `UPDATE _identity SET installation = '${foreign}'`);

  const again = await openScratch(t, { place: scratch });
  await refused(
    [() => again.storage.spaces.definition(2), () => again.storage.spaces.create(2)],
    new RegExp(`data space 2 of installation ${foreign}; here belongs data space 2 of installation ${own}`),
  );
  await again.close();
  await tamper.run('logs', `UPDATE _identity SET installation = '${foreign}'`);
  await assert.rejects(
    openScratch(t, { place: scratch }),
    new RegExp(`logs.*the logs of installation ${foreign}; here belongs the logs of installation ${own}`),
  );
});

const entryOf = (company_id: number, user_id: number) => ({
  ...{ company_id, user_id, app_id: 'a', version: '1.0.0', device_udid: 'd', level: 'ERROR', message: 'm', time: 1 },
});

test('after the restore of an older directory no id of a user, group, role, company or data space is reused', async (t) => {
  const { storage, scratch, close } = await openScratch(t);
  const { directory } = storage;
  const add = async (from: Storage, table: 'company' | 'user_group' | 'user' | 'role' | 'data_space', row: object) => {
    const insert = from.directory.build
      .insertInto(table)
      .values(row as never)
      .returning('id');
    const [written] = await from.directory.write([insert]);
    return Number(written?.rows[0]?.id);
  };
  const group = (from: Storage, name: string) => add(from, 'user_group', { company_id: 1, name, created: 1 });
  const user = (from: Storage, account: string) => add(from, 'user', { company_id: 1, account, created: 1 });
  const role = (from: Storage, name: string) => add(from, 'role', { company_id: 1, name });
  const space = (from: Storage) => add(from, 'data_space', { company_id: 1, app_id: 'a', created: 1 });
  await add(storage, 'company', { name: 'One', created: 1 });
  const { build } = directory;
  await directory.write([
    build.insertInto('application').values({ company_id: 1, app_id: 'a', name: 'A', app_key_hash: 'h', created: 1 }),
  ]);
  for (const name of ['g1', 'g2', 'g3', 'g4']) await group(storage, name);
  for (const account of ['u1', 'u2', 'u3']) await user(storage, account);
  for (const name of ['r100', 'r101', 'r102']) await role(storage, name);
  const tasks = await spaceOf(storage, await space(storage));
  // Any id up to the highest at the creation of a data space may have been used.
  for (const account of ['u4', 'u5', 'u6', 'u7']) await user(storage, account);
  await role(storage, 'r103');
  await tasks.add([{ id: 'x' }], { userId: 7, groupIds: [2, 4], roleIds: [103, 5] });
  await spaceOf(storage, await space(storage), 'kept');
  await add(storage, 'company', { name: 'Two', created: 1 });
  await add(storage, 'company', { name: 'Three', created: 1 });
  await storage.logs.write([storage.logs.build.insertInto('entry').values(entryOf(3, 9))]);
  await close();

  const tamper = tampering(scratch);
  await tamper.rewind({ company: 1, user_group: 1, user: 2, role: 100, data_space: 1 });
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
  const again = await openScratch(t, { place: scratch, log });
  assert.equal(await user(again.storage, 'new'), 10, 'one more than the log names');
  assert.equal(await group(again.storage, 'new'), 5);
  assert.equal(await role(again.storage, 'new'), 104);
  assert.equal(await space(again.storage), 3);
  assert.equal(await add(again.storage, 'company', { name: 'new', created: 1 }), 4);
  assert.match(lines.join(''), /directory is older than the data spaces/);
  await spaceOf(again.storage, 3);
  await refused([() => again.storage.spaces.create(2)], /already data space 2 of installation .*, with tables in it/);
  assert.notEqual(await (await tasksIn(again.storage, 2)).get('kept'), null);
  await again.close();

  lines.length = 0;
  const third = await openScratch(t, { place: scratch, log });
  assert.equal(await user(third.storage, 'newer'), 11);
  assert.doesNotMatch(lines.join(''), /older/, 'told once');
});

test('a data space is created if none exists, or if an empty one of its own was left', async (t) => {
  const { storage, scratch, close } = await openScratch(t);
  await storage.spaces.create(1);
  await storage.spaces.create(1);
  await spaceOf(storage, 1, 'x');
  await refused([() => storage.spaces.create(1)], /already data space 1 of installation /);
  assert.notEqual(await (await tasksIn(storage, 1)).get('x'), null);
  await storage.spaces.copy(1, 2);
  assert.notEqual(await (await tasksIn(storage, 2)).get('x'), null, 'a copy is a data space of its own');
  await close();
  const rows = await tampering(scratch).run(2, 'SELECT installation, space_id FROM _identity');
  assert.deepEqual([rows[0]?.installation, Number(rows[0]?.space_id)], [await tampering(scratch).installation(), 2]);
});

test('databases older than identities get them once, with their rows; afterwards they are refused', async (t) => {
  const { storage, scratch, close } = await openScratch(t);
  const { build } = storage.directory;
  await storage.directory.write([
    build.insertInto('company').values({ name: 'One', created: 1 }),
    build.insertInto('application').values({ company_id: 1, app_id: 'a', name: 'A', app_key_hash: 'h', created: 1 }),
    ...[1, 2, 3].map(() => build.insertInto('data_space').values({ company_id: 1, app_id: 'a', created: 1 })),
    ...['u1', 'u2'].map((account) => build.insertInto('user').values({ company_id: 1, account, created: 1 })),
  ]);
  for (const spaceId of [1, 2]) await spaceOf(storage, spaceId, `of ${spaceId}`);
  await storage.logs.write([storage.logs.build.insertInto('entry').values(entryOf(1, 2))]);
  await close();
  const tamper = tampering(scratch);
  await tamper.toLayoutBefore(['directory', 'logs', 1, 2]);

  const again = await openScratch(t, { place: scratch });
  for (const spaceId of [1, 2]) {
    const tasks = await tasksIn(again.storage, spaceId);
    assert.notEqual(await tasks.get(`of ${spaceId}`), null);
    assert.equal((await tasks.add([{}])).kind, 'done');
  }
  const entries = again.storage.logs.build.selectFrom('entry').select('user_id');
  assert.deepEqual(await again.storage.logs.read(entries), [{ user_id: 2 }]);
  await again.close();
  const installation = await tamper.installation();
  for (const store of ['logs', 1, 2] as const) {
    const [identity] = await tamper.run(store, 'SELECT installation, space_id, user_id_max FROM _identity');
    const expected = [installation, store === 'logs' ? null : store, store === 'logs' ? 2 : 7];
    const spaceId = identity?.space_id === null ? null : Number(identity?.space_id);
    assert.deepEqual([identity?.installation, spaceId, Number(identity?.user_id_max)], expected);
  }

  await tamper.toLayoutBefore([2]);
  const third = await openScratch(t, { place: scratch });
  await refused([() => third.storage.spaces.definition(2)], /no identity.*here belongs data space 2 of installation/);
  assert.notEqual(await (await tasksIn(third.storage, 1)).get('of 1'), null);
});
