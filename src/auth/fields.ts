/** Reads the texts that a client sends at sign-in: present, of reasonable length, and storable unchanged. */
import { malformed, missing } from '../errors.ts';
import { refuseUnstorable } from '../text.ts';

/** Characters of a device identifier, a device name, an operating system. */
export const deviceTextMax = 200;
/** Today's push tokens have up to a few hundred characters. */
export const pushTokenMax = 4_096;

/** @throws ServiceError `missing` if absent or empty, `malformed` if too long or not storable. */
export function requiredField(field: string, value: string | undefined, lengthMax: number): string {
  if (value === undefined || value === '') throw missing(field);
  if (value.length > lengthMax) {
    throw malformed(field, `expected at most ${lengthMax} characters, got ${value.length}.`);
  }
  refuseUnstorable(field, value);
  return value;
}

/** Null if absent or empty. @throws ServiceError as `requiredField`. */
export function optionalField(field: string, value: string | undefined, lengthMax: number): string | null {
  return value === undefined || value === '' ? null : requiredField(field, value, lengthMax);
}
