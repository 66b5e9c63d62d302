/**
 * Numbers of up to 128 bits, which SQLite does not have: texts of 32 hexadecimal digits, which sort like their numbers,
 * since 2^127 is added to each. Sums and averages of up to 2^31 rows are computed exactly, from two halves of 64-bit
 * integers.
 */
import type { AggregateSql } from '../../query/statement.ts';
import { withColumns } from './computed-once.ts';

const offset = 2n ** 127n;
const digits = 32;

/** 2^32 - 1: the lower half of an integer; `>> 32` is the upper one, rounded down. */
const lowerBits = 0xffff_ffff;

export function wideText(value: bigint): string {
  return (value + offset).toString(16).padStart(digits, '0');
}

/** The decimal digits of the number, with its sign. */
export function wideDigits(text: string): string {
  return (BigInt(`0x${text}`) - offset).toString();
}

/** The text of upper * 2^32 + lower, where lower is not negative; null where upper is. */
function textOf(upper: string, lower: string): string {
  const text = `CASE WHEN u < 0 THEN '7fffffff' WHEN u >= 0 THEN '80000000' END || printf('%016x%08x', u, l)`;
  return withColumns({ u: `${upper} + (${lower} >> 32)`, l: `${lower} & ${lowerBits}` }, text);
}

/** A 64-bit integer times a power of ten with at most nine zeros. */
export function widened(sql: string, gainedDigits: number): string {
  const factor = 10 ** gainedDigits;
  return withColumns({ x: sql }, textOf(`(x >> 32) * ${factor}`, `(x & ${lowerBits}) * ${factor}`));
}

/** @param inHalves whether the sum may need more than 64 bits; otherwise the statement fails where it does */
export function sum(operand: string, inHalves: boolean): AggregateSql {
  return { parts: sums(operand, inHalves), value: (columns) => textOf(...joined(columns, inHalves)) };
}

/**
 * The sum divided by the count, with the given number of further digits, rounded half away from zero. In integer
 * division: upper = quotient * n + rest, then (rest * 2^32 + lower) = quotient * n + rest, then the rest gives the
 * digits.
 */
export function average(operand: string, inHalves: boolean, gainedDigits: number): AggregateSql {
  const factor = 10 ** gainedDigits;
  return {
    parts: [...sums(operand, inHalves), `count(${operand})`],
    value(columns) {
      const [upper, lower] = joined(columns, inHalves);
      const isRoundedUp = 'rest > n OR (rest = n AND u >= 0)';
      const rounded = withColumns(
        { u: 'u', n: 'n', q: 'q', low: `low * ${factor} + fraction / n`, rest: '2 * (fraction % n)' },
        textOf(`q * ${factor}`, `low + (${isRoundedUp})`),
      );
      const divided = withColumns(
        { u: 'u', n: 'n', q: '(u - r) / n', low: '(r << 32 | l) / n', fraction: `(r << 32 | l) % n * ${factor}` },
        rounded,
      );
      const ofUpper = withColumns({ u: 'u', l: 'l', n: 'n', r: '(u % n + n) % n' }, divided);
      return withColumns(
        { u: `${upper} + (${lower} >> 32)`, l: `${lower} & ${lowerBits}`, n: columns.at(-1) as string },
        ofUpper,
      );
    },
  };
}

function sums(operand: string, inHalves: boolean): string[] {
  return inHalves ? [`sum(${operand} >> 32)`, `sum(${operand} & ${lowerBits})`] : [`sum(${operand})`];
}

/** The upper half of a sum, and the lower one, which is not negative. */
function joined([first, second]: readonly string[], inHalves: boolean): [string, string] {
  return inHalves ? [first as string, second as string] : [`(${first} >> 32)`, `(${first} & ${lowerBits})`];
}
