/**
 * Updates records (docs/reference/writing.md#the-optimistic-lock): columns that are sent change, others stay, null
 * clears.
 */

import { groupIdsText } from '../schema/audience.ts';
import type { StoredValue, Table } from '../schema/model.ts';
import type { UpdateItem } from '../storage/contract.ts';
import type { Operation } from './batch.ts';
import type { DataContext } from './context.ts';
import { asItem, type Item, onlyOnce, readBase, readObjectId } from './item.ts';
import { prepareItems } from './prepare.ts';
import { readGroupIds, readScope, refuseTooManyGroups } from './scope.ts';
import { termsValue } from './terms.ts';
import { isKeptByService, passOver, readValue, slotOf } from './values.ts';
import type { Requester } from './visibility.ts';

export const update: Operation = {
  name: 'update',
  rights: ['update'],
  field: 'data',
  codes: { invalid: 131, unsaved: 210 },
  prepare(context, caller, table, request) {
    const seen = request.seen();
    return prepareItems(
      request,
      (value) => prepareItem(context, caller, table, asItem(value), seen),
      (ready) => ({ operation: 'update', items: ready }),
    );
  },
};

function prepareItem(context: DataContext, caller: Requester, table: Table, item: Item, seen: Set<string>): UpdateItem {
  const objectId = readObjectId(item.objectId);
  onlyOnce(objectId, seen);
  const base = readBase(item, context.zone);
  return { objectId, base, ...readSent(context, caller, table, item) };
}

/** The columns that an item sends with their values, and those of its groups that the caller is not in. */
export function readSent(
  context: DataContext,
  caller: Requester,
  table: Table,
  item: Item,
): Pick<UpdateItem, 'columns' | 'values' | 'foreignGroupIds'> {
  const columns: string[] = [];
  const values: StoredValue[] = [];
  const set = (name: string, value: StoredValue) => {
    columns.push(name);
    values.push(value);
  };
  for (const name in item) {
    const { column } = slotOf(table, name);
    if (isKeptByService(column)) passOver(item, name);
    else set(name, readValue(context, column, item[name]));
  }
  for (const has of table.fullText) {
    const at = columns.indexOf(has.slot.column.name);
    if (at >= 0) set(has.terms.name, termsValue(has, values[at]));
  }
  const scopeType = readScope(item.scopeType);
  if (scopeType !== undefined) set('scopeType', scopeType);
  // Null means no group, which the engine replaces by all groups of the caller if the record ends up in scope 2.
  const groupIds = readGroupIds(item.groupIds);
  if (groupIds !== undefined) {
    refuseTooManyGroups(groupIds, context.settings);
    set('groupIds', groupIds.length === 0 ? null : groupIdsText(groupIds));
  }
  const foreignGroupIds = (groupIds ?? []).filter((id) => !caller.groupIds.includes(id));
  return { columns, values, foreignGroupIds };
}
