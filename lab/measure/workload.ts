/** The workload of every server under test: one table of 12 columns, and records of about 300 bytes. */

export const tableName = 'Item';

export const table = {
  name: tableName,
  primary_key: 'objectId',
  columns: [
    { colName: 'sku', type: 'varchar', fieldLength: 40 },
    { colName: 'title', type: 'varchar', fieldLength: 200 },
    { colName: 'note', type: 'text' },
    { colName: 'category', type: 'varchar', fieldLength: 40 },
    { colName: 'quantity', type: 'integer' },
    { colName: 'views', type: 'long' },
    { colName: 'price', type: 'decimal', precision: 12, scale: 2 },
    { colName: 'weight', type: 'double' },
    { colName: 'active', type: 'bool' },
    { colName: 'soldAt', type: 'datetime' },
    { colName: 'city', type: 'varchar', fieldLength: 80 },
    { colName: 'country', type: 'varchar', fieldLength: 80 },
  ],
  indexes: [{ columns: ['category', 'soldAt'] }],
};

export const categoryCount = 500;

/** How many categories this many rows use, so that each has a page of 20. */
export function categoriesOf(rows: number): number {
  return Math.max(1, Math.min(categoryCount, Math.floor(rows / 20)));
}

/** Rows in each data space: fewer if there are many data spaces, but enough for pages of 20. */
export function rowsEach(rows: number, spaces: number): number {
  return spaces === 1 ? rows : Math.min(rows, 1_000, Math.max(100, Math.floor(1_000_000 / spaces)));
}

/** What a page joins: the category of an item. */
export const categoryTable = {
  name: 'Category',
  primary_key: 'objectId',
  columns: [
    { colName: 'code', type: 'varchar', fieldLength: 40 },
    { colName: 'label', type: 'varchar', fieldLength: 80 },
  ],
  indexes: [{ columns: ['code'], unique: true }],
};

export function categoryOf(number: number): Record {
  const code = `category-${number % categoryCount}`;
  return { objectId: `Category_${code}`, code, label: `The category number ${number}`, scopeType: '3' };
}

/** A page of 20 with filter, order and a join of two tables; and a count with the filter. */
export function pageForm(number: number) {
  return {
    from: { phyName: tableName, alias: 'i' },
    join: [
      {
        type: 'INNER JOIN',
        entity: categoryTable.name,
        entityAlias: 'c',
        expression: { source: '#i.category = #c.code', params: [] },
      },
    ],
    where: { expression: { source: '#i.category = ?', params: [`category-${number % categoryCount}`] } },
    orderBy: [{ column: '#i.soldAt', type: 'ASC' }],
    range: { offset: 0, limit: 20 },
  };
}

export function countForm(number: number) {
  return {
    from: { phyName: tableName, alias: 'i' },
    where: { expression: { source: '#i.category = ?', params: [`category-${number % categoryCount}`] } },
  };
}

export type Record = Readonly<globalThis.Record<string, string | null>>;

/** The n-th record; always the same for a number. */
export function recordOf(number: number, categories = categoryCount): Record {
  return {
    objectId: objectIdOf(number),
    sku: `SKU-${String(number).padStart(9, '0')}`,
    title: `Item number ${number} of the catalogue`,
    note: 'A note of ordinary length, as people write them into small business applications every day.',
    category: `category-${number % categories}`,
    quantity: String(number % 1_000),
    views: String(number * 1_000_003),
    price: `${number % 10_000}.${String(number % 100).padStart(2, '0')}`,
    weight: String((number % 977) / 8),
    active: number % 3 === 0 ? 'false' : 'true',
    soldAt: new Date(1_700_000_000_000 + number * 1_000).toISOString().replace('Z', '+00:00'),
    city: `City ${number % 2_000}`,
    country: number % 5 === 0 ? null : `Country ${number % 150}`,
    scopeType: '3',
  };
}

export function objectIdOf(number: number): string {
  return `Item_${String(number).padStart(32, '0')}`;
}

/** A record to add; the server makes the id, as is usual. */
export function newRecord(number: number): Record {
  const { objectId: _, ...rest } = recordOf(number);
  return rest;
}
