/** Files opened by separate threads, each of which checks their identity, and the remains of a killed `version add`. */
import assert from 'node:assert/strict';
import { renameSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { ServiceError } from '../../../src/errors.ts';
import { pathOf } from '../../../src/storage/sqlite/folder.ts';
import { spaceSteps } from '../../../src/storage/sqlite/migrations.ts';
import { defineTables, openScratch, statementOf, taskScratch, tasksIn, taskTable } from '../scratch.ts';
import { dataFolder } from '../stored.ts';

test('every thread refuses a file that replaced another', async (t) => {
  const { storage, scratch, close, tasks } = await taskScratch(t);
  await storage.spaces.create(2);
  await defineTables(storage, 2, [taskTable]);
  await (await tasksIn(storage, 2)).add([{ id: 'secret', scopeType: 3 }]);
  await close();
  const folder = dataFolder(scratch);
  renameSync(pathOf(folder, 2), pathOf(folder, 1));

  const { spaces } = (await openScratch(t, { place: scratch })).storage;
  const count = { statement: statementOf('SELECT count(*) FROM task'), values: [] };
  const calls = [
    () => spaces.record(1, tasks.record, tasks.record.bind({ parameters: ['secret'], members: ['a'] })),
    () => spaces.select(1, { count }),
    () => spaces.size(1),
    () => tasksIn({ spaces } as typeof storage, 1),
    () => spaces.copy(1, 3),
    () => spaces.create(1),
  ];
  for (const [index, call] of calls.entries()) {
    await assert.rejects(call, (error) => {
      assert.ok(error instanceof ServiceError && error.reason === 'internal', `call ${index}: ${error}`);
      assert.match(String(error.details.cause), /0000000001.*It is data space 2 of .* here belongs data space 1/);
      return true;
    });
  }
});

test('the creation of a data space continues after a kill', async (t) => {
  const { storage, scratch } = await openScratch(t);
  const folder = dataFolder(scratch);
  writeFileSync(pathOf(folder, 1), '');
  const half = new DatabaseSync(pathOf(folder, 2));
  half.exec(`PRAGMA journal_mode = WAL; ${spaceSteps[0]}; PRAGMA user_version = 1`);
  half.close();
  const unnamed = new DatabaseSync(pathOf(folder, 3));
  unnamed.exec(`${spaceSteps.join(';')}; PRAGMA user_version = ${spaceSteps.length}`);
  unnamed.close();
  for (const spaceId of [1, 2, 3]) {
    await storage.spaces.create(spaceId);
    await defineTables(storage, spaceId, [taskTable]);
    assert.equal((await (await tasksIn(storage, spaceId)).add([{}])).kind, 'done');
  }
});
