/**
 * The changes (docs/reference/changing-tables.md) that bring the tables of a version to the state in a file. Tables and
 * columns have no identity beyond their name, so the file gives the former name of a renamed one as `was`; otherwise
 * the old one is dropped and a new one added.
 */
import { malformed } from '../errors.ts';
import { describeType } from './column-type.ts';
import {
  type DefinitionLimits,
  describeColumn,
  parseTable,
  type RequestedColumn,
  type RequestedTable,
} from './definition.ts';
import { isAbsent, knownMembersOf, listOf, membersOf, nameOf } from './members.ts';
import type { Column, Index } from './model.ts';
import { columnPath } from './plan.ts';
import { noSuchTable } from './references.ts';

/** A change in the form of requests. */
export type WrittenChange = Readonly<Record<string, unknown>> & { readonly op: string };

/** A table, with its former name and those of its columns. */
export interface WantedTable {
  readonly table: RequestedTable;
  readonly was: string | null;
  /** By the column's name. */
  readonly columnsWere: ReadonlyMap<string, string>;
}

/**
 * The tables of a file, in the form of a definition; tables and columns may have a `was`.
 * @throws ServiceError `missing`, `malformed`, with the path of the member (`tables[0].columns[2].type`)
 */
export function wantedTables(input: unknown, limits: DefinitionLimits): WantedTable[] {
  const { tables } = knownMembersOf(input, 'the file', ['tables']);
  const wanted: WantedTable[] = listOf(tables, 'tables', 'tablesMax', limits.tablesMax).map((item, index) => {
    const path = `tables[${index}]`;
    const { was, columns, ...others } = membersOf(item, path, ['name', 'columns', '…']);
    const columnsWere = new Map<string, string>();
    const plain = listOf(columns, `${path}.columns`).map((column, at) => {
      const { was: columnWas, ...rest } = membersOf(column, `${path}.columns[${at}]`, ['colName', 'type', '…']);
      if (!isAbsent(columnWas)) columnsWere.set(String(rest.colName), nameOf(columnWas, `${path}.columns[${at}].was`));
      return rest;
    });
    const table = parseTable({ ...others, columns: plain }, path, limits);
    return { table, was: isAbsent(was) ? null : nameOf(was, `${path}.was`), columnsWere };
  });
  for (const [index, { table }] of wanted.entries()) {
    const same = wanted.findIndex((other) => other.table.name.toLowerCase() === table.name.toLowerCase());
    if (same !== index) throw malformed(`tables[${index}].name`, `The table "${table.name}" is defined twice.`);
    refuseUnknownReferences(table, wanted, `tables[${index}]`);
  }
  return wanted;
}

function refuseUnknownReferences(table: RequestedTable, wanted: readonly WantedTable[], path: string): void {
  const tables = wanted.map((one) => one.table);
  for (const [column, references] of table.references) {
    if (tables.some(({ name }) => name === references)) continue;
    throw noSuchTable(references, tables, `${columnPath(path, table, column)}.references`);
  }
}

/**
 * @param present in the form of a definition
 * @throws ServiceError `malformed` for differences that no change can make
 */
export function differences(present: readonly RequestedTable[], wanted: readonly WantedTable[]): WrittenChange[] {
  const presentNamed = new Map(present.map((table) => [table.name, table]));
  const kept = new Map<WantedTable, RequestedTable>();
  for (const one of wanted) {
    const { name } = one.table;
    const before = presentNamed.get(name) ?? (one.was === null ? undefined : presentNamed.get(one.was));
    if (before !== undefined && ![...kept.values()].includes(before)) kept.set(one, before);
  }
  const dropped = present.filter((table) => ![...kept.values()].includes(table));
  const tableNow = new Map([...kept].map(([{ table }, { name }]) => [name, table.name]));
  const added = wanted.filter((one) => !kept.has(one)).map(({ table }) => table);
  return [
    ...dropped.map(({ name }) => ({ op: 'dropTable', table: name })),
    ...[...kept].flatMap(([{ table }, { name }]) =>
      table.name === name ? [] : [{ op: 'renameTable', table: name, to: table.name }],
    ),
    ...addedTables(added),
    ...[...kept].flatMap(([one, before]) => tableChanges(before, one, tableNow)),
  ];
}

/** A reference to a table that is added later is a separate change, because each change sees only the earlier ones. */
function addedTables(added: readonly RequestedTable[]): WrittenChange[] {
  const names = added.map(({ name }) => name);
  const isLater = (references: string | undefined, at: number) =>
    references !== undefined && names.indexOf(references) > at;
  const tables = added.map(({ name, columns, references, fullText, indexes, lockFree }, at): WrittenChange => {
    const stated = columns.map((column) => {
      const to = references.get(column.name);
      return describeColumn(column, isLater(to, at) ? undefined : to, fullText.has(column.name));
    });
    return { op: 'addTable', table: name, columns: stated, indexes, ...(lockFree === true ? { lockFree } : {}) };
  });
  const later = added.flatMap(({ name, references }, at) =>
    [...references]
      .filter(([, to]) => isLater(to, at))
      .map(([column, to]): WrittenChange => ({ op: 'changeColumn', table: name, column, references: to })),
  );
  return [...tables, ...later];
}

/**
 * Changes that free a name come before those that take it.
 * @param tableNow new names of the tables by their present names
 */
function tableChanges(
  before: RequestedTable,
  { table: after, columnsWere }: WantedTable,
  tableNow: ReadonlyMap<string, string>,
): WrittenChange[] {
  const table = after.name;
  const lockFree = after.lockFree ?? false;
  const present = new Map(before.columns.map((column) => [column.name, column]));
  const kept = new Map<Column, Column>();
  for (const column of after.columns) {
    const was = columnsWere.get(column.name);
    const former = present.get(column.name) ?? (was === undefined ? undefined : present.get(was));
    if (former !== undefined && ![...kept.values()].includes(former)) kept.set(column, former);
  }
  const dropped = before.columns.filter((column) => ![...kept.values()].includes(column));
  const nameNow = new Map([...kept].map(([now, former]) => [former.name, now.name]));
  const isDropped = (name: string) => dropped.some((column) => column.name === name);
  // An index of a dropped column goes with it, into the bin.
  const stayed = before.indexes.filter(({ columns }) => !columns.some(isDropped));
  const renamed = stayed.map((index) => ({
    ...index,
    columns: index.columns.map((name) => nameNow.get(name) ?? name),
  }));
  return [
    ...((before.lockFree ?? false) === lockFree ? [] : [{ op: 'changeTable', table, lockFree }]),
    ...stayed.flatMap((index, at) =>
      after.indexes.some((one) => isSame(one, renamed[at] as Index)) ? [] : [{ op: 'dropIndex', table, ...index }],
    ),
    ...dropped.map(({ name }) => ({ op: 'dropColumn', table, column: name })),
    ...[...kept].flatMap(([now, former]) =>
      now.name === former.name ? [] : [{ op: 'renameColumn', table, column: former.name, to: now.name }],
    ),
    ...after.columns
      .filter((column) => !kept.has(column))
      .map((column) => ({
        op: 'addColumn',
        table,
        column: describeColumn(column, after.references.get(column.name), after.fullText.has(column.name)),
      })),
    ...[...kept].flatMap(([now, former]) => {
      const referred = tableNow.get(before.references.get(former.name) ?? '') ?? null;
      return columnChange(
        table,
        { column: former, references: referred, fullText: before.fullText.has(former.name) },
        {
          column: now,
          references: after.references.get(now.name) ?? null,
          fullText: after.fullText.has(now.name),
        },
      );
    }),
    ...after.indexes
      .filter((index) => !renamed.some((one) => isSame(one, index)))
      .map((index) => ({ op: 'addIndex', table, ...index })),
  ];
}

/** @param before with the new name of the table to which it refers */
function columnChange(table: string, before: RequestedColumn, after: RequestedColumn): WrittenChange[] {
  const [was, is] = [before.column, after.column];
  const type = JSON.stringify(was.type) === JSON.stringify(is.type) ? {} : describeType(is.type);
  const required = was.required === is.required ? {} : { required: is.required };
  const preset = was.default === is.default ? {} : { default: is.default ?? null };
  const reference = before.references === after.references ? {} : { references: after.references };
  const fullText = before.fullText === after.fullText ? {} : { fullText: after.fullText };
  const change = { ...type, ...required, ...preset, ...reference, ...fullText };
  return Object.keys(change).length === 0 ? [] : [{ op: 'changeColumn', table, column: is.name, ...change }];
}

function isSame(one: Index, other: Index): boolean {
  return one.unique === other.unique && JSON.stringify(one.columns) === JSON.stringify(other.columns);
}
