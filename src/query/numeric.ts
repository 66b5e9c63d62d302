/**
 * What arithmetic does with the types of numbers (docs/reference/expression-language.md#functions-and-arithmetic). Both
 * engines compute with exact numbers of at most 64 bits (integers) or 18 digits (decimals); a result beyond is null.
 */
import { decimalDigitsMax } from '../schema/column-type.ts';
import type { ColumnType } from '../schema/model.ts';
import { commonType, isInteger, long } from './check/types.ts';

/** The types in which the operands are computed, and the type of the result. */
export interface NumericTypes {
  readonly operands: readonly ColumnType[];
  readonly result: ColumnType;
}

/** @returns a phrase on why there is no result, if there is none */
export type NumericRule = (...operands: readonly ColumnType[]) => NumericTypes | string;

/** Minimum digits after the point of a quotient. */
const quotientDigits = 6;

/** Digits before and after the point; a long has one digit more than a decimal can hold. */
export function digitsOf(type: ColumnType): { readonly whole: number; readonly scale: number } {
  if (type.kind === 'decimal') return { whole: type.precision - type.scale, scale: type.scale };
  return { whole: type.kind === 'integer' ? 10 : 19, scale: 0 };
}

export function decimal(whole: number, scale: number): ColumnType {
  return { kind: 'decimal', precision: Math.max(1, Math.min(whole + scale, decimalDigitsMax)), scale };
}

const longs: NumericTypes = { operands: [long, long], result: long };

const areIntegers = (...types: readonly ColumnType[]) => types.every(isInteger);

/** For two operands that are computed in one type. */
const ofCommon =
  (result: (common: ColumnType) => ColumnType): NumericRule =>
  (left, right) => {
    if (areIntegers(left!, right!)) return longs;
    const common = commonType(left!, right!);
    return typeof common === 'string' ? common : { operands: [common, common], result: result(common) };
  };

/** `+` and `-`: operands and result have one scale; the result has one more digit before the point. */
export const sum = ofCommon((common) => {
  const { whole, scale } = digitsOf(common);
  return decimal(whole + 1, scale);
});

/** `%`, with the sign of the dividend; null where the divisor is 0. */
export const remainder = ofCommon((common) => common);

/** `*`: the numbers of digits after the point are added. */
export const product: NumericRule = (left, right) => {
  if (areIntegers(left!, right!)) return longs;
  const [one, other] = [digitsOf(left!), digitsOf(right!)];
  const scale = one.scale + other.scale;
  if (scale > decimalDigitsMax) return `the result has ${scale} digits after the point, more than ${decimalDigitsMax}.`;
  return { operands: [left!, right!], result: decimal(one.whole + other.whole, scale) };
};

/** `/`: a decimal with six digits after the point, or the dividend's if more, rounded half away from zero. */
export const quotient: NumericRule = (left, right) => {
  const [one, other] = [digitsOf(left!), digitsOf(right!)];
  const scale = Math.max(one.scale, quotientDigits);
  const shift = scale - one.scale + other.scale;
  if (shift > decimalDigitsMax) {
    return `a divisor has at most ${decimalDigitsMax - scale + one.scale} digits after the point here.`;
  }
  return { operands: [left!, right!], result: decimal(decimalDigitsMax, scale) };
};

/** `ABS`, also of doubles. */
export const magnitude: NumericRule = (operand) => {
  const type = isInteger(operand!) ? long : operand!;
  return { operands: [type], result: type };
};
