/** Values of json columns: brought into canonical form, and refused where that would change them silently. */

import { isWellFormed } from '../text.ts';
import { canonicalJson } from './canonical-json.ts';
import { inexact, isExact } from './numbers.ts';

/** Only text with a long run of digits or a large exponent can hold a number that JavaScript would change. */
const suspicious = /\d[\d.]{15}|[eE][+-]?\d{3}/;

/** The longest number that is examined; a longer one has more digits than a double holds. */
const numberLengthMax = 100;

/** Limits on a json value. The limits on values that are not sent as text apply where the body is read. */
export interface JsonBounds {
  readonly depthMax: number;
  readonly itemValuesMax: number;
}

/**
 * The canonical form of a json value: for a string, of the JSON in it; for anything else, of the value itself. If an
 * object has a key twice, the last one wins. In JSON text, a number is accepted if its canonical form is the same
 * number; in a parsed value, only if it is certainly exact.
 * @throws SyntaxError when a string is not JSON text; RangeError, with a full sentence, for nesting beyond `depthMax`,
 * more than `itemValuesMax` values in text, text with NUL or an unpaired surrogate, and a number that JavaScript cannot
 * hold
 */
export function readJson(input: unknown, { depthMax, itemValuesMax }: JsonBounds): string {
  const isText = typeof input === 'string';
  if (isText && hasMoreValues(input, itemValuesMax)) {
    throw new RangeError(`The json value has more than ${itemValuesMax} values in it (itemValuesMax).`);
  }
  const value: unknown = isText ? JSON.parse(input) : input;
  check(value, depthMax, { depthMax, numbers: !isText });
  if (isText && suspicious.test(input)) checkWrittenNumbers(input);
  return canonicalJson(value);
}

/** Counts before anything is parsed: each comma and each opening bracket may add a value. */
function hasMoreValues(text: string, max: number): boolean {
  if (text.length < max) return false;
  let values = 1;
  let isInText = false;
  for (let at = 0; at < text.length && values <= max; at++) {
    switch (text.charCodeAt(at)) {
      case charOf.quote:
        isInText = !isInText;
        break;
      case charOf.backslash:
        at++;
        break;
      case charOf.comma:
      case charOf.array:
      case charOf.object:
        if (!isInText) values++;
    }
  }
  return values > max;
}

const charOf = { quote: 0x22, backslash: 0x5c, comma: 0x2c, array: 0x5b, object: 0x7b } as const;

/** The checks on a value: always its depth and texts, and its numbers unless their original text is available. */
interface Checks {
  readonly depthMax: number;
  readonly numbers: boolean;
}

function check(value: unknown, depthLeft: number, checks: Checks): void {
  if (typeof value === 'string') checkText(value);
  else if (typeof value === 'number' && checks.numbers && !isExact(value)) throw new RangeError(inexact(value));
  if (typeof value !== 'object' || value === null) return;
  if (depthLeft === 0) throw new RangeError(`The json value is nested more than ${checks.depthMax} deep (depthMax).`);
  if (Array.isArray(value)) {
    for (const item of value) check(item, depthLeft - 1, checks);
    return;
  }
  for (const key of Object.keys(value)) {
    checkText(key);
    check((value as Readonly<Record<string, unknown>>)[key], depthLeft - 1, checks);
  }
}

function checkText(text: string): void {
  if (!isWellFormed(text)) {
    throw new RangeError('The json value has a NUL character or an unpaired surrogate; neither can be stored.');
  }
}

/** A whole text, or a number, of well-formed JSON. */
const textOrNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[-+.\deE]*/g;

/**
 * One pass over the text: a reviver of `JSON.parse`, which also gets the number's text, takes a second for 1 MiB of
 * numbers.
 */
function checkWrittenNumbers(json: string): void {
  for (const [written] of json.matchAll(textOrNumber)) {
    if (written.startsWith('"')) continue;
    const value = Number(written);
    const isKept =
      written.length <= numberLengthMax && Number.isFinite(value) && sameNumber(written) === sameNumber(String(value));
    if (isKept) continue;
    throw new RangeError(inexact(written.length > numberLengthMax ? `${written.slice(0, 40)}...` : written));
  }
}

/** One text for all spellings of a number: its significant digits and the power of ten that multiplies them. */
function sameNumber(written: string): string {
  const [mantissa = '', exponent = '0'] = written.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = whole.replace('-', '') + fraction;
  const significant = digits.replace(/0+$/, '');
  const power = Number(exponent) - fraction.length + digits.length - significant.length;
  const withoutZeros = significant.replace(/^0+/, '');
  return withoutZeros === '' ? '0' : `${whole.startsWith('-') ? '-' : ''}${withoutZeros}e${power}`;
}
