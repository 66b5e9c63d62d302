/** The tables of the application, as TypeScript. Made by `rowhouse-client types`; do not edit by hand. */
import type * as rowhouse from '@rowhouse/client';

export interface FieldNoteColumns extends rowhouse.SystemColumns {
  title: 'text';
  body: 'text' | null;
  place: 'text' | null;
  seenAt: 'datetime';
}

export interface FieldNoteRow extends rowhouse.SystemRow {
  /** varchar(100) required */
  title: string;
  /** text */
  body: string | null;
  /** varchar(100) */
  place: string | null;
  /** datetime required */
  seenAt: string;
}

export interface FieldNoteInsert extends rowhouse.SystemInsert {
  title: string;
  body?: string | null;
  place?: string | null;
  seenAt: string;
}

export interface FieldNoteUpdate extends rowhouse.SystemUpdate {
  title?: string;
  body?: string | null;
  place?: string | null;
  seenAt?: string;
}

export interface FieldNoteTable {
  row: FieldNoteRow;
  insert: FieldNoteInsert;
  update: FieldNoteUpdate;
  columns: FieldNoteColumns;
  references: Record<never, never>;
}

/** Every table by its name: `createClient<Tables>`. */
export interface Tables {
  FieldNote: FieldNoteTable;
}

/** What the types were made for, for `driftOf(client, definition)`. */
export const definition: rowhouse.Definition = {
  hash: 'fa8a1c89aeb60bb6875a738e5fef083872aefad2c0d11172d029548fda16b8b6',
  tables: {
    FieldNote: 'title varchar(100) required; body text; place varchar(100); seenAt datetime required',
  },
};
