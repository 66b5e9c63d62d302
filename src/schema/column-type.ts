/**
 * The types of columns (docs/reference/values.md#types), each described once: its spelling in a definition, its values
 * and how they are read, and its description in OpenAPI. The engines define what they store for a type.
 */
import { malformed, missing, quoted } from '../errors.ts';
import { suggestion } from '../nearest.ts';
import type { ColumnType, StoredValue } from './model.ts';
import {
  boolOf,
  checkPlain,
  datetimeOf,
  decimalOf,
  doubleOf,
  integerMax,
  integerMin,
  integerOf,
  jsonOf,
  longOf,
  textOf,
  type ValueRules,
  varcharOf,
} from './values.ts';

/** The longest varchar, in code points. */
const varcharLengthMax = 10_000;
/** Length of a varchar without `fieldLength`, which existing clients leave out. */
const varcharLengthDefault = 255;
/** Digits of a decimal column. Every unscaled value of this length fits 64 bits. */
export const decimalDigitsMax = 18;
/** The longest varchar in an index, in code points (docs/reference/values.md#defining-tables). */
export const indexedLengthMax = 600;

/** The members of a column's definition that state its type. */
export interface TypeMembers {
  readonly type?: unknown;
  readonly fieldLength?: unknown;
  readonly precision?: unknown;
  readonly scale?: unknown;
}

/** The JSON values that clients send for a type, in the words of JSON Schema. */
export interface JsonShape {
  readonly type: readonly ('string' | 'integer' | 'number' | 'boolean')[];
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

interface TypeRule<Type extends ColumnType> {
  /** An alternative name in definitions. */
  readonly alias?: string;
  /** Reads the members beside `type`; absent where a type has none. @throws ServiceError `missing`, `malformed` */
  readonly read?: (members: TypeMembers, path: string) => Omit<Type, 'kind'>;
  /** The members from which `read` reads the same type, in the order of the type's text. */
  readonly members?: (type: Type) => Omit<TypeMembers, 'type'>;
  /** The stored form of a value other than null. @throws ValueError */
  readonly parse: (input: unknown, rules: ValueRules, type: Type) => StoredValue;
  /** Null if any JSON value is accepted. */
  readonly accepted: (type: Type) => JsonShape | null;
  /** Its wire text is JSON of the same value. Numbers that JSON might not hold exactly are strings. */
  readonly isJsonText?: true;
  /** Whether an index may have such a column; true if absent. */
  readonly isIndexable?: (type: Type) => boolean;
}

const types: { readonly [K in ColumnType['kind']]: TypeRule<Extract<ColumnType, { kind: K }>> } = {
  varchar: {
    read: ({ fieldLength }, path) => ({
      length: isAbsent(fieldLength)
        ? varcharLengthDefault
        : wholeNumber(fieldLength, `${path}.fieldLength`, 1, varcharLengthMax),
    }),
    members: ({ length }) => ({ fieldLength: length }),
    parse: (input, _rules, { length }) => varcharOf(input, length),
    accepted: ({ length }) => ({ type: ['string'], maxLength: length }),
    isIndexable: ({ length }) => length <= indexedLengthMax,
  },
  text: { parse: textOf, accepted: () => ({ type: ['string'] }), isIndexable: () => false },
  integer: {
    parse: integerOf,
    isJsonText: true,
    accepted: () => ({ type: ['integer', 'string'], minimum: integerMin, maximum: integerMax }),
  },
  long: { parse: longOf, accepted: () => ({ type: ['integer', 'string'] }) },
  double: { alias: 'float', isJsonText: true, parse: doubleOf, accepted: () => ({ type: ['number', 'string'] }) },
  decimal: {
    read: ({ precision: digits, scale }, path) => {
      const precision = wholeNumber(digits, `${path}.precision`, 1, decimalDigitsMax);
      return { precision, scale: isAbsent(scale) ? 0 : wholeNumber(scale, `${path}.scale`, 0, precision) };
    },
    members: ({ precision, scale }) => ({ precision, scale }),
    parse: (input, _rules, { precision, scale }) => decimalOf(input, precision, scale),
    accepted: () => ({ type: ['number', 'string'] }),
  },
  bool: { isJsonText: true, parse: boolOf, accepted: () => ({ type: ['boolean', 'string', 'integer'] }) },
  datetime: { parse: (input, { zone }) => datetimeOf(input, zone), accepted: () => ({ type: ['string', 'integer'] }) },
  json: { isJsonText: true, parse: jsonOf, accepted: () => null, isIndexable: () => false },
};

/** The rule of the type's kind. */
function ruleOf({ kind }: ColumnType): TypeRule<ColumnType> {
  return types[kind] as TypeRule<ColumnType>;
}

/** By name and alias. */
const kinds: ReadonlyMap<string, ColumnType['kind']> = new Map(
  Object.entries(types).flatMap(([word, { alias }]) => {
    const kind = word as ColumnType['kind'];
    return [[word, kind], ...(alias === undefined ? [] : [[alias, kind] as const])] as const;
  }),
);

/**
 * The stored form of a value from JSON: a string, number or boolean for every type, and for json also an array or
 * object. Null stays null. Nothing is truncated or rounded, except that a double is the nearest one.
 * @throws ValueError
 */
export function parseValue(type: ColumnType, input: unknown, rules: ValueRules): StoredValue {
  if (input === null) return null;
  checkPlain(input, rules.valueBytesMax);
  return ruleOf(type).parse(input, rules, type);
}

/** What clients may send for the type; null for any JSON value. */
export function acceptedJson(type: ColumnType): JsonShape | null {
  return ruleOf(type).accepted(type);
}

/** Whether typed answers hold the wire text unchanged. */
export function isJsonText(type: ColumnType): boolean {
  return ruleOf(type).isJsonText ?? false;
}

/** Digits after the point. */
export function scaleOf(type: ColumnType): number {
  return type.kind === 'decimal' ? type.scale : 0;
}

export function isIndexable(type: ColumnType): boolean {
  return ruleOf(type).isIndexable?.(type) ?? true;
}

/**
 * The type kind that a word names, in any letter case.
 * @throws ServiceError `missing`, `malformed`
 */
export function readKind(word: unknown, path: string): ColumnType['kind'] {
  if (word === undefined || word === null || word === '') throw missing(`${path}.type`);
  const kind = typeof word === 'string' ? kinds.get(word.toLowerCase()) : undefined;
  if (kind !== undefined) return kind;
  const hint = typeof word === 'string' ? suggestion(word, kinds.keys()) : '';
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
  return { kind, ...types[kind].read?.(members, path) } as ColumnType;
}

/** The members from which `readType` reads the same type. */
export function describeType(type: ColumnType): TypeMembers {
  return { type: type.kind, ...ruleOf(type).members?.(type) };
}

/** A readable type: `varchar(50)`, `decimal(12,2)`, `long`. Types are equal if and only if their texts are. */
export function typeText(type: ColumnType): string {
  const members = ruleOf(type).members?.(type);
  return members === undefined ? type.kind : `${type.kind}(${Object.values(members).join(',')})`;
}

function refuseDecimalMembers(members: TypeMembers, kind: string, path: string): void {
  for (const member of ['precision', 'scale'] as const) {
    if (isAbsent(members[member])) continue;
    throw malformed(
      `${path}.${member}`,
      `expected none, since only a decimal has it and this is ${kind}, got ${quoted(members[member])}.`,
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
