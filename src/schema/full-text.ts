/**
 * Full text of columns (docs/reference/full-text.md). A column has full text if its table has a hidden column with its
 * terms, which every write fills (`terms.ts`) and by which the engine finds records. The hidden column is named by the
 * number of the column, so it follows a rename, and goes into the bin and comes back with the column.
 */
import { malformed } from '../errors.ts';
import { typeText } from './column-type.ts';
import type { Draft } from './draft.ts';
import type { Column, ColumnSlot, ColumnType, FullText, Table } from './model.ts';
import { termsName } from './names.ts';

/** @param hidden columns of the same table */
export function fullTextOf(slots: Iterable<ColumnSlot>, hidden: readonly Column[]): readonly FullText[] {
  if (hidden.length === 0) return [];
  return [...slots].flatMap((slot) => {
    const terms = termsOf(hidden, slot.column);
    return terms === undefined ? [] : [{ slot, terms }];
  });
}

/** The column that holds the terms of another one, if it has full text. @param columns of the table */
export function termsOf(columns: readonly Column[], { number }: Pick<Column, 'number'>): Column | undefined {
  return number === undefined ? undefined : columns.find(({ name }) => name === termsName(number));
}

/** A new column for the terms of another one. @param own the number of the new column */
export function newTerms({ number }: Column, own: number): Column {
  const name = termsName(number as number);
  return { name, stored: `${name}_${own}`, type: { kind: 'text' }, required: false, system: false, number: own };
}

export function hasFullText({ fullText }: Pick<Table, 'fullText'>, { name }: Column): boolean {
  return fullText.some(({ slot }) => slot.column.name === name);
}

/**
 * Gives a text column full text, or removes it; does nothing if that is already so.
 * @param path of the member that requests it
 */
export function setFullText(draft: Draft, id: number, name: string, wanted: boolean, path: string): void {
  const { columns } = draft.table(id);
  const column = columns.find((each) => each.name === name) as Column;
  const terms = termsOf(columns, column);
  if (wanted) refuseWithoutText(name, column.type, path);
  if (wanted && terms === undefined) draft.addFullText(id, column, path);
  if (!wanted && terms !== undefined) draft.dropFullText(id, terms);
}

export function mayHaveFullText({ kind }: ColumnType): boolean {
  return kind === 'varchar' || kind === 'text';
}

/** @throws ServiceError `malformed` for a type that is not text */
export function refuseWithoutText(name: string, type: ColumnType, path: string): void {
  if (mayHaveFullText(type)) return;
  throw malformed(path, `The column "${name}" is ${typeText(type)}; only varchar and text have full text.`);
}
