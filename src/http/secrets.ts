/** Keeps secrets that came where none belongs out of errors and of the log: a token as an objectId, a password as a number. */

/**
 * Texts that may be a token, or the greater part of one: hexadecimal digits, as many as SHA-1 has and more. Without any
 * letter it is a number: one hash in a hundred million has 40 decimal digits and no letter.
 */
const maybeToken = /[0-9a-f]{40,}/gi;
const onlyDecimal = /^\d+$/;
/** What stands in quotation marks is quoted from a request; what is cut has no mark at its end. */
const quotation = /"(?:[^"\\]|\\.)*(?:"|\\?$)/gs;
/** What would begin a line, colour a terminal, or turn the direction of reading. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** For whoever sent it. */
export function withoutTokens(text: string): string {
  return text.replaceAll(maybeToken, (digits) => (onlyDecimal.test(digits) ? digits : '…'));
}

/** Longer ones have something in them that a client made long. */
const messageMax = 1_000;

/** For the log: nothing that a client chose, short, and on one line. */
export function withoutQuotations(text: string): string {
  const short = text.length > messageMax ? `${text.slice(0, messageMax)}…` : text;
  return withoutTokens(short.replaceAll(quotation, '"…"')).replaceAll(unprintable, ' ').toWellFormed();
}
