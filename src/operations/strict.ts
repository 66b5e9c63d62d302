/**
 * Strict handling (RFC 7240 §4.4): refuses members that a shape does not name, at any depth, where `read` ignores them,
 * and empty text that would count as absent. A value of the wrong type is left to `read`.
 */
import type { TSchema } from 'typebox';
import { malformed, quoted } from '../errors.ts';
import { didYouMeanOneOf } from '../nearest.ts';
import { absentWhenEmpty, ignoredMembers } from './shapes.ts';

/** The part of JSON Schema that names members. */
interface Shape {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
  readonly [absentWhenEmpty]?: true;
  readonly [ignoredMembers]?: readonly string[];
}

/**
 * @param thing the word for the value's own members in error messages
 * @throws ServiceError `malformed`
 */
export function refuseUnknown(shape: TSchema, value: unknown, thing: 'member' | 'query parameter'): void {
  walk(shape as Shape, value, '', thing);
}

function walk(shape: Shape, value: unknown, path: string, thing: string): void {
  if (value === '' && shape[absentWhenEmpty]) {
    throw malformed(
      path,
      'expected a value, got empty text, which would count as absent; leave the member out, or send a value.',
    );
  }
  if (typeof value !== 'object' || value === null) return;
  if (shape.anyOf !== undefined) {
    const kind = Array.isArray(value) ? 'array' : 'object';
    const fitting = shape.anyOf.find(({ type }) => type === kind);
    if (fitting !== undefined) walk(fitting, value, path, thing);
  } else if (Array.isArray(value)) {
    const { items } = shape;
    if (items !== undefined) for (const [index, item] of value.entries()) walk(items, item, `${path}[${index}]`, thing);
  } else if (shape.properties !== undefined) {
    const { properties } = shape;
    for (const [name, member] of Object.entries(value)) {
      const shapeOfMember = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (shape[ignoredMembers]?.includes(name)) continue;
      if (shapeOfMember === undefined) throw unknown(name, Object.keys(properties), path, thing);
      walk(shapeOfMember, member, path === '' ? name : `${path}.${name}`, 'member');
    }
  }
}

function unknown(name: string, known: readonly string[], path: string, thing: string): Error {
  const field = path === '' ? (thing === 'member' ? 'body' : 'query') : path;
  return malformed(field, `there is no ${thing} ${quoted(name)}${didYouMeanOneOf(name, known)}`);
}
