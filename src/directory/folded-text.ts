/**
 * Text compared without regard to the case of A to Z: the only file whose SQL folds text
 * (`test/structure/folded-text.test.ts`). The database folds a column's text: SQLite's `lower` changes only these
 * letters, and so does PostgreSQL's in the collation "C", which every text column has. Compared values are folded here,
 * because a database folds a bound value by its own collation, and some collations also fold Ä.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely';

/** The column's text with a to z for A to Z. @param column with its table where a query joins several: `user.account` */
export function folded(column: string): RawBuilder<string> {
  return sql`lower(${sql.ref(column)})`;
}

/** Whether the column has this text. An index on the folded column serves it. */
export function isFolded(column: string, text: string): RawBuilder<SqlBool> {
  return sql`${folded(column)} = ${asciiLower(text)}`;
}

/** Whether the column contains this text. */
export function hasFolded(column: string, part: string): RawBuilder<SqlBool> {
  const pattern = `%${asciiLower(part).replaceAll(/[\\%_]/g, '\\$&')}%`;
  return sql`${folded(column)} like ${pattern} escape '\\'`;
}

function asciiLower(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}
