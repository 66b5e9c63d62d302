/**
 * Random tables, their records, and operations on them, each with a chance of an error, which must also be the same.
 */
import type { Random } from '../machine/random.ts';
import { among, fittingValue, type Kind, poolOf, textOf, type ValueType } from './values.ts';

export interface CompareColumn {
  readonly name: string;
  readonly type: ValueType;
  readonly required?: boolean;
  /** How a definition states the type; absent for a system column. */
  readonly sent?: object;
}

/** A column that is not a system column. */
export interface OwnColumn extends CompareColumn {
  readonly sent: object;
}

export interface CompareIndex {
  readonly columns: readonly string[];
  readonly unique: boolean;
}

export interface CompareTable {
  /** Identifies the table, whatever its name. */
  readonly id: number;
  readonly name: string;
  /** Includes the system columns. */
  readonly columns: readonly CompareColumn[];
  readonly indexes: readonly CompareIndex[];
}

export const systemColumns: readonly CompareColumn[] = [
  { name: 'objectId', type: { kind: 'text', length: 200 } },
  { name: 'CreateTime', type: { kind: 'text' } },
  { name: 'UpdateTime', type: { kind: 'text' } },
  { name: 'serverCreateTime', type: { kind: 'datetime' } },
  { name: 'serverUpdateTime', type: { kind: 'datetime' } },
  { name: 'serverRecordStatus', type: { kind: 'integer' } },
  { name: 'scopeType', type: { kind: 'integer' } },
  { name: 'groupIds', type: { kind: 'text' } },
  { name: 'createUserId', type: { kind: 'long' } },
];

const kinds = among('text text text integer long double decimal decimal bool datetime json') as Kind[];
/** Precision and scale of most decimals: small enough for arithmetic and comparisons, or the maximum. */
const usualDigits = among('8.2 8.2 9.0 7.6 12.3 18.0 18.2 18.6').map(
  (each) => each.split('.').map(Number) as [number, number],
);
/** Keywords of SQL and of the engines are valid names, too. */
export const tableNames = ['Item', 'order', 'select', 'sqlite_master', 'pg_class', 'User', 'group', 'T_x', 'values'];
export const columnNames = among(
  'name Size rowid oid ctid xmin tableoid user from limit n at open price null true note x1 end',
  'A_b',
);

export function randomTables(random: Random): CompareTable[] {
  const names = random.some(tableNames, random.between(2, 4));
  return names.map((name, id) => ({ ...randomTable(name, random), id }));
}

/** A random table, without an id. */
export function randomTable(name: string, random: Random): CompareTable {
  const own = random
    .some(columnNames, random.between(3, 10))
    .map((column): OwnColumn => ({ name: column, ...columnType(random), required: random.chance(0.03) }));
  const indexes = indexesOn(own, random, random.below(4));
  const isUnique = (column: CompareColumn) =>
    indexes.some(({ columns, unique }) => unique && columns.includes(column.name));
  const columns = own.map((column) => (isUnique(column) ? { ...column, type: { ...column.type, pool: [] } } : column));
  return { id: -1, name, columns: [...systemColumns, ...columns], indexes };
}

/** At most `count` indexes, without repeats. */
export function indexesOn(columns: readonly CompareColumn[], random: Random, count: number): CompareIndex[] {
  const indexable = columns.filter(
    ({ type }) => type.kind !== 'json' && !(type.kind === 'text' && type.length === undefined),
  );
  const indexes = random.times(count, () => ({
    columns: random.some(indexable, random.between(1, 3)).map(({ name }) => name),
    unique: random.chance(0.15),
  }));
  const byKey = new Map(indexes.map((index) => [indexKey(index), index]));
  return [...byKey.values()].filter((index) => index.columns.length > 0);
}

export const indexKey = ({ columns, unique }: CompareIndex) => `${unique} ${columns.join()}`;

/** The table in the form of `POST schemas`. */
export function definitionOf({ name, columns, indexes }: CompareTable) {
  const own = columns.flatMap(({ name: colName, sent, required }) =>
    sent === undefined ? [] : [{ colName, ...sent, required }],
  );
  return { name, columns: own, indexes };
}

export function columnType(random: Random): { type: ValueType; sent: object } {
  const { type, sent } = typeWithoutPool(random);
  return { type: { ...type, pool: poolOf(type, 'fullText' in sent, random) }, sent };
}

function typeWithoutPool(random: Random): { type: ValueType; sent: object } {
  const kind = random.pick(kinds);
  const fullText = kind === 'text' && random.chance(0.45) ? { fullText: true } : {};
  if (kind === 'text' && random.chance(0.7)) {
    const length = random.pick([1, 5, 20, 200, 600]);
    return { type: { kind, length }, sent: { type: 'varchar', fieldLength: length, ...fullText } };
  }
  if (kind === 'decimal') {
    const digits = random.between(1, 18);
    const [precision, scale] = random.chance(0.8)
      ? random.pick(usualDigits)
      : ([digits, random.below(digits + 1)] as const);
    return { type: { kind, precision, scale }, sent: { type: kind, precision, scale } };
  }
  return { type: { kind }, sent: { type: kind, ...fullText } };
}

export function hasFullText({ sent }: CompareColumn): boolean {
  return sent !== undefined && 'fullText' in sent;
}

/** One of the columns, mostly not a system column: in these, most values are equal, or all are different. */
export function mostlyOwn<Of extends { readonly column: CompareColumn }>(columns: readonly Of[], random: Random): Of {
  const own = columns.filter(({ column }) => column.sent !== undefined);
  return random.pick(own.length > 0 && random.chance(0.9) ? own : columns);
}

export function mostlyOwnColumn(columns: readonly CompareColumn[], random: Random): CompareColumn {
  const all = columns.map((column) => ({ column }));
  return mostlyOwn(all, random).column;
}

/** Ids that many tables share, so that joins have matches. */
export function objectIdOf(random: Random): string {
  return random.weighted([8, () => `r${random.below(30)}`], [1, () => textOf(random, 20) || 'e']);
}

export function recordOf(
  { columns }: CompareTable,
  random: Random,
  groupIds: readonly number[],
): Record<string, unknown> {
  const record: Record<string, unknown> = { objectId: objectIdOf(random), ...scopeOf(random, groupIds) };
  for (const { name, type, required = false } of columns.slice(systemColumns.length)) {
    if (required && random.chance(0.99)) record[name] = fittingValue(type, random);
    else if (random.chance(0.12)) record[name] = null;
    else if (random.chance(0.93)) record[name] = fittingValue(type, random);
  }
  if (random.chance(0.3)) record[random.pick(['CreateTime', 'UpdateTime'])] = textOf(random);
  if (random.chance(0.02)) spoil(record, columns, random);
  return record;
}

function scopeOf(random: Random, groupIds: readonly number[]): object {
  const group = () => `{${random.pick(groupIds)}}`;
  return random.weighted<object>(
    [3, () => ({})],
    [3, () => ({ scopeType: 3 })],
    [2, () => ({ scopeType: '1' })],
    [3, () => ({ scopeType: 2, groupIds: group() })],
    [2, () => ({ scopeType: 2, groupIds: `{${groupIds.join(',')}}` })],
    [12, () => ({})],
    [1, () => ({ scopeType: 2, groupIds: random.pick(['{99}', '{1,2,3}', 'x', '{}', 1]) })],
  );
}

/** Makes one value invalid. */
function spoil(record: Record<string, unknown>, columns: readonly CompareColumn[], random: Random): void {
  const { name } = random.pick(columns);
  record[name] = random.pick<unknown>([
    'x',
    '',
    1e300,
    -1,
    'NaN',
    '1.23456789',
    [],
    { a: 1 },
    '\u0000',
    '\ud800',
    2 ** 53 + 2,
    true,
    '9'.repeat(40),
    '2024-02-30',
    'a'.repeat(700),
  ]);
  // For an empty id, the service would make one, which differs between engines.
  if (record.objectId === '') record.objectId = 'e';
  if (random.chance(0.2)) record[`${name}x`] = 1;
}
