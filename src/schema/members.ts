/** Reads the members of definitions and of changes of tables. Unknown ones are always refused. */
import { malformed, missing, quoted } from '../errors.ts';
import { nearest } from '../nearest.ts';
import { isName, nameForm } from './names.ts';

export function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/** @throws ServiceError `malformed` for anything but an object, and for unknown members */
export function knownMembersOf(input: unknown, path: string, known: readonly string[]): Record<string, unknown> {
  const members = membersOf(input, path, known);
  refuseUnknownMembers(members, path, known);
  return members;
}

/** @param known members to name in the error for anything but an object */
export function membersOf(input: unknown, path: string, known: readonly string[]): Record<string, unknown> {
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) return input as Record<string, unknown>;
  throw malformed(path, `expected an object with ${known.join(', ')}, got ${quoted(input)}.`);
}

export function refuseUnknownMembers(members: object, path: string, known: readonly string[]): void {
  for (const member of Object.keys(members)) {
    if (known.includes(member)) continue;
    const near = nearest(member, known);
    const hint = near === undefined ? `known members are ${known.join(', ')}` : `did you mean "${near}"`;
    throw malformed(path, `There is no member ${quoted(member)}; ${hint}${near === undefined ? '.' : '?'}`);
  }
}

/** An absent list is an empty one. */
export function listOf(input: unknown, path: string, setting = '', max = Number.POSITIVE_INFINITY): readonly unknown[] {
  if (isAbsent(input)) return [];
  if (!Array.isArray(input)) throw malformed(path, `expected an array, got ${quoted(input)}.`);
  refuseLonger(input.length, path, setting, max);
  return input;
}

export function refuseLonger(count: number, path: string, setting: string, max: number): void {
  if (count > max) throw malformed(path, `expected at most ${max} (setting ${setting}), got ${count}.`);
}

export function nameOf(input: unknown, path: string): string {
  if (isAbsent(input)) throw missing(path);
  if (typeof input === 'string' && isName(input)) return input;
  throw malformed(path, `expected a name (${nameForm}), got ${quoted(input)}.`);
}

export function flagOf(input: unknown, path: string): boolean {
  if (isAbsent(input) || input === false || input === 0 || input === '0') return false;
  if (input === true || input === 1 || input === '1') return true;
  const word = typeof input === 'string' ? input.toLowerCase() : '';
  if (word === 'true' || word === 'false') return word === 'true';
  throw malformed(path, `expected true or false, got ${quoted(input)}.`);
}
