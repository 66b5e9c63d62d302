/**
 * Which types can be compared. The rules make every engine give the same answer, and no comparison fails at run time
 * (docs/reference/expression-language.md#types-and-comparisons).
 */
import { decimalDigitsMax, scaleOf } from '../../schema/column-type.ts';
import type { ColumnType } from '../../schema/model.ts';

export const text: ColumnType = { kind: 'text' };
export const long: ColumnType = { kind: 'long' };
export const integer: ColumnType = { kind: 'integer' };
export const double: ColumnType = { kind: 'double' };
export const bool: ColumnType = { kind: 'bool' };
export const datetime: ColumnType = { kind: 'datetime' };

/** Digits of the longest integer. */
const integerDigits = 10;
/** Digits of a sum or an average. */
const exactDigits = 38;
/** How many digits after the point may be added to a 64-bit number to compare it with a sum or an average. */
const gainedDigitsMax = 9;

export function isText(type: ColumnType): boolean {
  return type.kind === 'text' || type.kind === 'varchar';
}

export function isInteger(type: ColumnType): boolean {
  return type.kind === 'integer' || type.kind === 'long';
}

/** The type of a sum, or with further digits of an average, of integers, longs or decimals. */
export function exactDecimal(operand: ColumnType, digits: number): ColumnType {
  return { kind: 'decimal', precision: exactDigits, scale: scaleOf(operand) + digits };
}

/** Whether its numbers may need more than 64 bits. */
export function isWide(type: ColumnType): boolean {
  return type.kind === 'decimal' && type.precision > decimalDigitsMax;
}

/** The type in which values of the two types are compared, or a full sentence on why they cannot be compared. */
export function commonType(left: ColumnType, right: ColumnType): ColumnType | string {
  if (isWide(left)) return commonWide(left, right);
  if (isWide(right)) return commonWide(right, left);
  if (isText(left) && isText(right)) return text;
  if (left.kind === 'json' || right.kind === 'json') return 'json can only be tested with IS NULL and IS NOT NULL.';
  if (left.kind === 'decimal' && right.kind === 'decimal') return commonDecimal(left, right);
  if (left.kind === right.kind) return left;
  if (isInteger(left) && isInteger(right)) return long;
  return commonNumber(left, right) ?? commonNumber(right, left) ?? 'they are of different kinds.';
}

/** The same for two number types that differ and are not both integers, in one order; undefined: swap the operands. */
function commonNumber(left: ColumnType, right: ColumnType): ColumnType | string | undefined {
  if (left.kind === 'integer' && right.kind === 'double') return double;
  if (left.kind === 'integer' && right.kind === 'decimal') {
    return commonDecimal({ kind: 'decimal', precision: integerDigits, scale: 0 }, right);
  }
  if (left.kind === 'long' && right.kind === 'double') return 'a double cannot hold every long exactly.';
  if (left.kind === 'long' && right.kind === 'decimal') {
    return right.scale === 0 ? long : 'a decimal with digits after the point cannot hold every long.';
  }
  if (left.kind === 'decimal' && right.kind === 'double') return 'a double cannot hold every decimal exactly.';
  return undefined;
}

/** Digits after the point can be added only to 64-bit numbers. */
function commonWide(wide: ColumnType, other: ColumnType): ColumnType | string {
  if (!isInteger(other) && other.kind !== 'decimal') return 'they are of different kinds.';
  const gained = scaleOf(wide) - scaleOf(other);
  if (gained === 0 || (gained > 0 && gained <= gainedDigitsMax && !isWide(other))) return wide;
  return `they have ${scaleOf(wide)} and ${scaleOf(other)} digits after the point.`;
}

type Decimal = Extract<ColumnType, { kind: 'decimal' }>;

function commonDecimal(left: Decimal, right: Decimal): ColumnType | string {
  const scale = Math.max(left.scale, right.scale);
  const whole = Math.max(left.precision - left.scale, right.precision - right.scale);
  const precision = whole + scale;
  if (precision <= decimalDigitsMax || left.scale === right.scale) {
    return { kind: 'decimal', precision: Math.min(precision, decimalDigitsMax), scale };
  }
  return `${whole} digits before and ${scale} after the point do not fit into ${decimalDigitsMax} together.`;
}
