/** Arrays as PostgreSQL reads them from text: how many values of one column travel as one parameter. */

/** @param values as text, null for NULL */
export function arrayText(values: readonly (string | null)[]): string {
  let text = '{';
  for (let index = 0; index < values.length; index++) {
    const value = values[index] as string | null;
    if (index > 0) text += ',';
    text += value === null ? 'NULL' : elementText(value);
  }
  return `${text}}`;
}

function elementText(value: string): string {
  const isPlain = !value.includes('"') && !value.includes('\\');
  return `"${isPlain ? value : value.replace(/["\\]/g, '\\$&')}"`;
}
