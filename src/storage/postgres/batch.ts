/**
 * Executes one batch alone (docs/reference/writing.md#one-batch-all-or-nothing), in its own transaction: locks its
 * records, table by table and in the order of their ids, looks it up in the history, and makes its changes, each of
 * which checks every item and then writes all. Its outcome is exact; a merged write (`merge.ts`) only knows that a
 * batch did not succeed.
 */
import type { TableChange, WriteOutcome, WrittenItem } from '../contract.ts';
import { addAll, deleteAll, putAll, updateAll } from './batch-changes.ts';
import { AlreadyProcessed, type BatchContext, Conflict, RolledBack, type Target, Work } from './batch-work.ts';
import type { Connection } from './connections.ts';
import { isUndefined } from './failure.ts';
import { type Attempt, lookUp } from './history.ts';
import { inStore } from './schemas.ts';

/** @throws Conflict, and any error of the database: then the outcome is unknown */
export async function execute(context: BatchContext, attempt: Attempt): Promise<WriteOutcome> {
  const { connections, spaceId } = context;
  try {
    return await connections.transaction('read committed', async (connection) => {
      const work = new Work(context, connection, attempt);
      return { kind: 'done', items: await applyAll(work) };
    });
  } catch (error) {
    if (error instanceof RolledBack) return error.outcome;
    if (!(error instanceof AlreadyProcessed) && !isUndefined(error)) throw error;
    const known = await lookUp(connections, spaceId, attempt);
    if (known !== null) return known;
    if (error instanceof AlreadyProcessed) throw new Conflict('The history forgot the transaction meanwhile.');
    if ((await versionOf(connections, spaceId)) === attempt.batch.definitionVersion) throw error;
    return { kind: 'stale' };
  }
}

async function versionOf(connection: Connection, spaceId: number): Promise<number> {
  const { rows } = await connection.query({ text: inStore('SELECT definition_version FROM "~"._space', spaceId) });
  return Number(rows[0]?.[0]);
}

/** @throws RolledBack with any outcome but success */
async function applyAll(work: Work): Promise<readonly WrittenItem[]> {
  await work.lock();
  const items: WrittenItem[] = [];
  for (const target of work.targets) items.push(...(await apply(target, target.change)));
  await work.end(items);
  return items;
}

function apply(target: Target, change: TableChange): Promise<readonly WrittenItem[]> {
  switch (change.operation) {
    case 'add':
      return addAll(target, change.items);
    case 'update':
      return updateAll(target, change.items);
    case 'delete':
      return deleteAll(target, change.items);
    case 'put':
      return putAll(target, change);
  }
}
