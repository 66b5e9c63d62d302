/**
 * The rows of `workload.ts` for a peer, written directly to its database, because millions would take hours through its
 * interface.
 */
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { withClient } from '../../machine/client.ts';
import { clearProgress, showProgress } from '../../machine/progress.ts';
import { categoriesOf, categoryCount, categoryOf, recordOf } from '../workload.ts';
import { itemOf } from './rest.ts';

/** The existing, empty tables of a peer, and the columns of a row in each. */
export interface PeerTables {
  readonly item: string;
  readonly category: string;
  itemRow(number: number, item: ReturnType<typeof itemOf>): object;
  categoryRow(number: number, category: { readonly code: string; readonly label: string }): object;
}

const rowsAtOnce = 10_000;

/**
 * All categories, because added records may belong to any; and the rows, spread over as many categories as leave pages
 * of 20.
 */
function* batchesOf(tables: PeerTables, rows: number): Generator<readonly [table: string, rows: readonly object[]]> {
  const categories = Array.from({ length: categoryCount }, (_, number) => {
    const { code, label } = categoryOf(number);
    return tables.categoryRow(number, { code: String(code), label: String(label) });
  });
  yield [tables.category, categories];
  for (let from = 0; from < rows; from += rowsAtOnce) {
    const numbers = Array.from({ length: Math.min(rowsAtOnce, rows - from) }, (_, index) => from + index);
    yield [tables.item, numbers.map((number) => tables.itemRow(number, itemOf(recordOf(number, categoriesOf(rows)))))];
    showProgress(`filling a peer: ${from} of ${rows} rows`);
  }
  clearProgress();
}

const namesOf = (row: object | undefined) => Object.keys(row ?? {}).map((name) => `"${name}"`);

/** Fills the tables of a stopped peer with an SQLite file. */
export function fillFile(path: string, tables: PeerTables, rows: number): void {
  const db = new DatabaseSync(path);
  db.exec('PRAGMA synchronous = OFF');
  for (const [table, batch] of batchesOf(tables, rows)) {
    const names = namesOf(batch[0]);
    const insert = db.prepare(`INSERT INTO "${table}" (${names}) VALUES (${names.map(() => '?')})`);
    db.exec('BEGIN');
    for (const row of batch) insert.run(...(Object.values(row) as SQLInputValue[]));
    db.exec('COMMIT');
  }
  db.exec('ANALYZE');
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
}

/**
 * Fills the tables of a peer on PostgreSQL, and creates the index for the page.
 * @param id the column of an item's id
 */
export async function fillDatabase(url: string, tables: PeerTables, id: string, rows: number): Promise<void> {
  await withClient(url, async (client) => {
    for (const [table, batch] of batchesOf(tables, rows)) {
      const names = namesOf(batch[0]);
      const source = `jsonb_populate_recordset(NULL::"${table}", $1)`;
      await client.query(`INSERT INTO "${table}" (${names}) SELECT ${names} FROM ${source}`, [JSON.stringify(batch)]);
    }
    await client.query(`CREATE INDEX ON "${tables.item}" (category, "soldAt", "${id}")`);
    await client.query('VACUUM ANALYZE');
  });
}
