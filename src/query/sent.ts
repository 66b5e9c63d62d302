/** Values in a query's JSON: text, number, boolean or null, each taken as the text that it stands for. */
import { quoted, ServiceError } from '../errors.ts';
import { inexact, isExact } from '../schema/numbers.ts';
import { isWellFormed } from '../text.ts';

/**
 * The text of a value for a `?`; null stays null.
 * @throws ServiceError 132
 */
export function sentText(value: unknown, field: string): string | null {
  if (value === null) return null;
  if (typeof value === 'string') {
    if (isWellFormed(value)) return value;
    throw new ServiceError(132, `${field}: the text has a NUL character or an unpaired surrogate.`);
  }
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'number') {
    throw new ServiceError(132, `${field}: expected a string or null, got ${quoted(value)}.`);
  }
  if (!isExact(value)) throw new ServiceError(132, `${field}: ${inexact(value)}`);
  return String(value);
}
