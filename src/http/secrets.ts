/** Keeps secrets that came where none belongs out of errors and of the log: a token as an objectId, a password as a number. */

/** Texts that may be a token, or the greater part of one: hexadecimal digits, as many as SHA-1 has and more. */
const maybeToken = /[0-9a-f]{40,}/gi;
/** What stands in quotation marks is quoted from a request; what is cut has no mark at its end. */
const quotation = /"(?:[^"\\]|\\.)*(?:"|\\?$)/gs;

/** For whoever sent it. */
export function withoutTokens(text: string): string {
  return text.replaceAll(maybeToken, '…');
}

/** For the log: nothing that a client chose. */
export function withoutQuotations(text: string): string {
  return withoutTokens(text.replaceAll(quotation, '"…"'));
}
