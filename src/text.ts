/** Text that an engine would change silently is refused in every input (docs/reference/requests.md#bodies). */
import { malformed } from './errors.ts';

/** False for text with a NUL or an unpaired surrogate. */
export function isWellFormed(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** @throws ServiceError `malformed` for NUL or an unpaired surrogate, naming the field */
export function refuseUnstorable(field: string, text: string): void {
  if (text.includes('\0'))
    throw malformed(field, 'expected text without the character NUL (U+0000), which cannot be stored.');
  if (!text.isWellFormed()) throw malformed(field, 'expected well-formed Unicode, got an unpaired surrogate.');
}
