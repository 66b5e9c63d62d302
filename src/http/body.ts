/**
 * A request body becomes a JSON value, or an error that says what is wrong with it (decisions.md §2, §6): UTF-8, the
 * nesting, text and numbers that would not survive are judged here, once for every operation.
 */
import { isUtf8 } from 'node:buffer';
import type { Settings } from '../config.ts';
import { malformed } from '../errors.ts';

/** @throws ServiceError `malformed` */
export function parseBody(bytes: Buffer, settings: Pick<Settings, 'depthMax'>): unknown {
  if (!isUtf8(bytes)) throw malformed('body', 'the bytes that came are not UTF-8.');
  const text = bytes.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw malformed('body', text.trim() === '' ? 'nothing came; expected JSON.' : `not JSON: ${plainly(error)}.`);
  }
  // Only an escape can bring NUL or a lone surrogate into well-formed UTF-8, and only many digits an inexact number.
  const suspect = text.includes('\\u') || manyDigits.test(text);
  inspect(value, '', settings.depthMax, suspect);
  if (suspect && manyDigits.test(text)) refuseInexactNumbers(text);
  return value;
}

const manyDigits = /[\d.]{16}|\d[eE]/;

/** V8 quotes a piece of the body in its message; what is wrong and where is enough. */
function plainly(error: unknown): string {
  const message = (error as Error).message;
  const position = /position \d+(?: \(line \d+ column \d+\))?/.exec(message)?.[0];
  const what = message.split(/ in JSON|, "|\.\.\. /)[0] ?? 'it cannot be read';
  return position === undefined ? what : `${what} at ${position}`;
}

function inspect(value: unknown, path: string, depthLeft: number, suspect: boolean): void {
  if (typeof value === 'string') {
    if (suspect) inspectText(value, path);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (depthLeft === 0) throw malformed(path === '' ? 'body' : path, 'nested too deeply (setting depthMax).');
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const item: unknown = value[index];
      if (typeof item === 'object' || suspect)
        inspect(item, suspect ? `${path}[${index}]` : path, depthLeft - 1, suspect);
    }
    return;
  }
  for (const name in value) {
    const member = (value as Record<string, unknown>)[name];
    if (suspect) inspectText(name, path === '' ? 'body' : path);
    if (typeof member === 'object' || suspect) {
      inspect(member, suspect ? (path === '' ? name : `${path}.${name}`) : path, depthLeft - 1, suspect);
    }
  }
}

function inspectText(text: string, path: string): void {
  if (text.includes('\0')) throw malformed(path, 'the character NUL (U+0000) came, which cannot be stored.');
  if (!text.isWellFormed()) throw malformed(path, 'a lone surrogate came; send well-formed Unicode.');
}

/** More digits than a JSON number can hold exactly in JavaScript: the client must send it as a string. */
function refuseInexactNumbers(text: string): void {
  const mark = (_key: string, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' && !isExact(value, context?.source ?? '') ? new Inexact(context?.source ?? '') : value;
  const found = findInexact(JSON.parse(text, mark), '');
  if (found === undefined) return;
  const number = found.source.slice(0, 40);
  throw malformed(found.path || 'body', `the number ${number} cannot be held exactly; send it as a string.`);
}

/** Stands in the place of a number that would lose digits. */
class Inexact {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

function findInexact(value: unknown, path: string): { path: string; source: string } | undefined {
  if (value instanceof Inexact) return { path, source: value.source };
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const place = Array.isArray(value) ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`;
    const found = findInexact(member, place);
    if (found !== undefined) return found;
  }
  return undefined;
}

const exactDigits = 15;

function isExact(value: number, source: string): boolean {
  if (!Number.isFinite(value)) return false;
  if (/^-?\d+$/.test(source)) return Number.isSafeInteger(value);
  const digits = (source.split(/[eE]/)[0] as string).replace(/[-.]/g, '').replace(/^0+/, '').replace(/0+$/, '');
  return digits.length <= exactDigits && (value !== 0 || digits === '') && Math.abs(value) <= Number.MAX_VALUE;
}
