/** The tables of the client's tests: what defines them, and the types of them as `rowhouse-client types` writes them. */
import type { SystemColumns, SystemInsert, SystemRow, SystemUpdate } from '../../packages/client/src/tables.ts';

export const tables = [
  {
    name: 'Author',
    columns: [
      { colName: 'name', type: 'varchar', fieldLength: 100, required: true },
      { colName: 'born', type: 'datetime' },
    ],
    indexes: [{ columns: ['name'], unique: true }],
  },
  {
    name: 'Book',
    columns: [
      { colName: 'title', type: 'varchar', fieldLength: 200, required: true, fullText: true },
      { colName: 'year', type: 'integer' },
      { colName: 'copies', type: 'long' },
      { colName: 'price', type: 'decimal', precision: 8, scale: 2 },
      { colName: 'weight', type: 'double' },
      { colName: 'sold', type: 'bool', default: false },
      { colName: 'added', type: 'datetime' },
      { colName: 'extra', type: 'json' },
      { colName: 'author', type: 'varchar', fieldLength: 60, references: 'Author' },
    ],
    indexes: [{ columns: ['author'], unique: false }],
  },
];

export interface AuthorColumns extends SystemColumns {
  name: 'text';
  born: 'datetime' | null;
}
export interface AuthorRow extends SystemRow {
  name: string;
  born: string | null;
}
export interface AuthorInsert extends SystemInsert {
  name: string;
  born?: string | null;
}
export interface AuthorUpdate extends SystemUpdate {
  name?: string;
  born?: string | null;
}
export interface BookColumns extends SystemColumns {
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
export interface BookRow extends SystemRow {
  title: string;
  year: number | null;
  copies: string | null;
  price: string | null;
  weight: number | null;
  sold: boolean | null;
  added: string | null;
  extra: unknown;
  author: string | null;
}
export interface BookInsert extends SystemInsert {
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
export interface BookUpdate extends SystemUpdate {
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
export interface Tables {
  Author: {
    row: AuthorRow;
    insert: AuthorInsert;
    update: AuthorUpdate;
    columns: AuthorColumns;
    references: Record<never, never>;
  };
  Book: {
    row: BookRow;
    insert: BookInsert;
    update: BookUpdate;
    columns: BookColumns;
    references: { author: 'Author' };
  };
}
