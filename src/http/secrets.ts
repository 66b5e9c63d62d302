/**
 * Keeps misplaced secrets out of errors and the log, such as a token sent as an objectId, or a password sent as a
 * number.
 */

/**
 * Text that may be a token or most of one: as many hexadecimal digits as SHA-1 has, or more. Text without a letter
 * counts as a number: one hash in a hundred million has 40 decimal digits and no letter.
 */
const maybeToken = /[0-9a-f]{40,}/gi;
const onlyDecimal = /^\d+$/;
/** Text in quotation marks is quoted from a request; truncated text has no closing mark. */
const quotation = /"(?:[^"\\]|\\.)*(?:"|\\?$)/gs;
/** Characters that would begin a line, colour a terminal, or change the direction of text. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** For whoever sent it. */
export function withoutTokens(text: string): string {
  return text.replaceAll(maybeToken, (digits) => (onlyDecimal.test(digits) ? digits : '…'));
}

/** Longer messages contain long client input. */
const messageMax = 1_000;

/** For the log: without client input, short, and on one line. */
export function withoutQuotations(text: string): string {
  const short = text.length > messageMax ? `${text.slice(0, messageMax)}…` : text;
  return withoutTokens(short.replaceAll(quotation, '"…"')).replaceAll(unprintable, ' ').toWellFormed();
}
