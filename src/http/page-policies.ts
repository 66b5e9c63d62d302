/** What browsers may load and do on the pages (`Content-Security-Policy`). */

/** Only our own scripts and styles; no frame may show a page with a token. */
export const contentPolicy = "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

const ownOnly = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
];

/**
 * Only our own scripts and styles, no form that posts elsewhere, and no frame around a page that takes a password. The
 * documentation has it too.
 */
export const consolePolicy = [...ownOnly, "require-trusted-types-for 'script'"].join('; ');

/** The viewer of OpenAPI documents makes elements from HTML that it has cleaned. */
export const viewerPolicy = ownOnly.join('; ');
