/**
 * Describes an entity of the directory once: each column with its type and meaning, whether lists filter, sort and
 * search by it, whether operations take it, and its flag on the command line. Derived from this are the types of rows
 * (`storage/tables.ts`), what is read and written (`directory/rows.ts`), shapes (`operations/entities.ts`), flags and
 * tables of the command line (`cli/entities.ts`), and what a move carries over (`storage/transfer-tables.ts`).
 */

interface ColumnBase {
  /** Name in SQL; when absent, the field's name with underscores. */
  readonly column?: string;
  readonly nullable?: true;
  /** Default value of the database, so that `add` may omit it. */
  readonly default?: boolean | string | number;
  /** True if it is not a column of the table, but computed or stored in another one. */
  readonly elsewhere?: true;
  /** True if rows are returned without it. */
  readonly unread?: true;
  /** A secret under a key (`auth/seal.ts`). */
  readonly sealed?: true;
  /** Description in answers; without one, the column is in no answer. */
  readonly meaning?: string;
  /** Description in the bodies of `add` and `change`; true means `meaning`. `given` stands for both. */
  readonly add?: string | true;
  readonly change?: string | true;
  readonly given?: string | true;
  /** Required when one is added. */
  readonly required?: true;
  readonly sorts?: true;
  /** Lists filter by it; worded to follow "Only entries with this". */
  readonly filters?: string;
  readonly searches?: true;
  readonly flag?: ColumnFlag;
  /** Column heading where the command line shows one entity, and in lists if `listed`. */
  readonly heading?: string;
  readonly listed?: true;
}

/** Of the command line. */
interface ColumnFlag {
  /** The field's name when absent. */
  readonly name?: string;
  readonly placeholder?: string;
  /** Help text for the actions `add` and `update`; absent if the action has no such flag. */
  readonly add?: string;
  readonly update?: string;
  /** An empty text removes the present one. */
  readonly clearable?: true;
}

/** `id`: a number that the database assigns and never reuses. `texts`: stored separated by spaces. */
type Kind =
  | { readonly type: 'id' | 'whole'; readonly minimum?: number }
  | { readonly type: 'text' | 'flag' | 'time' | 'texts' | 'wholes' | 'json' }
  | { readonly type: 'choice'; readonly words: readonly string[] };

export type Column = ColumnBase & Kind;
type Columns = Readonly<Record<string, Column>>;

export interface Entity<Described extends Columns = Columns> {
  /** In SQL. */
  readonly table: string;
  /** Fields that identify a row and order lists. */
  readonly key: readonly string[];
  /** What `search` covers, worded to follow "Only entries with this text in". */
  readonly searched?: string;
  readonly columns: Described;
}

/** Keeps the types of the columns. */
export function entity<const Described extends Columns>(described: Entity<Described>): Entity<Described> {
  return described;
}

/** Present in every entity that can change. */
export const revisionColumn = {
  type: 'whole',
  default: 1,
  meaning: 'Incremented by every change; a change names the revision that it is based on.',
} as const;

type Snake<Name extends string> = Name extends `${infer Head}${infer Tail}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${Snake<Tail>}`
  : '';
type SqlName<Field, Described> = Described extends { readonly column: infer Name extends string }
  ? Name
  : Snake<Field & string>;

export function sqlName(field: string, { column }: Column): string {
  return column ?? field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The fields that are columns of the entity's own table. */
export function storedColumns({ columns }: Entity): [field: string, column: Column][] {
  return Object.entries(columns).filter(([, { elsewhere }]) => elsewhere === undefined);
}

/** Names in SQL, in the order of the key. */
export function keyColumns({ key, columns }: Entity): string[] {
  return Object.entries(columns)
    .filter(([field]) => key.includes(field))
    .map(([field, column]) => sqlName(field, column));
}

/** Whether its ids come from a sequence. */
export function isNumbered({ columns }: Entity): boolean {
  return Object.values(columns).some(({ type }) => type === 'id');
}

export function isText({ type }: Column): boolean {
  return type === 'text' || type === 'texts' || type === 'json' || type === 'choice';
}

type Plain<Described> = Described extends { readonly words: readonly (infer Word)[] }
  ? Word
  : Described extends { readonly type: infer Type extends keyof ValueTypes }
    ? ValueTypes[Type]
    : never;
interface ValueTypes {
  readonly id: number;
  readonly whole: number;
  readonly time: number;
  readonly text: string;
  readonly flag: boolean;
  readonly texts: readonly string[];
  readonly wholes: readonly number[];
  readonly json: unknown;
}
type OrNull<Described, Value> = Described extends { readonly nullable: true } ? Value | null : Value;
export type ValueOf<Described> = OrNull<Described, Plain<Described>>;

type Having<Described, Members> = {
  [Field in keyof Described]: Described[Field] extends Members ? Field : never;
}[keyof Described];
type Elsewhere<Described> = Having<Described, { readonly elsewhere: true }>;
type ColumnsOf<Of> = Of extends Entity<infer Described> ? Described : never;
/** A union of string literals as the fields of an object. */
type Values<Described, Fields extends keyof Described> = { readonly [Field in Fields]: ValueOf<Described[Field]> };
type Stored<Described> = Exclude<keyof Described, Elsewhere<Described>>;
type Added<Described> = Having<Described, { readonly add: unknown } | { readonly given: unknown }>;
type Changed<Described> = Having<Described, { readonly change: unknown } | { readonly given: unknown }>;
type Required<Described> = Added<Described> & Having<Described, { readonly required: true }>;
type Unread<Described> = Having<Described, { readonly unread: true }>;
type Defaulted<Described> = Having<Described, { readonly default: unknown } | { readonly type: 'id' }>;
type Flat<Members> = { [Name in keyof Members]: Members[Name] };

/** A row of the entity as the directory returns it: flags as booleans, texts as lists. */
export type RowOf<Of extends Entity> = Flat<
  Values<ColumnsOf<Of>, Exclude<Stored<ColumnsOf<Of>>, Unread<ColumnsOf<Of>>>>
>;

/** The values given to add one. */
export type NewOf<Of extends Entity> = Flat<
  Values<ColumnsOf<Of>, Required<ColumnsOf<Of>>> &
    Partial<Values<ColumnsOf<Of>, Exclude<Added<ColumnsOf<Of>>, Required<ColumnsOf<Of>>>>>
>;

/** The values to change, and the revision that the change is based on. */
export type ChangesOf<Of extends Entity> = Flat<
  Partial<Values<ColumnsOf<Of>, Changed<ColumnsOf<Of>>>> & { readonly revision?: number }
>;

/** The values to insert; those with a default or that may be null may be absent. */
export type InsertOf<Of extends Entity> = Flat<
  Values<ColumnsOf<Of>, Exclude<Stored<ColumnsOf<Of>>, Omittable<ColumnsOf<Of>>>> &
    Partial<Values<ColumnsOf<Of>, Stored<ColumnsOf<Of>> & Omittable<ColumnsOf<Of>>>>
>;
type Omittable<Described> = Defaulted<Described> | Having<Described, { readonly nullable: true }>;

/** Any of the values that can be written. */
export type WrittenOf<Of extends Entity> = Flat<Partial<Values<ColumnsOf<Of>, Stored<ColumnsOf<Of>>>>>;

type SqlType<Described> = Described extends { readonly type: 'text' | 'texts' | 'json' | 'choice' } ? string : number;
/** The row in SQL; a column with a default is wrapped in `GivenByDatabase`, which this module does not define. */
export type SqlRowOf<Of extends Entity, GivenByDatabase extends 'given' | 'own'> =
  ColumnsOf<Of> extends infer Described
    ? {
        [Field in GivenByDatabase extends 'given'
          ? Stored<Described> & Defaulted<Described>
          : Exclude<Stored<Described>, Defaulted<Described>> as SqlName<Field, Described[Field]>]: OrNull<
          Described[Field],
          SqlType<Described[Field]>
        >;
      }
    : never;

/** Without undefined members: values that are not given stay unchanged. */
export function given<Members extends object>(members: Members): Given<Members> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Given<Members>;
}
type Given<Members> = { [Name in keyof Members]?: Exclude<Members[Name], undefined> };
