/**
 * Checks a query against the tables of a data space: resolves every name, settles every type and reads every literal
 * (docs/reference/expression-language.md). A query that passes compiles and runs without failing.
 */
import type { Settings } from '../config.ts';
import { quoted } from '../errors.ts';
import type { SpaceDefinition } from '../schema/model.ts';
import { isName, nameForm } from '../schema/names.ts';
import { zoneOf } from '../schema/time.ts';
import type { Query, RowsForm, SelectItem, TableReference } from './ast.ts';
import { checkBound, checkTableCount, resultColumnsMax } from './bounds.ts';
import { checkCondition } from './check/conditions.ts';
import { type CheckContext, checkTable, resolve } from './check/context.ts';
import { checkGroups } from './check/groups.ts';
import { countValues } from './check/held-texts.ts';
import { settleAny } from './check/values.ts';
import type { CheckedQuery, CheckedRows, CheckedTable, Condition, Slot } from './checked.ts';
import { notValid } from './fault.ts';

/** `zone` is the time zone of datetime literals without an offset. */
export type CheckLimits = Pick<
  Settings,
  'queryTablesMax' | 'likePatternMax' | 'valueBytesMax' | 'functionBytesMax' | 'zone'
>;

/** @throws ServiceError `noTable` for a table that is not defined, 132 for anything else */
export function check(query: Query, definition: SpaceDefinition, limits: CheckLimits): CheckedQuery {
  checkTableCount(query.joins.length + 1 + query.further.length, limits.queryTablesMax);
  const tables = checkTables([query.from, ...query.joins.map((join) => join.table)], definition);
  const aliases = tables.map(({ alias }) => alias);
  const context: CheckContext = {
    tables: [...tables],
    names: numbersOf(aliases),
    later: new Set(),
    definition,
    slots: new Map(),
    inferred: new Map(),
    long: { weight: 0 },
    // One operation is always possible, however long its values are.
    heldTexts: { bytes: 0, bytesMax: Math.max(limits.functionBytesMax, 2 * limits.valueBytesMax) },
    matches: { count: 0 },
    likePatternMax: limits.likePatternMax,
    condition: checkCondition,
    rules: {
      valueBytesMax: limits.valueBytesMax,
      get zone() {
        return zoneOf(limits.zone);
      },
    },
  };
  const joins = query.joins.map(({ kind, on }, index) => ({
    kind,
    on: checkCondition(on, {
      ...context,
      names: numbersOf(aliases.slice(0, index + 2)),
      later: new Set(aliases.slice(index + 2)),
      inferred: new Map(),
    }),
  }));
  const where: Condition | null = query.where === null ? null : checkCondition(query.where, context);
  const rows = query.rows === undefined ? null : checkRows(query.rows, context);
  const returned = query.returned.map((alias) => tables.findIndex((table) => table.alias === alias));
  const records = () => returned.reduce((sum, table) => sum + tables[table]!.table.columns.length, 0);
  const columns = rows?.selected?.length ?? records();
  checkBound(columns, resultColumnsMax, 'columns in its answer');
  const orderBy = checkOrder(query, context);
  return {
    tables,
    allTables: context.tables,
    joins,
    where,
    orderBy,
    ranged: query.ranged,
    returned,
    slots: numbered(context.slots),
    ...(rows && { rows }),
  };
}

function checkRows({ select, typed, after, groups }: RowsForm, context: CheckContext): CheckedRows {
  if (select === null) return { selected: null, typed, after };
  checkNames(select);
  if (groups !== undefined) return { ...checkGroups(groups, select, context), typed, after };
  const selected = select.map(({ name, expression }) => ({ name, ...settleAny(expression, context) }));
  countValues(selected, context);
  return { selected, typed, after };
}

function checkNames(select: readonly SelectItem[]): void {
  const names = new Set<string>();
  for (const { name, position } of select) {
    if (!isName(name)) throw notValid(position, `the name ${quoted(name)} is not ${nameForm}.`);
    if (names.has(name)) throw notValid(position, `the name "${name}" already stands for another value.`);
    names.add(name);
  }
}

function checkTables(references: readonly TableReference[], definition: SpaceDefinition): CheckedTable[] {
  const aliases = new Set<string>();
  return references.map((reference) => {
    const table = checkTable(reference, definition, (alias) => aliases.has(alias));
    aliases.add(table.alias);
    return table;
  });
}

function numbersOf(aliases: readonly string[]): ReadonlyMap<string, number> {
  return new Map(aliases.map((alias, number) => [alias, number]));
}

/** A repeated sort key changes nothing; only its first occurrence counts. */
function checkOrder(query: Query, context: CheckContext): CheckedQuery['orderBy'] {
  const keys = new Map<string, CheckedQuery['orderBy'][number]>();
  for (const { column: reference, descending } of query.orderBy) {
    const column = resolve(reference, context);
    if (column.column.type.kind === 'json') {
      throw notValid(reference.position, `the column "${column.column.name}" is json, which has no order.`);
    }
    const name = `${column.table}.${column.column.name}`;
    if (!keys.has(name)) keys.set(name, { column, descending });
  }
  return [...keys.values()];
}

/** The parameter slots in order, each with its number within its source. */
function numbered(slots: CheckContext['slots']): Slot[] {
  const counts = new Map<string, number>();
  return Array.from({ length: slots.size }, (_, index) => {
    const slot = slots.get(index)!;
    const number = (counts.get(slot.position.source) ?? 0) + 1;
    counts.set(slot.position.source, number);
    return { ...slot, number };
  });
}
