/**
 * The changes (docs/reference/changing-tables.md) that make the tables of a version those of a file. Tables and columns have no
 * identity beyond their name, so the file says with `was` what a renamed one was called before; otherwise the old one is
 * dropped and a new one is added.
 */
import { malformed } from '../errors.ts';
import { describeType } from './column-type.ts';
import { type DefinitionLimits, parseTable, type RequestedTable } from './definition.ts';
import { isAbsent, knownMembersOf, listOf, membersOf, nameOf } from './members.ts';
import type { Column, Index } from './model.ts';

/** A change as a request carries it. */
export type WrittenChange = Readonly<Record<string, unknown>> & { readonly op: string };

/** A table with the former names of it and of its columns. */
export interface WantedTable {
  readonly table: RequestedTable;
  readonly was: string | null;
  /** By the column's name. */
  readonly columnsWere: ReadonlyMap<string, string>;
}

/**
 * The tables of a file: as a definition has them, each and each of its columns with an optional `was`.
 * @throws ServiceError `missing`, `malformed`, with the path of the member (`tables[0].columns[2].type`)
 */
export function wantedTables(input: unknown, limits: DefinitionLimits): WantedTable[] {
  const { tables } = knownMembersOf(input, 'the file', ['tables']);
  const wanted = listOf(tables, 'tables', 'tablesMax', limits.tablesMax).map((item, index) => {
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
  }
  return wanted;
}

/** @param present as a definition has them @throws ServiceError `malformed` for what no change can do */
export function differences(present: readonly RequestedTable[], wanted: readonly WantedTable[]): WrittenChange[] {
  const presentNamed = new Map(present.map((table) => [table.name, table]));
  const kept = new Map<WantedTable, RequestedTable>();
  for (const one of wanted) {
    const { name } = one.table;
    const before = presentNamed.get(name) ?? (one.was === null ? undefined : presentNamed.get(one.was));
    if (before !== undefined && ![...kept.values()].includes(before)) kept.set(one, before);
  }
  const dropped = present.filter((table) => ![...kept.values()].includes(table));
  return [
    ...dropped.map(({ name }) => ({ op: 'dropTable', table: name })),
    ...[...kept].flatMap(([{ table }, { name }]) =>
      table.name === name ? [] : [{ op: 'renameTable', table: name, to: table.name }],
    ),
    ...[...kept].flatMap(([one, before]) => tableChanges(before, one)),
    ...wanted.filter((one) => !kept.has(one)).map(({ table }) => addedTable(table)),
  ];
}

function addedTable({ name, columns, indexes, lockFree }: RequestedTable): WrittenChange {
  return {
    op: 'addTable',
    table: name,
    columns: columns.map(written),
    indexes,
    ...(lockFree === true ? { lockFree } : {}),
  };
}

/** First what makes room, then what takes it: a name may be given to another column. */
function tableChanges(before: RequestedTable, { table: after, columnsWere }: WantedTable): WrittenChange[] {
  const table = after.name;
  if ((before.lockFree ?? false) !== (after.lockFree ?? false)) {
    throw malformed(`table "${table}"`, 'lockFree can only be said where the table is added.');
  }
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
    ...stayed.flatMap((index, at) =>
      after.indexes.some((one) => isSame(one, renamed[at] as Index)) ? [] : [{ op: 'dropIndex', table, ...index }],
    ),
    ...dropped.map(({ name }) => ({ op: 'dropColumn', table, column: name })),
    ...[...kept].flatMap(([now, former]) =>
      now.name === former.name ? [] : [{ op: 'renameColumn', table, column: former.name, to: now.name }],
    ),
    ...after.columns
      .filter((column) => !kept.has(column))
      .map((column) => ({ op: 'addColumn', table, column: written(column) })),
    ...[...kept].flatMap(([now, former]) => columnChange(table, former, now)),
    ...after.indexes
      .filter((index) => !renamed.some((one) => isSame(one, index)))
      .map((index) => ({ op: 'addIndex', table, ...index })),
  ];
}

function columnChange(table: string, before: Column, after: Column): WrittenChange[] {
  const type = JSON.stringify(before.type) === JSON.stringify(after.type) ? {} : describeType(after.type);
  const required = before.required === after.required ? {} : { required: after.required };
  const preset = before.default === after.default ? {} : { default: after.default ?? null };
  const change = { ...type, ...required, ...preset };
  return Object.keys(change).length === 0 ? [] : [{ op: 'changeColumn', table, column: after.name, ...change }];
}

/** As a definition states it. */
function written({ name, type, required, default: preset }: Column): object {
  return {
    colName: name,
    ...describeType(type),
    ...(required ? { required } : {}),
    ...(preset === undefined ? {} : { default: preset }),
  };
}

function isSame(one: Index, other: Index): boolean {
  return one.unique === other.unique && JSON.stringify(one.columns) === JSON.stringify(other.columns);
}
