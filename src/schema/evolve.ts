/**
 * Applies requested changes to the catalogue of a data space, in order (docs/reference/changing-tables.md). Changes
 * that contradict the definition are refused here; those that contradict records, by the steps of the change.
 */
import { malformed } from '../errors.ts';
import type { Steps } from '../time-slices.ts';
import type { ColumnChange, RequestedChange } from './changes.ts';
import { typeText } from './column-type.ts';
import { readDefault } from './default-value.ts';
import type { RequestedColumn } from './definition.ts';
import { Draft } from './draft.ts';
import { setFullText } from './full-text.ts';
import type {
  BinEntry,
  ChangePart,
  Column,
  ColumnType,
  DefinitionChange,
  Index,
  NumberedTable,
  SpaceDefinition,
} from './model.ts';
import {
  type Context,
  columnOf,
  type EvolveOptions,
  entryOf,
  namesOf,
  noSuchIndex,
  otherNames,
  refuseLater,
  refuseTaken,
  tableOf,
  withoutBin,
} from './named.ts';
import { isInBin } from './names.ts';
import {
  addFullText,
  columnPath,
  definedColumns,
  indexKey,
  newTable,
  refuseMore,
  refuseMoreIndexes,
  refuseUnfitIndex,
  refuseUnindexed,
} from './plan.ts';
import { setReference } from './references.ts';
import { zoneOf } from './time.ts';

/** The result of one requested change. */
export interface ChangeResult {
  readonly op: RequestedChange['op'];
  /** The changed table, under its name at that point. */
  readonly table: string;
  readonly column?: string;
  /** The id in the bin of the dropped table or column. */
  readonly binId?: number;
}

export interface Evolved {
  readonly change: DefinitionChange;
  /** In the order of the requested changes. */
  readonly results: readonly ChangeResult[];
  readonly parts: readonly ChangePart[];
}

/** One requested change per step. @throws ServiceError `malformed`, with its position in the list */
export function* evolve(
  { catalogue }: SpaceDefinition,
  requested: readonly RequestedChange[],
  options: EvolveOptions,
): Steps<Evolved> {
  const draft = new Draft(catalogue);
  const results: ChangeResult[] = [];
  const parts: ChangePart[] = [];
  const added = new Map(
    requested.flatMap((change, index) => (change.op === 'addTable' ? [[change.requested.name, index]] : [])),
  );
  for (const [index, change] of requested.entries()) {
    const laterPath = (table: string) => {
      const at = added.get(table) ?? index;
      return at > index ? `changes[${at}]` : undefined;
    };
    const before = new Set(draft.steps);
    const purged = change.op === 'purge' ? removedBy(draft, change.id) : null;
    const result = applyChange({ draft, ...options, path: `changes[${index}]`, laterPath }, change);
    results.push(result);
    const removed = result.binId === undefined ? purged : removedBy(draft, result.binId);
    parts.push({ steps: draft.steps.filter((step) => !before.has(step)), removed });
    yield;
  }
  return { change: draft.change(), results, parts };
}

function removedBy(draft: Draft, binId: number): ChangePart['removed'] {
  const entry = draft.bin.find(({ id }) => id === binId);
  if (entry === undefined) return null;
  const table = draft.table(entry.tableId);
  return { table, column: table.columns.find(({ number }) => number === entry.column) ?? null };
}

function applyChange(context: Context, change: RequestedChange): ChangeResult {
  const { draft, author, path } = context;
  const { op } = change;
  switch (op) {
    case 'addTable':
      return addTable(context, change);
    case 'restore':
      return restore(context, entryOf(context, change.id), change);
    case 'purge':
      return purge(context, entryOf(context, change.id));
  }
  const table = tableOf(context, change.table);
  const told = { op, table: table.name };
  switch (op) {
    case 'renameTable':
      if (change.to !== table.name) {
        refuseTaken(context, change.to, otherNames(draft.tables, table), 'to');
        draft.renameTable(table.id, change.to, author);
      }
      return told;
    case 'changeTable':
      draft.setLockFree(table.id, change.lockFree);
      return told;
    case 'dropTable':
      draft.dropTable(table.id, author);
      return { ...told, binId: lastInBin(draft) };
    case 'addColumn':
      refuseTaken(context, change.added.column.name, namesOf(table), 'column.colName');
      addColumn(context, table, change.added);
      return { ...told, column: change.added.column.name };
    case 'renameColumn': {
      const column = columnOf(context, table, change.column);
      if (change.to !== column.name) {
        refuseTaken(
          context,
          change.to,
          namesOf(table).filter((name) => name !== column.name),
          'to',
        );
        draft.renameColumn(table.id, column, change.to, author);
      }
      return { ...told, column: column.name };
    }
    case 'changeColumn':
      changeColumn(context, table, columnOf(context, table, change.column), change);
      return { ...told, column: change.column };
    case 'dropColumn':
      draft.dropColumn(table.id, columnOf(context, table, change.column), author);
      return { ...told, column: change.column, binId: lastInBin(draft) };
    case 'addIndex':
      addIndex(context, table.id, change.index);
      return told;
    case 'dropIndex': {
      const wanted = indexKey(change.index);
      const index = table.indexes.find((each) => indexKey(each) === wanted);
      if (index === undefined) throw noSuchIndex(table, change.index, `${path}.columns`);
      draft.dropIndex(table.id, index);
      return told;
    }
  }
}

function addTable(context: Context, { requested }: Extract<RequestedChange, { op: 'addTable' }>): ChangeResult {
  const { draft, limits, path } = context;
  refuseTaken(
    context,
    requested.name,
    draft.tables.map(({ name }) => name),
    'table',
  );
  const { columns, indexes } = newTable(requested);
  const table = draft.addTable({ name: requested.name, columns, indexes, lockFree: requested.lockFree ?? false });
  refuseMore(draft.tables.length, path, 'the data space', 'tablesMax', limits.tablesMax);
  refuseFull(context, table.id);
  for (const [at, index] of indexes.entries()) refuseUnfitIndex(table, index, `${path}.indexes[${at}]`);
  for (const [column, references] of requested.references) {
    refer(context, table.id, column, references, `${columnPath(path, requested, column)}.references`);
  }
  addFullText(draft, requested, path, limits);
  return { op: 'addTable', table: table.name };
}

function addColumn(context: Context, { id }: NumberedTable, added: RequestedColumn): void {
  const { draft, path, limits } = context;
  const { column, references, fullText } = added;
  draft.addColumn(id, column);
  refuseFull(context, id);
  if (references !== null) refer(context, id, column.name, references, `${path}.column.references`);
  if (fullText) {
    setFullText(draft, id, column.name, true, `${path}.column.fullText`);
    refuseMoreIndexes(draft.table(id), path, limits);
  }
  if (!column.required || column.default !== undefined) return;
  draft.setRequired(id, columnOf(context, draft.table(id), column.name), true, `${path}.column.required`);
}

/** @throws ServiceError `malformed` for an unknown table, and for one that a later change adds */
function refer(context: Context, id: number, column: string, table: string | null, path: string): void {
  const advice = ' For references both ways, use changeColumn after both tables are added.';
  if (table !== null) refuseLater(context, table, path, advice);
  setReference(context.draft, id, column, table, path);
}

/** @param advice what to do if records contradict it */
function addIndex(context: Context, id: number, index: Index, advice = ''): void {
  const { draft, limits, path } = context;
  const table = draft.table(id);
  if (table.indexes.some((each) => indexKey(each) === indexKey(index))) {
    throw malformed(`${path}.columns`, `The table "${table.name}" already has this index.`);
  }
  refuseUnfitIndex(withoutBin(table), index, path);
  draft.addIndex(id, index, path, advice);
  refuseMoreIndexes(draft.table(id), path, limits);
}

function changeColumn(context: Context, table: NumberedTable, before: Column, change: ColumnChange): void {
  const { draft, path, limits } = context;
  const { id } = table;
  let column = before;
  if (change.fullText === false) setFullText(draft, id, column.name, false, '');
  if (change.type !== null && typeText(change.type) !== typeText(column.type)) {
    refuseUnindexed(draft.table(id), column, change.type, `${path}.type`);
    const preset = change.preset === undefined ? convertedDefault(column, change.type, `${path}.default`) : null;
    column = draft.convert(id, column, change.type, `${path}.type`, context.author);
    column = draft.setDefault(id, column, preset);
    refuseFull(context, id);
  }
  if (change.preset !== undefined) {
    const zone = zoneOf(limits.zone);
    const text = change.preset === null ? null : readDefault(column.type, change.preset, zone, `${path}.default`);
    column = draft.setDefault(id, column, text);
  }
  if (change.required !== null && change.required !== column.required) {
    draft.setRequired(id, column, change.required, `${path}.required`);
  }
  if (change.references !== undefined) {
    refer(context, id, before.name, change.references, `${path}.references`);
  }
  if (change.fullText !== true) return;
  setFullText(draft, id, before.name, true, `${path}.fullText`);
  refuseMoreIndexes(draft.table(id), path, limits);
}

/** The default of a column that gets another type, unless a new one is stated. @throws ServiceError `malformed` */
function convertedDefault(column: Column, type: ColumnType, path: string): string | null {
  if (column.default === undefined) return null;
  return readDefault(type, column.default, zoneOf('UTC'), path);
}

function restore(
  context: Context,
  entry: BinEntry,
  { as, withoutIndexes }: Extract<RequestedChange, { op: 'restore' }>,
): ChangeResult {
  const { draft, path } = context;
  const name = as ?? entry.name;
  const table = draft.table(entry.tableId);
  const field = as === null ? 'id' : 'as';
  const advice = ` Restore it under another name with "as", or rename the other one.`;
  if (entry.column === null) {
    refuseTaken(
      context,
      name,
      draft.tables.map((each) => each.name),
      field,
      advice,
    );
    draft.restore(entry, name);
    refuseMore(draft.tables.length, path, 'the data space', 'tablesMax', context.limits.tablesMax);
    return { op: 'restore', table: name };
  }
  if (isInBin(table.name)) {
    const ofTable = draft.bin.find((each) => each.tableId === table.id && each.column === null);
    throw malformed(
      `${path}.id`,
      `The column "${entry.name}" is of a table that is in the bin itself. Restore the table first, which is ${ofTable?.id}.`,
    );
  }
  refuseTaken(context, name, namesOf(table), field, advice);
  draft.restore(entry, name);
  refuseFull(context, table.id);
  for (const index of withoutIndexes ? [] : entry.indexes)
    restoreIndex(context, table.id, renamedIn(index, entry.name, name));
  return { op: 'restore', table: table.name, column: name };
}

function renamedIn({ columns, unique }: Index, from: string, to: string): Index {
  return { unique, columns: columns.map((name) => (name === from ? to : name)) };
}

/** An index is not restored if the table has it again, or if another of its columns is missing. */
function restoreIndex(context: Context, id: number, index: Index): void {
  const table = withoutBin(context.draft.table(id));
  const isThere = table.indexes.some((each) => indexKey(each) === indexKey(index));
  const isWhole = index.columns.every((name) => table.columns.some((column) => column.name === name));
  if (!isThere && isWhole)
    addIndex(context, id, index, ' Make them differ, or restore it with "withoutIndexes": true.');
}

function purge({ draft }: Context, entry: BinEntry): ChangeResult {
  const table = draft.table(entry.tableId);
  draft.purge(entry);
  if (entry.column === null) return { op: 'purge', table: entry.name };
  return { op: 'purge', table: table.name, column: entry.name };
}

/** Columns in the bin count, as the database still has them. */
function refuseFull({ draft, limits, path }: Context, id: number): void {
  const table = draft.table(id);
  const ofTable = definedColumns([table]);
  refuseMore(ofTable, path, `the table "${table.name}"`, 'columnsMax', limits.columnsMax, inBinToo('columns', [table]));
  const ofSpace = definedColumns(draft.tables);
  const told = inBinToo('columns', draft.tables);
  refuseMore(ofSpace, path, 'the data space', 'spaceColumnsMax', limits.spaceColumnsMax, told);
}

function inBinToo(things: string, tables: readonly NumberedTable[]): string {
  const count = tables.reduce((sum, { columns }) => sum + columns.filter(({ name }) => isInBin(name)).length, 0);
  return count === 0 ? things : `${things}, ${count} of them in the bin`;
}

function lastInBin(draft: Draft): number {
  return (draft.bin.at(-1) as BinEntry).id;
}
