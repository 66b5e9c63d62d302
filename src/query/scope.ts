/**
 * Restricts every table of a query to what the caller may see (docs/reference/queries.md#visibility): each reference
 * becomes a sub-select that holds only the visible records, so joins of every kind and counts stay correct. Only here
 * does the name of a data table enter a statement that reads.
 */
import type { Column, Table } from '../schema/model.ts';
import { storedName } from '../schema/names.ts';
import type { Dialect, WalkedIndex } from './statement.ts';

/** Our own column, in addition to those of the definition: who may see the record (`schema/audience.ts`). */
const audience = '_audience';

export interface Narrowed {
  /** What is selected besides the columns. */
  readonly rowNumber?: string | null;
  /** A further condition on the table's own columns. */
  readonly found?: string | null;
}

/**
 * `(SELECT <columns> FROM <table> WHERE <in time> AND <visible>) AS <name>`.
 * @param columns those that the query needs, at least one
 * @param members placeholder of the caller's audiences
 * @param isAlone whether it is the only table; a joined table is found by its join columns, with one look-up for each
 * row instead of one for each row and audience
 */
export function visibleRecords(
  table: Table,
  columns: readonly Column[],
  name: string,
  members: string,
  isAlone: boolean,
  dialect: Dialect,
  { rowNumber = null, found = null }: Narrowed = {},
): string {
  const physical = dialect.table(storedName(table));
  const names = columns.map((column) => dialect.column(storedName(column)));
  const list = (rowNumber === null ? names : [...names, rowNumber]).join(', ');
  const visible = dialect.visible(dialect.column(audience), members, isAlone);
  // The time limit comes first, so that a long scan can be stopped even if the other conditions are false for every
  // row.
  const conditions = [dialect.withinDeadline(physical, isAlone), visible, found].filter(
    (condition) => condition !== null,
  );
  return `(SELECT ${list} FROM ${physical} WHERE ${conditions.join(' AND ')}) AS ${name}`;
}

/** Rows with the number and a value of each visible record that meets a condition. */
export function computedForVisible(
  table: Table,
  name: string,
  members: string,
  computed: { readonly rowNumber: string; readonly value: string; readonly condition: string | null },
  dialect: Dialect,
): string {
  const { rowNumber, value, condition } = computed;
  const visible = dialect.visible(`${name}.${dialect.column(audience)}`, members, true);
  const terms = [dialect.withinDeadline(name, true), visible, condition === null ? null : `(${condition})`];
  const where = terms.filter((term) => term !== null).join(' AND ');
  return `SELECT ${rowNumber}, ${value} FROM ${dialect.table(storedName(table))} AS ${name} WHERE ${where}`;
}

/** What to take from each audience: the first rows, in an order, that meet a condition on the table's alias. */
export interface AudiencePage {
  readonly columns: readonly Column[];
  readonly condition: string | null;
  readonly order: string;
  /** SQL for the number of rows. */
  readonly rows: string;
  readonly walked: WalkedIndex | null;
}

/** The FROM item, under the given name: the first visible records of each audience that the caller belongs to. */
export function firstOfEachAudience(
  table: Table,
  name: string,
  members: string,
  page: AudiencePage,
  dialect: Dialect,
): string {
  const { condition, order, rows, walked } = page;
  const ofAudience = `${name}.${dialect.column(audience)} = m.audience`;
  const conditions = [dialect.withinDeadline(name, true), ofAudience, condition === null ? null : `(${condition})`];
  const where = conditions.filter((term) => term !== null).join(' AND ');
  const columns = page.columns.map((column) => `${name}.${dialect.column(storedName(column))}`).join(', ');
  const physical = dialect.table(storedName(table));
  return dialect.firstOfEach({ table: physical, name, columns, members, where, order, rows, walked });
}

/**
 * The dialect for a caller who sees every record of the data space; never a client (`data/visibility.ts`). The members
 * are still bound.
 */
export function withoutScope(dialect: Dialect): Dialect {
  const visible = (_audience: string, members: string) => `${members} IS NOT NULL`;
  return { ...dialect, visible, visibleRecord: visible };
}

/** `FROM <table> WHERE <objectId = placeholder> AND <visible>`: at most one record, so it needs no time limit. */
export function visibleRecord(table: Table, objectId: string, members: string, dialect: Dialect): string {
  const visible = dialect.visibleRecord(dialect.column(audience), members);
  return `FROM ${dialect.table(storedName(table))} WHERE ${dialect.column('objectId')} = ${objectId} AND ${visible}`;
}
