/** Checks names, ids and addresses that are entered when managing the directory. */
import { malformed, missing, quoted } from '../errors.ts';
import { refuseUnprintable } from '../text.ts';

const nameLengthMax = 200;
const idMax = 2_147_483_647;

/** A name for people: no spaces at its ends, and only characters that a terminal or a page can show. */
export function checkedName(field: string, value: string): string {
  const name = value.trim();
  if (name === '') throw missing(field);
  if ([...name].length > nameLengthMax) {
    throw malformed(field, `expected at most ${nameLengthMax} characters, got ${quoted(name)}.`);
  }
  refuseUnprintable(field, name);
  return name;
}

/** As `checkedName`, but may be empty. */
export function checkedOptionalName(field: string, value: string): string {
  return value.trim() === '' ? '' : checkedName(field, value);
}

/** A name that cannot be mistaken for an id where either is accepted. */
export function checkedNameNotNumber(field: string, value: string): string {
  const name = checkedName(field, value);
  if (/^\d+$/.test(name)) {
    throw malformed(
      field,
      `expected a name that is not only digits, which would be taken for an id, got ${quoted(name)}.`,
    );
  }
  return name;
}

/** Lower case: two spellings of a mailbox are one user. */
export function checkedEmail(field: string, value: string): string {
  const email = value.trim().toLowerCase();
  if (email === '') throw missing(field);
  if (email.length > 254 || !/^[^\s@]+@[^\s@]+$/.test(email)) {
    throw malformed(field, `expected an e-mail address like alice@example.com, got ${quoted(value)}.`);
  }
  refuseUnprintable(field, email);
  return email;
}

export function checkedId(field: string, value: number): number {
  if (!Number.isInteger(value) || value < 1 || value > idMax) {
    throw malformed(field, `expected a whole number from 1 to ${idMax}, got ${quoted(value)}.`);
  }
  return value;
}

/** Origins as browsers send them (RFC 6454 §7): only scheme, host and port. Without duplicates. */
export function checkedOrigins(field: string, origins: readonly string[]): string[] {
  for (const origin of origins) {
    const url = URL.canParse(origin) ? new URL(origin) : null;
    // A URL has no origin for the schemes of phone apps (capacitor://localhost).
    const same = url !== null && (url.origin === 'null' ? `${url.protocol}//${url.host}` : url.origin) === origin;
    if (!same || url.host === '' || origin.length > nameLengthMax) {
      throw malformed(field, `expected origins like https://app.example.com, no path, got ${quoted(origin)}.`);
    }
  }
  return [...new Set(origins)];
}
