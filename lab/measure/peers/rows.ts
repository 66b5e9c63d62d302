/** The rows of `workload.ts` for a peer, made inside its database: through its interface, millions would take hours. */
import { withClient } from '../../machine/scratch-database.ts';
import { categoryCount, categoryOf, recordOf } from '../workload.ts';

export interface PeerTables {
  /** Column of the record's id in both tables. */
  readonly id: string;
  /** SQL of the id of the row `n`. */
  readonly idOfRow: string;
  /** Further columns of both tables, with SQL of what stands in them. */
  readonly others: Readonly<Record<string, string>>;
}

const rowsAtOnce = 100_000;

/** The columns of a record, as SQL over its number `n`; the same values as `recordOf`. */
function valuesOf(categories: number): Readonly<Record<string, string>> {
  return {
    sku: "'SKU-' || lpad(n::text, 9, '0')",
    title: "'Item number ' || n || ' of the catalogue'",
    note: `'${recordOf(0).note}'`,
    category: `'Category_category-' || n % ${categories}`,
    quantity: 'n % 1000',
    views: 'n * 1000003',
    price: 'n % 10000 + (n % 100) / 100.0',
    weight: '(n % 977) / 8.0',
    active: 'n % 3 <> 0',
    soldAt: 'to_timestamp(1700000000 + n)',
    city: "'City ' || n % 2000",
    country: "CASE WHEN n % 5 = 0 THEN NULL ELSE 'Country ' || n % 150 END",
  };
}

/**
 * All categories, since records that are added belong to any, and rows, and the index that serves the page; both tables are there
 * and empty.
 * @param categories that the rows belong to
 */
export async function fillPeer(url: string, tables: PeerTables, rows: number, categories: number): Promise<void> {
  await withClient(url, async (client) => {
    const quoted = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ');
    const others = Object.values(tables.others);
    const into = (table: string, names: readonly string[], expressions: readonly string[]) => {
      const columns = quoted([tables.id, ...Object.keys(tables.others), ...names]);
      return `INSERT INTO "${table}" (${columns}) SELECT ${expressions.join(', ')} FROM generate_series($1::bigint, $2) AS n`;
    };
    const { label } = categoryOf(0);
    const category = ["'Category_category-' || n", ...others, "'category-' || n", `rtrim('${label}', '0') || n`];
    await client.query(into('Category', ['code', 'label'], category), [0, categoryCount - 1]);
    const values = valuesOf(categories);
    const item = into('Item', Object.keys(values), [tables.idOfRow, ...others, ...Object.values(values)]);
    for (let from = 0; from < rows; from += rowsAtOnce) {
      await client.query(item, [from, Math.min(rows, from + rowsAtOnce) - 1]);
      process.stderr.write(`\rfilling a peer: ${from} of ${rows} rows `);
    }
    await client.query(`CREATE INDEX ON "Item" (${quoted(['category', 'soldAt', tables.id])})`);
    await client.query('VACUUM ANALYZE');
    process.stderr.write(`${'\r'.padEnd(50)}\r`);
  });
}
