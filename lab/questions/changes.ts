/** Random changes of tables: most are possible; some refer to missing or taken names, or do not fit the stored data. */
import type { Random } from '../machine/random.ts';
import {
  addColumn,
  addTable,
  changeType,
  dropColumn,
  dropTable,
  liveColumns,
  liveTables,
  type ModelColumn,
  type ModelTable,
  purge,
  renameColumn,
  restore,
  type TablesModel,
} from './changed-tables.ts';
import {
  columnNames,
  columnType,
  definitionOf,
  hasFullText,
  indexesOn,
  indexKey,
  type OwnColumn,
  randomTable,
  tableNames,
} from './tables.ts';
import { fittingValue } from './values.ts';

export interface RandomChanges {
  readonly changes: readonly object[];
  /** The tables after the changes, unless they are refused. */
  readonly after: TablesModel;
  /** Whether one of them must be refused. */
  readonly isSpoiled: boolean;
}

const tablesMax = 6;

/** One to three changes, in order. */
export function randomChanges(before: TablesModel, random: Random): RandomChanges {
  const after = structuredClone(before);
  const changes = random.times(random.weighted([4, () => 1], [3, () => 2], [1, () => 3]), () =>
    randomChange(after, random),
  );
  const isSpoiled = random.chance(0.06);
  if (isSpoiled) changes.push(spoiledChange(after, random));
  return { changes, after, isSpoiled };
}

/** Also makes the change in the model. */
function randomChange(model: TablesModel, random: Random): object {
  const table = random.pick(liveTables(model));
  const columns = liveColumns(table);
  if (columns.length === 0) return added(model, table, random);
  const column = random.pick(columns);
  const restorable = model.bin.filter(({ id }) => id !== null);
  return random.weighted<object>(
    [4, () => added(model, table, random)],
    [4, () => renamedColumn(table, column, random)],
    [5, () => changed(model, table, column, random)],
    [3, () => dropped(model, table, column)],
    [2, () => indexed(table, random)],
    [table.indexes.length > 0 ? 1 : 0, () => unindexed(table, random)],
    [restorable.length > 0 ? 4 : 0, () => outOfBin(model, random)],
    [liveTables(model).length < tablesMax ? 1 : 0, () => newTable(model, random)],
    [1, () => renamedTable(model, table, random)],
    [1, () => lockChanged(table, random)],
    [
      liveTables(model).length > 2 ? 1 : 0,
      () => {
        dropTable(model, table);
        return { op: 'dropTable', table: table.name };
      },
    ],
  );
}

/** A name that differs from the taken ones in more than case. */
function freeName(taken: readonly { readonly name: string }[], names: readonly string[], random: Random): string {
  const used = new Set(taken.map(({ name }) => name.toLowerCase()));
  const free = names.filter((name) => !used.has(name.toLowerCase()));
  return free.length > 0 ? random.pick(free) : `N_${used.size}_${random.below(1_000)}`;
}

function newTable(model: TablesModel, random: Random): object {
  const table = randomTable(freeName(liveTables(model), tableNames, random), random);
  const lockFree = random.chance(0.3);
  addTable(model, table, lockFree);
  const { name, ...definition } = definitionOf(table);
  return { op: 'addTable', table: name, ...definition, ...(lockFree && { lockFree }) };
}

function added(model: TablesModel, table: ModelTable, random: Random): object {
  const hasDefault = random.chance(0.5);
  const own = columnType(random);
  const name = freeName(liveColumns(table), columnNames, random);
  const column: OwnColumn = { name, ...own, required: random.chance(hasDefault ? 0.3 : 0.03) };
  const referred = random.chance(0.1) ? random.pick(liveTables(model)) : null;
  addColumn(table, column, hasDefault, referred?.id ?? null);
  const preset = hasDefault ? { default: fittingValue(own.type, random) } : {};
  const { sent, required } = column;
  const references = referred === null ? {} : { references: referred.name };
  return {
    op: 'addColumn',
    table: table.name,
    column: { colName: name, ...sent, required, ...preset, ...references },
  };
}

function renamedColumn(table: ModelTable, column: ModelColumn, random: Random): object {
  const before = column.name;
  const to = freeName(liveColumns(table), columnNames, random);
  renameColumn(table, column, to);
  return { op: 'renameColumn', table: table.name, column: before, to };
}

function renamedTable(model: TablesModel, table: ModelTable, random: Random): object {
  const before = table.name;
  table.name = freeName(liveTables(model), tableNames, random);
  return { op: 'renameTable', table: before, to: table.name };
}

function lockChanged(table: ModelTable, random: Random): object {
  table.lockFree = random.chance(0.5);
  return { op: 'changeTable', table: table.name, lockFree: table.lockFree };
}

function dropped(model: TablesModel, table: ModelTable, column: ModelColumn): object {
  dropColumn(model, table, column);
  return { op: 'dropColumn', table: table.name, column: column.name };
}

/** Changes of its type, required flag, default, reference, or several of these. */
function changed(model: TablesModel, table: ModelTable, column: ModelColumn, random: Random): object {
  const isTyped = random.chance(0.6);
  const had = hasFullText(column);
  const retyped = isTyped ? anotherType(column, random) : null;
  const staysText = (retyped ?? column).type.kind === 'text';
  const fullText = had && !staysText ? false : staysText && random.chance(0.15) ? !had : undefined;
  if (retyped !== null && JSON.stringify(retyped.sent) !== JSON.stringify(column.sent)) {
    changeType(model, table, column, retyped);
  }
  const preset = random.chance(isTyped ? 0.2 : 0.5) ? random.weighted([3, () => true], [1, () => null]) : undefined;
  if (preset !== undefined) column.hasDefault = preset !== null;
  const required = random.chance(isTyped ? 0.1 : 0.4) ? random.chance(0.4) : undefined;
  if (required !== undefined) column.required = required;
  const isReferring = random.chance(0.1) || (!isTyped && preset === undefined && required === undefined);
  const referred = isReferring && random.chance(0.7) ? random.pick(liveTables(model)) : null;
  if (isReferring) column.refersTo = referred?.id ?? null;
  const { fullText: retypedTo, ...sent } = { fullText: undefined, ...(retyped ?? column).sent };
  const has = fullText ?? (staysText && (had || retypedTo === true));
  column.sent = has ? { ...sent, fullText: true } : sent;
  return {
    op: 'changeColumn',
    table: table.name,
    column: column.name,
    ...retyped?.sent,
    ...(fullText !== undefined && { fullText }),
    ...(preset !== undefined && { default: preset && fittingValue(column.type, random) }),
    ...(required !== undefined && { required }),
    ...(isReferring && { references: referred?.name ?? null }),
  };
}

/** Another type, usually one that fits every value. */
function anotherType({ type, sent }: ModelColumn, random: Random): Pick<OwnColumn, 'type' | 'sent'> {
  const varchar = (length: number) => ({
    type: { kind: 'text', length } as const,
    sent: { type: 'varchar', fieldLength: length },
  });
  const text = { type: { kind: 'text' } as const, sent: { type: 'text' } };
  return random.weighted<Pick<OwnColumn, 'type' | 'sent'>>(
    [3, () => (type.length === undefined ? text : varchar(Math.min(600, type.length * 2)))],
    [2, () => (type.kind === 'integer' ? { type: { kind: 'long' }, sent: { type: 'long' } } : varchar(600))],
    [1, () => text],
    [2, () => columnType(random)],
    [1, () => ({ type, sent })],
  );
}

function indexed(table: ModelTable, random: Random): object {
  const [index = { columns: ['objectId'], unique: false }] = indexesOn(liveColumns(table), random, 1);
  table.indexes.push(index);
  return { op: 'addIndex', table: table.name, ...index };
}

function unindexed(table: ModelTable, random: Random): object {
  const index = random.pick(table.indexes);
  table.indexes = table.indexes.filter((each) => indexKey(each) !== indexKey(index));
  return { op: 'dropIndex', table: table.name, ...index };
}

function outOfBin(model: TablesModel, random: Random): object {
  const entry = random.pick(model.bin.filter(({ id }) => id !== null));
  const { id, table: of, column } = entry;
  if (random.chance(0.2)) {
    purge(model, entry);
    return { op: 'purge', id };
  }
  const table = model.tables.find((each) => each.id === of) as ModelTable;
  const [taken, names] = column === null ? [liveTables(model), tableNames] : [liveColumns(table), columnNames];
  const isTaken = taken.some(({ name }) => name.toLowerCase() === entry.name.toLowerCase());
  const as = random.chance(isTaken ? 0.9 : 0.2) ? freeName(taken, names, random) : null;
  const withoutIndexes = random.chance(0.5);
  restore(model, entry, as, withoutIndexes);
  return { op: 'restore', id, ...(as !== null && { as }), ...(withoutIndexes && { withoutIndexes }) };
}

/** A change that the tables do not allow at that point. */
function spoiledChange(model: TablesModel, random: Random): object {
  const table = random.pick(liveTables(model));
  const [column = { name: 'nothing' }] = liveColumns(table);
  const taken = random.pick(['objectId', 'OBJECTID', 'serverUpdateTime']);
  const drop = { op: 'dropColumn', table: table.name, column: column.name };
  return random.pick<object>([
    { ...drop, op: 'dropColum' },
    { ...drop, table: 'Nowhere' },
    { ...drop, column: 'Nowhere' },
    { ...drop, column: taken },
    { ...drop, more: 1 },
    { op: 'renameColumn', table: table.name, column: column.name, to: taken },
    { op: 'addColumn', table: table.name, column: { colName: taken, type: 'text', default: 'x' } },
    { op: 'addColumn', table: table.name, column: { colName: 'fresh', type: 'integer', default: 'x' } },
    { op: 'addTable', table: table.name.toUpperCase(), columns: [] },
    { op: 'addIndex', table: table.name, columns: ['Nowhere'] },
    { op: 'dropIndex', table: table.name, columns: ['objectId', 'objectId'], unique: true },
    { op: 'changeColumn', table: table.name, column: column.name, references: 'Nowhere' },
    { op: 'changeColumn', table: table.name, column: column.name, default: '\ud800' },
    { op: 'restore', id: 10 ** 9 },
    { op: 'purge', id: 0 },
  ]);
}
