/**
 * The words in which steps of a layout are written once for both engines: what an engine says in its own way of tables,
 * columns and triggers. A step that was released never changes, so a word that one uses keeps its meaning
 * (`test/storage/<engine>/migrations.test.ts`).
 */

/** Each step is a list of statements; a store has a number of steps behind it (`migrate`). */
export type Steps = readonly (readonly string[])[];

export interface Ddl {
  /** A table or index of the store, as SQL names it. */
  named(name: string): string;
  /** Types of columns. Text is compared by code point. */
  readonly number: string;
  readonly text: string;
  /** A column of 0 or 1, 0 unless given. */
  flag(name: string): string;
  /** The column `id`, the primary key, counted up from `start` (`afterRows`); no number is used twice. */
  id(start?: number): string;
  /** @param columns and constraints */
  table(name: string, ...columns: readonly string[]): string;
  /** The same, of rows that lie in the order of their primary key where the engine can do that. */
  tableByKey(name: string, ...columns: readonly string[]): string;
  /** What makes the next id come after `last` in a table whose first rows have ids of their own. */
  afterRows(name: string, last: number): readonly string[];
  /** What makes the next id come after one that a row was given. */
  passedIds(name: string): readonly string[];
  /** What refuses to change or delete rows of the table. */
  appendOnly(name: string): readonly string[];
  /** What makes the table `installation` with its row: a random id of 32 hexadecimal digits. */
  readonly installation: readonly string[];
  /** What makes the table `_identity` with its row: of every store but the directory. */
  readonly identityTable: readonly string[];
  /** What notes in `_identity` the ids that new rows of `entry` name, where they are higher than any before. */
  readonly seeEntries: readonly string[];
}

export function added({ named }: Ddl, table: string, column: string): string {
  return `ALTER TABLE ${named(table)} ADD COLUMN ${column}`;
}
