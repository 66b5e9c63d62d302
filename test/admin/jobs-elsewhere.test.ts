/** Long jobs as another instance on the same storage sees them, which has a clock of its own. */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { pino } from 'pino';
import { operator } from '../../src/actor.ts';
import { beginMove, movesOf, NodeMoves } from '../../src/administration/node-moves.ts';
import type { Administration } from '../../src/administration/open.ts';
import { changeTablesOf, tableJobOf } from '../../src/administration/tables.ts';
import type { JobResponse } from '../../src/data/change-tables.ts';
import { dataContext } from '../../src/data/context.ts';
import { openRunningJobs } from '../../src/data/running-jobs.ts';
import { systemEnvironment } from '../../src/environment.ts';
import { busyError } from '../../src/storage/busy.ts';
import type { Cluster, ClusterProgress, ShowProgress } from '../../src/storage/cluster.ts';
import type { Relational, Storage } from '../../src/storage/contract.ts';
import { openStorage } from '../../src/storage/open.ts';
import type { DirectoryTables } from '../../src/storage/tables.ts';
import { type House, openHouse } from '../administration/house.ts';

const dayMs = 86_400_000;
const ref = { companyId: 1, appId: 'crm', version: '1.0.0' };

let house: House;
let here: Administration;
let elsewhere: Administration;
/** How far the other instance's clock is ahead. */
let aheadMs = 0;

before(async () => {
  house = await openHouse();
  const { administration, directory } = house.server;
  here = administration;
  await directory.companies.create({ name: 'Acme' });
  await directory.applications.create({ companyId: 1, appId: 'crm', localAccounts: true });
  await directory.versions.create({ ...ref, development: true });
  const { settings, clock } = house;
  const environment = { ...systemEnvironment, now: () => clock.ms + aheadMs };
  const storage = await openStorage(settings, environment, pino({ level: 'silent' }));
  elsewhere = { ...here, storage, environment, data: dataContext(storage, settings, environment, here.seal) };
});
afterEach(() => {
  aheadMs = 0;
});
after(async () => {
  await elsewhere.storage.close();
  await house.close();
});

/** The storage with another way to write to the directory. */
function writing(storage: Storage, write: Relational<DirectoryTables>['write']): Storage {
  const { directory } = storage;
  return { ...storage, directory: { build: directory.build, read: directory.read.bind(directory), write } };
}

/** Begins a change that waits, before it touches the tables, until `goOn` is called. */
async function begun(changes: readonly object[], deps = here) {
  const { promise, resolve: goOn } = Promise.withResolvers<void>();
  const storage = writing(deps.storage, async (statements) => {
    await promise;
    return here.storage.directory.write(statements);
  });
  const { version: revision } = await here.storage.spaces.refresh(1);
  const request = { revision, changes, dryRun: false, members: [], waitMs: 0 };
  const job = await changeTablesOf({ ...deps, storage }, operator, ref, request);
  assert.ok('jobId' in job);
  return { jobId: job.jobId, goOn };
}

const stateAt = (instance: Administration, jobId: string, cancel = false) =>
  tableJobOf(instance, operator, ref, jobId, { cancel });

async function endedAt(instance: Administration, jobId: string): Promise<JobResponse> {
  await here.data.tableJobs.find(1, jobId)?.ended;
  await here.data.runningJobs.update();
  return stateAt(instance, jobId);
}

const rows = async () =>
  here.storage.directory.read(here.storage.directory.build.selectFrom('running_job').select(['id', 'state', 'cancel']));

const added = (table: string) => [{ op: 'addTable', table, columns: [], indexes: [] }];

test('a change is running elsewhere from the answer on, and done with the same content', async () => {
  const { jobId, goOn } = await begun(added('Seen'));
  assert.deepEqual(await stateAt(elsewhere, jobId), { jobId, state: 'running', progress: 0 });
  goOn();
  const done = await endedAt(elsewhere, jobId);
  assert.equal(done.state, 'done');
  assert.deepEqual(done, await endedAt(here, jobId));
  assert.deepEqual(await rows(), []);
});

test('a change that failed has the same error elsewhere, also if it failed at once', async () => {
  const { jobId } = await begun([{ op: 'dropTable', table: 'None' }]);
  const failed = await endedAt(elsewhere, jobId);
  assert.match(failed.error ?? '', /There is no table "None"/);
  assert.deepEqual(failed, await endedAt(here, jobId));
});

test('a change cancelled elsewhere goes on until its process looks, and then changes nothing', async () => {
  const { jobId, goOn } = await begun(added('Cancelled'));
  assert.equal((await stateAt(elsewhere, jobId, true)).state, 'running');
  await here.data.runningJobs.update();
  goOn();
  const failed = await endedAt(here, jobId);
  assert.match(failed.error ?? '', /were cancelled, and nothing was changed/);
  assert.deepEqual(await stateAt(elsewhere, jobId), failed);
});

test('a change of a silent process is unknown after 30 seconds, and running again when it is heard', async () => {
  const { jobId, goOn } = await begun(added('Silent'));
  aheadMs = 30_000;
  assert.equal((await stateAt(elsewhere, jobId)).state, 'running');
  aheadMs = 30_001;
  assert.deepEqual(await stateAt(elsewhere, jobId), { jobId, state: 'unknown', progress: 0 });
  house.clock.ms += 30_001;
  aheadMs = 0;
  await here.data.runningJobs.update();
  assert.equal((await stateAt(elsewhere, jobId)).state, 'running');
  goOn();
  assert.equal((await endedAt(elsewhere, jobId)).state, 'done');
});

test('a job whose row could not be stored is answered, and stored two seconds later', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let writes = 0;
  const storage = writing(here.storage, async (statements) => {
    if (writes++ === 0) throw busyError('More than 1 requests wait for the database; try again in a second.');
    return here.storage.directory.write(statements);
  });
  const runningJobs = openRunningJobs({ ...here, storage });
  const { jobId, goOn } = await begun(added('Later'), { ...here, data: { ...here.data, runningJobs } });
  assert.equal((await stateAt(elsewhere, jobId)).state, 'unknown');
  t.mock.timers.tick(2_000);
  // Follows what the timer began.
  await runningJobs.update();
  assert.equal(writes, 3);
  assert.equal((await stateAt(elsewhere, jobId)).state, 'running');
  goOn();
  assert.equal((await endedAt(elsewhere, jobId)).state, 'done');
  await runningJobs.close();
  assert.ok(house.logged.some((line) => line.includes('The state of long jobs could not be stored')));
});

const progress: ClusterProgress = { doing: 'data space 1', done: 3, of: 9, unit: 'bytes' };

/** Begins a move of data space 1 that ends as the test decides. */
async function moving() {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const moveSpace = async (spaceId: number, to: string, show: ShowProgress) => {
    show(progress);
    await promise;
    return { spaceId, from: 'a:1', to };
  };
  const storage = { ...here.storage, cluster: { moveSpace } as Partial<Cluster> as Cluster };
  house.clock.ms++;
  await beginMove({ ...here, storage, nodeMoves: new NodeMoves() }, operator, { spaceId: 1, to: 'b:1' });
  return { resolve, reject };
}

/** The latest move once it has ended. */
async function lastMove() {
  for (;;) {
    await here.data.runningJobs.update();
    const [move] = await movesOf(elsewhere, operator);
    if (move?.state !== 'running') return move;
  }
}

test('moves of data spaces are listed elsewhere with their progress and their end', async () => {
  const { resolve } = await moving();
  const beginTime = house.clock.ms;
  const move = { spaceId: 1, to: 'b:1', beginTime, progress };
  assert.deepEqual(await movesOf(elsewhere, operator), [{ ...move, state: 'running', error: null }]);
  resolve();
  assert.deepEqual(await lastMove(), { ...move, state: 'done', error: null });

  const { reject } = await moving();
  reject(new Error('The worker is away.'));
  const failed = await lastMove();
  assert.deepEqual([failed?.state, failed?.error], ['failed', 'The worker is away.']);

  const { resolve: end } = await moving();
  aheadMs = 30_001;
  const interrupted = await lastMove();
  assert.deepEqual([interrupted?.state, interrupted?.progress], ['failed', progress]);
  assert.match(interrupted?.error ?? '', /^The process that carried it out has ended/);
  aheadMs = 0;
  end();
  assert.equal((await lastMove())?.state, 'done');
});

test('the last 20 moves are kept for a day', async () => {
  for (let i = 0; i < 25; i++) {
    (await moving()).resolve();
    await lastMove();
  }
  assert.equal((await movesOf(elsewhere, operator)).length, 20);
  assert.equal((await rows()).filter(({ state }) => state === 'done').length, 21, 'those of the last insert, and it');
  house.clock.ms += dayMs + 1;
  const { resolve } = await moving();
  assert.equal((await rows()).length, 1);
  resolve();
  await lastMove();
});
