/**
 * Plans the change from the stored tables of a data space to those that a request defines. It only adds
 * (docs/reference/values.md#defining-tables).
 */
import { malformed, quoted } from '../errors.ts';
import { suggestion } from '../nearest.ts';
import type { Steps } from '../time-slices.ts';
import { indexedLengthMax, isIndexable, typeText } from './column-type.ts';
import type { DefinitionLimits, RequestedTable } from './definition.ts';
import { Draft } from './draft.ts';
import { mayHaveFullText, setFullText, termsOf } from './full-text.ts';
import type { Column, ColumnType, DefinitionChange, Index, NumberedTable, SpaceDefinition, Table } from './model.ts';
import { isOfTerms } from './names.ts';
import { referenceOf, setReference } from './references.ts';
import { systemColumns, systemPosition, usualSpelling } from './system.ts';

export interface PlanOptions {
  /** Whether to drop everything first (`isResetDatabase`); then there is a change even if the tables stay the same. */
  readonly reset: boolean;
  readonly limits: DefinitionLimits;
}

/**
 * The change that adds the requested tables, columns and indexes that are not stored; null when there are none. Stored
 * tables, columns and indexes that are not requested stay. One requested table per step.
 * @throws ServiceError `malformed` if a stored and a requested one differ, or the result would be invalid or over a
 * limit
 */
export function* planChange(
  current: SpaceDefinition,
  requested: readonly RequestedTable[],
  options: PlanOptions,
): Steps<DefinitionChange | null> {
  const stored = options.reset ? [] : [...current.tables.values()];
  const byName = new Map(stored.map((table) => [table.name.toLowerCase(), table]));
  const draft = new Draft(current.catalogue);
  if (options.reset) draft.reset();
  const added: Addition[] = [];
  for (const [at, table] of requested.entries()) {
    const path = `tables[${at}]`;
    const existing = namesake(byName, table, path);
    const addition = existing === undefined ? newTable(table) : additionTo(existing, table, path);
    checkTable(existing, addition, table, path, options.limits);
    if (existing === undefined) draft.addTable({ name: table.name, ...addition, lockFree: table.lockFree ?? false });
    else {
      if (becomesLockFree(existing, table, path)) draft.setLockFree(existing.id, true);
      for (const column of addition.columns) draft.addColumn(existing.id, column);
      for (const index of addition.indexes) draft.addIndex(existing.id, index, 'tables');
    }
    added.push(addition);
    yield;
  }
  for (const [at, table] of requested.entries()) {
    if (table.references.size === 0 && table.fullText.size === 0) continue;
    addReferences(draft, table, `tables[${at}]`);
    addFullText(draft, table, `tables[${at}]`, options.limits);
    yield;
  }
  refuseMore(draft.tables.length, 'tables', 'the data space', 'tablesMax', options.limits.tablesMax);
  refuseMoreColumns(stored, added, options.limits);
  const change = draft.change();
  return options.reset || draft.isChanged ? change : null;
}

/**
 * Called after all tables exist, because they may refer to each other.
 * @throws ServiceError `malformed` if a column already refers to another table
 */
function addReferences(draft: Draft, table: RequestedTable, path: string): void {
  for (const [name, references] of table.references) {
    const { id, columns } = draft.tables.find((each) => each.name === table.name) as NumberedTable;
    const present = referenceOf(columns.find((column) => column.name === name) as Column, draft.tables);
    if (present === references) continue;
    const field = `${columnPath(path, table, name)}.references`;
    if (present === undefined) setReference(draft, id, name, references, field);
    else throw referenceChanged(present, field, references);
  }
}

/** Adds full text to an existing table. @throws ServiceError `malformed` for too many indexes */
export function addFullText(draft: Draft, requested: RequestedTable, path: string, limits: DefinitionLimits): void {
  const { id } = draft.tables.find(({ name }) => name === requested.name) as NumberedTable;
  for (const name of requested.fullText) {
    setFullText(draft, id, name, true, `${columnPath(path, requested, name)}.fullText`);
  }
  if (requested.fullText.size > 0) refuseMoreIndexes(draft.table(id), path, limits);
}

/** Full text counts as an index. */
export function refuseMoreIndexes(
  { name, columns, indexes }: NumberedTable,
  path: string,
  { indexesMax }: DefinitionLimits,
): void {
  const count = indexes.length + columns.filter((column) => isOfTerms(column.name)).length;
  refuseMore(count, path, `the table "${name}"`, 'indexesMax', indexesMax);
}

function referenceChanged(present: string, field: string, references: string): Error {
  return malformed(
    field,
    `expected "${present}", to which the column refers, or nothing, got "${references}". POST {prefix}/schemas/changes changes it.`,
  );
}

/** @throws ServiceError `malformed` if the table would stop being lock-free */
function becomesLockFree(existing: Table, { lockFree }: RequestedTable, path: string): boolean {
  if (lockFree === false && existing.lockFree) {
    throw malformed(
      `${path}.lockFree`,
      `expected true or nothing, as the table "${existing.name}" is already lock-free, got false. POST {prefix}/schemas/changes changes it.`,
    );
  }
  return lockFree === true && !existing.lockFree;
}

/** A data space that already has more keeps them and still accepts the same definition. */
function refuseMoreColumns(
  stored: readonly Table[],
  added: readonly { readonly columns: readonly Column[] }[],
  { spaceColumnsMax }: DefinitionLimits,
): void {
  const more = definedColumns(added);
  if (more === 0) return;
  refuseMore(definedColumns(stored) + more, 'tables', 'the data space', 'spaceColumnsMax', spaceColumnsMax, 'columns');
}

export function definedColumns(tables: readonly { readonly columns: readonly Column[] }[]): number {
  return tables.reduce((sum, { columns }) => sum + columns.filter(isDefined).length, 0);
}

function isDefined({ name, system }: Column): boolean {
  return !system && !isOfTerms(name);
}

/** Columns and indexes that a table gets: all of a new table's, the additional ones of a stored table. */
interface Addition {
  readonly columns: readonly Column[];
  readonly indexes: readonly Index[];
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

/** Everything that a new table gets. */
export function newTable(table: RequestedTable): Addition {
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
    else if (column.default !== undefined) throw defaultTooLate(column, table.name, field());
    return stored === undefined;
  });
  return { columns, indexes: withoutRepeats(table.indexes, existing.indexes) };
}

/** `tables[0].columns[2]`: the position of a listed column in the request. */
export function columnPath(path: string, table: RequestedTable, column: string): string {
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
    `${field()}.${differingMember(stored, column)}`,
    `The column "${column.name}" of the table "${table}" is stored as ${was} and cannot be changed to ${is}.`,
  );
}

function columnText(column: Column): string {
  const preset = column.default === undefined ? '' : ` default ${quoted(column.default)}`;
  return `${typeText(column.type)}${column.required ? ' required' : ''}${preset}`;
}

function differingMember(stored: Column, column: Column): string {
  if (typeText(stored.type) !== typeText(column.type)) return 'type';
  return stored.required === column.required ? 'default' : 'required';
}

function requiredTooLate(column: Column, table: string, field: string): Error {
  return malformed(
    `${field}.required`,
    `The new column "${column.name}" can't be required: the table "${table}" already exists, and its records have no value for it.`,
  );
}

function defaultTooLate(column: Column, table: string, field: string): Error {
  return malformed(
    `${field}.default`,
    `The new column "${column.name}" of the table "${table}" can't have a default here, because the table's records would not get it; POST {prefix}/schemas/changes adds it to them.`,
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

export function indexKey(index: Index): string {
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
  for (const [at, index] of table.indexes.entries()) {
    refuseUnfitIndex({ name: table.name, columns }, index, `${path}.indexes[${at}]`);
  }
}

/**
 * @throws ServiceError `malformed` for a column of the index that the table does not have, or that cannot be indexed
 */
export function refuseUnfitIndex(
  { name: table, columns }: Pick<Table, 'name' | 'columns'>,
  index: Index,
  path: string,
): void {
  const byName = new Map(columns.map((column) => [column.name, column]));
  for (const [position, name] of index.columns.entries()) {
    const column = byName.get(name);
    const field = `${path}.columns[${position}]`;
    if (column !== undefined) refuseUnindexable(column, field);
    else throw noSuchColumn(name, table, byName.keys(), field);
  }
}

function noSuchColumn(name: string, table: string, known: Iterable<string>, field: string): Error {
  return malformed(field, `The table "${table}" has no column "${name}".${suggestion(name, known)}`);
}

/** @throws ServiceError `malformed` if the column's new type can't be in its index, or can't have full text */
export function refuseUnindexed(table: NumberedTable, column: Column, type: ColumnType, path: string): void {
  const { name } = column;
  const index = table.indexes.find(({ columns }) => columns.includes(name));
  const refused = (what: string, thing: string) =>
    malformed(
      path,
      `The column "${name}" can't become ${typeText(type)}, because ${what} can't have it. Drop the ${thing} first.`,
    );
  if (index !== undefined && !isIndexable(type)) throw refused(`the index on ${index.columns.join(', ')}`, 'index');
  if (termsOf(table.columns, column) !== undefined && !mayHaveFullText(type)) {
    throw refused('its full text', 'full text');
  }
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

/** @param things what is counted, named if the path does not */
export function refuseMore(count: number, path: string, what: string, setting: string, max: number, things = ''): void {
  if (count <= max) return;
  const had = things === '' ? count : `${count} ${things}`;
  throw malformed(path, `With these, ${what} would have ${had}; at most ${max} (setting ${setting}) are allowed.`);
}
