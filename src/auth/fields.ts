/** Reads the texts that a client sends at sign-in: present, of a sensible length, and storable as they are. */
import { malformed, missing } from '../errors.ts';
import { refuseUnstorable } from '../text.ts';

/** Characters of a device identifier, a device name, an operating system. */
export const deviceTextMax = 200;
/** Push tokens of today have up to some hundred characters. */
export const pushTokenMax = 4_096;

/** @throws ServiceError `missing` when it is absent or empty, `malformed` when it is too long or can't be stored. */
export function requiredField(field: string, value: string | undefined, lengthMax: number): string {
  if (value === undefined || value === '') throw missing(field);
  if (value.length > lengthMax) {
    throw malformed(field, `expected at most ${lengthMax} characters, got ${value.length}.`);
  }
  refuseUnstorable(field, value);
  return value;
}

/** Null when it is absent or empty. @throws ServiceError as `requiredField`. */
export function optionalField(field: string, value: string | undefined, lengthMax: number): string | null {
  return value === undefined || value === '' ? null : requiredField(field, value, lengthMax);
}
