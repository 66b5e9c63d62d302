/**
 * Reads the values of columns from JSON into their stored form (docs/reference/values.md#types), with one function for
 * each type.
 */
import { quoted } from '../errors.ts';
import { depthDefault, itemValuesDefault } from '../json-bounds.ts';
import { byteLength, isWellFormed } from '../text.ts';
import { readJson } from './json-value.ts';
import { inexact, isExact, type NumberFlaw, readDouble, readPlainInteger, readUnscaled } from './numbers.ts';
import { codePointLength, isLongerThanBytes } from './text.ts';
import { instantMax, instantMin, parseInstant, type Zone } from './time.ts';

/** A value that does not fit its column. The message quotes the value and says what fits; it does not name the field. */
export class ValueError extends Error {}

export interface ValueRules {
  /** Time zone of datetimes without an offset. */
  readonly zone: Zone;
  /** Limit on one value, in bytes of UTF-8. */
  readonly valueBytesMax: number;
  /** How deep a json value may be nested; the setting's default if absent. */
  readonly depthMax?: number;
  /** How many values a json value may have; the setting's default if absent. */
  readonly itemValuesMax?: number;
}

/**
 * Checks any value, whatever its type: text must be storable and not too large, and a number exact.
 * @throws ValueError
 */
export function checkPlain(input: unknown, bytesMax: number): void {
  if (typeof input === 'string') checkText(input, bytesMax);
  else if (typeof input === 'number' && !isExact(input)) throw new ValueError(inexact(input));
}

function checkText(text: string, bytesMax: number): void {
  if (!isWellFormed(text)) {
    throw new ValueError('The text has a NUL character or an unpaired surrogate; neither can be stored.');
  }
  if (isLongerThanBytes(text, bytesMax)) throw tooLarge(byteLength(text), bytesMax);
}

function tooLarge(bytes: number, bytesMax: number): ValueError {
  return new ValueError(`expected at most ${bytesMax} bytes (setting valueBytesMax), got ${bytes}.`);
}

function unfit(input: unknown, expected: string): ValueError {
  const advice = input === '' ? ' (null leaves the column empty)' : '';
  return new ValueError(`expected ${expected}, got ${quoted(input)}${advice}.`);
}

/** The text of a plain value; numbers in JavaScript's shortest form. */
export function textOf(input: unknown): string {
  if (typeof input === 'string') return input;
  if (typeof input === 'number' || typeof input === 'boolean') return String(input);
  throw unfit(input, 'text');
}

/** @param lengthMax in code points */
export function varcharOf(input: unknown, lengthMax: number): string {
  const text = textOf(input);
  // A text has at least as many UTF-16 units as code points.
  if (text.length > lengthMax) {
    const length = codePointLength(text);
    if (length > lengthMax) throw new ValueError(`expected at most ${lengthMax} characters, got ${length}.`);
  }
  return text;
}

export const integerMin = -2_147_483_648;
export const integerMax = 2_147_483_647;

export function integerOf(input: unknown): number {
  let number = typeof input === 'number' ? input : typeof input === 'string' ? readPlainInteger(input) : Number.NaN;
  if (Number.isNaN(number) && typeof input === 'string') {
    const exact = readUnscaled(input, 0, 10);
    if (typeof exact === 'bigint') number = Number(exact);
  }
  if (Number.isInteger(number) && number >= integerMin && number <= integerMax) return number + 0;
  throw unfit(input, `a whole number from ${integerMin} to ${integerMax}`);
}

const longMin = -(2n ** 63n);
const longMax = 2n ** 63n - 1n;

export function longOf(input: unknown): bigint {
  if (typeof input === 'number' && Number.isInteger(input)) return BigInt(input);
  if (typeof input === 'string') {
    const plain = readPlainInteger(input);
    if (!Number.isNaN(plain)) return BigInt(plain);
    const exact = readUnscaled(input, 0, 19);
    if (typeof exact === 'bigint' && exact >= longMin && exact <= longMax) return exact;
  }
  throw unfit(input, `a whole number from ${longMin} to ${longMax}`);
}

export function doubleOf(input: unknown): number {
  let number: number | NumberFlaw = 'form';
  if (typeof input === 'number') number = input;
  else if (typeof input === 'string') number = readDouble(input);
  // Adding 0 turns negative zero into zero, which is one value for every engine.
  if (typeof number === 'number') return number + 0;
  throw unfit(input, number === 'size' ? 'a number that a double can hold' : 'a number');
}

/** Unscaled: 12.50 with scale 2 is 1250n. */
export function decimalOf(input: unknown, precision: number, scale: number): bigint {
  const isNumeric = typeof input === 'number' || typeof input === 'string';
  const unscaled = isNumeric ? readUnscaled(String(input), scale, precision) : 'form';
  if (typeof unscaled === 'bigint') return unscaled;
  if (unscaled === 'fraction') throw unfit(input, `a decimal number with at most ${scale} digits after the point`);
  throw unfit(input, `a decimal number with at most ${precision - scale} digits before and ${scale} after the point`);
}

export function boolOf(input: unknown): boolean {
  if (input === true || input === 'true' || input === 1 || input === '1') return true;
  if (input === false || input === 'false' || input === 0 || input === '0') return false;
  if (typeof input === 'string') {
    const word = input.toLowerCase();
    if (word === 'true' || word === 'false') return word === 'true';
  }
  throw unfit(input, '"true" or "false"');
}

/** Digits alone are milliseconds since 1970; anything else is read as ISO 8601. */
export function datetimeOf(input: unknown, zone: Zone): number {
  let instant: number | null = null;
  if (typeof input === 'number') {
    instant = input + 0;
  } else if (typeof input === 'string') {
    const plain = readPlainInteger(input);
    instant = Number.isNaN(plain) ? parseInstant(input, zone) : plain;
  }
  if (instant !== null && Number.isInteger(instant) && instant >= instantMin && instant <= instantMax) return instant;
  throw unfit(
    input,
    'a time like 2014-01-23T14:44:36.516+07:00, or whole milliseconds since 1970, of the years 0001 to 9999',
  );
}

/** A string is JSON text, any other input the value itself. */
export function jsonOf(input: unknown, rules: ValueRules): string {
  try {
    const { depthMax = depthDefault, itemValuesMax = itemValuesDefault } = rules;
    const text = readJson(input, { depthMax, itemValuesMax });
    if (isLongerThanBytes(text, rules.valueBytesMax)) throw tooLarge(byteLength(text), rules.valueBytesMax);
    return text;
  } catch (error) {
    if (error instanceof SyntaxError) throw unfit(input, 'JSON text');
    if (error instanceof RangeError) throw new ValueError(error.message);
    throw error;
  }
}
