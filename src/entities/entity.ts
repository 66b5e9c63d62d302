/**
 * What an entity of the directory is, described once: each column with its type, its meaning, and whether lists filter, sort
 * and search by it, operations take it and the command line has a flag for it. Derived from it are the types of rows
 * (`storage/tables.ts`), what is read and written (`directory/rows.ts`), shapes (`operations/entities.ts`), flags and tables
 * of the command line (`cli/entities.ts`), and what a move carries over (`storage/transfer-tables.ts`).
 */

interface ColumnBase {
  /** In SQL; the field with underscores when absent. */
  readonly column?: string;
  readonly nullable?: true;
  /** What the database puts there by itself, and what `add` may leave out. */
  readonly default?: boolean | string | number;
  /** True where it is no column of the table, but computed or kept in another one. */
  readonly elsewhere?: true;
  /** True where rows are handed out without it. */
  readonly unread?: true;
  /** A secret under a key (`auth/seal.ts`). */
  readonly sealed?: true;
  /** In answers; without it, no answer has it. */
  readonly meaning?: string;
  /** In the body that adds one, and in the one that changes one: true for `meaning`. `given` stands for both. */
  readonly add?: string | true;
  readonly change?: string | true;
  readonly given?: string | true;
  /** Whoever adds one must say it. */
  readonly required?: true;
  readonly sorts?: true;
  /** A list is filtered by it: to be read after "Only entries with this". */
  readonly filters?: string;
  readonly searches?: true;
  readonly flag?: ColumnFlag;
  /** Above its column where the command line shows one, and in its list where `listed`. */
  readonly heading?: string;
  readonly listed?: true;
}

/** Of the command line. */
interface ColumnFlag {
  /** The field when absent. */
  readonly name?: string;
  readonly placeholder?: string;
  /** What it means to the actions `add` and `update`; absent where that has no such flag. */
  readonly add?: string;
  readonly update?: string;
  /** An empty text takes the present one away. */
  readonly clearable?: true;
}

/** `id`: a number that the database gives, never used again. `texts`: kept with spaces between them. */
type Kind =
  | { readonly type: 'id' | 'whole'; readonly minimum?: number }
  | { readonly type: 'text' | 'flag' | 'time' | 'texts' | 'wholes' | 'json' }
  | { readonly type: 'choice'; readonly words: readonly string[] };

export type Column = ColumnBase & Kind;
type Columns = Readonly<Record<string, Column>>;

export interface Entity<Described extends Columns = Columns> {
  /** In SQL. */
  readonly table: string;
  /** Fields by which rows are told apart and lists are ordered. */
  readonly key: readonly string[];
  /** What `search` looks through, to be read after "Only entries with this text in". */
  readonly searched?: string;
  readonly columns: Described;
}

/** Keeps the types of the columns. */
export function entity<const Described extends Columns>(described: Entity<Described>): Entity<Described> {
  return described;
}

/** What every entity that is changed has. */
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

/** In SQL, in the order of the key. */
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

/** One of the entity, as the directory hands it out: flags as booleans, texts as lists. */
export type RowOf<Of extends Entity> = Flat<
  Values<ColumnsOf<Of>, Exclude<Stored<ColumnsOf<Of>>, Unread<ColumnsOf<Of>>>>
>;

/** What whoever adds one says of it. */
export type NewOf<Of extends Entity> = Flat<
  Values<ColumnsOf<Of>, Required<ColumnsOf<Of>>> &
    Partial<Values<ColumnsOf<Of>, Exclude<Added<ColumnsOf<Of>>, Required<ColumnsOf<Of>>>>>
>;

/** What is to be different, and the revision that this is based on. */
export type ChangesOf<Of extends Entity> = Flat<
  Partial<Values<ColumnsOf<Of>, Changed<ColumnsOf<Of>>>> & { readonly revision?: number }
>;

/** All that is written at first: what the database gives by itself, or may be null, may be absent. */
export type InsertOf<Of extends Entity> = Flat<
  Values<ColumnsOf<Of>, Exclude<Stored<ColumnsOf<Of>>, Omittable<ColumnsOf<Of>>>> &
    Partial<Values<ColumnsOf<Of>, Stored<ColumnsOf<Of>> & Omittable<ColumnsOf<Of>>>>
>;
type Omittable<Described> = Defaulted<Described> | Having<Described, { readonly nullable: true }>;

/** Any of what is written. */
export type WrittenOf<Of extends Entity> = Flat<Partial<Values<ColumnsOf<Of>, Stored<ColumnsOf<Of>>>>>;

type SqlType<Described> = Described extends { readonly type: 'text' | 'texts' | 'json' | 'choice' } ? string : number;
/** The row in SQL; a column with a default is wrapped in `Generated`, of which this module knows nothing. */
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

/** Without what is undefined: what is not given stays as it is. */
export function given<Members extends object>(members: Members): Given<Members> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Given<Members>;
}
type Given<Members> = { [Name in keyof Members]?: Exclude<Members[Name], undefined> };
