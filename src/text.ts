/** Checks text: what an engine would change silently is refused in every input (docs/reference/requests.md#bodies). */
import { malformed } from './errors.ts';

const encoder = new TextEncoder();

/** The bytes of well-formed text as UTF-8. Browsers, which have no Buffer, count them by encoding the text. */
export const byteLength: (text: string) => number =
  typeof Buffer === 'undefined' ? (text) => encoder.encode(text).length : Buffer.byteLength;

/** False for text with a NUL or an unpaired surrogate. */
export function isWellFormed(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** @throws ServiceError `malformed` for NUL or an unpaired surrogate, naming the field */
export function refuseUnstorable(field: string, text: string): void {
  if (!isWellFormed(text)) throw malformed(field, 'expected text without NUL characters and unpaired surrogates.');
}

/** False for text with a control character, which upsets terminals, or an unpaired surrogate. */
export function isPrintable(text: string): boolean {
  return !/\p{Cc}|\p{Cs}/u.test(text);
}

/** @throws ServiceError `malformed`, naming the field */
export function refuseUnprintable(field: string, text: string): void {
  if (!isPrintable(text)) throw malformed(field, 'expected text without control characters and unpaired surrogates.');
}
