/**
 * Which types can be compared. The rules make every engine give the same answer, and no comparison fails at run time
 * (docs/reference/expression-language.md#types-and-comparing).
 */
import type { ColumnType } from '../../schema/model.ts';

export const text: ColumnType = { kind: 'text' };
export const long: ColumnType = { kind: 'long' };
export const integer: ColumnType = { kind: 'integer' };
export const double: ColumnType = { kind: 'double' };
export const bool: ColumnType = { kind: 'bool' };

/** Digits of the longest integer and of the longest decimal (stored unscaled in 64 bits). */
const integerDigits = 10;
const decimalDigitsMax = 18;

export function isText(type: ColumnType): boolean {
  return type.kind === 'text' || type.kind === 'varchar';
}

export function isInteger(type: ColumnType): boolean {
  return type.kind === 'integer' || type.kind === 'long';
}

/** The type as which values of the two types are compared, or a full sentence that says why they cannot be. */
export function commonType(left: ColumnType, right: ColumnType): ColumnType | string {
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
