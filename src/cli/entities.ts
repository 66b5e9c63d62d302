/**
 * What the command line derives from an entity's description (`entities/`): flags, their values, and the columns shown.
 */
import { type ChangesOf, type Column, type Entity, given, type NewOf } from '../entities/entity.ts';
import { type Answer, type Cell, table } from './answer.ts';
import { choice, clearable, type Flag, optional, repeated, text } from './command.ts';

type FlagsOf<Of, Doing extends 'add' | 'update'> =
  Of extends Entity<infer Columns>
    ? {
        readonly [Field in keyof Columns as Columns[Field] extends {
          readonly flag: { readonly [Name in Doing]: string };
        }
          ? Columns[Field] extends { readonly flag: { readonly name: infer Name extends string } }
            ? Name
            : Field
          : never]: Flag<unknown>;
      }
    : never;

/** A flag for each column that has one for the action. */
export function flagsOf<Of extends Entity, Doing extends 'add' | 'update'>(entity: Of, action: Doing) {
  const flags = Object.entries(entity.columns).flatMap(([field, column]) => {
    const meaning = column.flag?.[action];
    return meaning === undefined ? [] : [[column.flag?.name ?? field, flagOf(column, action, meaning)]];
  });
  return Object.fromEntries(flags) as FlagsOf<Of, Doing>;
}

function flagOf(column: Column, action: 'add' | 'update', meaning: string): Flag<unknown> {
  const { type, flag: { placeholder = '<text>', clearable: isClearable } = {} } = column;
  if (type === 'choice') return optional(choice(column.words, meaning));
  if (type === 'flag') return optional(choice(['on', 'off'], meaning));
  if (type === 'whole') return optional(quota(placeholder, meaning));
  if (type === 'texts') return repeated(text(placeholder, meaning));
  if (action === 'update') return isClearable ? clearable(placeholder, meaning) : optional(text(placeholder, meaning));
  return column.required ? text(placeholder, meaning) : optional(text(placeholder, meaning));
}

/** The columns' values from the flags of `flagsOf`; absent flags are left out. */
export function inputOf<Of extends Entity, Doing extends 'add' | 'update'>(
  entity: Of,
  action: Doing,
  values: Readonly<Record<string, unknown>>,
) {
  const members = Object.entries(entity.columns)
    .filter(([, { flag }]) => flag?.[action] !== undefined)
    .map(([field, column]) => [field, saidOf(column, values[column.flag?.name ?? field])]);
  return given(Object.fromEntries(members)) as Doing extends 'add' ? NewOf<Of> : ChangesOf<Of>;
}

function saidOf({ type, nullable }: Column, value: unknown): unknown {
  if (value === undefined) return undefined;
  if (type === 'flag') return value === 'on';
  if (type === 'whole') return (value as Limit).limit;
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.filter((text) => text !== 'none');
  return value === '' && nullable ? null : value;
}

/** A table of the rows, with listed columns. */
export function listOf<Row extends object>(entity: Entity, rows: readonly Row[], empty: string): Answer {
  const listed = Object.entries(entity.columns).filter(([, column]) => column.listed);
  const columns = listed.map(([field, { heading = field }]) => [heading, (row: Row) => cellOf(row, field)]);
  return table(rows, Object.fromEntries(columns), empty);
}

/** One of them, by heading. */
export function cellsOf(entity: Entity, row: object): Record<string, Cell> {
  const headed = Object.entries(entity.columns).filter(([, { heading, elsewhere }]) => heading && !elsewhere);
  return Object.fromEntries(headed.map(([field, { heading = field }]) => [heading, cellOf(row, field)]));
}

function cellOf(row: object, field: string): Cell {
  return (row as Readonly<Record<string, Cell>>)[field] ?? null;
}

const units: Readonly<Record<string, number>> = { '': 1, kib: 1024, mib: 1024 ** 2, gib: 1024 ** 3, tib: 1024 ** 4 };

interface Limit {
  readonly limit: number | null;
}

/** A limit, or `none`. */
function quota(placeholder: string, meaning: string): Flag<Limit> {
  return {
    placeholder,
    meaning,
    presence: 'required',
    expected: 'a whole number from 1, which may end in KiB, MiB, GiB or TiB, or none',
    read(value) {
      if (value === 'none') return { limit: null };
      const [, digits = '', unit = ''] = /^([1-9]\d{0,14})(|[kmgt]ib)$/i.exec(value) ?? [];
      const limit = Number(digits) * (units[unit.toLowerCase()] ?? 0);
      return limit >= 1 && Number.isSafeInteger(limit) ? { limit } : undefined;
    },
  };
}
