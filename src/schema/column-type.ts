/** The types of columns as a definition spells them (docs/reference/values.md#types): read, written back, compared. */
import { malformed, missing, quoted } from '../errors.ts';
import { nearest } from '../nearest.ts';
import type { ColumnType } from './model.ts';

/** The longest varchar, in code points. */
const varcharLengthMax = 10_000;
/** Length of a varchar without `fieldLength`, which existing clients leave out. */
const varcharLengthDefault = 255;
/** Every unscaled value of 18 digits fits 64 bits. */
const decimalPrecisionMax = 18;

const kinds: ReadonlyMap<string, ColumnType['kind']> = new Map([
  ['varchar', 'varchar'],
  ['text', 'text'],
  ['integer', 'integer'],
  ['long', 'long'],
  ['double', 'double'],
  ['float', 'double'],
  ['decimal', 'decimal'],
  ['bool', 'bool'],
  ['datetime', 'datetime'],
  ['json', 'json'],
]);

/** The members of a column's definition that state its type. */
export interface TypeMembers {
  readonly type?: unknown;
  readonly fieldLength?: unknown;
  readonly precision?: unknown;
  readonly scale?: unknown;
}

/**
 * The type kind that a word names, in any letter case.
 * @throws ServiceError `missing`, `malformed`
 */
export function readKind(word: unknown, path: string): ColumnType['kind'] {
  if (word === undefined || word === null || word === '') throw missing(`${path}.type`);
  const kind = typeof word === 'string' ? kinds.get(word.toLowerCase()) : undefined;
  if (kind !== undefined) return kind;
  const near = typeof word === 'string' ? nearest(word, kinds.keys()) : undefined;
  const hint = near === undefined ? '' : ` Did you mean "${near}"?`;
  throw malformed(`${path}.type`, `expected one of ${[...kinds.keys()].join(', ')}, got ${quoted(word)}.${hint}`);
}

/**
 * The type in a column's definition. `fieldLength` counts only for varchar; clients send it with every column.
 * @param path the column's name in error messages
 * @throws ServiceError `missing`, `malformed`
 */
export function readType(members: TypeMembers, path: string): ColumnType {
  const kind = readKind(members.type, path);
  if (kind !== 'decimal') refuseDecimalMembers(members, kind, path);
  switch (kind) {
    case 'varchar':
      if (isAbsent(members.fieldLength)) return { kind, length: varcharLengthDefault };
      return { kind, length: wholeNumber(members.fieldLength, `${path}.fieldLength`, 1, varcharLengthMax) };
    case 'decimal': {
      const precision = wholeNumber(members.precision, `${path}.precision`, 1, decimalPrecisionMax);
      const scale = isAbsent(members.scale) ? 0 : wholeNumber(members.scale, `${path}.scale`, 0, precision);
      return { kind, precision, scale };
    }
    default:
      return { kind };
  }
}

/** The members from which `readType` reads the same type. */
export function describeType(type: ColumnType): TypeMembers {
  switch (type.kind) {
    case 'varchar':
      return { type: type.kind, fieldLength: type.length };
    case 'decimal':
      return { type: type.kind, precision: type.precision, scale: type.scale };
    default:
      return { type: type.kind };
  }
}

/** A type for people: `varchar(50)`, `decimal(12,2)`, `long`. Two types are the same when this text is. */
export function typeText(type: ColumnType): string {
  switch (type.kind) {
    case 'varchar':
      return `varchar(${type.length})`;
    case 'decimal':
      return `decimal(${type.precision},${type.scale})`;
    default:
      return type.kind;
  }
}

function refuseDecimalMembers(members: TypeMembers, kind: string, path: string): void {
  for (const member of ['precision', 'scale'] as const) {
    if (isAbsent(members[member])) continue;
    throw malformed(
      `${path}.${member}`,
      `expected nothing, since only a decimal has it and this is ${kind}, got ${quoted(members[member])}.`,
    );
  }
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function wholeNumber(value: unknown, field: string, min: number, max: number): number {
  if (isAbsent(value)) throw missing(field);
  const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
  if (typeof number === 'number' && Number.isInteger(number) && number >= min && number <= max) return number;
  throw malformed(field, `expected a whole number from ${min} to ${max}, got ${quoted(value)}.`);
}
