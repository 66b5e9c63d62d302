/** Resolves names in requested changes at their position in the list, and refuses unknown and taken ones. */
import { malformed, quoted } from '../errors.ts';
import { didYouMean } from '../nearest.ts';
import type { DefinitionLimits } from './definition.ts';
import type { Draft, DraftAuthor } from './draft.ts';
import type { BinEntry, Column, Index, NumberedTable } from './model.ts';
import { isHidden } from './names.ts';
import { noSuchTable } from './references.ts';

export interface EvolveOptions {
  readonly limits: DefinitionLimits;
  readonly author: DraftAuthor;
}

/** The context of one change. */
export interface Context extends EvolveOptions {
  readonly draft: Draft;
  /** The path of the change, for errors. */
  readonly path: string;
  /** The path of the later change that adds the table. */
  laterPath(table: string): string | undefined;
}

export function entryOf({ draft, path }: Context, id: number): BinEntry {
  const entry = draft.bin.find((each) => each.id === id);
  if (entry !== undefined) return entry;
  throw malformed(`${path}.id`, `The bin has no entry ${id}; GET {prefix}/schemas/bin lists what it has.`);
}

export function tableOf(context: Context, name: string): NumberedTable {
  const { draft, path } = context;
  const found = draft.tables.find((table) => table.name === name);
  if (found !== undefined) return found;
  refuseLater(context, name, `${path}.table`);
  throw noSuchTable(name, draft.tables, `${path}.table`);
}

/**
 * @param advice added to the error
 * @throws ServiceError `malformed` for a table that does not exist yet, but that a later change adds
 */
export function refuseLater({ draft, laterPath }: Context, name: string, path: string, advice = ''): void {
  if (draft.tables.some((table) => table.name === name)) return;
  const later = laterPath(name);
  if (later === undefined) return;
  throw malformed(path, `There is no table ${quoted(name)} yet; put ${later}, which adds it, first.${advice}`);
}

export function columnOf({ path }: Context, table: NumberedTable, name: string): Column {
  const found = table.columns.find((column) => column.name === name);
  if (found !== undefined) return found;
  throw malformed(
    `${path}.column`,
    `The table "${table.name}" has no column ${quoted(name)}${didYouMean(name, namesOf(table))}`,
  );
}

export function noSuchIndex({ name, indexes }: NumberedTable, { columns, unique }: Index, path: string): Error {
  const known = indexes.map((index) => `${index.unique ? 'unique ' : ''}${index.columns.join(', ')}`);
  const list = known.length === 0 ? 'it has none' : `it has ${known.join('; ')}`;
  return malformed(
    path,
    `The table "${name}" has no ${unique ? 'unique ' : ''}index on ${columns.join(', ')}; ${list}.`,
  );
}

/** Names must differ in more than case. */
export function refuseTaken(
  { path }: Context,
  name: string,
  taken: readonly string[],
  field: string,
  advice = '',
): void {
  const other = taken.find((each) => each.toLowerCase() === name.toLowerCase());
  if (other === undefined) return;
  throw malformed(`${path}.${field}`, `The name "${name}" is taken${other === name ? '' : ` by "${other}"`}.${advice}`);
}

export function withoutBin(table: NumberedTable): NumberedTable {
  return { ...table, columns: table.columns.filter(({ name }) => !isHidden(name)) };
}

export function namesOf(table: NumberedTable): string[] {
  return withoutBin(table).columns.map(({ name }) => name);
}

export function otherNames(all: readonly NumberedTable[], { id }: NumberedTable): string[] {
  return all.filter((table) => table.id !== id).map(({ name }) => name);
}
