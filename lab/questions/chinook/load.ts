/** Defines the store's tables and adds its rows over HTTP, a batch at a time, as a client would that moves in. */
import type { Service } from './service.ts';
import { objectIdOf, rowCount, type Store } from './store.ts';
import { type TableName, tableNames, tables } from './tables.ts';

const batchSize = 500;

/** Told after every batch. */
export type Progress = (table: TableName, added: number, of: number) => void;

export interface Loaded {
  readonly rows: number;
  readonly milliseconds: number;
}

/** @throws Error when a definition or a batch is refused, or an answer does not tell the ids that were sent */
export async function loadStore(service: Service, store: Store, progress: Progress): Promise<Loaded> {
  await service.post('schemas', { tables });
  const started = performance.now();
  for (const table of tableNames) await loadTable(service, table, store, progress);
  return { rows: rowCount(store), milliseconds: performance.now() - started };
}

async function loadTable(service: Service, table: TableName, store: Store, progress: Progress): Promise<void> {
  const rows = store[table];
  for (let from = 0; from < rows.length; from += batchSize) {
    const data = rows.slice(from, from + batchSize).map((row) => ({ objectId: objectIdOf(table, row), ...row }));
    const body = { transactionId: `chinook-${table}-${from}`, objectName: table, data };
    const answer = (await service.post('data/batch/addData', body)) as { results: { objectId: string }[] };
    const isWhole = answer.results.length === data.length;
    if (!isWhole || answer.results.some(({ objectId }, index) => objectId !== data[index]?.objectId)) {
      throw new Error(
        `${table}, batch from row ${from}: the answer does not tell the ids that were sent, in their order.`,
      );
    }
    progress(table, from + data.length, rows.length);
  }
}
