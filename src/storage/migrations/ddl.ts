/**
 * The vocabulary for steps of a layout, which are written once for both engines: each engine's SQL for tables, columns
 * and triggers. A released step never changes, so each word keeps its meaning
 * (`test/storage/<engine>/migrations.test.ts`).
 */

/** Each step is a list of statements; a store records how many steps it has had (`migrate`). */
export type Steps = readonly (readonly string[])[];

export interface Ddl {
  /** The name in SQL of a table or index of the store. */
  named(name: string): string;
  /** Types of columns. Text is compared by code point. */
  readonly number: string;
  readonly text: string;
  /** A column of 0 or 1, 0 unless given. */
  flag(name: string): string;
  /** The column `id`, the primary key, counting from `start` (`afterRows`); no number is reused. */
  id(start?: number): string;
  /** @param columns columns and constraints */
  table(name: string, ...columns: readonly string[]): string;
  /** The same, with rows stored in the order of their primary key if the engine supports it. */
  tableByKey(name: string, ...columns: readonly string[]): string;
  /** Statements that make the next id follow `last` in a table whose first rows have given ids. */
  afterRows(name: string, last: number): readonly string[];
  /** Statements that make the next id follow an id given to a row. */
  passedIds(name: string): readonly string[];
  /** Statements that forbid changing or deleting rows of the table. */
  appendOnly(name: string): readonly string[];
  /** Statements that create the table `installation` with its row: a random id of 32 hexadecimal digits. */
  readonly installation: readonly string[];
  /** Statements that create the table `_identity` with its row, in every store but the directory. */
  readonly identityTable: readonly string[];
  /** Statements that record in `_identity` the ids in new rows of `entry` if they are the highest so far. */
  readonly seeEntries: readonly string[];
}

export function added({ named }: Ddl, table: string, column: string): string {
  return `ALTER TABLE ${named(table)} ADD COLUMN ${column}`;
}
