/**
 * Shapes of the operations on an entity (`entities/`), and what the operations to list, add, read, change and remove
 * one share.
 */
import Type, { type TObject, type TOptional, type TSchema, type TString, type TUnsafe } from 'typebox';
import type { Column, Entity, ValueOf } from '../entities/entity.ts';
import type { Operation } from './define.ts';
import {
  choice,
  envelope,
  filter,
  listOf,
  listQuery,
  oneOf,
  optional,
  orNull,
  requiredText,
  revisionQuery,
  search,
  time,
  whole,
} from './shapes.ts';

type By = 'add' | 'change';
type Taken<Of, Doing extends By> =
  Of extends Entity<infer Columns>
    ? {
        [Field in keyof Columns as Columns[Field] extends
          | { readonly [Name in Doing]: unknown }
          | { readonly given: unknown }
          ? Field
          : never]: Doing extends 'add'
          ? Columns[Field] extends { readonly required: true }
            ? TUnsafe<ValueOf<Columns[Field]>>
            : TOptional<TUnsafe<ValueOf<Columns[Field]>>>
          : TOptional<TUnsafe<ValueOf<Columns[Field]>>>;
      }
    : never;

/** The members of answers: the columns with a `meaning`. */
type Answered<Of> =
  Of extends Entity<infer Columns>
    ? {
        [Field in keyof Columns & string as Columns[Field] extends { readonly meaning: string }
          ? Columns[Field] extends { readonly type: 'time' }
            ? TimeName<Field>
            : Field
          : never]: TUnsafe<Columns[Field] extends { readonly type: 'time' } ? string : ValueOf<Columns[Field]>>;
      }
    : never;
type TimeName<Field extends string> = Field extends `${infer Stem}d` ? `${Stem}Time` : `${Field}Time`;

/**
 * The parts of the operations on an entity; members of `op` override them.
 * @param shapes of answers that the column's type does not determine
 */
export function operationsOn<
  Of extends Entity,
  const Shapes extends Readonly<Record<string, TSchema>> = Record<never, TSchema>,
>(entity: Of, shapes: Shapes = {} as Shapes) {
  const columns = Object.entries(entity.columns);
  const filtered = columns.flatMap(([field, { filters: what }]) => (what === undefined ? [] : [[field, filter(what)]]));
  const searched = entity.searched === undefined ? {} : { search: search(entity.searched) };
  const filters: { search: TOptional<TString> } = { ...Object.fromEntries(filtered), ...searched };
  const query = listQuery(filters);
  const taken = <Doing extends By>(doing: Doing) =>
    Object.fromEntries(columns.flatMap((each) => takenShape(doing, ...each))) as Taken<Of, Doing>;
  const one = Type.Object({
    ...Object.fromEntries(columns.flatMap((each) => answeredShape(...each))),
    ...shapes,
  }) as unknown as TObject<Omit<Answered<Of>, keyof Shapes> & Shapes>;
  type Given = Partial<Operation>;
  return {
    /** One entity in an answer. */
    one,
    /** Filters in the query of a list. */
    filters,
    /** Members of the body to add one. */
    adding: taken('add'),
    /** Members of the body to change one. */
    changing: taken('change'),
    list: <const Op extends Given>(op: Op) => ({ method: 'GET' as const, query, answer: listOf(one), ...op }),
    read: <const Op extends Given>(op: Op) => ({ method: 'GET' as const, answer: oneOf(one), ...op }),
    add: <const Op extends Given>(op: Op) => ({ method: 'POST' as const, answer: oneOf(one), ...op }),
    change: <const Op extends Given>(op: Op) => ({ method: 'PUT' as const, answer: oneOf(one), ...op }),
    remove: <const Op extends Given>(op: Op) => ({
      method: 'DELETE' as const,
      query: revisionQuery,
      answer: envelope({}),
      ...op,
    }),
  };
}

function answeredShape(field: string, column: Column): [string, TSchema][] {
  const { meaning } = column;
  if (meaning === undefined) return [];
  return column.type === 'time' ? [[timeName(field), time(meaning)]] : [[field, shapeOf(column, meaning)]];
}

/** The name of a time in answers, such as `createTime` for `created` in the directory. */
export function timeName(field: string): string {
  return `${field.replace(/d$/, '')}Time`;
}

function takenShape(doing: By, field: string, column: Column): [string, TSchema][] {
  const { [doing]: own = column.given, required, type } = column;
  if (own === undefined) return [];
  const meaning = own === true ? (column.meaning ?? '') : own;
  if (type === 'id') return [[field, optional(whole(meaning, { minimum: 1 }))]];
  if (doing === 'change' || !required) return [[field, optional(shapeOf(column, meaning))]];
  return [[field, type === 'text' ? requiredText(meaning) : shapeOf(column, meaning)]];
}

function shapeOf(column: Column, meaning: string): TSchema {
  const { nullable, type } = column;
  if (nullable) return orNull(plainShape(column, {}), meaning);
  return type === 'choice' ? choice(column.words, meaning) : plainShape(column, { description: meaning });
}

function plainShape(column: Column, described: { readonly description?: string }): TSchema {
  switch (column.type) {
    case 'text':
    case 'time':
      return Type.String(described);
    case 'flag':
      return Type.Boolean(described);
    case 'texts':
      return Type.Array(Type.String(), described);
    case 'wholes':
      return Type.Array(Type.Integer(), described);
    case 'json':
      return Type.Unknown(described);
    case 'choice':
      return choice(column.words, '');
    default:
      return Type.Integer({ ...described, ...(column.minimum === undefined ? {} : { minimum: column.minimum }) });
  }
}
