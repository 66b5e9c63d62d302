/** The music store's rows as the source has them: JSON Lines, numbers as numbers, missing values null. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { keyColumns, type TableName, tableNames } from './tables.ts';

export type SourceRow = Readonly<Record<string, string | number | null>>;
export type Store = Readonly<Record<TableName, readonly SourceRow[]>>;

/** @throws Error in words for a person: no folder, a file that is not there, or the line that is no JSON object */
export function readStore(folder: string): Store {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new Error(`There is no folder "${folder}"; the one with the Chinook tables as .jsonl files was expected.`);
  }
  const store = {} as Record<TableName, SourceRow[]>;
  for (const table of tableNames) store[table] = readRows(folder, table);
  return store;
}

function readRows(folder: string, table: TableName): SourceRow[] {
  const file = join(folder, `${table}.jsonl`);
  const lines = textOf(file).split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line, index) => {
    try {
      return JSON.parse(line) as SourceRow;
    } catch (cause) {
      throw new Error(`${file}, line ${index + 1}: a JSON object was expected.`, { cause });
    }
  });
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new Error(`${file} can't be read; the folder has to hold ${tableNames.join('.jsonl, ')}.jsonl.`, { cause });
  }
}

/** The record id that a row gets, in Rowhouse and in the reference: `Track_1`, `PlaylistTrack_1_3402`. */
export function objectIdOf(table: TableName, row: SourceRow): string {
  return [table, ...keyColumns(table).map((column) => row[column])].join('_');
}

export function rowCount(store: Store): number {
  return tableNames.reduce((sum, table) => sum + store[table].length, 0);
}
