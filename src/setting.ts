/** What a setting is, and the kinds of settings: a number within bounds, a time, a word, a text, a list. */

export interface Setting<Value> {
  readonly default: Value;
  /** `milliseconds`, `bytes` ...; '' where the value has no unit. */
  readonly unit: string;
  readonly meaning: string;
  /** Valid values, worded for "… was expected". */
  readonly expected: string;
  /** A secret is never shown, and never read from the command line, which others on the machine can see. */
  readonly secret: boolean;
  /** Whether invalid input may hold a secret, and so is not repeated in the error. */
  readonly mayHoldSecret?: (input: unknown) => boolean;
  /** The value that the text or JSON stands for, or undefined when it is invalid. */
  read(input: unknown): Value | undefined;
}

export const secondMs = 1_000;
export const minuteMs = 60 * secondMs;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

export function whole(value: number, unit: string, min: number, max: number, meaning: string): Setting<number> {
  const read = (input: unknown) => {
    const number = typeof input === 'string' && /^\d{1,15}$/.test(input) ? Number(input) : input;
    return typeof number === 'number' && Number.isInteger(number) && number >= min && number <= max
      ? number
      : undefined;
  };
  return { default: value, unit, meaning, expected: `a whole number from ${min} to ${max}`, secret: false, read };
}

export function limit(value: number, unit: string, max: number, meaning: string): Setting<number> {
  return whole(value, unit, 1, max, meaning);
}

export function time(value: number, meaning: string): Setting<number> {
  return whole(value, 'milliseconds', 1, 3_650 * dayMs, meaning);
}

export function days(value: number, meaning: string): Setting<number> {
  return whole(value, 'days', 1, 36_500, meaning);
}

export function text(
  value: string,
  fits: RegExp | ((input: string) => boolean),
  expected: string,
  meaning: string,
): Setting<string> {
  const read = (input: unknown) => {
    if (typeof input !== 'string') return undefined;
    return (typeof fits === 'function' ? fits(input) : fits.test(input)) ? input : undefined;
  };
  return { default: value, unit: '', meaning, expected, secret: false, read };
}

export function secret<Value>(setting: Setting<Value>): Setting<Value> {
  return { ...setting, secret: true };
}

export function flag(value: boolean, meaning: string): Setting<boolean> {
  const read = (input: unknown) => {
    const word = String(input).toLowerCase();
    return word === 'true' || word === '1' ? true : word === 'false' || word === '0' ? false : undefined;
  };
  return { default: value, unit: '', meaning, expected: 'true or false', secret: false, read };
}

export function choice<Word extends string>(value: Word, words: readonly Word[], meaning: string): Setting<Word> {
  const read = (input: unknown) => words.find((word) => word === input);
  return { default: value, unit: '', meaning, expected: `one of ${words.join(', ')}`, secret: false, read };
}

/** An array, or text separated by commas; items in lower case, without duplicates. */
export function list(item: RegExp, expected: string, meaning: string): Setting<readonly string[]> {
  const read = (input: unknown) => {
    const items: unknown = typeof input === 'string' ? input.split(',') : input;
    if (!Array.isArray(items)) return undefined;
    const words = items.map((word) => String(word).trim().toLowerCase()).filter((word) => word !== '');
    return words.every((word) => item.test(word)) ? [...new Set(words)] : undefined;
  };
  return { default: [], unit: '', meaning, expected, secret: false, read };
}
