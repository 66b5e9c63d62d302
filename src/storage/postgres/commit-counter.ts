/**
 * The counter of a data space's commits, of which `_seq` of records and `seq` of tombstones are made: every batch that is
 * written gets the next number. It is one row, which a writer locks when its batches are sound and noted, before it writes
 * the first record or entry of an index, and holds until its commit; so the numbers are in the order of the commits, and
 * whoever waits for the row holds nothing that its holder could wait for (docs/explanation/commit-numbers.md).
 */

/**
 * How many numbers share a value of `block`, by which the row is found. PostgreSQL keeps every version of the row for as
 * long as a transaction is open that began before it, a dump for one. A search for a key that never changes would go
 * through all of them; this one begins at the newest block. Within a block the row's index entry stays (a HOT update).
 */
const blockSize = 1_000;

const block = (last: string) => `(${last}) / ${blockSize}`;

/**
 * Where a data space begins to count that had commits before: above the transaction numbers that `_seq` was made of till
 * then, whatever server they came from. A server that writes 100 000 transactions a second gets there in 350 years. Up to 2^53,
 * JSON and JavaScript write a number exactly.
 */
const firstOfOlder = 2n ** 50n;

/** A step of the layout (`migrations.ts`). Rows are small and change often: pruned when a tenth of the page is full. */
export const createCounter: readonly string[] = [
  `CREATE TABLE "~"._counter (block bigint PRIMARY KEY, last bigint NOT NULL) WITH (fillfactor = 10)`,
  `INSERT INTO "~"._counter (block, last) SELECT ${block('first')}, first
    FROM (SELECT CASE WHEN next_table_id > 1 THEN ${firstOfOlder} ELSE 0 END AS first FROM "~"._space) AS start`,
];

/**
 * Takes numbers and locks the counter; returns the last one of them, or nothing without the condition.
 * @param count SQL of how many
 */
export function takeNumbers(count: string, condition = 'true'): string {
  return `UPDATE "~"._counter SET last = last + ${count}, block = ${block(`last + ${count}`)}
  WHERE block >= (SELECT max(block) FROM "~"._counter) AND ${condition} RETURNING last`;
}

export const lastCommit = 'SELECT last FROM "~"._counter';

export function setLastCommit(last: number): string {
  return `UPDATE "~"._counter SET last = ${last}, block = ${block(String(last))}`;
}
