/**
 * References of columns to tables (docs/reference/values.md#references), for tools; nothing is enforced. A reference is
 * stored as the id of the table, so it follows a rename, is hidden while its table is in the bin, and comes back with
 * it.
 */
import { malformed, quoted } from '../errors.ts';
import { didYouMean } from '../nearest.ts';
import type { Draft } from './draft.ts';
import type { Column, Table } from './model.ts';

/**
 * Makes a column refer to the named table, or to none.
 * @param path of the member that names it
 * @throws ServiceError `malformed` for an unknown table
 */
export function setReference(draft: Draft, id: number, column: string, table: string | null, path: string): void {
  const known = draft.tables;
  const target = known.find(({ name }) => name === table);
  if (table !== null && target === undefined) throw noSuchTable(table, known, path);
  draft.setReference(id, column, target?.id ?? null);
}

export function noSuchTable(name: string, tables: readonly { readonly name: string }[], path: string): Error {
  const known = tables.map((table) => table.name);
  return malformed(path, `There is no table ${quoted(name)}${didYouMean(name, known)}`);
}

/** The name of the table that the column refers to, if it is among these. */
export function referenceOf({ refersTo }: Column, tables: readonly Pick<Table, 'id' | 'name'>[]): string | undefined {
  return refersTo === undefined ? undefined : tables.find(({ id }) => id === refersTo)?.name;
}
