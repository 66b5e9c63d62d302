/** The tables of the application, as TypeScript. Made by `rowhouse-client types`; do not edit by hand. */
import type * as rowhouse from '../../packages/client/src/tables.ts';

export interface AuthorColumns extends rowhouse.SystemColumns {
  name: 'text';
  born: 'datetime' | null;
}

export interface AuthorRow extends rowhouse.SystemRow {
  /** varchar(100) required */
  name: string;
  /** datetime */
  born: string | null;
}

export interface AuthorInsert extends rowhouse.SystemInsert {
  name: string;
  born?: string | null;
}

export interface AuthorUpdate extends rowhouse.SystemUpdate {
  name?: string;
  born?: string | null;
}

export interface AuthorTable {
  row: AuthorRow;
  insert: AuthorInsert;
  update: AuthorUpdate;
  columns: AuthorColumns;
  references: Record<never, never>;
}

export interface BookColumns extends rowhouse.SystemColumns {
  title: 'text';
  year: 'integer' | null;
  copies: 'long' | null;
  price: 'decimal' | null;
  weight: 'double' | null;
  sold: 'bool' | null;
  added: 'datetime' | null;
  extra: 'json' | null;
  author: 'text' | null;
}

export interface BookRow extends rowhouse.SystemRow {
  /** varchar(200) required */
  title: string;
  /** integer */
  year: number | null;
  /** long */
  copies: string | null;
  /** decimal(8,2) */
  price: string | null;
  /** double */
  weight: number | null;
  /** bool default */
  sold: boolean | null;
  /** datetime */
  added: string | null;
  /** json */
  extra: unknown;
  /** varchar(60) */
  author: string | null;
}

export interface BookInsert extends rowhouse.SystemInsert {
  title: string;
  year?: number | null;
  copies?: string | null;
  price?: string | null;
  weight?: number | null;
  sold?: boolean | null;
  added?: string | null;
  extra?: unknown;
  author?: string | null;
}

export interface BookUpdate extends rowhouse.SystemUpdate {
  title?: string;
  year?: number | null;
  copies?: string | null;
  price?: string | null;
  weight?: number | null;
  sold?: boolean | null;
  added?: string | null;
  extra?: unknown;
  author?: string | null;
}

export interface BookTable {
  row: BookRow;
  insert: BookInsert;
  update: BookUpdate;
  columns: BookColumns;
  references: { author: 'Author' };
}

/** Every table by its name: `createClient<Tables>`. */
export interface Tables {
  Author: AuthorTable;
  Book: BookTable;
}

/** What the types were made for, for `driftOf(client, definition)`. */
export const definition: rowhouse.Definition = {
  hash: '39cee292f67310c5290143b69a4574a69a30252dcb6afb1fbae6466252082dc4',
  tables: {
    Author: 'name varchar(100) required; born datetime',
    Book: 'title varchar(200) required; year integer; copies long; price decimal(8,2); weight double; sold bool default; added datetime; extra json; author varchar(60)',
  },
};
