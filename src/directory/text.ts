/** Checks on names, ids and addresses that someone types when managing the directory. */
import { malformed, missing, quoted } from '../errors.ts';
import { refuseUnprintable } from '../text.ts';

const nameLengthMax = 200;
const idMax = 2_147_483_647;

/** A name for people: without spaces at its ends, and nothing that a terminal or a page can't show. */
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

/** A name that can't be taken for an id where either may be given. */
export function checkedNameNotNumber(field: string, value: string): string {
  const name = checkedName(field, value);
  if (/^\d+$/.test(name)) {
    throw malformed(
      field,
      `expected a name with more than digits, which would be taken for an id, got ${quoted(name)}.`,
    );
  }
  return name;
}

/** Lower case, so that the same mailbox written in two ways is one user. */
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

/** Origins as browsers send them (RFC 6454 §7): scheme, host and port, nothing more. Without repeats. */
export function checkedOrigins(field: string, origins: readonly string[]): string[] {
  for (const origin of origins) {
    const url = URL.canParse(origin) ? new URL(origin) : null;
    // Of the schemes of apps on phones (capacitor://localhost) a URL has no origin.
    const same = url !== null && (url.origin === 'null' ? `${url.protocol}//${url.host}` : url.origin) === origin;
    if (!same || url.host === '' || origin.length > nameLengthMax) {
      throw malformed(field, `expected origins like https://app.example.com, no path, got ${quoted(origin)}.`);
    }
  }
  return [...new Set(origins)];
}
