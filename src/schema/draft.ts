/**
 * The catalogue of a data space while a change is planned: applies changes in turn, and collects the steps that an
 * engine executes. Names in the database are never changed, so a rename and a drop touch no record.
 */

import { newTerms, termsOf } from './full-text.ts';
import type {
  BinEntry,
  Catalogue,
  ChangeStep,
  Column,
  ColumnType,
  DefinitionChange,
  Index,
  NamedBefore,
  NumberedIndex,
  NumberedTable,
  TableDefinition,
} from './model.ts';
import { binName, isInBin, storedName } from './names.ts';

/** Who makes the change, when, and until when dropped tables and columns are kept. */
export interface DraftAuthor {
  readonly by: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly until: number;
}

export class Draft {
  readonly #version: number;
  readonly #tables: Map<number, NumberedTable>;
  readonly #steps: ChangeStep[] = [];
  /** Steps done last, because on PostgreSQL they block the table's readers until the commit. */
  readonly #last: ChangeStep[] = [];
  #bin: BinEntry[];
  #former: NamedBefore[];
  #nextId: number;
  #isReset = false;
  #isChanged = false;

  constructor({ version, tables, bin, former, nextId }: Catalogue) {
    this.#version = version;
    this.#tables = new Map(tables.map((table) => [table.id, table]));
    this.#bin = [...bin];
    this.#former = [...former];
    this.#nextId = nextId;
  }

  /** Drops everything, including the bin. Numbers continue, so that none is reused. */
  reset(): void {
    for (const table of this.#tables.values()) this.#steps.push({ kind: 'dropTable', table });
    this.#tables.clear();
    this.#bin = [];
    this.#former = [];
    this.#isReset = true;
  }

  /** The present tables without those in the bin, but with their columns in the bin. */
  get tables(): NumberedTable[] {
    return [...this.#tables.values()].filter(({ name }) => !isInBin(name));
  }

  /** As it is now. */
  table(id: number): NumberedTable {
    return this.#tables.get(id) as NumberedTable;
  }

  /** The steps of all changes so far. */
  get steps(): readonly ChangeStep[] {
    return [...this.#steps, ...this.#last];
  }

  get isChanged(): boolean {
    return this.#isChanged;
  }

  get bin(): readonly BinEntry[] {
    return this.#bin;
  }

  change(): DefinitionChange {
    const tables = [...this.#tables.values()].toSorted((one, other) => one.id - other.id);
    return {
      fromVersion: this.#version,
      reset: this.#isReset,
      steps: this.steps,
      after: { nextId: this.#nextId, tables, bin: this.#bin, former: this.#former },
    };
  }

  addTable({ name, columns, indexes, lockFree }: TableDefinition): NumberedTable {
    const id = this.#nextId++;
    const table: NumberedTable = {
      id,
      name,
      ...storedAs(name, [...this.#tables.values()], () => `_t${id}`),
      columns: columns.map((column, number) => ({ ...column, number })),
      indexes: indexes.map((index, number) => ({ ...index, number })),
      lockFree,
    };
    this.#put(table);
    this.#steps.push({ kind: 'createTable', table });
    return table;
  }

  setLockFree(id: number, lockFree: boolean): void {
    this.#put({ ...this.table(id), lockFree });
  }

  /** Adds a column. Existing records get its default, if it has one. */
  addColumn(id: number, column: Column): void {
    const table = this.table(id);
    const number = nextNumber(table.columns);
    const numbered: Column = { ...column, number, ...this.#storedColumn(table, column.name) };
    this.#put({ ...table, columns: [...table.columns, numbered] });
    this.#steps.push({ kind: 'addColumn', table, column: numbered });
    if (column.default !== undefined) this.#steps.push({ kind: 'fill', table: this.table(id), column: numbered });
  }

  /** @param path and advice are for the error if records contradict it */
  addIndex(id: number, index: Index, path: string, advice = ''): void {
    const table = this.table(id);
    // The numbers of indexes still to be dropped are in use.
    const toDrop = this.#last.flatMap((step) =>
      step.kind === 'dropIndex' && step.table.id === id ? [step.index] : [],
    );
    const numbered = { ...index, number: nextNumber([...table.indexes, ...toDrop]) };
    this.#put({ ...table, indexes: [...table.indexes, numbered] });
    this.#steps.push({ kind: 'createIndex', table, index: numbered, path, advice });
  }

  dropIndex(id: number, index: NumberedIndex): void {
    const table = this.table(id);
    this.#put({ ...table, indexes: table.indexes.filter((each) => each !== index) });
    this.#last.push({ kind: 'dropIndex', table, index });
  }

  renameColumn(id: number, column: Column, name: string, author: DraftAuthor): void {
    const table = this.table(id);
    this.#noteFormer(id, column.number as number, column.name, author);
    const renamed: Column = { ...column, name, stored: storedName(column) };
    this.#put({
      ...withColumn(table, column, renamed),
      indexes: table.indexes.map((index) => ({
        ...index,
        columns: index.columns.map((each) => (each === column.name ? name : each)),
      })),
    });
  }

  renameTable(id: number, name: string, author: DraftAuthor): void {
    const table = this.table(id);
    this.#noteFormer(id, null, table.name, author);
    this.#put({ ...table, name, stored: storedName(table) });
  }

  /**
   * Gives the column another type. If that is stored differently, the former values go to the bin, and the column's
   * indexes are rebuilt.
   * @param path of the member that states the type, for the error if a value does not fit
   */
  convert(id: number, column: Column, type: ColumnType, path: string, author: DraftAuthor): Column {
    if (storesText(type) && storesText(column.type)) {
      const changed = { ...column, type };
      const table = this.table(id);
      this.#put(withColumn(table, column, changed));
      if (!isWider(type, column.type))
        this.#steps.push({ kind: 'convert', table, from: column, column: changed, path });
      return changed;
    }
    const indexes = this.table(id).indexes.filter(({ columns }) => columns.includes(column.name));
    for (const index of indexes) this.dropIndex(id, index);
    const table = this.table(id);
    const before = this.#thrownAway(column, this.#binEntry(id, nextNumber(table.columns), column.name, author, []));
    const { stored: _, ...unstored } = column;
    const changed: Column = { ...unstored, type, ...this.#storedColumn(table, column.name) };
    const columns = table.columns.map((each) => (each === column ? changed : each));
    this.#put({ ...table, columns: [...columns, before] });
    this.#steps.push({ kind: 'addColumn', table, column: changed });
    this.#steps.push({ kind: 'convert', table, from: column, column: changed, path });
    if (column.required) this.#last.push({ kind: 'loosen', table, column });
    for (const { columns: names, unique } of indexes) this.addIndex(id, { columns: names, unique }, path);
    return changed;
  }

  /** @param path of the member that requires it, for the error if a record has no value */
  setRequired(id: number, column: Column, required: boolean, path: string): Column {
    const table = this.table(id);
    const changed = { ...column, required };
    this.#put(withColumn(table, column, changed));
    if (required) this.#steps.push({ kind: 'requireValues', table, column, path });
    else this.#last.push({ kind: 'loosen', table, column });
    return changed;
  }

  /** @param text wire text, or null for none */
  setDefault(id: number, column: Column, text: string | null): Column {
    const { default: _, ...without } = column;
    const changed = text === null ? without : { ...without, default: text };
    this.#put(withColumn(this.table(id), column, changed));
    return changed;
  }

  /** @param refersTo the id of a table, or null for none */
  setReference(id: number, column: string, refersTo: number | null): void {
    const table = this.table(id);
    const before = table.columns.find(({ name }) => name === column) as Column;
    const { refersTo: _, ...without } = before;
    this.#put(withColumn(table, before, refersTo === null ? without : { ...without, refersTo }));
  }

  /** @param path of the member that requests it, for the error if a value has too many terms */
  addFullText(id: number, column: Column, path: string): void {
    const table = this.table(id);
    // The name of a column still to be dropped is in use.
    const toDrop = this.#last.flatMap((step) =>
      step.kind === 'dropColumn' && step.table.id === id ? [step.column] : [],
    );
    const terms = newTerms(column, nextNumber([...table.columns, ...toDrop]));
    this.#put({ ...table, columns: [...table.columns, terms] });
    this.#steps.push(
      { kind: 'addColumn', table, column: terms },
      { kind: 'convert', table, from: column, column: terms, path },
      { kind: 'indexTerms', table, column: terms },
    );
  }

  /** @param terms the column that holds the terms of another one, which no longer has full text */
  dropFullText(id: number, terms: Column): void {
    const table = this.table(id);
    this.#put({ ...table, columns: table.columns.filter((each) => each !== terms) });
    this.#last.push({ kind: 'dropColumn', table, column: terms });
  }

  /** Puts the column into the bin, with the definitions of its indexes. */
  dropColumn(id: number, column: Column, author: DraftAuthor): void {
    const indexes = this.table(id).indexes.filter(({ columns }) => columns.includes(column.name));
    for (const index of indexes) this.dropIndex(id, index);
    const table = this.table(id);
    const entry = this.#binEntry(id, column.number as number, column.name, author, indexes);
    this.#noteFormer(id, entry.column, column.name, author);
    this.#put(withColumn(table, column, this.#thrownAway(column, entry)));
    if (column.required) this.#last.push({ kind: 'loosen', table, column });
  }

  dropTable(id: number, author: DraftAuthor): void {
    const table = this.table(id);
    const entry = this.#binEntry(id, null, table.name, author, []);
    this.#noteFormer(id, null, table.name, author);
    this.#put({ ...table, name: binName(entry.id), stored: storedName(table) });
  }

  /** Takes a table or a column out of the bin, under the given name. The caller adds its indexes. */
  restore(entry: BinEntry, name: string): void {
    const table = this.table(entry.tableId);
    this.#bin = this.#bin.filter(({ id }) => id !== entry.id);
    if (entry.column === null) this.#put({ ...table, name });
    else {
      const column = table.columns.find(({ number }) => number === entry.column) as Column;
      this.#put(withColumn(table, column, { ...column, name }));
    }
  }

  /** Removes it from the bin and the database permanently. */
  purge(entry: BinEntry): void {
    const table = this.table(entry.tableId);
    const isGone = (each: { readonly tableId: number; readonly column: number | null }) =>
      each.tableId === entry.tableId && (entry.column === null || each.column === entry.column);
    this.#bin = this.#bin.filter((each) => !isGone(each));
    if (entry.column === null) {
      this.#former = this.#former.filter((each) => each.column === null || !isGone(each));
      this.#tables.delete(table.id);
      this.#steps.push({ kind: 'dropTable', table });
    } else {
      const column = table.columns.find(({ number }) => number === entry.column) as Column;
      const terms = termsOf(table.columns, column);
      const gone = terms === undefined ? [column] : [terms, column];
      this.#put({ ...table, columns: table.columns.filter((each) => !gone.includes(each)) });
      for (const each of gone) this.#steps.push({ kind: 'dropColumn', table, column: each });
    }
  }

  /** @param column its number, or null for the table itself */
  #binEntry(
    tableId: number,
    column: number | null,
    name: string,
    { by, now, until }: DraftAuthor,
    indexes: readonly Index[],
  ): BinEntry {
    const kept = indexes.map(({ columns, unique }) => ({ columns, unique }));
    const entry: BinEntry = { id: this.#nextId++, tableId, column, name, indexes: kept, by, time: now, until };
    this.#bin.push(entry);
    return entry;
  }

  #thrownAway(column: Column, { id, column: number }: BinEntry): Column {
    const { default: _, ...without } = column;
    return { ...without, name: binName(id), stored: storedName(column), required: false, number: number as number };
  }

  /** Each name is recorded once, for its last owner. */
  #noteFormer(tableId: number, column: number | null, name: string, { now }: DraftAuthor): void {
    const isSame = (each: NamedBefore) =>
      each.name === name && (column === null ? each.column === null : each.tableId === tableId && each.column !== null);
    this.#former = [...this.#former.filter((each) => !isSame(each)), { tableId, column, name, time: now }];
  }

  #storedColumn({ columns }: NumberedTable, name: string): { readonly stored?: string } {
    let number = nextNumber(columns);
    const taken = new Set(columns.map(storedName));
    while (taken.has(`_c${number}`)) number++;
    return storedAs(name, columns, () => `_c${number}`);
  }

  #put(table: NumberedTable): void {
    this.#isChanged = true;
    this.#tables.set(table.id, table);
  }
}

function storesText({ kind }: ColumnType): boolean {
  return kind === 'varchar' || kind === 'text';
}

/** Compares types that store text. */
function isWider(type: ColumnType, than: ColumnType): boolean {
  if (type.kind === 'text') return true;
  return type.kind === 'varchar' && than.kind === 'varchar' && type.length >= than.length;
}

function withColumn(table: NumberedTable, before: Column, after: Column): NumberedTable {
  return { ...table, columns: table.columns.map((each) => (each === before ? after : each)) };
}

function nextNumber(numbered: readonly { readonly number?: number }[]): number {
  return 1 + numbered.reduce((most, { number = -1 }) => Math.max(most, number), -1);
}

/** Names in the database must be unique regardless of case. */
function storedAs(
  name: string,
  present: readonly { readonly name: string; readonly stored?: string }[],
  other: () => string,
): { readonly stored?: string } {
  const isTaken = present.some((each) => storedName(each).toLowerCase() === name.toLowerCase());
  return isTaken ? { stored: other() } : {};
}
