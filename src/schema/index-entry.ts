/**
 * The size of index entries. An entry holds the indexed values, the record's audience and its objectId. PostgreSQL
 * allows entries of 2 704 bytes, including a head of up to 16; SQLite allows any size. The limit is the same on both
 * engines and counts the uncompressed bytes, so that both accept and refuse the same records.
 */
import { byteLength } from '../text.ts';
import type { ColumnType, Index, StoredValue, TableDefinition } from './model.ts';
import { systemName } from './system.ts';

export const indexEntryBytesMax = 2_688;

/**
 * The overhead of a text besides its own bytes, and the most bytes of a value of any other type, including alignment.
 */
const textBytes = 8;
const otherBytes = 24;
/** An audience is also stored with each of its members, in a separate index. */
const memberBytes = 32;
const bytesOfCodePointMax = 4;

export interface IndexEntry {
  /** The columns as declared; none for the index on the audience alone, which every table has. */
  readonly columns: readonly string[];
  /** The text columns among them, except objectId, whose bytes are in every entry. */
  readonly texts: readonly string[];
  /** All bytes except those of these texts, the audience and the objectId. */
  readonly fixedBytes: number;
}

/** The entry in the index on the audience, which every table has. */
const audienceEntry: IndexEntry = { columns: [], texts: [], fixedBytes: 2 * textBytes + memberBytes };

/** See `Table.entries`. */
export function indexEntries({ columns, indexes }: TableDefinition): readonly IndexEntry[] {
  const types = new Map(columns.map(({ name, type }) => [name, type]));
  return [audienceEntry, ...indexes.map((index) => declaredEntry(index, types))];
}

export function declaredEntry({ columns }: Index, types: ReadonlyMap<string, ColumnType>): IndexEntry {
  const others = columns.filter((name) => name !== systemName.objectId);
  const texts = others.filter((name) => types.get(name)?.kind === 'varchar');
  const fixedBytes = (2 + texts.length) * textBytes + (others.length - texts.length) * otherBytes;
  return { columns, texts, fixedBytes };
}

export interface IndexedText {
  /** Position among the columns of the table. */
  readonly position: number;
  /** The largest size that a value can have. */
  readonly bytesMax: number;
}

/** See `Table.texts`. */
export function indexedTexts({ columns }: TableDefinition): ReadonlyMap<string, IndexedText> {
  const found = columns.entries().flatMap(([position, { name, type }]): [string, IndexedText][] => {
    return type.kind === 'varchar' ? [[name, { position, bytesMax: type.length * bytesOfCodePointMax }]] : [];
  });
  return new Map(found);
}

/** The parts of a record that decide the size of its entries. */
export interface EntryParts {
  readonly objectId: string;
  readonly audience: string;
}

/** @param bytesOf the number of bytes of a text column, 0 for null */
export function entryBytes(entry: IndexEntry, parts: EntryParts, bytesOf: (name: string) => number): number {
  let bytes = entry.fixedBytes + byteLength(parts.audience) + byteLength(parts.objectId);
  for (const name of entry.texts) bytes += bytesOf(name);
  return bytes;
}

export function bytesOfText(value: StoredValue | undefined): number {
  return typeof value === 'string' ? byteLength(value) : 0;
}
