/** JSON text as a client sends it for a json column, brought into canonical form without a number changing silently. */
import { canonicalJson, inexact, isExact } from './canonical-json.ts';

/** Only text with a long run of digits or a large exponent can hold a number that JavaScript would change. */
const suspicious = /\d[\d.]{15}|[eE][+-]?\d{3}/;

/** The longest number that is looked at closely; a longer one has more digits than can be held. */
const numberLengthMax = 100;

/**
 * The canonical form of JSON text. Where an object has a key twice, the last one counts.
 * @throws SyntaxError when it is not JSON; RangeError, with a full sentence, when it holds what can't be kept as it is
 */
export function canonicalJsonText(text: string, depthMax: number): string {
  const canonical = canonicalJson(JSON.parse(text), depthMax);
  if (suspicious.test(text)) JSON.parse(text, judgeNumber);
  return canonical;
}

function judgeNumber(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
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
