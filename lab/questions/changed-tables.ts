/**
 * A model of tables and their changes (docs/reference/changing-tables.md), independent of both engines. It has no
 * records: changes that contradict records must be refused by both services or by neither.
 */
import {
  type CompareColumn,
  type CompareIndex,
  type CompareTable,
  indexKey,
  type OwnColumn,
  systemColumns,
} from './tables.ts';

export interface ModelColumn extends OwnColumn {
  /** As sent, with `fullText` if it has that. */
  sent: object;
  /** Its position in the table. */
  number: number;
  name: string;
  required: boolean;
  hasDefault: boolean;
  /** The table that it refers to. */
  refersTo: number | null;
  isInBin: boolean;
}

export interface ModelTable {
  /** Numbered in the order in which tables are created. */
  readonly id: number;
  name: string;
  columns: ModelColumn[];
  indexes: CompareIndex[];
  lockFree: boolean;
  isInBin: boolean;
}

export interface ModelBinEntry {
  /** From `GET schemas/bin`; null until then. */
  id: number | null;
  readonly table: number;
  /** The number of the column; null for a table. */
  readonly column: number | null;
  readonly name: string;
  readonly indexes: readonly CompareIndex[];
}

/** Plain data, so that it can be copied. */
export interface TablesModel {
  tables: ModelTable[];
  /** In the order of their ids. */
  bin: ModelBinEntry[];
  nextId: number;
}

export function modelOf(tables: readonly CompareTable[]): TablesModel {
  const model: TablesModel = { tables: [], bin: [], nextId: 0 };
  for (const table of tables) addTable(model, table, false);
  return model;
}

export function addTable(model: TablesModel, { name, columns, indexes }: CompareTable, lockFree: boolean): void {
  const table: ModelTable = { id: model.nextId++, name, columns: [], indexes: [...indexes], lockFree, isInBin: false };
  model.tables.push(table);
  for (const column of columns) if (column.sent !== undefined) addColumn(table, column as OwnColumn, false, null);
}

export function addColumn(table: ModelTable, column: OwnColumn, hasDefault: boolean, refersTo: number | null): void {
  const { required = false } = column;
  table.columns.push({ ...column, required, number: nextNumber(table), hasDefault, refersTo, isInBin: false });
}

/** Columns in the bin also have a number. */
function nextNumber({ columns }: ModelTable): number {
  return 1 + columns.reduce((most, { number }) => Math.max(most, number), systemColumns.length - 1);
}

export const liveTables = ({ tables }: TablesModel) => tables.filter(({ isInBin }) => !isInBin);
export const liveColumns = ({ columns }: ModelTable) => columns.filter(({ isInBin }) => !isInBin);

export function renameColumn(table: ModelTable, column: ModelColumn, to: string): void {
  table.indexes = table.indexes.map((index) => renamedIn(index, column.name, to));
  column.name = to;
}

const renamedIn = ({ columns, unique }: CompareIndex, from: string, to: string): CompareIndex => ({
  columns: columns.map((name) => (name === from ? to : name)),
  unique,
});

export function dropTable(model: TablesModel, table: ModelTable): void {
  table.isInBin = true;
  model.bin.push({ id: null, table: table.id, column: null, name: table.name, indexes: [] });
}

export function dropColumn(model: TablesModel, table: ModelTable, column: ModelColumn): void {
  const { name, number } = column;
  const isOfIt = ({ columns }: CompareIndex) => columns.includes(name);
  model.bin.push({ id: null, table: table.id, column: number, name, indexes: table.indexes.filter(isOfIt) });
  table.indexes = table.indexes.filter((index) => !isOfIt(index));
  column.isInBin = true;
}

/** Between text types nothing is written; otherwise the former values go to the bin, and indexes are rebuilt. */
export function changeType(
  model: TablesModel,
  table: ModelTable,
  column: ModelColumn,
  changed: Pick<OwnColumn, 'type' | 'sent'>,
): void {
  if (column.type.kind !== 'text' || changed.type.kind !== 'text') {
    const { fullText: _, ...sent } = { fullText: false, ...column.sent };
    const before = { ...column, sent, number: nextNumber(table), isInBin: true };
    table.columns.push(before);
    model.bin.push({ id: null, table: table.id, column: before.number, name: column.name, indexes: [] });
    const isOfIt = ({ columns }: CompareIndex) => columns.includes(column.name);
    table.indexes = [...table.indexes.filter((index) => !isOfIt(index)), ...table.indexes.filter(isOfIt)];
  }
  Object.assign(column, changed);
}

/** @param as its new name, if different */
export function restore(model: TablesModel, entry: ModelBinEntry, as: string | null, withoutIndexes: boolean): void {
  const table = model.tables.find(({ id }) => id === entry.table) as ModelTable;
  const name = as ?? entry.name;
  model.bin = model.bin.filter((each) => each !== entry);
  if (entry.column === null) {
    Object.assign(table, { name, isInBin: false });
    return;
  }
  const column = table.columns.find(({ number }) => number === entry.column) as ModelColumn;
  Object.assign(column, { name, isInBin: false, required: false, hasDefault: false });
  const names = [...systemColumns, ...liveColumns(table)].map((each) => each.name);
  for (const kept of withoutIndexes ? [] : entry.indexes) {
    const index = renamedIn(kept, entry.name, name);
    const isThere = table.indexes.some((each) => indexKey(each) === indexKey(index));
    if (!isThere && index.columns.every((each) => names.includes(each))) table.indexes.push(index);
  }
}

export function purge(model: TablesModel, entry: ModelBinEntry): void {
  const isGone = ({ table, column }: ModelBinEntry) =>
    table === entry.table && (entry.column === null || column === entry.column);
  model.bin = model.bin.filter((each) => !isGone(each));
  if (entry.column === null) model.tables = model.tables.filter(({ id }) => id !== entry.table);
  else {
    const table = model.tables.find(({ id }) => id === entry.table) as ModelTable;
    table.columns = table.columns.filter(({ number }) => number !== entry.column);
  }
}

/** The tables that requests can name. */
export function compareTables(model: TablesModel): CompareTable[] {
  return liveTables(model).map((table) => {
    const own = inOrder(table).map(({ name, type, sent, required }): CompareColumn => ({ name, type, sent, required }));
    return { id: table.id, name: table.name, columns: [...systemColumns, ...own], indexes: table.indexes };
  });
}

const inOrder = (table: ModelTable) => liveColumns(table).toSorted((one, other) => one.number - other.number);

/** The tables as in `GET schemas`, with `true` for a default. */
export function describedTables(model: TablesModel): object[] {
  const nameOf = (id: number | null) => liveTables(model).find((table) => table.id === id)?.name;
  return liveTables(model).map((table) => ({
    name: table.name,
    primary_key: 'objectId',
    columns: inOrder(table).map(({ name, sent, required, hasDefault, refersTo }) => {
      const references = nameOf(refersTo);
      const { fullText, ...type } = { fullText: false, ...sent };
      return {
        colName: name,
        ...type,
        ...(required && { required }),
        ...(hasDefault && { default: true }),
        ...(references !== undefined && { references }),
        ...(fullText && { fullText }),
      };
    }),
    indexes: table.indexes.map(({ columns, unique }) => ({ columns, unique })),
    ...(table.lockFree && { lockFree: true }),
  }));
}

/** The names in the bin, as in `GET schemas/bin`. */
export function describedBin({ tables, bin }: TablesModel): object[] {
  return bin.map(({ table: id, column, name }) => {
    const { name: present, isInBin } = tables.find((table) => table.id === id) as ModelTable;
    const former = bin.find((each) => each.table === id && each.column === null)?.name;
    return { table: isInBin ? former : present, ...(column !== null && { column: name }) };
  });
}
