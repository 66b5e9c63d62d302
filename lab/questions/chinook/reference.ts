/** The same store in plain SQLite, with tables and SQL of its own and nothing of Rowhouse: what every answer is held against. */
import { DatabaseSync } from 'node:sqlite';
import type { Question } from './questions.ts';
import { objectIdOf, type Store } from './store.ts';
import { type TableName, tableNames } from './tables.ts';

/** Every value as Rowhouse writes it on the wire. */
export type WireRow = Readonly<Record<string, string | null>>;

export interface Expected {
  /** One array per alias, running in parallel. */
  readonly arrays: readonly (readonly WireRow[])[];
  /** Without the limit of the order. */
  readonly count: number;
}

export interface Reference {
  answer(question: Question): Expected;
  close(): void;
}

/** The declared types say how a value is written on the wire. */
const definitions = `
  CREATE TABLE Artist (objectId TEXT PRIMARY KEY, ArtistId INTEGER UNIQUE, Name TEXT);
  CREATE TABLE Album (objectId TEXT PRIMARY KEY, AlbumId INTEGER UNIQUE, Title TEXT, ArtistId INTEGER);
  CREATE TABLE Genre (objectId TEXT PRIMARY KEY, GenreId INTEGER UNIQUE, Name TEXT);
  CREATE TABLE MediaType (objectId TEXT PRIMARY KEY, MediaTypeId INTEGER UNIQUE, Name TEXT);
  CREATE TABLE Track (objectId TEXT PRIMARY KEY, TrackId INTEGER UNIQUE, Name TEXT, AlbumId INTEGER, MediaTypeId INTEGER,
    GenreId INTEGER, Composer TEXT, Milliseconds INTEGER, Bytes INTEGER, UnitPrice DECIMAL);
  CREATE TABLE Employee (objectId TEXT PRIMARY KEY, EmployeeId INTEGER UNIQUE, LastName TEXT, FirstName TEXT, Title TEXT,
    ReportsTo INTEGER, BirthDate DATETIME, HireDate DATETIME, Address TEXT, City TEXT, State TEXT, Country TEXT,
    PostalCode TEXT, Phone TEXT, Fax TEXT, Email TEXT);
  CREATE TABLE Customer (objectId TEXT PRIMARY KEY, CustomerId INTEGER UNIQUE, FirstName TEXT, LastName TEXT, Company TEXT,
    Address TEXT, City TEXT, State TEXT, Country TEXT, PostalCode TEXT, Phone TEXT, Fax TEXT, Email TEXT,
    SupportRepId INTEGER);
  CREATE TABLE Invoice (objectId TEXT PRIMARY KEY, InvoiceId INTEGER UNIQUE, CustomerId INTEGER, InvoiceDate DATETIME,
    BillingAddress TEXT, BillingCity TEXT, BillingState TEXT, BillingCountry TEXT, BillingPostalCode TEXT, Total DECIMAL);
  CREATE TABLE InvoiceLine (objectId TEXT PRIMARY KEY, InvoiceLineId INTEGER UNIQUE, InvoiceId INTEGER, TrackId INTEGER,
    UnitPrice DECIMAL, Quantity INTEGER);
  CREATE TABLE Playlist (objectId TEXT PRIMARY KEY, PlaylistId INTEGER UNIQUE, Name TEXT);
  CREATE TABLE PlaylistTrack (objectId TEXT PRIMARY KEY, PlaylistId INTEGER, TrackId INTEGER);
  CREATE INDEX LineTrack ON InvoiceLine (TrackId);
  CREATE INDEX LineInvoice ON InvoiceLine (InvoiceId);
  CREATE INDEX PlaylistOfTrack ON PlaylistTrack (TrackId);
  CREATE INDEX AlbumArtist ON Album (ArtistId);
`;

export function openReference(store: Store): Reference {
  const db = new DatabaseSync(':memory:');
  db.exec(definitions);
  for (const table of tableNames) fill(db, table, store);
  return { answer: (question) => answerOf(db, question), close: () => db.close() };
}

function fill(db: DatabaseSync, table: TableName, store: Store): void {
  const names = columnsOf(db, table);
  const insert = db.prepare(`INSERT INTO ${table} (${names}) VALUES (${names.map(() => '?')})`);
  db.exec('BEGIN');
  for (const row of store[table]) {
    insert.run(...names.map((name) => (name === 'objectId' ? objectIdOf(table, row) : (row[name] ?? null))));
  }
  db.exec('COMMIT');
}

function columnsOf(db: DatabaseSync, table: TableName): string[] {
  return db
    .prepare(`SELECT * FROM ${table}`)
    .columns()
    .map(({ name }) => name);
}

function answerOf(db: DatabaseSync, { answered, reference }: Question): Expected {
  const list = Object.keys(answered).map((alias) => `${alias}.*`);
  const statement = db.prepare(`SELECT ${list} ${reference.source} ${reference.order}`);
  statement.setReturnArrays(true);
  const columns = statement.columns();
  const rows = statement.all() as unknown as (string | number | null)[][];
  let from = 0;
  const arrays = Object.values(answered).map((table) => {
    const start = from;
    from += columnsOf(db, table).length;
    const own = columns.slice(start, from);
    return rows.map((row) =>
      Object.fromEntries(own.map(({ name, type }, index) => [name, wireText(type, row[start + index] ?? null)])),
    );
  });
  const counted = db.prepare(`SELECT count(*) AS number ${reference.source}`).get();
  return { arrays, count: Number(counted?.number) };
}

/**
 * Integers with every digit, prices with their scale, times in ISO 8601 with milliseconds and offset
 * (docs/reference/values.md#types).
 */
function wireText(type: string | null, value: string | number | null): string | null {
  if (value === null) return null;
  switch (type) {
    case 'INTEGER':
    case 'TEXT':
      return String(value);
    case 'DECIMAL':
      return Number(value).toFixed(2);
    case 'DATETIME':
      return `${String(value).replace(' ', 'T')}.000+00:00`;
    default:
      throw new Error(`The reference has no wire form for a column of type ${type}.`);
  }
}
