/** Definitions in a file that another process may change, and the resulting indexes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase } from '../../../src/storage/sqlite/database.ts';
import { pathOf } from '../../../src/storage/sqlite/folder.ts';
import { WriteFile } from '../../../src/storage/sqlite/group.ts';
import { stepsOf } from '../../../src/storage/sqlite/migrations.ts';
import { change as changed, changeOf, column, start, taskScratch, tasksIn } from '../scratch.ts';
import { dataFolder, storedRows } from '../stored.ts';

test('a change by another process is noticed by the next batch', async (t) => {
  const { storage, tasks, scratch } = await taskScratch(t);
  await tasks.add([{ id: 'x' }]);
  const path = pathOf(dataFolder(scratch), 1);
  const other = openDatabase(path, stepsOf(1), { create: false, use: 'write', pageCacheBytes: 1e6 });
  const change = changeOf(tasks.definition, {
    newColumns: [{ table: 'task', columns: [column('extra', { kind: 'text' })] }],
  });
  new WriteFile(other, true).commit([{ kind: 'define', change }]);
  other.close();
  assert.deepEqual(await tasks.add([{}]), { kind: 'stale' });
  const after = await tasksIn(storage, 1);
  assert.equal(after.definition.version, tasks.definition.version + 1);
  assert.equal((await after.update([changed('x', start, { extra: 'there' })])).kind, 'done');
  assert.equal((await after.get('x'))?.extra, 'there');
});

test('a declared index serves the order that it is declared for', async (t) => {
  const { storage, tasks, scratch } = await taskScratch(t);
  await storage.spaces.define(
    1,
    changeOf(tasks.definition, {
      newColumns: [{ table: 'task', columns: [column('due', { kind: 'datetime' })] }],
      newIndexes: [{ table: 'task', indexes: [{ columns: ['due', 'code'], unique: false }] }],
    }),
  );
  const plan = await storedRows(scratch, 'EXPLAIN QUERY PLAN SELECT objectId FROM task ORDER BY due, code, objectId');
  assert.match(JSON.stringify(plan), /USING (COVERING )?INDEX _ix_1_2/);
});
