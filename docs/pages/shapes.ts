/** The members of a shape as rows of a table: path, type, whether it is required, meaning. */
import type { TSchema } from 'typebox';
import { anchor } from '../../src/http/docs/anchor.ts';
import { code, table } from './markdown.ts';

/** The part of JSON Schema that our shapes use. */
interface Shape {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
  readonly minimum?: number;
  readonly maximum?: number;
}

export interface Field {
  /** `join[].expression.source` */
  readonly path: string;
  readonly type: string;
  readonly required: boolean;
  readonly meaning: string;
}

/** Every member, those of members included, in the order of the shape. */
export function fieldsOf(schema: TSchema): Field[] {
  return membersOf(schema as Shape, '', new Map());
}

/** What is said of the shape as a whole. */
export function descriptionOf(schema: TSchema): string {
  return (schema as Shape).description ?? '';
}

/** @param told paths of the shapes with members, by their text: one that comes again is told once */
function membersOf(shape: Shape, path: string, told: Map<string, string>): Field[] {
  return Object.entries(shape.properties ?? {}).flatMap(([name, member]) => {
    const place = path === '' ? name : `${path}.${name}`;
    const required = shape.required?.includes(name) ?? false;
    const field = { path: place, type: typeText(member), required, meaning: member.description ?? '' };
    const text = JSON.stringify(member);
    const same = told.get(text);
    if (same !== undefined) return [{ ...field, meaning: `The same as ${code(same)}.` }];
    const further = inner(member, place, told);
    if (further.length > 0) told.set(text, place);
    return [field, ...further];
  });
}

function inner(shape: Shape, path: string, told: Map<string, string>): Field[] {
  if (shape.type === 'object') return membersOf(shape, path, told);
  return shape.type === 'array' && shape.items !== undefined ? inner(shape.items, `${path}[]`, told) : [];
}

/** A type for people: `array of string`, `integer, 1 to 9`. */
function typeText(shape: Shape): string {
  if (shape.anyOf !== undefined) return shape.anyOf.map(typeText).join(' or ');
  switch (shape.type) {
    case 'array':
      return `array${shape.items?.type === undefined ? '' : ` of ${typeText(shape.items)}`}`;
    case 'integer':
      return `integer${rangeText(shape)}`;
    default:
      return shape.type ?? 'any';
  }
}

function rangeText({ minimum, maximum }: Shape): string {
  if (minimum === undefined) return '';
  return maximum === undefined ? `, ${minimum} or more` : `, ${minimum} to ${maximum}`;
}

export function fieldRow({ path, type, required, meaning }: Field): string[] {
  return [code(path), type, required ? 'yes' : 'no', meaning];
}

/**
 * The table of what is answered.
 * @param name of the operation
 * @param told operations of the page by the object that they answer: one that comes again is told once
 */
export function answerTable(name: string, fields: readonly Field[], told: Map<string, string>): string {
  const rows = fields
    .filter(({ path }) => !/[.[]/.test(path))
    .flatMap((root): string[][] => {
      const inside = fields.filter(
        ({ path }) => /^(\[\])?\./.test(path.slice(root.path.length)) && path.startsWith(root.path),
      );
      const relative = inside.map(({ path, ...field }) => ({
        ...field,
        path: path.slice(root.path.length).replace('[]', ''),
      }));
      const text = JSON.stringify(relative);
      const first = told.get(text);
      if (first !== undefined) {
        return [[code(root.path), root.type, `${root.meaning} Members as in [${first}](#${anchor(first)}).`.trim()]];
      }
      if (inside.length > 1) told.set(text, name);
      return [root, ...inside].map(({ path, type, meaning }) => [code(path), type, meaning]);
    });
  return table(['member', 'type', 'meaning'], rows);
}
