/**
 * The counter of a data space's commits, the source of `_seq` of records and `seq` of tombstones: every written batch
 * gets the next number. It is one row, which a writer locks when its batches are valid and entered in the history,
 * before it writes the first record or index entry, and holds until its commit. So the numbers are in commit order, and
 * a writer waiting for the row holds nothing that its holder could wait for (docs/explanation/commit-numbers.md).
 */

/**
 * How many numbers share a value of `block`, by which the row is found. PostgreSQL keeps all versions of the row since
 * the start of the oldest open transaction, such as a dump. A search for a constant key would visit all of them; this
 * one begins at the newest block. Within a block the row's index entry stays (a HOT update).
 */
const blockSize = 1_000;

const block = (last: string) => `(${last}) / ${blockSize}`;

/**
 * The start of the counter in a data space that already has commits: above the transaction numbers that `_seq` was made
 * from before, whatever their server. A server with 100 000 transactions a second would reach it in 350 years. JSON and
 * JavaScript write numbers up to 2^53 exactly.
 */
const firstOfOlder = 2n ** 50n;

/**
 * A step of the layout (`migrations.ts`). The row is small and changes often: old versions are pruned when a tenth of
 * the page is full.
 */
export const createCounter: readonly string[] = [
  `CREATE TABLE "~"._counter (block bigint PRIMARY KEY, last bigint NOT NULL) WITH (fillfactor = 10)`,
  `INSERT INTO "~"._counter (block, last) SELECT ${block('first')}, first
    FROM (SELECT CASE WHEN next_table_id > 1 THEN ${firstOfOlder} ELSE 0 END AS first FROM "~"._space) AS start`,
];

/**
 * Takes numbers and locks the counter; returns the last of them, or nothing if the condition is false.
 * @param count SQL of their number
 */
export function takeNumbers(count: string, condition = 'true'): string {
  return `UPDATE "~"._counter SET last = last + ${count}, block = ${block(`last + ${count}`)}
  WHERE block >= (SELECT max(block) FROM "~"._counter) AND ${condition} RETURNING last`;
}

export const lastCommit = 'SELECT last FROM "~"._counter';

export function setLastCommit(last: number): string {
  return `UPDATE "~"._counter SET last = ${last}, block = ${block(String(last))}`;
}
