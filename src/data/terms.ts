/** The terms of full text that a write stores with a record (`schema/full-text.ts`). */
import type { FullText, StoredValue } from '../schema/model.ts';
import { storedTerms } from '../schema/terms.ts';
import { ValueError } from '../schema/values.ts';
import { ItemFault } from './item.ts';

/** What is stored for a value of a column with full text. @throws ItemFault where it has too many terms */
export function termsValue({ slot: { column } }: FullText, value: StoredValue | undefined): StoredValue {
  if (typeof value !== 'string') return null;
  try {
    return storedTerms(value);
  } catch (error) {
    if (error instanceof ValueError) throw new ItemFault(column.name, error.message);
    throw error;
  }
}
