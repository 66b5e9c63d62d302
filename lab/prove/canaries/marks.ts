/**
 * Secrets that can be found again: each begins with a mark, whoever makes it. So a text is searched for the marks,
 * unchanged and in every encoding, instead of for a million secrets.
 */
import { randomBytes } from 'node:crypto';

/**
 * Mark of secrets sent by clients: passwords, keys, codes, made-up tokens. Only letters and digits, which JSON never
 * escapes.
 */
const textMark = 'KnRy7cQv3Zx';
/** Mark of the 32 bytes that the service draws for its own secrets: a token, a cookie, a verifier, a key. */
const byteMark = Buffer.from('c4a7e1930bd85f62c7', 'hex');

const secretBytes = 32;

export interface Found {
  readonly form: string;
  /** Some of the surrounding text. */
  readonly place: string;
}

/** A unique secret; `token` has the form of a token. */
export function madeUp(form: 'text' | 'token'): string {
  if (form === 'text') return `${textMark}${randomBytes(9).toString('hex')}`;
  return marked(secretBytes).toString('hex');
}

/** For `Environment.random`: bytes drawn for a secret begin with the mark; the rest is random. */
export function marked(bytes: number): Buffer {
  const drawn = randomBytes(bytes);
  if (bytes === secretBytes) byteMark.copy(drawn);
  return drawn;
}

/** @param allowed texts that begin with a mark but are not secret */
export function search(text: string, allowed: ReadonlySet<string> = new Set()): Found[] {
  const found: Found[] = [];
  for (const [pattern, form] of forms) {
    for (let at = text.indexOf(pattern); at >= 0; at = text.indexOf(pattern, at + pattern.length)) {
      if (!isAllowed(text, at, allowed)) found.push({ form, place: text.slice(Math.max(0, at - 80), at + 90) });
    }
  }
  return found;
}

/** Base64url of 32 bytes. */
const nonceLength = 43;

function isAllowed(text: string, at: number, allowed: ReadonlySet<string>): boolean {
  return allowed.has(text.slice(at, at + nonceLength));
}

/** Pattern → its description. */
const forms: ReadonlyMap<string, string> = new Map([
  ...formsOf('text', Buffer.from(textMark)),
  ...formsOf('token', Buffer.from(byteMark.toString('hex'))),
  ...formsOf('token in capitals', Buffer.from(byteMark.toString('hex').toUpperCase())),
  ...formsOf('bytes', byteMark),
]);

function formsOf(name: string, bytes: Buffer): (readonly [string, string])[] {
  const hex = bytes.toString('hex');
  const percent = hex.replaceAll(/../g, '%$&');
  return [
    [bytes.toString('latin1'), name],
    [Buffer.from(bytes.toString('latin1'), 'utf8').toString('latin1'), `${name} as UTF-8`],
    [Buffer.from(bytes.toString('latin1'), 'utf16le').toString('latin1'), `${name} as UTF-16`],
    [hex, `${name} in hex`],
    [hex.toUpperCase(), `${name} in capital hex`],
    [percent, `${name}, percent-encoded`],
    [percent.toUpperCase(), `${name}, percent-encoded in capitals`],
    ...[0, 1, 2].flatMap((shift): (readonly [string, string])[] => [
      [base64(bytes, shift, 'base64'), `${name} in base64`],
      [base64(bytes, shift, 'base64url'), `${name} in base64url`],
    ]),
  ];
}

/** The digits that do not depend on what precedes (`shift` bytes, modulo three) and follows. */
function base64(bytes: Buffer, shift: number, encoding: 'base64' | 'base64url'): string {
  const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString(encoding);
  return text.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + bytes.length) * 8) / 6));
}
