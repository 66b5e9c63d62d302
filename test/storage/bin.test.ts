/**
 * The bin is emptied in time: dropped tables and columns are kept until then, and afterwards removed from the database.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { defaults } from '../../src/config.ts';
import { Draft } from '../../src/schema/draft.ts';
import type { Column, NumberedTable } from '../../src/schema/model.ts';
import { emptyBin } from '../../src/storage/bin.ts';
import { openRetention } from '../../src/storage/retention.ts';
import { clockAt, defineTables, start, tableOf, taskScratch, taskTable } from './scratch.ts';
import { storedRows } from './stored.ts';

test('a dropped column with its indexes, and a dropped table with its tombstones, are gone after their time', async (t) => {
  const { storage, tasks, scratch } = await taskScratch(t);
  const { spaces } = storage;
  await tasks.add([{ id: 'x', title: 'one' }, { id: 'y' }]);
  await tasks.delete([{ objectId: 'y', base: start }]);
  await defineTables(storage, 1, [{ ...taskTable, name: 'other' }, tableOf('kept', [])]);

  const draft = new Draft((await spaces.definition(1)).catalogue);
  const author = { by: 'somebody', now: start, until: start + 1_000 };
  const [task, other] = draft.tables as [NumberedTable, NumberedTable];
  draft.dropColumn(other.id, other.columns.find(({ name }) => name === 'code') as Column, author);
  draft.dropTable(task.id, { ...author, until: start + 2_000 });
  assert.notEqual(await spaces.define(1, draft.change()), null);

  const clock = clockAt(start + 999);
  const retention = openRetention({
    prune: async () => 0,
    emptyBin: (spaceId, now) => emptyBin(spaces, spaceId, now),
    logs: storage.logs,
    settings: defaults,
    environment: clock,
    log: pino({ level: 'silent' }),
  });
  t.after(() => retention.close());
  const swept = async (time: number) => {
    clock.time = time;
    await retention.sweep();
    return (await spaces.refresh(1)).catalogue;
  };
  retention.wrote(1);
  assert.equal((await swept(start + 999)).bin.length, 2);
  const between = await swept(start + 1_000);
  assert.deepEqual(
    between.bin.map(({ name }) => name),
    ['task'],
  );
  await assert.rejects(storedRows(scratch, 'SELECT code FROM other'));
  assert.equal((await storedRows(scratch, 'SELECT title FROM task')).length, 1);
  assert.equal((await storedRows(scratch, 'SELECT * FROM _tombstone')).length, 1);
  const after = await swept(start + 2_000);
  assert.deepEqual([after.bin, after.tables.map(({ name }) => name)], [[], ['other', 'kept']]);
  await assert.rejects(storedRows(scratch, 'SELECT title FROM task'));
  assert.deepEqual(await storedRows(scratch, 'SELECT * FROM _tombstone'), []);
});
