/** Acts on data spaces get their entry in the audit trail, whatever fails between act and entry. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { operator } from '../../src/actor.ts';
import type { AdministrationDeps } from '../../src/administration/audited-action.ts';
import { openSettling, startSettlingIntents } from '../../src/administration/intents.ts';
import { writeRecords } from '../../src/administration/record-writes.ts';
import { changeTablesOf, defineTablesOf } from '../../src/administration/tables.ts';
import { add } from '../../src/data/add.ts';
import { ServiceError } from '../../src/errors.ts';
import { busyError } from '../../src/storage/busy.ts';
import { valueAt } from '../harness/match.ts';
import { type AdminWorld, openAdminWorld } from './world.ts';

const inShop = { companyId: 1, appId: 'shop', version: '1.0' };
const table = (name: string) => ({ name, primary_key: 'objectId', columns: [{ colName: 'title', type: 'text' }] });

let world: AdminWorld;
before(async () => {
  world = await openAdminWorld();
  await world.results('root', 'defineVersionTables', { params: inShop, body: { tables: [table('Task')] } });
});
after(() => world.close());

/** The service's own parts, where the n-th write to the directory is refused as under overload. */
function refusingWrite(refused: number): AdministrationDeps {
  const { administration } = world.house.server;
  const { directory } = administration.storage;
  let writes = 0;
  const write: typeof directory.write = async (statements) => {
    writes++;
    if (writes === refused) throw busyError('More than 1 requests wait for the database; try again in a second.');
    return directory.write(statements);
  };
  const storage = {
    ...administration.storage,
    directory: { build: directory.build, read: directory.read.bind(directory), write },
  };
  return { ...administration, storage };
}

async function revision(): Promise<number> {
  const { administration, directory } = world.house.server;
  const { spaceId = 0 } = (await directory.versions.find(1, 'shop', '1.0')) ?? {};
  return (await administration.storage.spaces.refresh(spaceId)).version;
}

async function tableNames(): Promise<unknown[]> {
  return (await world.results('root', 'listTables', { params: inShop })).map(({ name }) => name);
}

async function taskCount(): Promise<number> {
  const body = { from: { phyName: 'Task', alias: 't' } };
  const { json } = await world.ask('root', 'selectRecords', { params: { ...inShop, objectName: 'Task' }, body });
  return (valueAt(json, 'rows') as unknown[]).length;
}

const changing = async (deps: AdministrationDeps, changes: readonly object[]) =>
  changeTablesOf(deps, operator, inShop, {
    ...{ revision: await revision(), changes, dryRun: false, members: [], waitMs: 60_000 },
  });

interface Act {
  readonly name: string;
  readonly action: string;
  perform(deps: AdministrationDeps): Promise<unknown>;
  /** Shows whether it happened. */
  state(): Promise<unknown>;
}

const acts: readonly Act[] = [
  {
    name: 'a write to records',
    action: 'record.write',
    perform: (deps) => {
      const one = {
        operation: add,
        objectName: 'Task',
        items: [{ title: 'x' }],
        path: 'operations[0].',
        field: 'data',
      };
      return writeRecords(deps, operator, inShop, { ownerId: world.userId('user'), operations: [one] });
    },
    state: taskCount,
  },
  {
    name: 'a definition of tables',
    action: 'table.define',
    perform: (deps) => defineTablesOf(deps, operator, inShop, { tables: [table('Defined')], reset: false }),
    state: tableNames,
  },
  {
    name: 'a change of tables',
    action: 'table.change',
    perform: (deps) => changing(deps, [{ op: 'dropTable', table: 'Defined' }]),
    state: tableNames,
  },
];

/** The audit entries of the command line, which does each act here. */
const entries = (action: string) => world.results('root', 'listAudit', { query: { action, actorKind: 'operator' } });

async function intents(): Promise<string[]> {
  const { directory } = world.house.server.storage;
  const rows = await directory.read(directory.build.selectFrom('record_intent').select('transaction_id'));
  return rows.map((row) => row.transaction_id);
}

/** Log lines of a warning since the test began. */
const warnings = (text: string) => world.house.logged.filter((line) => line.includes(text));

async function settleAt(ms: number): Promise<void> {
  const { clock, server } = world.house;
  const now = clock.ms;
  clock.ms = ms;
  const stop = await startSettlingIntents(server.administration);
  await stop();
  clock.ms = now;
}

for (const { name, action, perform, state } of acts) {
  test(`${name} whose intent can't be stored is not carried out`, async () => {
    const present = await state();
    await assert.rejects(
      perform(refusingWrite(1)),
      (error) => error instanceof ServiceError && error.reason === 'busy',
    );
    assert.deepEqual(await state(), present);
    assert.deepEqual(await intents(), []);
  });

  test(`${name} whose entry can't be written is answered with success, and gets its entry later`, async () => {
    const [present, noted] = [await state(), await entries(action)];
    const { clock } = world.house;
    await perform(refusingWrite(2));
    assert.notDeepEqual(await state(), present);
    assert.deepEqual(await entries(action), noted);
    assert.equal((await intents()).length, 1);
    await settleAt(clock.ms + 600_000);
    const [entry, ...others] = await entries(action);
    assert.equal(others.length, noted.length);
    assert.deepEqual(await intents(), []);
    assert.equal(Date.parse(valueAt(entry, 'detail.settled') as string), clock.ms + 600_000);
    const shown = await world.results('root', 'listAudit', {
      query: { action, until: new Date(clock.ms + 1).toISOString() },
    });
    assert.ok(
      shown.some(({ id }) => id === entry?.id),
      'It has the time of its intent.',
    );
  });
}

test('a refused act leaves neither intent nor entry', async () => {
  const noted = await entries('table.change');
  const { administration } = world.house.server;
  await assert.rejects(changing(administration, [{ op: 'dropTable', table: 'Unknown' }]));
  const stale = { revision: 1, changes: [{ op: 'addTable', table: 'Stale', columns: [] }], dryRun: false, members: [] };
  await assert.rejects(changeTablesOf(administration, operator, inShop, { ...stale, waitMs: 60_000 }));
  assert.deepEqual(await entries('table.change'), noted);
  assert.deepEqual(await intents(), []);
});

test('intents of an ended process are settled from the data space, and a bad one does not block others', async () => {
  const { storage, directory } = world.house.server;
  const { spaceId = 0 } = (await directory.versions.find(1, 'shop', '1.0')) ?? {};
  const one = [{ op: 'add', objectName: 'Task', data: [{ title: 'y' }] }];
  const body = { transactionId: 'tablet-7/1', ownerId: world.userId('user'), operations: one };
  await world.result('root', 'writeRecords', { params: inShop, body });
  const { ms: now } = world.house.clock;
  const longAgo = now - 3 * 86_400_000;
  const left = (
    id: string,
    action: string,
    { time = longAgo, space = spaceId }: { time?: number; space?: number } = {},
  ) => {
    const detail = { transactionId: id, ownerId: world.userId('user') };
    const entry = { actor: operator, action: { action, target: 'x', companyId: 1, appId: 'shop', detail } };
    const values = { time, space_id: space, transaction_id: id, entry: JSON.stringify(entry) };
    return storage.directory.build.insertInto('record_intent').values(values);
  };
  await storage.directory.write([
    left('in-a-missing-space', 'record.write', { space: 4_711 }),
    left('tablet-7/1', 'record.write'),
    left('never-written', 'record.write'),
    left('0'.repeat(32), 'table.change'),
    left('1'.repeat(32), 'table.change', { time: now - 3_600_000 }),
    left('under-way', 'record.write', { time: now }),
  ]);
  const noted = { records: await entries('record.write'), tables: await entries('table.change') };
  await settleAt(now);
  assert.deepEqual(await entries('table.change'), noted.tables);
  const [settled, ...others] = await entries('record.write');
  assert.deepEqual(others, noted.records);
  assert.equal(valueAt(settled, 'detail.transactionId'), 'tablet-7/1');
  const rows = await storage.directory.read(
    storage.directory.build
      .selectFrom('audit')
      .select('time')
      .where('id', '=', settled?.id as number),
  );
  assert.equal(Number(rows[0]?.time), longAgo);
  assert.deepEqual(await intents(), ['in-a-missing-space', '1'.repeat(32), 'under-way']);
});

test('an intent whose data space is missing is logged once a day, and recorded as unknown after historyDays', async () => {
  const { server, clock } = world.house;
  const { directory } = server.storage;
  const dayMs = 86_400_000;
  await directory.write([directory.build.deleteFrom('record_intent')]);
  const now = clock.ms;
  const entry = { actor: operator, action: { action: 'record.write', target: 'lost', companyId: 1, appId: 'shop' } };
  const values = { time: now, space_id: 4_711, transaction_id: 'lost', entry: JSON.stringify(entry) };
  await directory.write([directory.build.insertInto('record_intent').values(values)]);
  const noted = await entries('record.write');
  const settling = openSettling(server.administration);
  const told: number[] = [];
  const { historyDays } = server.settings;
  for (const days of [1, 1.2, 1.9, 2.1, 2.2, historyDays - 0.1]) {
    clock.ms = now + days * dayMs;
    const before = warnings('could not be settled').length;
    await settling();
    told.push(warnings('could not be settled').length - before);
  }
  clock.ms = now;
  assert.deepEqual(told, [1, 0, 0, 1, 0, 1]);
  const line = JSON.parse(warnings('could not be settled').at(-1) as string);
  assert.deepEqual([line.spaceId, line.until], [4_711, new Date(now + historyDays * dayMs).toISOString()]);
  assert.deepEqual([await intents(), await entries('record.write')], [['lost'], noted]);
  clock.ms = now + historyDays * dayMs;
  await settling();
  clock.ms = now;
  assert.deepEqual(await intents(), []);
  const [settled, ...others] = await entries('record.write');
  assert.deepEqual(others, noted);
  assert.deepEqual([settled?.target, valueAt(settled, 'detail.happened')], ['lost', 'unknown']);
});
