/** Fills a data space's file with millions of rows, in SQL, while no service has it open. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { clearProgress, showProgress } from '../machine/progress.ts';
import { categoryCount, tableName } from './workload.ts';

/** Every thousandth row belongs to the second group, all others to the first one. */
export const fewEvery = 1_000;

const rowsAtOnce = 100_000;

export function fillLarge(folder: string, file: string, rows: number): void {
  const db = new DatabaseSync(join(folder, 'spaces', file));
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA cache_size = -400000');
  const insert = db.prepare(`
    WITH RECURSIVE numbers (n) AS (SELECT ?1 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ?2)
    INSERT INTO "${tableName}" ("objectId", "serverCreateTime", "serverUpdateTime", "serverRecordStatus", "scopeType",
      "groupIds", "createUserId", "sku", "title", "note", "category", "quantity", "views", "price", "weight", "active",
      "soldAt", "city", "country", "_audience", "_seq")
    SELECT printf('${tableName}_%032d', n), 1700000000000 + n, 1700000000000 + n, 1, 2,
      iif(n % ${fewEvery} = 7, '{2}', '{1}'), 1, printf('SKU-%09d', n), 'Item number ' || n || ' of the catalogue',
      'A note of ordinary length, as people write them into small business applications every day.',
      'category-' || (n % ${categoryCount}), n % 1000, n * 1000003, n % 1000000, (n % 977) / 8.0, n % 3 <> 0,
      1700000000000 + n * 1000, 'City ' || (n % 2000), iif(n % 5 = 0, NULL, 'Country ' || (n % 150)),
      iif(n % ${fewEvery} = 7, 'g2', 'g1'), 1
    FROM numbers`);
  for (let from = 0; from < rows; from += rowsAtOnce) {
    // As bigint, because node:sqlite binds a number as floating-point, whose text is "7.0".
    insert.run(BigInt(from), BigInt(Math.min(rows, from + rowsAtOnce)));
    showProgress(`filling: ${from} of ${rows} rows`);
  }
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
  clearProgress();
}
