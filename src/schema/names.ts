/** Valid names of tables and columns, and their names in the database. */

const nameLengthMax = 63;

/** The form of a name, for error messages. */
export const nameForm = `a letter, then letters, digits or _, at most ${nameLengthMax} characters in all`;

/**
 * True for `[A-Za-z][A-Za-z0-9_]{0,62}` (docs/reference/values.md#names). Internal names begin with `_`, so they never
 * clash.
 */
export function isName(text: string): boolean {
  return /^[A-Za-z][A-Za-z0-9_]{0,62}$/.test(text);
}

/** The name of a table or column in the database, before an engine replaces one that it reserves. */
export function storedName({ name, stored }: { readonly name: string; readonly stored?: string }): string {
  return stored ?? name;
}

/** The catalogue's name for a table or column in the bin, which no request can use. */
export function binName(id: number): string {
  return `_bin_${id}`;
}

export function isInBin(name: string): boolean {
  return name.startsWith('_bin_');
}

/**
 * The catalogue's name for the column with the terms of another one (`full-text.ts`).
 * @param number of the other column
 */
export function termsName(number: number): string {
  return `_terms_${number}`;
}

export function isOfTerms(name: string): boolean {
  return name.startsWith('_terms_');
}

/** Whether it is hidden from requests: it is in the bin, or holds terms. */
export function isHidden(name: string): boolean {
  return name.startsWith('_');
}
