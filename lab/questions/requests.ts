/** Random requests on the tables of a round: both forms of query, counts, single records and batches. */

import type { Random } from '../machine/random.ts';
import { expressionsOn, type Source } from './expressions.ts';
import { patternOf } from './patterns.ts';
import { type CompareTable, mostlyOwnColumn, objectIdOf, recordOf } from './tables.ts';
import { fittingValue, type Kind } from './values.ts';

export interface Request {
  readonly method: 'GET' | 'POST';
  /** Path below the prefix of the application. */
  readonly path: string;
  readonly body?: object;
  /** How many pages to request, each by the cursor of the previous one; one by default. */
  readonly pages?: number;
}

const aliases = ['a', 'B', 't0', 'order', 'x_1', 'm'];
const joinTypes = [
  ...'INNER JOIN,LEFT OUTER JOIN,RIGHT OUTER JOIN,FULL OUTER JOIN'.split(','),
  'LEFT JOIN',
  'RIGHT JOIN',
  'JOIN',
];

/** The share of queries that may have errors, which both services must answer alike, too. */
const failingShare = 0.35;

export function readRequest(tables: readonly CompareTable[], random: Random): Request {
  const mayFail = random.chance(failingShare);
  return random.weighted(
    [9, () => expressionRequest(tables, random, mayFail)],
    [2, () => countRequest(tables, random, mayFail)],
    [4, () => olderRequest(tables, random)],
    [1, () => recordRequest(tables, random)],
    [10, () => selectRequest(tables, random, mayFail)],
    [6, () => groupsRequest(tables, random, mayFail)],
  );
}

function recordRequest(tables: readonly CompareTable[], random: Random): Request {
  const name = random.chance(0.05) ? 'Nowhere' : random.pick(tables).name;
  return { method: 'GET', path: `data/${name}/${encodeURIComponent(objectIdOf(random))}` };
}

function countRequest(tables: readonly CompareTable[], random: Random, mayFail: boolean): Request {
  const { path, ...rest } = expressionRequest(tables, random, mayFail);
  return { ...rest, path: `${path}/count` };
}

/** An expression query as a select query, for rows of values or of records, sometimes page by page. */
function selectRequest(tables: readonly CompareTable[], random: Random, mayFail: boolean): Request {
  const { names, body, path } = expressionQuery(tables, random, mayFail, 0.35);
  const isPaged = random.chance(0.4);
  const select = random.times(random.between(2, 9), (index) => ({
    name: mayFail && random.chance(0.02) ? 'v0' : `v${index}`,
    expression: expressionsOn(names, tables, random, mayFail).value(),
  }));
  return {
    method: 'POST',
    path: path.replace('data/query', 'data/select'),
    body: {
      ...body,
      ...(random.chance(0.85) && { select }),
      ...(random.chance(0.2) && { values: mayFail && random.chance(0.2) ? 'json' : random.pick(['text', 'typed']) }),
      ...(isPaged && { range: { limit: random.between(1, 5) }, after: '' }),
    },
    pages: isPaged ? 8 : 1,
  };
}

/** The same, of groups. */
function groupsRequest(tables: readonly CompareTable[], random: Random, mayFail: boolean): Request {
  const { names, body, path } = expressionQuery(tables, random, mayFail, 0.35);
  const { orderBy: _, range: __, ...rest } = body;
  const write = expressionsOn(names, tables, random, mayFail);
  const isPaged = random.chance(0.4);
  const isDistinct = random.chance(0.2);
  const count = random.weighted([isDistinct ? 0 : 3, () => 0], [4, () => 1], [1, () => 2]);
  const keys = random.times(count, () => write.value());
  const aggregates = random.times(isDistinct && !(mayFail && random.chance(0.1)) ? 0 : random.between(1, 5), () =>
    write.aggregate(),
  );
  const select = [...keys, ...aggregates].map((expression, index) => ({ name: `v${index}`, expression }));
  const named = () => `v${random.below(select.length + (mayFail && random.chance(0.05) ? 1 : 0))}`;
  const plain = ({ source, params }: { source: string; params: readonly unknown[] }) =>
    params.length > 0 && !(mayFail && random.chance(0.05)) ? named() : source;
  const groupBy = keys.map((key, index) => (random.chance(0.7) ? `v${index}` : plain(key)));
  const orderBy = random.times(random.below(3), () => ({
    column: random.chance(0.8) ? named() : plain(write.aggregate()),
    type: random.pick(['ASC', 'DESC']),
  }));
  return {
    method: 'POST',
    path: path.replace('data/query', 'data/select'),
    body: {
      ...rest,
      select,
      ...(isDistinct && { distinct: true }),
      ...(groupBy.length > 0 && (!isDistinct || (mayFail && random.chance(0.1))) && { groupBy }),
      ...(!isDistinct &&
        random.chance(0.4) && { having: { expression: write.having(select.map(({ name }) => name)) } }),
      ...(orderBy.length > 0 && { orderBy }),
      ...(isPaged && { range: { limit: random.between(1, 4) }, after: '' }),
    },
    pages: isPaged ? 6 : 1,
  };
}

function expressionRequest(tables: readonly CompareTable[], random: Random, mayFail: boolean): Request {
  const { body, path } = expressionQuery(tables, random, mayFail, 0.7);
  return { method: 'POST', path, body };
}

/** @param whereShare the share of queries with a condition */
function expressionQuery(tables: readonly CompareTable[], random: Random, mayFail: boolean, whereShare: number) {
  const joins = random.weighted([10, () => 0], [5, () => 1], [3, () => 2], [1, () => 3]);
  const names = random.times(joins + 1, (index) => ({ alias: aliases[index] as string, table: random.pick(tables) }));
  const [first] = names as [Source];
  const { where } = expressionsOn(names, tables, random, mayFail);
  const join = names.slice(1).map(({ alias, table }, index) => ({
    entity: mayFail && random.chance(0.02) ? 'Nowhere' : table.name,
    entityAlias: mayFail && random.chance(0.02) ? first.alias : alias,
    type: mayFail && random.chance(0.02) ? 'CROSS JOIN' : random.pick(joinTypes),
    expression: expressionsOn(names.slice(0, index + 2), tables, random, mayFail).on(),
  }));
  const orderBy = random.times(random.below(4), () => {
    const { alias, table } = random.pick(names);
    const column = mayFail && random.chance(0.02) ? 'nothing' : sortable(table, random, mayFail);
    return { column: `#${alias}.${column}`, ...(random.chance(0.7) && { type: random.pick(['ASC', 'DESC']) }) };
  });
  const body = {
    from: { phyName: first.table.name, alias: first.alias },
    ...(join.length > 0 && { join }),
    ...(random.chance(whereShare) && { where: { expression: where() } }),
    ...(orderBy.length > 0 && { orderBy }),
    ...(random.chance(0.5) && { range: rangeOf(random, mayFail) }),
  };
  return { names, path: `data/query/${mayFail && random.chance(0.02) ? 'Nowhere' : first.table.name}`, body };
}

/** json has no order; the resulting error should not occur too often. */
function sortable({ columns }: CompareTable, random: Random, mayFail: boolean): string {
  const sorted = columns.filter(({ type }) => type.kind !== 'json' || (mayFail && random.chance(0.1)));
  return mostlyOwnColumn(sorted, random).name;
}

/** A test of the older form that is valid for the type. */
function fittingTest(kind: Kind, random: Random): number {
  if (kind === 'json') return 9;
  const test = random.between(1, 9);
  return test === 3 && kind !== 'text' ? 8 : test;
}

function rangeOf(random: Random, mayFail: boolean): object {
  if (mayFail && random.chance(0.1))
    return { offset: random.pick([-1, '1', 1.5, null]), limit: random.pick([0, -1, '5', 1e9]) };
  return {
    offset: random.weighted<number>([3, () => 0], [3, () => random.below(8)], [1, () => 1_000]),
    limit: random.weighted<number>([5, () => random.between(1, 12)], [1, () => 5_000]),
  };
}

function olderRequest(tables: readonly CompareTable[], random: Random): Request {
  const names = [...new Set(random.times(random.between(1, 3), () => random.pick(tables)))];
  const [first, ...others] = names as [CompareTable, ...CompareTable[]];
  const value = (table: CompareTable) => {
    const { type, name } = mostlyOwnColumn(table.columns, random);
    const kind = random.chance(0.95) ? fittingTest(type.kind, random) : random.between(1, 9);
    const count = kind === 9 ? 0 : kind === 8 ? random.between(1, 4) : 1;
    const conditionValue = random.times(random.chance(0.02) ? 2 - count : count, () =>
      kind === 3 ? patternOf(type, null, random) : fittingValue(type, random),
    );
    return {
      type: random.chance(0.02) ? random.pick([0, 10, 'x']) : kind,
      tableName: table.name,
      columnName: random.chance(0.02) ? 'nothing' : name,
      conditionValue,
      ...(random.chance(0.3) && { isIgnoreCase: random.pick(['true', 'false', true]) }),
    };
  };
  const groups = (count: number, among: readonly CompareTable[]) =>
    random.times(count, () => ({
      searchConditions: random.times(random.between(1, 2), () => value(random.pick(among))),
      ...(random.chance(0.98) && { type: random.pick(['AND', 'OR']) }),
    }));
  const joinConditions = others.map((table, index) => {
    const base = random.pick(names.slice(0, index + 1));
    const column = random.pick(table.columns);
    const partners = base.columns.filter(({ type }) => type.kind === column.type.kind);
    const byId = random.chance(0.5) || partners.length === 0;
    return {
      joinType: random.chance(0.02) ? 3 : random.between(1, 2),
      joinObjectName: table.name,
      joinColumn: byId ? 'objectId' : column.name,
      baseObjectName: base.name,
      baseColumn: byId ? 'objectId' : random.pick(partners).name,
      ...(random.chance(0.3) && { whereConditions: groups(1, [table, base]) }),
    };
  });
  const sortConditions = random.times(random.below(3), () => {
    const table = random.pick(names);
    return { conditionValue: random.between(1, 2), tableName: table.name, columnName: sortable(table, random, true) };
  });
  const body = {
    objectNames: random.chance(0.1) ? first.name : names.map(({ name }) => name),
    returnedObjectNames: random.chance(0.2) ? first.name : names.map(({ name }) => name),
    ...(random.chance(0.1) && { recordId: objectIdOf(random) }),
    ...(random.chance(0.5) && { maxRecord: random.between(1, 7) }),
    ...(random.chance(0.4) && { pageIndex: random.between(1, 4) }),
    condition: {
      ...(joinConditions.length > 0 && { joinConditions }),
      ...(random.chance(0.7) && { whereConditions: groups(random.between(1, 3), names) }),
      ...(sortConditions.length > 0 && { sortConditions }),
      ...(random.chance(0.3) && { scope: random.between(1, 3) }),
    },
  };
  return { method: 'POST', path: 'data/query', body };
}

/** The last known time of each record, by table and record id, so that most locks hold. */
export type KnownTimes = Map<string, string>;

/** Batches that fill a table with records of distinct ids. */
export function fillRequests(table: CompareTable, groupIds: readonly number[], random: Random): Request[] {
  const all = random.times(30, (index) => `r${index}`);
  const ids = random.some(all, random.between(12, 30));
  return ids.flatMap((_, index) => {
    if (index % 4 !== 0) return [];
    const data = ids.slice(index, index + 4).map((objectId) => ({ ...recordOf(table, random, groupIds), objectId }));
    return [{ method: 'POST', path: 'data/batch/addData', body: { objectName: table.name, data } }];
  });
}

/** One operation alone, or several in one batch. */
export function writeRequest(
  tables: readonly CompareTable[],
  known: KnownTimes,
  groupIds: readonly number[],
  random: Random,
): Request {
  const transaction = random.chance(0.3) ? { transactionId: `T${random.below(60)}` } : {};
  const operation = () => operationOn(random.pick(tables), known, groupIds, random);
  if (random.chance(0.25)) {
    const operations = random.times(random.between(1, 3), operation);
    return { method: 'POST', path: 'data/batch', body: { ...transaction, operations } };
  }
  const { op, objectName, data } = operation();
  const items = op === 'delete' ? { objectIds: data } : { data };
  return { method: 'POST', path: `data/batch/${op}Data`, body: { ...transaction, objectName, ...items } };
}

/**
 * The operations of a batch on one table. Records are named by given ids, because ids made by the service differ
 * between engines.
 */
export interface Operation {
  readonly op: 'add' | 'update' | 'delete' | 'put';
  readonly objectName: string;
  readonly data: readonly object[];
}

function operationOn(table: CompareTable, known: KnownTimes, groupIds: readonly number[], random: Random): Operation {
  const objectName = table.name;
  const times = [...known].filter(([key]) => key.startsWith(`${table.id}/`));
  const old = () => {
    const [key, time] = random.pick(times);
    const stale = random.chance(0.04) ? '2020-01-01T00:00:00.000+00:00' : time;
    return { objectId: key.slice(String(table.id).length + 1), serverUpdateTime: stale };
  };
  const record = () => recordOf(table, random, groupIds);
  const add = (): Operation => ({ op: 'add', objectName, data: random.times(random.between(1, 8), record) });
  if (times.length === 0) return add();
  return random.weighted<Operation>(
    [6, add],
    [
      2,
      () => ({ op: 'update', objectName, data: random.times(random.between(1, 3), () => ({ ...record(), ...old() })) }),
    ],
    [1, () => ({ op: 'delete', objectName, data: random.times(random.between(1, 2), old) })],
    [
      2,
      () => {
        const item = () => ({ ...record(), ...(random.chance(0.6) && old()) });
        return { op: 'put', objectName, data: random.times(random.between(1, 4), item) };
      },
    ],
  );
}
