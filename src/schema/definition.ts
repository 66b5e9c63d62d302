/**
 * Table definitions as clients send and read them (docs/reference/values.md#defining-tables): `tables` of `POST` and `GET
 * {prefix}/schemas`.
 */
import type { Settings } from '../config.ts';
import { malformed, missing, quoted } from '../errors.ts';
import type { Steps } from '../time-slices.ts';
import { describeType, readKind, readType } from './column-type.ts';
import { readDefault } from './default-value.ts';
import { hasFullText, refuseWithoutText } from './full-text.ts';
import { flagOf, isAbsent, knownMembersOf, listOf, nameOf, refuseLonger } from './members.ts';
import type { Column, ColumnType, Index, SpaceDefinition, Table } from './model.ts';
import { referenceOf } from './references.ts';
import { systemColumnNamed, systemName, usualSpelling } from './system.ts';
import { zoneOf } from './time.ts';

export type DefinitionLimits = Pick<Settings, 'tablesMax' | 'columnsMax' | 'spaceColumnsMax' | 'indexesMax' | 'zone'>;

/** A table as a request defines it, valid in itself; `planChange` compares it with what is stored. */
export interface RequestedTable {
  readonly name: string;
  /** The defined columns, without system columns. */
  readonly columns: readonly Column[];
  /** The position of each listed column in the request, including system columns, by name. */
  readonly positions: ReadonlyMap<string, number>;
  /** The names of the tables that columns refer to, by the column's name. */
  readonly references: ReadonlyMap<string, string>;
  /** The names of the columns that have full text. */
  readonly fullText: ReadonlySet<string>;
  /** May name columns that are stored already and not listed here. */
  readonly indexes: readonly Index[];
  /** Undefined if the definition does not specify it. */
  readonly lockFree: boolean | undefined;
  /** The spelling of the client's times; undefined if the definition does not list them. */
  readonly createTime: 'CreateTime' | 'createTime' | undefined;
  readonly updateTime: 'UpdateTime' | 'updateTime' | undefined;
}

/** How many columns an index may have. */
const indexColumnsMax = 8;

const tableMembers = ['name', 'primary_key', 'columns', 'indexes', 'lockFree'];
const columnMembers = [
  'colName',
  'type',
  'fieldLength',
  'precision',
  'scale',
  'required',
  'default',
  'references',
  'fullText',
];
const indexMembers = ['columns', 'unique'];

/**
 * Reads the `tables` of a request, one table per step. System columns may be listed with any type in which their values
 * can be read; only their spelling is kept.
 * @throws ServiceError `missing`, `malformed`, with the path of the member (`tables[0].columns[2].type`)
 */
export function* parseTables(input: unknown, limits: DefinitionLimits): Steps<RequestedTable[]> {
  const tables: RequestedTable[] = [];
  const names = new Map<string, string>();
  for (const [index, item] of listOf(input, 'tables', 'tablesMax', limits.tablesMax).entries()) {
    const path = `tables[${index}]`;
    const table = parseTable(item, path, limits);
    refuseRepeat(table.name, names, `${path}.name`, 'table');
    tables.push(table);
    yield;
  }
  return tables;
}

/** A table as a definition states it. @throws ServiceError `missing`, `malformed` */
export function parseTable(input: unknown, path: string, limits: DefinitionLimits): RequestedTable {
  const members = knownMembersOf(input, path, tableMembers);
  const name = nameOf(members.name, `${path}.name`);
  const key = members.primary_key;
  if (!isAbsent(key) && key !== systemName.objectId) {
    throw malformed(
      `${path}.primary_key`,
      `expected "objectId", which is the primary key of every table, got ${quoted(key)}.`,
    );
  }
  const columns: Column[] = [];
  const references = new Map<string, string>();
  const fullText = new Set<string>();
  const names = new Map<string, string>();
  for (const [index, item] of listOf(members.columns, `${path}.columns`).entries()) {
    const { column, ...has } = parseColumn(item, `${path}.columns[${index}]`, limits);
    if (has.references !== null) references.set(column.name, has.references);
    if (has.fullText) fullText.add(column.name);
    refuseRepeat(column.name, names, `${path}.columns[${index}].colName`, 'column');
    columns.push(column);
  }
  const defined = columns.filter((column) => !column.system);
  refuseLonger(defined.length, `${path}.columns`, 'columnsMax', limits.columnsMax);
  const indexes = listOf(members.indexes, `${path}.indexes`, 'indexesMax', limits.indexesMax);
  return {
    name,
    columns: defined,
    positions: new Map(columns.map((column, index) => [column.name, index])),
    references,
    fullText,
    indexes: indexes.map((item, index) => parseIndex(item, `${path}.indexes[${index}]`)),
    lockFree: isAbsent(members.lockFree) ? undefined : flagOf(members.lockFree, `${path}.lockFree`),
    createTime: (['CreateTime', 'createTime'] as const).find((spelling) => names.get('createtime') === spelling),
    updateTime: (['UpdateTime', 'updateTime'] as const).find((spelling) => names.get('updatetime') === spelling),
  };
}

/** A column, the name of the table that it refers to, and whether it gets full text. */
export interface RequestedColumn {
  readonly column: Column;
  readonly references: string | null;
  readonly fullText: boolean;
}

/** A column as a definition states it. @throws ServiceError `missing`, `malformed` */
export function parseColumn(input: unknown, path: string, { zone }: Pick<DefinitionLimits, 'zone'>): RequestedColumn {
  const members = knownMembersOf(input, path, columnMembers);
  const name = nameOf(members.colName, `${path}.colName`);
  const system = systemColumnNamed(name);
  const { default: given = null } = members;
  if (system !== undefined) {
    for (const member of ['default', 'references', 'fullText']) {
      const value = members[member] ?? null;
      if (value === null) continue;
      throw malformed(`${path}.${member}`, `expected none, since ${name} is a system column, got ${quoted(value)}.`);
    }
    return { column: systemColumn(system, name, members.type, path), references: null, fullText: false };
  }
  const required = flagOf(members.required, `${path}.required`);
  const type = readType(members, path);
  const references = isAbsent(members.references) ? null : nameOf(members.references, `${path}.references`);
  const fullText = flagOf(members.fullText, `${path}.fullText`);
  if (fullText) refuseWithoutText(name, type, `${path}.fullText`);
  const column: Column = { name, type, required, system: false };
  if (given === null) return { column, references, fullText };
  const preset = readDefault(type, given, zoneOf(zone), `${path}.default`);
  return { column: { ...column, default: preset }, references, fullText };
}

/** The types that a definition may state for a system column: all in which its wire text can be read. */
const kindsForSystem: Readonly<Record<string, readonly ColumnType['kind'][]>> = {
  varchar: ['varchar', 'text'],
  text: ['varchar', 'text'],
  integer: ['integer', 'long', 'varchar', 'text'],
  long: ['long', 'integer', 'varchar', 'text'],
  datetime: ['datetime', 'long', 'varchar', 'text'],
};

function systemColumn(system: Column, name: string, type: unknown, path: string): Column {
  const isClientTime = system.name === usualSpelling.createTime || system.name === usualSpelling.updateTime;
  const spellings = isClientTime ? [system.name, system.name[0]!.toLowerCase() + system.name.slice(1)] : [system.name];
  if (!spellings.includes(name)) {
    throw malformed(
      `${path}.colName`,
      `expected ${spellings.join(' or ')}, the spelling of the system column, got "${name}".`,
    );
  }
  const kind = readKind(type, path);
  const fitting = kindsForSystem[isClientTime ? 'datetime' : system.type.kind]!;
  if (!fitting.includes(kind)) {
    throw malformed(
      `${path}.type`,
      `expected one of ${fitting.join(', ')}, as ${name} is a system column of type ${system.type.kind}, got ${kind}.`,
    );
  }
  return { ...system, name };
}

/** An index as a definition states it. @throws ServiceError `missing`, `malformed` */
export function parseIndex(input: unknown, path: string): Index {
  const members = knownMembersOf(input, path, indexMembers);
  const columns = listOf(members.columns, `${path}.columns`).map((item, at) => nameOf(item, `${path}.columns[${at}]`));
  if (columns.length === 0) throw missing(`${path}.columns`);
  if (columns.length > indexColumnsMax) {
    throw malformed(`${path}.columns`, `expected at most ${indexColumnsMax} columns, got ${columns.length}.`);
  }
  const repeated = columns.find((column, at) => columns.indexOf(column) !== at);
  if (repeated !== undefined) throw malformed(`${path}.columns`, `"${repeated}" is listed twice.`);
  return { columns, unique: flagOf(members.unique, `${path}.unique`) };
}

/** A column as `GET {prefix}/schemas` shows it. */
interface ColumnDescription {
  readonly colName: string;
  readonly required?: true;
  readonly default?: string;
  readonly references?: string;
  readonly fullText?: true;
}

/** A table as `GET {prefix}/schemas` returns it; posting it again changes nothing. */
export interface TableDescription {
  readonly name: string;
  readonly primary_key: 'objectId';
  readonly columns: readonly ColumnDescription[];
  readonly indexes: readonly Index[];
  readonly lockFree?: true;
}

/** All tables of a data space, one per step. */
export function* describeTables({ tables }: Pick<SpaceDefinition, 'tables'>): Steps<TableDescription[]> {
  const all = [...tables.values()];
  const descriptions: TableDescription[] = [];
  for (const table of all) {
    descriptions.push(describeTable(table, all));
    yield;
  }
  return descriptions;
}

/** The defined columns in order, after the client's times if the table has its own spelling of them. */
function describeTable(table: Table, all: readonly Table[]): TableDescription {
  const usual = new Set<string>(Object.values(systemName));
  const listedColumns = table.columns.filter((column) => !column.system || !usual.has(column.name));
  return {
    name: table.name,
    primary_key: systemName.objectId,
    columns: listedColumns.map((column) =>
      describeColumn(column, referenceOf(column, all), hasFullText(table, column)),
    ),
    indexes: table.indexes.map(({ columns, unique }) => ({ columns, unique })),
    ...(table.lockFree ? { lockFree: true as const } : {}),
  };
}

/** @param references the name of the table that it refers to */
export function describeColumn(column: Column, references: string | undefined, fullText: boolean): ColumnDescription {
  return {
    colName: column.name,
    ...describeType(column.type),
    ...(column.required ? { required: true as const } : {}),
    ...(column.default === undefined ? {} : { default: column.default }),
    ...(references === undefined ? {} : { references }),
    ...(fullText ? { fullText } : {}),
  };
}

/** Names are unique without regard to case. */
function refuseRepeat(name: string, seen: Map<string, string>, path: string, thing: string): void {
  const key = name.toLowerCase();
  const first = seen.get(key);
  if (first !== undefined) {
    const how = first === name ? 'is defined twice' : `and "${first}" differ only in the case of their letters`;
    throw malformed(path, `The ${thing} "${name}" ${how}.`);
  }
  seen.set(key, name);
}
