/**
 * Exact numbers on SQLite: integers, and decimals as integers without their point. An overflow becomes a REAL, which is
 * turned into NULL.
 */
import type { Dialect } from '../../query/statement.ts';
import { decimalDigitsMax, scaleOf } from '../../schema/column-type.ts';
import type { ColumnType } from '../../schema/model.ts';
import { computedOnce } from './computed-once.ts';

/** The value if it fits the type, otherwise NULL. */
export function exact(value: string, type: ColumnType): string {
  const isExact = `typeof(${value}) = 'integer'`;
  if (type.kind !== 'decimal') return `CASE WHEN ${isExact} THEN ${value} END`;
  const most = '9'.repeat(decimalDigitsMax);
  return `CASE WHEN ${isExact} AND ${value} BETWEEN -${most} AND ${most} THEN ${value} END`;
}

const power = (digits: number) => `1${'0'.repeat(digits)}`;
/** Negates positive values: every integer has a negative counterpart, but the lowest has no positive one. */
const below = (value: string) => `CASE WHEN ${value} < 0 THEN ${value} ELSE 0 - ${value} END`;

/**
 * The whole part, and the digits after the point by long division. The final remainder decides how the last digit is
 * rounded.
 */
export const quotient: Dialect['quotient'] = (left, right, [dividend, divisor], result) => {
  const factor = power(scaleOf(result) - scaleOf(dividend!) + scaleOf(divisor!));
  return computedOnce([left, right], ([a, b]) =>
    computedOnce([a!, b!, `${a} % ${b} * ${factor}`], ([whole, by, rest]) => {
      const left = `(${rest} % ${by})`;
      const up = `CASE WHEN ${below(left)} > ${below(by!)} - (${below(left)}) THEN 0 WHEN (${rest} < 0) = (${by} < 0) THEN 1 ELSE -1 END`;
      const sum = `${whole} / ${by} * ${factor} + ${rest} / ${by} + ${up}`;
      const value = computedOnce([sum], ([sum]) => exact(sum!, result));
      return `CASE WHEN ${by} <> 0 AND typeof(${rest}) = 'integer' THEN ${value} END`;
    }),
  );
};

export const rounded: Dialect['rounded'] = (operand, from, to) => {
  const digits = scaleOf(from) - scaleOf(to);
  if (digits === 0) return operand;
  const unit = power(digits);
  const rest = `${operand} % ${unit} * 2`;
  return `(${operand} / ${unit} + CASE WHEN ${rest} >= ${unit} THEN 1 WHEN ${rest} <= -${unit} THEN -1 ELSE 0 END)`;
};

export const magnitude: Dialect['magnitude'] = (operand, { kind }) =>
  kind === 'long' ? `CASE WHEN ${operand} > -9223372036854775808 THEN abs(${operand}) END` : `abs(${operand})`;
