/** The stores of an outbox in memory and in a database that an app passes. They do not depend on the service's engine. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before } from 'node:test';
import { sqlStore } from '../../../packages/client/src/outbox/sql.ts';
import { memoryStore, type OutboxStore } from '../../../packages/client/src/outbox/store.ts';
import { testStore } from '../store-contract.ts';

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
