/** JSON in one canonical form, the same on every engine: keys sorted by code point, no spaces, shortest numbers. */
import { compareCodePoints } from './text.ts';

/**
 * The canonical text of a JSON value (as `JSON.parse` makes them). Two values have the same text if and only if they
 * are equal.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return String(value);
  return Array.isArray(value) ? canonicalArray(value) : canonicalObject(value);
}

function canonicalArray(items: readonly unknown[]): string {
  let text = '';
  for (const item of items) text += `${text === '' ? '' : ','}${canonicalJson(item)}`;
  return `[${text}]`;
}

function canonicalObject(value: object): string {
  let text = '';
  for (const key of sortedKeys(value)) {
    const member = canonicalJson((value as Record<string, unknown>)[key]);
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${member}`;
  }
  return `{${text}}`;
}

/** JavaScript compares by UTF-16 unit, which is the order by code point unless there are surrogates, and is faster. */
function sortedKeys(value: object): string[] {
  const keys = Object.keys(value);
  if (keys.length < 2) return keys;
  return surrogate.test(keys.join('')) ? keys.sort(compareCodePoints) : keys.sort();
}

const surrogate = /[\ud800-\udfff]/;
