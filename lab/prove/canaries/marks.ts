/**
 * Secrets that can be found again: every one begins with a mark, whoever makes it, so that a text is searched for the
 * marks, as they are and in every form that something may have put them in, and not for a million secrets.
 */
import { randomBytes } from 'node:crypto';

/** Of what clients send: passwords, keys, codes, made-up tokens. Letters and digits only, so that JSON leaves it alone. */
const textMark = 'KnRy7cQv3Zx';
/** Of 32 bytes that the service draws for a secret of its own: a token, a cookie, a verifier, a key. */
const byteMark = Buffer.from('c4a7e1930bd85f62c7', 'hex');

const secretBytes = 32;

export interface Found {
  readonly form: string;
  /** Some of what stands around it. */
  readonly place: string;
}

/** A secret that nobody else has; `token` is one in the form of a token. */
export function madeUp(form: 'text' | 'token'): string {
  if (form === 'text') return `${textMark}${randomBytes(9).toString('hex')}`;
  return marked(secretBytes).toString('hex');
}

/** For `Environment.random`: what is drawn for a secret begins with the mark, and is random else. */
export function marked(bytes: number): Buffer {
  const drawn = randomBytes(bytes);
  if (bytes === secretBytes) byteMark.copy(drawn);
  return drawn;
}

/** @param allowed what begins with a mark and is no secret */
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

/** Pattern → what it is. */
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

/** The digits that are the same whatever stands before (`shift` bytes, modulo three) and after. */
function base64(bytes: Buffer, shift: number, encoding: 'base64' | 'base64url'): string {
  const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString(encoding);
  return text.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + bytes.length) * 8) / 6));
}
