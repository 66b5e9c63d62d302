/** The rows of `workload.ts` for a peer that keeps them in an SQLite file: written into it while the peer is not running. */
import { DatabaseSync } from 'node:sqlite';
import { categoryCount, categoryOf, recordOf } from '../workload.ts';

export interface FileTables {
  readonly item: string;
  readonly category: string;
  /** SQL of the id of the row `n`, and of the category `n`. */
  readonly idOfRow: string;
  readonly idOfCategory: string;
  /** SQL of the time of sale, of `at`, seconds since 1970. */
  readonly soldAt: string;
  /** SQL of a country that isn't known. */
  readonly noCountry: string;
}

const rowsAtOnce = 100_000;

/** Everyone may see each record, as in the service's own data. */
export const everyone = 'all';

/**
 * Categories and rows; both tables are there and empty.
 * @param categories that the rows belong to
 */
export function fillFile(path: string, tables: FileTables, rows: number, categories: number): void {
  const db = new DatabaseSync(path);
  db.exec('PRAGMA synchronous = OFF');
  const numbers = 'WITH RECURSIVE numbers (n) AS (SELECT ?1 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ?2)';
  const insert = (table: string, values: Readonly<Record<string, string>>) => {
    const names = Object.keys(values).map((name) => `"${name}"`);
    const ofNumbers = `SELECT ${Object.values(values).join(', ')} FROM (SELECT n, 1700000000 + n AS at FROM numbers)`;
    return db.prepare(`INSERT INTO "${table}" (${names.join(', ')}) ${numbers} ${ofNumbers}`);
  };
  const label = categoryOf(0).label?.replace(/0$/, '');
  const category = { id: tables.idOfCategory, code: "'category-' || n", label: `'${label}' || n` };
  // As whole numbers: node:sqlite binds a number as a floating-point one, whose text is "7.0".
  // All of them, since records that are added belong to any.
  insert(tables.category, category).run(0n, BigInt(categoryCount));
  const item = insert(tables.item, {
    id: tables.idOfRow,
    sku: "printf('SKU-%09d', n)",
    title: "'Item number ' || n || ' of the catalogue'",
    note: `'${recordOf(0).note}'`,
    category: tables.idOfCategory.replace(/\bn\b/, `(n % ${categories})`),
    quantity: 'n % 1000',
    views: 'n * 1000003',
    price: 'n % 10000 + (n % 100) / 100.0',
    weight: '(n % 977) / 8.0',
    active: 'n % 3 <> 0',
    soldAt: tables.soldAt,
    city: "'City ' || (n % 2000)",
    country: `iif(n % 5 = 0, ${tables.noCountry}, 'Country ' || (n % 150))`,
    audience: `'${everyone}'`,
  });
  for (let from = 0; from < rows; from += rowsAtOnce) item.run(BigInt(from), BigInt(Math.min(rows, from + rowsAtOnce)));
  db.exec('ANALYZE');
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
}
