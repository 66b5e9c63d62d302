/** The stores of an outbox in memory and in a database that an app passes. They do not depend on the service's engine. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { sqlStore } from '../../../packages/client/src/outbox/sql.ts';
import { memoryStore, type OutboxStore } from '../../../packages/client/src/outbox/store.ts';
import { entryOf, testStore } from '../store-contract.ts';

let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'rowhouse-outbox-'));
});
after(() => rmSync(folder, { recursive: true }));

async function openSql(path: string): Promise<OutboxStore> {
  const database = new DatabaseSync(path);
  return sqlStore({
    execute: async (sql, parameters) => database.prepare(sql).all(...parameters) as Record<string, unknown>[],
    close: () => database.close(),
  });
}

const memory = memoryStore();
testStore('memory', async () => memory);
testStore('sql', () => openSql(join(folder, 'contract.db')));

test('an error after which SQLite has already rolled back is reported, and the store keeps working', async () => {
  const database = new DatabaseSync(join(folder, 'full.db'));
  const isFull = { value: false };
  const store = await sqlStore({
    execute: async (sql, parameters) => {
      const isCommit = isFull.value && sql === 'COMMIT';
      const rows = database.prepare(isCommit ? 'ROLLBACK' : sql).all(...parameters) as Record<string, unknown>[];
      if (isCommit) throw new Error('SQLITE_FULL');
      return rows;
    },
    close: () => database.close(),
  });
  isFull.value = true;
  await assert.rejects(store.append(entryOf('no')), /SQLITE_FULL/);
  isFull.value = false;
  await store.append(entryOf('yes'));
  assert.equal((await store.entries()).length, 1);
  await store.close();
});
