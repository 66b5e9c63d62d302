/** Inspects the storage of a proof directly, on either engine, and compares it with the answers. */
import { DatabaseSync } from 'node:sqlite';
import { spaceSchema } from '../../src/storage/postgres/schemas.ts';
import { pathOf } from '../../src/storage/sqlite/folder.ts';
import { withClient } from '../machine/client.ts';
import type { Space } from '../service/spaces.ts';
import { tableName, traceTableName } from './service.ts';

export interface Looked {
  /** Errors found by the engine's own check of a database. */
  readonly errors: readonly string[];
  readonly records: number;
  /** Rows of the history of transactions. */
  readonly transactions: number;
  /** Number of marks of transactions that are missing in the history. */
  readonly strangers: number;
  /** Batches of several tables whose record in the other table is missing, and such records without their batch. */
  readonly halves: number;
}

/** Data without an answer, or answers without data, as sentences. */
export function differences(found: Looked, answered: Pick<Looked, 'records' | 'transactions'>): string[] {
  const { errors, records, transactions, strangers, halves } = found;
  return [
    ...(records === answered.records ? [] : [`There are ${records} records; ${answered.records} were answered.`]),
    ...(transactions === answered.transactions
      ? []
      : [`The history has ${transactions} transactions; ${answered.transactions} were answered.`]),
    ...(strangers === 0 ? [] : [`${strangers} records have the mark of a transaction that the history does not know.`]),
    ...(halves === 0 ? [] : [`Of ${halves} batches of several tables, only a part is there.`]),
    ...errors.map((error) => `integrity check: ${error}`),
  ];
}

/** @param storage as in the service's setting */
export async function look(storage: string, space: Pick<Space, 'spaceId'>): Promise<Looked> {
  const schema = folderOf(storage) === null ? `"${spaceSchema(space.spaceId)}".` : '';
  const [table, trace, history] = [`${schema}"${tableName}"`, `${schema}"${traceTableName}"`, `${schema}_history`];
  const counts = `SELECT (SELECT count(*) FROM ${table}), (SELECT count(*) FROM ${history}),
    (SELECT count(*) FROM ${table} WHERE NOT EXISTS (SELECT 1 FROM ${history} WHERE transaction_id = mark)),
    (SELECT count(*) FROM ${trace} WHERE NOT EXISTS (SELECT 1 FROM ${history} WHERE transaction_id = mark)) +
    (SELECT count(*) FROM ${history} WHERE operations LIKE '%"put"%'
      AND NOT EXISTS (SELECT 1 FROM ${trace} WHERE mark = transaction_id))`;
  const [row = []] = await ask(storage, space, counts);
  const [records, transactions, strangers, halves] = row.map(Number) as [number, number, number, number];
  return { errors: await integrityErrors(storage, space), records, transactions, strangers, halves };
}

/** Mark and count of every record. */
export async function marksOf(
  storage: string,
  space: Pick<Space, 'spaceId'>,
): Promise<[mark: string, count: number][]> {
  const schema = folderOf(storage) === null ? `"${spaceSchema(space.spaceId)}".` : '';
  const rows = await ask(storage, space, `SELECT "mark", "count" FROM ${schema}"${tableName}"`);
  return rows.map(([mark, count]) => [String(mark), Number(count)]);
}

/** Every transaction of the history, with the user who sent it. */
export async function sendersOf(
  storage: string,
  space: Pick<Space, 'spaceId'>,
): Promise<[transactionId: string, userId: number][]> {
  const schema = folderOf(storage) === null ? `"${spaceSchema(space.spaceId)}".` : '';
  const rows = await ask(storage, space, `SELECT transaction_id, user_id FROM ${schema}_history`);
  return rows.map(([transactionId, userId]) => [String(transactionId), Number(userId)]);
}

/** The output of `PRAGMA integrity_check` without its `ok`, or of `amcheck` for each index. */
export async function integrityErrors(storage: string, space: Pick<Space, 'spaceId'>): Promise<string[]> {
  if (folderOf(storage) !== null) {
    const said = await ask(storage, space, 'PRAGMA integrity_check');
    return said
      .flat()
      .map(String)
      .filter((text) => text !== 'ok');
  }
  try {
    await ask(storage, space, 'CREATE EXTENSION IF NOT EXISTS amcheck');
    await ask(
      storage,
      space,
      `SELECT bt_index_check(indexrelid, true) FROM pg_index
       JOIN pg_class ON pg_class.oid = indrelid WHERE relnamespace = '${spaceSchema(space.spaceId)}'::regnamespace`,
    );
    return [];
  } catch (error) {
    return [String(error)];
  }
}

function folderOf(storage: string): string | null {
  return storage.startsWith('sqlite:') ? storage.slice('sqlite:'.length) : null;
}

async function ask(storage: string, { spaceId }: Pick<Space, 'spaceId'>, sql: string): Promise<unknown[][]> {
  const folder = folderOf(storage);
  if (folder === null) {
    return withClient(storage, async (client) => (await client.query({ text: sql, rowMode: 'array' })).rows);
  }
  const db = new DatabaseSync(pathOf(folder, spaceId), { readOnly: true, timeout: 30_000 });
  try {
    const statement = db.prepare(sql);
    statement.setReturnArrays(true);
    return statement.all() as unknown as unknown[][];
  } finally {
    db.close();
  }
}
