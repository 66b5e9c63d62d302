/**
 * Finding records by their terms on SQLite: a table of terms and ids beside the records, which triggers keep, and so whatever
 * writes a record. A record's terms stand in a column of its own, each between two spaces (`schema/terms.ts`).
 */

import type { Dialect } from '../../query/statement.ts';
import { termsIndexName } from '../layout.ts';

/** How many entries of a term are counted to find the rarest one of a query. */
const countedMax = 1_000;

export const sqliteTerms: Pick<Dialect, 'boundTerms' | 'hasTerms' | 'foundByTerms'> = {
  // JSON of texts that a record's terms have: a term between two spaces, a prefix after one.
  boundTerms: (terms) => JSON.stringify(terms.map(({ term, isPrefix }) => (isPrefix ? ` ${term}` : ` ${term} `))),
  hasTerms: (column, terms) =>
    `CASE WHEN ${column} IS NULL OR ${terms} IS NULL THEN NULL WHEN ${terms} = '[]' THEN FALSE
     ELSE NOT EXISTS (SELECT 1 FROM json_each(${terms}) WHERE instr(${column}, value) = 0) END`,
  // By the term that fewest records have; the others are looked for in these.
  foundByTerms({ table, column, terms }) {
    const index = `"${termsIndexName(table, column)}"`;
    const least = "trim(each.value, ' ')";
    const greatest = `CASE WHEN each.value LIKE '% ' THEN ${least} ELSE ${least} || char(1114111) END`;
    const counted = `SELECT count(*) FROM (SELECT 1 FROM ${index} WHERE term BETWEEN ${least} AND ${greatest} LIMIT ${countedMax})`;
    const rarest = `SELECT ${least} AS least, ${greatest} AS greatest FROM json_each(${terms}) AS each ORDER BY (${counted}) LIMIT 1`;
    return `"objectId" IN (SELECT found.id FROM (${rarest}) AS rarest CROSS JOIN ${index} AS found
      ON found.term BETWEEN rarest.least AND rarest.greatest WHERE (random() & 15 OR within_deadline_now(0)))`;
  },
};

/** Rows of the terms in a column. */
function termsIn(columnSql: string): string {
  return `json_each('["' || replace(trim(${columnSql}, ' '), ' ', '","') || '"]')`;
}

/** See `LayoutDialect.indexTerms`; all names are in quotes. */
export function indexTerms(table: string, index: string, column: string): string[] {
  const trigger = (event: string) => `"${index}_${event.toLowerCase()}"`;
  const inserted = (record: string, more = '') =>
    `INSERT INTO "${index}" SELECT value, ${record}."objectId" FROM ${termsIn(`${record}.${column}`)} WHERE value <> ''${more}`;
  const without = (record: string) => `SELECT value FROM ${termsIn(`${record}.${column}`)}`;
  const deleted = `DELETE FROM "${index}" WHERE id = OLD."objectId" AND term IN (${without('OLD')}`;
  return [
    `CREATE TABLE "${index}" (term TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (term, id)) STRICT, WITHOUT ROWID`,
    `INSERT INTO "${index}" SELECT each.value, record."objectId"
      FROM ${table} AS record, ${termsIn(`record.${column}`)} AS each WHERE each.value <> '' ORDER BY 1, 2`,
    `CREATE TRIGGER ${trigger('INSERT')} AFTER INSERT ON ${table} WHEN NEW.${column} IS NOT NULL
      BEGIN ${inserted('NEW')}; END`,
    `CREATE TRIGGER ${trigger('DELETE')} AFTER DELETE ON ${table} WHEN OLD.${column} IS NOT NULL
      BEGIN ${deleted}); END`,
    `CREATE TRIGGER ${trigger('UPDATE')} AFTER UPDATE OF ${column} ON ${table} WHEN NEW.${column} IS NOT OLD.${column}
      BEGIN ${deleted} EXCEPT ${without('NEW')}); ${inserted('NEW', ` EXCEPT SELECT value, NEW."objectId" FROM (${without('OLD')})`)}; END`,
  ];
}

/** See `LayoutDialect.unindexTerms`. */
export function unindexTerms(index: string): string[] {
  const triggers = ['insert', 'delete', 'update'].map((event) => `DROP TRIGGER "${index}_${event}"`);
  return [...triggers, `DROP TABLE "${index}"`];
}
