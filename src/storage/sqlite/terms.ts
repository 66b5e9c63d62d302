/**
 * Finds records by their terms on SQLite, with a separate table of terms and ids. The record itself has its terms in a
 * hidden column, each between two spaces (`schema/terms.ts`).
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Dialect } from '../../query/statement.ts';
import { termsIndexName } from '../layout.ts';
import { randomDeadline } from './deadline.ts';

/** The most entries counted, for all terms together, to find a query's rarest term; this takes a millisecond. */
const countedMax = 20_000;

export const sqliteTerms: Pick<Dialect, 'boundTerms' | 'hasTerms' | 'foundByTerms'> = {
  // JSON of texts that a record's terms must contain: a term between two spaces, a prefix after one.
  boundTerms: (terms) => JSON.stringify(terms.map(({ term, isPrefix }) => (isPrefix ? ` ${term}` : ` ${term} `))),
  hasTerms: (column, terms) =>
    `CASE WHEN ${column} IS NULL OR ${terms} IS NULL THEN NULL WHEN ${terms} = '[]' THEN FALSE
     ELSE NOT EXISTS (SELECT 1 FROM json_each(${terms}) WHERE instr(${column}, value) = 0) END`,
  // By the term that the fewest records have, or the longest one if there are many; the other terms are then checked in
  // these records. The condition on time refers to an entry, so that it is evaluated for each and not once.
  foundByTerms({ table, column, terms }) {
    const index = `"${termsIndexName(table, column)}"`;
    const least = "trim(each.value, ' ')";
    const greatest = `CASE WHEN each.value LIKE '% ' THEN ${least} ELSE ${least} || char(1114111) END`;
    const counted = `SELECT count(*) FROM (SELECT 1 FROM ${index} WHERE term BETWEEN ${least} AND ${greatest} LIMIT ${countedMax} / json_array_length(${terms}))`;
    const rarest = `SELECT ${least} AS least, ${greatest} AS greatest FROM json_each(${terms}) AS each ORDER BY (${counted}), length(each.value) DESC LIMIT 1`;
    return `"objectId" IN (SELECT found.id FROM (${rarest}) AS rarest CROSS JOIN ${index} AS found
      ON found.term BETWEEN rarest.least AND rarest.greatest WHERE ${randomDeadline('length(found.id)')})`;
  },
};

/** See `LayoutDialect.indexTerms`; table and column are in quotes. */
export function indexTerms(table: string, index: string, column: string): string[] {
  const terms = `json_each('["' || replace(trim(record.${column}, ' '), ' ', '","') || '"]')`;
  return [
    `CREATE TABLE "${index}" (term TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (term, id)) STRICT, WITHOUT ROWID`,
    `INSERT INTO "${index}" SELECT each.value, record."objectId"
      FROM ${table} AS record, ${terms} AS each WHERE each.value <> '' ORDER BY 1, 2`,
  ];
}

/**
 * Updates the terms of one column as its records are written. Each term has its own statement, because a statement that
 * writes several rows has a savepoint, which within a batch's savepoint takes longer the more the batch has written:
 * triggers took 300 times as long for a batch of 1 000.
 */
export class TermEntries {
  readonly #add: StatementSync;
  readonly #remove: StatementSync;

  constructor(db: DatabaseSync, index: string) {
    this.#add = db.prepare(`INSERT OR IGNORE INTO "${index}" (term, id) VALUES (?1, ?2)`);
    this.#remove = db.prepare(`DELETE FROM "${index}" WHERE term = ?1 AND id = ?2`);
  }

  /** @param before and after are the column's content in the record, null for none */
  change(objectId: string, before: string | null, after: string | null): void {
    const was = new Set(termsIn(before));
    const is = new Set(termsIn(after));
    for (const term of was) if (!is.has(term)) this.#remove.run(term, objectId);
    for (const term of is) if (!was.has(term)) this.#add.run(term, objectId);
  }
}

function termsIn(stored: string | null): readonly string[] {
  const terms = stored?.trim() ?? '';
  return terms === '' ? [] : terms.split(' ');
}
