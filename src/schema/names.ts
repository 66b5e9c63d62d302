/** Which names tables and columns may have. */

const nameLengthMax = 63;

/** The form of a name, for error messages. */
export const nameForm = `a letter, then letters, digits or _, at most ${nameLengthMax} characters in all`;

/**
 * True for `[A-Za-z][A-Za-z0-9_]{0,62}` (docs/reference/values.md#names). Names of our own begin with `_`, so they never
 * clash.
 */
export function isName(text: string): boolean {
  return /^[A-Za-z][A-Za-z0-9_]{0,62}$/.test(text);
}
