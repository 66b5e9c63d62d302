/**
 * Reads a JSON value against a shape: returns it with the shape's types, or reports the field that is wrong. A string
 * may stand for a number or a boolean, and vice versa (docs/reference/requests.md#bodies). Null counts as absent for an
 * optional member, unless the shape has null as a value; members that are not in the shape are omitted.
 */
import type { Static, TSchema } from 'typebox';
import { malformed, missing, quoted } from '../errors.ts';

/** The part of JSON Schema that our shapes use. */
interface Shape {
  readonly type?: string;
  /** Words of a string. */
  readonly enum?: readonly string[];
  /** `password`: the received value is not shown. */
  readonly format?: string;
  readonly properties?: Record<string, Shape>;
  readonly required?: readonly string[];
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly minItems?: number;
}

/** How an error shows the received value. */
export type Quote = (value: unknown) => string;

/** Where a secret may have been sent in the wrong field. */
export const redacted: Quote = () => 'something else';

/**
 * @param path the name of the value in errors; '' for the body itself
 * @throws ServiceError `missing` for a required member that is absent, null or '', `malformed` for other faults
 */
export function read<S extends TSchema>(shape: S, value: unknown, path = '', tell: Quote = quoted): Static<S> {
  return readShape(shape as Shape, value, path, tell) as Static<S>;
}

function readShape(shape: Shape, value: unknown, path: string, tell: Quote): unknown {
  if (shape.anyOf !== undefined) return readAnyOf(shape, shape.anyOf, value, path, tell);
  switch (shape.type) {
    case 'object':
      return readObject(shape, value, path, tell);
    case 'array':
      return readArray(shape, value, path, tell);
    case 'string':
      if (typeof value === 'string') return readText(shape, value, path, tell);
      if (typeof value === 'number' || typeof value === 'boolean') return readText(shape, String(value), path, tell);
      if (shape.format === 'password') throw wrong(path, redacted(value), 'a string');
      throw wrong(path, tell(value), 'a string');
    case 'integer':
      return readInteger(shape, value, path, tell);
    case 'boolean':
      if (typeof value === 'boolean') return value;
      if (value === 'true' || value === 1 || value === '1') return true;
      if (value === 'false' || value === 0 || value === '0') return false;
      throw wrong(path, tell(value), '"true" or "false"');
    default:
      return value;
  }
}

/** Chooses the alternative by the kind of value: an array, an object or a plain value. */
function readAnyOf(shape: Shape, alternatives: readonly Shape[], value: unknown, path: string, tell: Quote): unknown {
  const kind = Array.isArray(value) ? 'array' : typeof value === 'object' ? 'object' : 'plain';
  const fitting = alternatives.find(({ type }) =>
    kind === 'plain' ? type !== 'array' && type !== 'object' && type !== 'null' : type === kind,
  );
  if (fitting === undefined || value === null) {
    const expected = alternatives.map((alternative) => describe(alternative)).join(' or ');
    throw wrong(path, shape.format === 'password' ? redacted(value) : tell(value), expected);
  }
  return readShape(fitting, value, path, tell);
}

function readObject(shape: Shape, value: unknown, path: string, tell: Quote): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(path, tell(value), 'an object');
  const result: Record<string, unknown> = {};
  const members = value as Record<string, unknown>;
  for (const [name, member] of Object.entries(shape.properties ?? {})) {
    const came = Object.hasOwn(members, name) ? members[name] : undefined;
    const field = path === '' ? name : `${path}.${name}`;
    if (came === null && takesNull(member)) result[name] = null;
    else if (came !== undefined && came !== null) result[name] = readShape(member, came, field, tell);
    else if (shape.required?.includes(name)) throw missing(field);
  }
  return result;
}

function takesNull({ anyOf = [] }: Shape): boolean {
  return anyOf.some(({ type }) => type === 'null');
}

function readArray(shape: Shape, value: unknown, path: string, tell: Quote): unknown {
  if (!Array.isArray(value)) throw wrong(path, tell(value), 'an array');
  const { minItems = 0 } = shape;
  if (value.length < minItems) {
    throw wrong(
      path,
      value.length === 0 ? '[]' : `an array of ${value.length}`,
      `an array of ${minItems} or more items`,
    );
  }
  const items = shape.items;
  if (items === undefined || (items.type === undefined && items.anyOf === undefined)) return value;
  return value.map((item, index) => readShape(items, item, `${path}[${index}]`, tell));
}

function readText(shape: Shape, value: string, path: string, tell: Quote): string {
  if (value === '' && (shape.minLength ?? 0) > 0) throw missing(path);
  if (shape.enum === undefined) return value;
  const word = shape.enum.find((each) => each.toLowerCase() === value.toLowerCase());
  if (word === undefined) throw wrong(path, tell(value), describe(shape));
  return word;
}

function readInteger(shape: Shape, value: unknown, path: string, tell: Quote): number {
  const number = typeof value === 'string' && /^[+-]?\d{1,16}$/.test(value.trim()) ? Number(value) : value;
  const fits =
    typeof number === 'number' &&
    Number.isSafeInteger(number) &&
    number >= (shape.minimum ?? Number.MIN_SAFE_INTEGER) &&
    number <= (shape.maximum ?? Number.MAX_SAFE_INTEGER);
  if (!fits) throw wrong(path, tell(value), describe(shape));
  return number;
}

function describe(shape: Shape): string {
  if (shape.enum !== undefined) return `one of ${shape.enum.join(', ')}`;
  switch (shape.type) {
    case 'integer': {
      if (shape.minimum !== undefined && shape.maximum !== undefined) {
        return `an integer from ${shape.minimum} to ${shape.maximum}`;
      }
      return shape.minimum === undefined ? 'an integer' : `an integer of ${shape.minimum} or greater`;
    }
    case 'array':
      return 'an array';
    case 'object':
      return 'an object';
    case 'null':
      return 'null';
    default:
      return `a ${shape.type ?? 'value'}`;
  }
}

function wrong(path: string, got: string, expected: string): Error {
  return malformed(path === '' ? 'body' : path, `expected ${expected}, got ${got}.`);
}
