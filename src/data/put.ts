/** Putting records (docs/reference/writing.md#putting): each item updates the record with its id or key, or adds it. */

import { malformed, quoted } from '../errors.ts';
import { defaultsOf } from '../schema/default-value.ts';
import type { Index, StoredValue, Table } from '../schema/model.ts';
import { systemName } from '../schema/system.ts';
import type { Addition, PutItem, Unfit } from '../storage/contract.ts';
import { idMaker, systemValuesOf } from './add.ts';
import type { Operation, PrepareRequest } from './batch.ts';
import type { DataContext } from './context.ts';
import { asItem, type Item, ItemFault, onlyOnce, readBase, readObjectId } from './item.ts';
import { prepareItems } from './prepare.ts';
import { termsValue } from './terms.ts';
import { readSent } from './update.ts';
import { isKeptByService } from './values.ts';
import type { Requester } from './visibility.ts';

export const put: Operation = {
  name: 'put',
  rights: ['add', 'update'],
  field: 'data',
  codes: { invalid: 131, unsaved: 210 },
  prepare(context, caller, table, request) {
    const key = keyOf(table, request);
    const newId = idMaker(context, table);
    const seen = request.seen(key ?? []);
    return prepareItems(
      request,
      (value) => prepareItem(context, caller, table, asItem(value), { key, newId, seen }),
      (ready) => ({ operation: 'put', key, items: ready }),
    );
  },
};

/** The columns of the unique index that `by` names, in its order; null for objectId. @throws ServiceError `malformed` */
function keyOf(table: Table, { by, path }: Pick<PrepareRequest, 'by' | 'path'>): readonly string[] | null {
  const names = by?.toSorted().join(',') ?? systemName.objectId;
  if (names === systemName.objectId) return null;
  const keys = keysOf(table);
  const found = keys.find(({ columns }) => columns.toSorted().join(',') === names);
  if (found !== undefined) return found.columns;
  const known = keys.map(({ columns }) => `(${columns.join(', ')})`).join(', ');
  const others =
    known === ''
      ? `; for other columns, "${table.name}" needs a unique index on them`
      : `, or all columns of a unique index of "${table.name}" that clients fill: ${known}`;
  throw malformed(`${path}by`, `expected objectId${others}; got ${quoted(by)}.`);
}

/** The unique indexes by which a put may find records of the table: those whose columns clients fill. */
export function keysOf({ indexes, slots }: Pick<Table, 'indexes' | 'slots'>): readonly Index[] {
  const isSent = (name: string) => !isKeptByService(slots.get(name)!.column);
  return indexes.filter(({ unique, columns }) => unique && columns.every(isSent));
}

interface Keyed {
  readonly key: readonly string[] | null;
  readonly newId: () => string;
  readonly seen: Set<string>;
}

function prepareItem(
  context: DataContext,
  caller: Requester,
  table: Table,
  item: Item,
  { key, newId, seen }: Keyed,
): PutItem {
  const objectId = key === null ? readObjectId(item.objectId) : newId();
  if (key === null) onlyOnce(objectId, seen);
  const sent = item.serverUpdateTime;
  const base = sent === undefined || sent === null ? null : readBase(item, context.zone);
  const read = readSent(context, caller, table, item);
  if (key !== null) requireKey(key, item, read, seen);
  return { objectId, base, ...read, addition: additionOf(context, caller, table, item) };
}

/** @throws ItemFault where the item has no value for a column of the key, or an earlier one has the same key */
function requireKey(
  key: readonly string[],
  item: Item,
  { columns, values }: Pick<PutItem, 'columns' | 'values'>,
  seen: Set<string>,
): void {
  if (item.objectId !== undefined && item.objectId !== null) {
    throw new ItemFault(
      'objectId',
      `expected none, as the record is found by ${key.join(', ')}, got ${quoted(item.objectId)}.`,
    );
  }
  const found = key.map((name): StoredValue => {
    const value = values[columns.indexOf(name)] ?? null;
    if (value === null) throw new ItemFault(name, 'expected a value, as records are found by it, got none.');
    return value;
  });
  const text = JSON.stringify(found.map(String));
  if (seen.has(text)) throw new ItemFault(key.join(', '), 'the batch has this key more than once.');
  seen.add(text);
}

/** The further values of the record if it is added, or why it can't be added. */
function additionOf(context: DataContext, caller: Requester, table: Table, item: Item): Addition | Unfit {
  const columns: string[] = [];
  const values: StoredValue[] = [];
  const set = (name: string, value: StoredValue) => {
    columns.push(name);
    values.push(value);
  };
  const defaults = defaultsOf(table);
  for (const [index, { name, required }] of table.columns.entries()) {
    if (Object.hasOwn(item, name)) continue;
    const value = defaults?.[index] ?? null;
    if (value !== null) set(name, value);
    else if (required) {
      return { field: name, message: 'expected a value, as there is no such record yet, got none.' };
    }
  }
  try {
    for (const has of table.fullText) {
      const at = columns.indexOf(has.slot.column.name);
      if (at >= 0) set(has.terms.name, termsValue(has, values[at]));
    }
    const own = systemValuesOf(context, caller, item);
    for (const name in own.values) set(name, own.values[name] as StoredValue);
    return { audience: own.audience, columns, values };
  } catch (error) {
    if (error instanceof ItemFault) return { field: error.field, message: error.message };
    throw error;
  }
}
