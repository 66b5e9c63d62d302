/** Numbers: read from decimal text without rounding, written with their scale, and checked for exactness in JSON. */

/** The longest texts that are read as a decimal and as a double; the exact form of every double is shorter. */
const decimalLengthMax = 100;
const doubleLengthMax = 1_100;

const decimalForm = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,6}))?$/;

/** Why decimal text is refused: not a number, non-zero digits beyond the scale, or too many digits. */
export type NumberFlaw = 'form' | 'fraction' | 'size';

/**
 * The number times 10^scale, exact, from text like `-12.50`, `+7`, `.5` or `1.2e3`.
 * @param digitsMax how many digits the result may have
 */
export function readUnscaled(text: string, scale: number, digitsMax: number): bigint | NumberFlaw {
  const match = text.length > decimalLengthMax ? null : decimalForm.exec(text);
  if (match === null) return 'form';
  const fraction = match[3] ?? '';
  const digits = match[2] + fraction;
  if (digits === '') return 'form';
  const withoutZeros = digits.replace(/0+$/, '');
  const significant = withoutZeros.replace(/^0+/, '');
  if (significant === '') return 0n;
  const zeros = Number(match[4] ?? 0) - fraction.length + digits.length - withoutZeros.length + scale;
  if (zeros < 0) return 'fraction';
  if (significant.length + zeros > digitsMax) return 'size';
  const unsigned = BigInt(significant + '0'.repeat(zeros));
  return match[1] === '-' ? -unsigned : unsigned;
}

/** The number in short plain digits with an optional minus; NaN for any other text (which may still be a number). */
export function readPlainInteger(text: string): number {
  const start = text.charCodeAt(0) === 0x2d ? 1 : 0;
  const length = text.length;
  if (length === start || length > 15) return Number.NaN;
  let number = 0;
  for (let index = start; index < length; index++) {
    const digit = text.charCodeAt(index) - 0x30;
    if (digit < 0 || digit > 9) return Number.NaN;
    number = number * 10 + digit;
  }
  // Subtracting from 0 keeps "-0" from becoming negative zero.
  return start === 0 ? number : 0 - number;
}

/**
 * The double nearest to the text, or why there is none: `size` if it would overflow to infinity or underflow to zero.
 */
export function readDouble(text: string): number | NumberFlaw {
  if (text.length > doubleLengthMax || !/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)) return 'form';
  const number = Number(text);
  if (!Number.isFinite(number)) return 'size';
  if (number === 0) return /^[^eE]*[1-9]/.test(text) ? 'size' : 0;
  return number;
}

/** The decimal text of an unscaled number given by its digits (`-5`, scale 2: `-0.05`), always with the full scale. */
export function decimalText(unscaled: string, scale: number): string {
  if (scale === 0) return unscaled;
  const negative = unscaled.charCodeAt(0) === 0x2d;
  const digits = (negative ? unscaled.slice(1) : unscaled).padStart(scale + 1, '0');
  const point = digits.length - scale;
  return `${negative ? '-' : ''}${digits.slice(0, point)}.${digits.slice(point)}`;
}

/**
 * True when a number in JSON is certainly exact: a whole number within ±2⁵³, or one with at most 15 significant digits
 * (docs/reference/values.md#numbers-in-json).
 */
export function isExact(value: number): boolean {
  if (Number.isInteger(value)) return Number.isSafeInteger(value);
  return Number.isFinite(value) && Number(value.toPrecision(15)) === value;
}

/**
 * The same check on the number's JSON text, where lost digits are still visible: a whole number within ±2⁵³, however it
 * is written (`3686615489760191.0`), or one with at most 15 significant digits. One pass: the text may be as long as a
 * body.
 */
export function isExactAsWritten(bytes: Buffer, start: number, end: number): boolean {
  /** Digits so far, digits up to the first and the last non-zero one, and digits before the point. */
  let count = 0;
  let first = 0;
  let last = 0;
  let whole = -1;
  let at = start;
  for (; at < end; at++) {
    const byte = bytes[at] as number;
    if (byte === byteOf.e || byte === byteOf.E) break;
    if (byte === byteOf.point) whole = count;
    if (byte < byteOf.zero) continue;
    count++;
    if (byte === byteOf.zero) continue;
    last = count;
    if (first === 0) first = count;
  }
  const digits = first === 0 ? 0 : last - first + 1;
  if (digits === 0) return true;
  const value = Number(bytes.toString('latin1', start, end));
  if (!Number.isFinite(value) || value === 0) return false;
  const exponent = Number(bytes.toString('latin1', at + 1, end));
  const isPlain = at === end && whole === -1;
  const fractionDigits = last - (whole === -1 ? count : whole) - exponent;
  if (fractionDigits <= 0 && Number.isSafeInteger(value)) return true;
  return !isPlain && digits <= exactDigits;
}

const exactDigits = 15;
const byteOf = { point: 0x2e, zero: 0x30, e: 0x65, E: 0x45 } as const;

/** The sentence that refuses an inexact number. */
export function inexact(value: number | string): string {
  return `The number ${value} can't be held exactly as a JSON number; send it as a string.`;
}
