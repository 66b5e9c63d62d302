/** Adding records (docs/reference/writing.md#adding). */

import { audienceOf, groupIdsText, scope } from '../schema/audience.ts';
import { defaultsOf } from '../schema/default-value.ts';
import type { StoredValue, Table } from '../schema/model.ts';
import type { AddItem } from '../storage/contract.ts';
import type { Operation } from './batch.ts';
import type { DataContext } from './context.ts';
import { asItem, type Item, ItemFault, readObjectId, withoutEmptyId } from './item.ts';
import { prepareItems } from './prepare.ts';
import { readGroupIds, readScope, refuseTooManyGroups } from './scope.ts';
import { termsValue } from './terms.ts';
import { isKeptByService, passOver, readValue, slotOf } from './values.ts';
import { notInGroup, type Requester } from './visibility.ts';

export const add: Operation = {
  name: 'add',
  rights: ['add'],
  field: 'data',
  codes: { invalid: 131, unsaved: 210 },
  prepare(context, caller, table, request) {
    const newId = idMaker(context, table);
    const seen = request.seen();
    const { strict } = request;
    return prepareItems(
      request,
      (value) =>
        prepareItem(context, caller, table, strict ? withoutEmptyId(asItem(value)) : asItem(value), newId, seen),
      (ready) => ({ operation: 'add', items: ready }),
    );
  },
};

/** `serverRecordStatus` of every record (docs/reference/values.md#system-columns). */
const active = 1;

function prepareItem(
  context: DataContext,
  caller: Requester,
  table: Table,
  item: Item,
  newId: () => string,
  seen: Set<string>,
): AddItem {
  const values: StoredValue[] = new Array(table.written.length).fill(null);
  for (const name in item) {
    const { column, index } = slotOf(table, name);
    const input = item[name];
    if (isKeptByService(column)) passOver(item, name);
    else if (input !== null) values[index] = readValue(context, column, input);
  }
  const defaults = defaultsOf(table);
  for (const [index, column] of table.columns.entries()) {
    if (defaults !== null && values[index] === null && !Object.hasOwn(item, column.name)) {
      values[index] = defaults[index] as StoredValue;
    }
    if (column.required && values[index] === null) throw new ItemFault(column.name, 'expected a value, got none.');
  }
  for (const [index, has] of table.fullText.entries()) {
    values[table.columns.length + index] = termsValue(has, values[has.slot.index]);
  }
  const generated = item.objectId === undefined || item.objectId === null || item.objectId === '';
  const objectId = generated ? newId() : readObjectId(item.objectId);
  if (seen.has(objectId)) throw new ItemFault('objectId', 'the batch has this id more than once.');
  seen.add(objectId);

  const { audience, values: ownValues } = systemValuesOf(context, caller, item);
  for (const name in ownValues) values[table.slots.get(name)?.index as number] = ownValues[name] as StoredValue;
  return { objectId, generated, audience, values };
}

/** The system columns that the service fills in a new record, and who may see it. @throws ItemFault for scope and groups */
export function systemValuesOf(context: DataContext, caller: Requester, item: Item) {
  const { scopeType, groupIds } = scopeOf(context, caller, item);
  const values: Readonly<Record<string, StoredValue>> = {
    serverRecordStatus: active,
    scopeType,
    groupIds: groupIds.length === 0 ? null : groupIdsText(groupIds),
    createUserId: BigInt(caller.userId),
  };
  return { audience: audienceOf(scopeType, groupIds, caller.userId), values };
}

function scopeOf({ settings }: DataContext, caller: Requester, item: Item) {
  const scopeType = readScope(item.scopeType) ?? scope.group;
  const sent = readGroupIds(item.groupIds) ?? [];
  const foreign = sent.find((id) => !caller.groupIds.includes(id));
  if (foreign !== undefined) throw new ItemFault('groupIds', notInGroup(caller, foreign));
  const groupIds = sent.length === 0 && scopeType === scope.group ? caller.groupIds : sent;
  refuseTooManyGroups(groupIds, settings);
  if (groupIds.length === 0 && scopeType === scope.group) {
    const who = caller.subject === undefined ? 'you are' : `${caller.subject} is`;
    throw new ItemFault('scopeType', `2 (group) needs a group, and ${who} in none; send 1 (user) or 3 (all).`);
  }
  return { scopeType, groupIds };
}

const randomBits = 80;

/**
 * Ids `{table}_{hex}` (docs/reference/writing.md#adding): 48 bits of milliseconds, so ids sort by time, then 80 bits
 * that are random for the first record of a batch and count up from there, so the records of a batch keep their order.
 */
export function idMaker(context: DataContext, table: Table): () => string {
  const time = context.environment.now().toString(16).padStart(12, '0');
  let next: bigint | undefined;
  return () => {
    // The highest bit stays 0, so that counting up cannot overflow.
    next ??= BigInt(`0x${context.environment.random(randomBits / 8).toString('hex')}`) >> 1n;
    return `${table.name}_${time}${(next++).toString(16).padStart(randomBits / 4, '0')}`;
  };
}
