/**
 * Plans the step from the stored tables of a data space to those that a request defines. Plans only add
 * (docs/reference/values.md#defining-tables).
 */
import { malformed } from '../errors.ts';
import { nearest } from '../nearest.ts';
import type { Steps } from '../time-slices.ts';
import { indexedLengthMax, isIndexable, typeText } from './column-type.ts';
import type { DefinitionLimits, RequestedTable } from './definition.ts';
import type { Column, DefinitionChange, Index, SpaceDefinition, Table, TableDefinition } from './model.ts';
import { systemColumns, systemPosition, usualSpelling } from './system.ts';

export interface PlanOptions {
  /** Start from nothing (`isResetDatabase`); the change then says so even when the tables would be the same. */
  readonly reset: boolean;
  readonly limits: DefinitionLimits;
}

/**
 * The change that adds the requested tables, columns and indexes that are not stored; null when there are none. What is
 * stored and not requested stays. One requested table per step.
 * @throws ServiceError `malformed` where stored and requested differ, or the result would be invalid or over a limit
 */
export function* planChange(
  current: SpaceDefinition,
  requested: readonly RequestedTable[],
  options: PlanOptions,
): Steps<DefinitionChange | null> {
  const stored = options.reset ? [] : [...current.tables.values()];
  const byName = new Map(stored.map((table) => [table.name.toLowerCase(), table]));
  const newTables: TableDefinition[] = [];
  const newColumns: { table: string; columns: readonly Column[] }[] = [];
  const newIndexes: { table: string; indexes: readonly Index[] }[] = [];
  const newLockFree: string[] = [];
  for (const [at, table] of requested.entries()) {
    const path = `tables[${at}]`;
    const existing = namesake(byName, table, path);
    const addition = existing === undefined ? newTable(table) : additionTo(existing, table, path);
    checkTable(existing, addition, table, path, options.limits);
    if (existing === undefined) newTables.push({ name: table.name, ...addition, lockFree: table.lockFree ?? false });
    else {
      if (becomesLockFree(existing, table, path)) newLockFree.push(table.name);
      if (addition.columns.length > 0) newColumns.push({ table: table.name, columns: addition.columns });
      if (addition.indexes.length > 0) newIndexes.push({ table: table.name, indexes: addition.indexes });
    }
    yield;
  }
  refuseMore(stored.length + newTables.length, 'tables', 'the data space', 'tablesMax', options.limits.tablesMax);
  refuseMoreColumns(stored, [...newTables, ...newColumns], options.limits);
  const parts = { newTables, newColumns, newIndexes, newLockFree };
  if (!options.reset && Object.values(parts).every((part) => part.length === 0)) return null;
  return { fromVersion: current.version, reset: options.reset, ...parts };
}

/** @throws ServiceError `malformed` where it is to lose this */
function becomesLockFree(existing: Table, { lockFree }: RequestedTable, path: string): boolean {
  if (lockFree === false && existing.lockFree) {
    throw malformed(
      `${path}.lockFree`,
      `expected true or nothing, as the table "${existing.name}" is lock-free already, got false.`,
    );
  }
  return lockFree === true && !existing.lockFree;
}

/** A data space that already has more keeps them, and the same definition may be sent again. */
function refuseMoreColumns(
  stored: readonly Table[],
  added: readonly { readonly columns: readonly Column[] }[],
  { spaceColumnsMax }: DefinitionLimits,
): void {
  const more = definedColumns(added);
  if (more === 0) return;
  refuseMore(definedColumns(stored) + more, 'tables', 'the data space', 'spaceColumnsMax', spaceColumnsMax, 'columns');
}

function definedColumns(tables: readonly { readonly columns: readonly Column[] }[]): number {
  return tables.reduce((sum, { columns }) => sum + columns.filter((column) => !column.system).length, 0);
}

/** Columns and indexes that a table gets: all of a new table's, the additional ones of a stored table. */
interface Addition {
  readonly columns: readonly Column[];
  readonly indexes: readonly Index[];
}

/** The columns of a stored table as they are after the change. */
export function columnsAfter(before: SpaceDefinition, change: DefinitionChange, table: string): readonly Column[] {
  const added = change.newColumns.filter((addition) => addition.table === table);
  return [...(before.tables.get(table)?.columns ?? []), ...added.flatMap(({ columns }) => columns)];
}

/** @param stored by name in lower case */
function namesake(stored: ReadonlyMap<string, Table>, table: RequestedTable, path: string): Table | undefined {
  const found = stored.get(table.name.toLowerCase());
  if (found === undefined || found.name === table.name) return found;
  throw malformed(
    `${path}.name`,
    `The table "${table.name}" differs from the stored table "${found.name}" only in the case of its letters.`,
  );
}

function newTable(table: RequestedTable): Addition {
  const spelling = {
    createTime: table.createTime ?? usualSpelling.createTime,
    updateTime: table.updateTime ?? usualSpelling.updateTime,
  };
  return { columns: [...systemColumns(spelling), ...table.columns], indexes: withoutRepeats(table.indexes, []) };
}

function additionTo(existing: Table, table: RequestedTable, path: string): Addition {
  refuseOtherSpelling(existing, systemPosition.createTime, table.createTime, table, path);
  refuseOtherSpelling(existing, systemPosition.updateTime, table.updateTime, table, path);
  const byName = new Map(existing.columns.map((column) => [column.name.toLowerCase(), column]));
  const columns = table.columns.filter((column) => {
    const stored = byName.get(column.name.toLowerCase());
    const field = () => columnPath(path, table, column.name);
    if (stored !== undefined) refuseDifference(stored, column, table.name, field);
    else if (column.required) throw requiredTooLate(column, table.name, field());
    return stored === undefined;
  });
  return { columns, indexes: withoutRepeats(table.indexes, existing.indexes) };
}

/** `tables[0].columns[2]`: the position of a listed column in the request. */
function columnPath(path: string, table: RequestedTable, column: string): string {
  return `${path}.columns[${table.positions.get(column)}]`;
}

function refuseOtherSpelling(
  existing: Table,
  position: number,
  requested: string | undefined,
  table: RequestedTable,
  path: string,
): void {
  const stored = existing.columns[position]!.name;
  if (requested === undefined || requested === stored) return;
  const field = `${columnPath(path, table, requested)}.colName`;
  throw malformed(field, `expected "${stored}", as the table "${existing.name}" spells it, got "${requested}".`);
}

function refuseDifference(stored: Column, column: Column, table: string, field: () => string): void {
  if (stored.name !== column.name) {
    throw malformed(
      `${field()}.colName`,
      `The column "${column.name}" differs from the stored column "${stored.name}" of the table "${table}" only in the case of its letters.`,
    );
  }
  const was = columnText(stored);
  const is = columnText(column);
  if (was === is) return;
  throw malformed(
    `${field()}.${typeText(stored.type) === typeText(column.type) ? 'required' : 'type'}`,
    `The column "${column.name}" of the table "${table}" is stored as ${was} and cannot be changed to ${is}.`,
  );
}

function columnText(column: Column): string {
  return `${typeText(column.type)}${column.required ? ' required' : ''}`;
}

function requiredTooLate(column: Column, table: string, field: string): Error {
  return malformed(
    `${field}.required`,
    `The new column "${column.name}" can't be required: the table "${table}" is there already, and its records have no value for it.`,
  );
}

/** Two indexes are the same when they have the same columns in the same order and are both unique or both not. */
function withoutRepeats(indexes: readonly Index[], stored: readonly Index[]): Index[] {
  const seen = new Set(stored.map(indexKey));
  return indexes.filter((index) => {
    const isNew = !seen.has(indexKey(index));
    seen.add(indexKey(index));
    return isNew;
  });
}

function indexKey(index: Index): string {
  return `${index.unique} ${index.columns.join(',')}`;
}

/** Checks the table after the change: its counts, and that the columns of its indexes exist and can be indexed. */
function checkTable(
  existing: Table | undefined,
  addition: Addition,
  table: RequestedTable,
  path: string,
  limits: DefinitionLimits,
): void {
  const columns = [...(existing?.columns ?? []), ...addition.columns];
  const defined = columns.filter((column) => !column.system).length;
  const indexes = (existing?.indexes.length ?? 0) + addition.indexes.length;
  refuseMore(defined, `${path}.columns`, `the table "${table.name}"`, 'columnsMax', limits.columnsMax);
  refuseMore(indexes, `${path}.indexes`, `the table "${table.name}"`, 'indexesMax', limits.indexesMax);
  const byName = new Map(columns.map((column) => [column.name, column]));
  for (const [at, index] of table.indexes.entries()) {
    for (const [position, name] of index.columns.entries()) {
      const column = byName.get(name);
      const field = `${path}.indexes[${at}].columns[${position}]`;
      if (column !== undefined) refuseUnindexable(column, field);
      else throw noSuchColumn(name, table.name, byName.keys(), field);
    }
  }
}

function noSuchColumn(name: string, table: string, known: Iterable<string>, field: string): Error {
  const near = nearest(name, known);
  const hint = near === undefined ? '' : ` Did you mean "${near}"?`;
  return malformed(field, `The table "${table}" has no column "${name}".${hint}`);
}

/** Long text exceeds the index pages of some engines, and json has no order. */
function refuseUnindexable(column: Column, field: string): void {
  const { type } = column;
  if (isIndexable(type)) return;
  throw malformed(
    field,
    `The column "${column.name}" is ${typeText(type)}; text in an index is a varchar of at most ${indexedLengthMax}.`,
  );
}

function refuseMore(count: number, path: string, what: string, setting: string, max: number, things = ''): void {
  if (count <= max) return;
  const had = things === '' ? count : `${count} ${things}`;
  throw malformed(path, `With these, ${what} would have ${had}; at most ${max} (setting ${setting}) are allowed.`);
}
