/** Values of json columns: brought into canonical form, and refused where that would change them silently. */
import { canonicalJson } from './canonical-json.ts';
import { inexact, isExact } from './numbers.ts';
import { isWellFormed } from './text.ts';

/** Only text with a long run of digits or a large exponent can hold a number that JavaScript would change. */
const suspicious = /\d[\d.]{15}|[eE][+-]?\d{3}/;

/** The longest number that is looked at closely; a longer one has more digits than can be held. */
const numberLengthMax = 100;

/**
 * The canonical form of what came: of a string the JSON that it spells, of anything else the value itself. Where an
 * object has a key twice, the last one counts.
 * @throws SyntaxError when a string is not JSON text; RangeError, with a full sentence, for nesting beyond `depthMax`,
 *   for text with NUL or half a surrogate pair, and for a number that JavaScript can't hold exactly
 */
export function readJson(input: unknown, depthMax: number): string {
  const value: unknown = typeof input === 'string' ? JSON.parse(input) : input;
  check(value, depthMax, depthMax);
  if (typeof input === 'string' && suspicious.test(input)) JSON.parse(input, checkNumber);
  return canonicalJson(value);
}

function check(value: unknown, depthLeft: number, depthMax: number): void {
  if (typeof value === 'string') checkText(value);
  else if (typeof value === 'number' && !isExact(value)) throw new RangeError(inexact(value));
  if (typeof value !== 'object' || value === null) return;
  if (depthLeft === 0) throw new RangeError(`The json value is nested more than ${depthMax} deep (depthMax).`);
  for (const [key, member] of Object.entries(value)) {
    checkText(key);
    check(member, depthLeft - 1, depthMax);
  }
}

function checkText(text: string): void {
  if (!isWellFormed(text)) {
    throw new RangeError('The json value has a NUL character or half a surrogate pair; neither can be stored.');
  }
}

/** Looks at a number as it was written, since `JSON.parse` has made 0.1 of 0.10000000000000000001. */
function checkNumber(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== 'number' || source === undefined) return value;
  if (source.length > numberLengthMax || !isExact(value) || significantDigits(source) > digitsHeld(value)) {
    throw new RangeError(inexact(source.length > numberLengthMax ? `${source.slice(0, 40)}...` : source));
  }
  return value;
}

/** Every number of 15 digits is held, and every whole one within ±2⁵³; zero only when zero was meant. */
function digitsHeld(value: number): number {
  if (value === 0) return 0;
  return Number.isInteger(value) ? 16 : 15;
}

function significantDigits(source: string): number {
  return source
    .replace(/[eE].*$/, '')
    .replace(/[-.]/g, '')
    .replace(/^0+/, '')
    .replace(/0+$/, '').length;
}
