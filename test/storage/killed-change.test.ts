/** A change of tables whose process is killed leaves the tables unchanged, and can be made again. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { withClient } from '../../lab/machine/client.ts';
import type { Settings } from '../../src/config.ts';
import { parseLocation } from '../../src/storage/location.ts';
import { pathOf } from '../../src/storage/sqlite/folder.ts';
import { isSomebodyWaiting } from './postgres/database.ts';
import { changeOf, column, openScratch, taskScratch, tasksIn } from './scratch.ts';

/** Enough tasks that building their indexes on SQLite takes a while. */
const manyTasks = (
  serverTime: string,
  rows: number,
) => `INSERT INTO task ("objectId", "serverCreateTime", "serverUpdateTime", title, _audience, _seq)
  WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${rows})
  SELECT 'many ' || n, ${serverTime}, ${serverTime}, 'a title of some length, so that there is something to write', 'a', 1 FROM n`;

function begin(storage: string): { child: ChildProcess; ended: Promise<unknown> } {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'changing.ts'), storage], { stdio: 'inherit' });
  return { child, ended: once(child, 'exit') };
}

/** Fills the table, begins the change and kills its process meanwhile. */
async function killChange(settings: Settings): Promise<void> {
  const { storage } = settings;
  const place = parseLocation(storage);
  if (place.engine === 'sqlite') {
    const db = new DatabaseSync(pathOf(place.folder, 1), { timeout: 0 });
    db.exec(manyTasks('0', 60_000));
    const isFree = () => {
      try {
        db.exec('BEGIN IMMEDIATE; ROLLBACK');
        return true;
      } catch {
        return false;
      }
    };
    const { child, ended } = begin(storage);
    while (isFree() && child.exitCode === null) await new Promise((resolve) => setImmediate(resolve));
    child.kill('SIGKILL');
    await ended;
    db.close();
    return;
  }
  await withClient(place.url, (holder) =>
    withClient(place.url, async (client) => {
      for (const one of [holder, client]) await one.query('SET search_path = rowhouse_space_1');
      await client.query(manyTasks('now()', 100));
      // Blocked at its end, the change has already done all its work.
      await holder.query('BEGIN; SELECT * FROM _space FOR UPDATE');
      const { child, ended } = begin(storage);
      while (!(await isSomebodyWaiting({ settings })) && child.exitCode === null);
      child.kill('SIGKILL');
      await ended;
      await holder.query('ROLLBACK');
    }),
  );
}

test('a killed change has no effect after a restart, and can be made again, also with other types', async (t) => {
  const first = await taskScratch(t);
  await first.close();
  await killChange(first.settings);
  const { storage } = await openScratch(t, { place: first.scratch });
  const present = await storage.spaces.definition(1);
  assert.deepEqual(present, first.tasks.definition);
  const changed = await storage.spaces.define(
    1,
    changeOf(present, {
      newColumns: [{ table: 'task', columns: [column('due', { kind: 'integer' })] }],
      newIndexes: [{ table: 'task', indexes: [{ columns: ['due'], unique: true }] }],
    }),
  );
  assert.equal(changed?.version, present.version + 1);
  const tasks = await tasksIn(storage, 1);
  assert.equal((await tasks.add([{ id: 'x' }])).kind, 'done');
  assert.equal((await tasks.get('x'))?.due, null);
});
