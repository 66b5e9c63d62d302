/** JSON in one canonical form, the same on every engine: keys sorted by code point, no spaces, shortest numbers. */
import { compareCodePoints, isWellFormed } from './text.ts';

/**
 * The canonical text of a JSON value; equal values give equal text.
 * @param depthMax how deep arrays and objects may be nested
 * @throws RangeError, with a full sentence, for what can't be kept as it came: text with NUL or half a surrogate pair,
 *   a number that JavaScript can't hold exactly, or nesting that is too deep
 */
export function canonicalJson(value: unknown, depthMax = Number.POSITIVE_INFINITY): string {
  switch (typeof value) {
    case 'string':
      return canonicalText(value);
    case 'number':
      if (!isExact(value)) throw new RangeError(inexact(value));
      return String(value);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      if (value === null) return 'null';
      if (depthMax < 1) throw new RangeError('The JSON value is nested too deep.');
      return Array.isArray(value) ? canonicalArray(value, depthMax - 1) : canonicalObject(value, depthMax - 1);
    default:
      throw new RangeError(`A ${typeof value} is not a JSON value.`);
  }
}

function canonicalArray(items: readonly unknown[], depthMax: number): string {
  let text = '[';
  for (let index = 0; index < items.length; index++) {
    text += (index === 0 ? '' : ',') + canonicalJson(items[index], depthMax);
  }
  return `${text}]`;
}

function canonicalObject(value: object, depthMax: number): string {
  let text = '{';
  for (const key of Object.keys(value).sort(compareCodePoints)) {
    const member = canonicalJson((value as Record<string, unknown>)[key], depthMax);
    text += `${text === '{' ? '' : ','}${canonicalText(key)}:${member}`;
  }
  return `${text}}`;
}

function canonicalText(text: string): string {
  if (!isWellFormed(text)) throw new RangeError('A text has a NUL character or half a surrogate pair.');
  return JSON.stringify(text);
}

/**
 * True when a number that was written in JSON can be trusted to be the one that was meant: a whole number within ±2⁵³,
 * or one with at most 15 significant digits (decisions.md §2).
 */
export function isExact(value: number): boolean {
  if (Number.isInteger(value)) return Number.isSafeInteger(value);
  return Number.isFinite(value) && Number(value.toPrecision(15)) === value;
}

/** The sentence that refuses a number which is not exact. */
export function inexact(value: number | string): string {
  return `The number ${value} can't be held exactly as a JSON number; send it as a string.`;
}
