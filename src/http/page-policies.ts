/** What browsers may load and do on the pages (`Content-Security-Policy`). */

/** Only our own scripts and styles; no frame may show a page with a token. */
export const contentPolicy = "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

/** Only our own scripts and styles, no form that posts elsewhere, and no frame around a page that takes a password. */
export const consolePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');
