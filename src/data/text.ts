/** Text that the engines would change silently is refused everywhere (docs/reference/requests.md#bodies). */
import { malformed } from '../errors.ts';

/** @throws ServiceError `malformed` for NUL or a lone surrogate, naming the field */
export function refuseUnstorable(field: string, text: string): void {
  if (text.includes('\0')) throw malformed(field, 'the character NUL (U+0000) came, which cannot be stored.');
  if (!text.isWellFormed()) throw malformed(field, 'a lone surrogate came; send well-formed Unicode.');
}
