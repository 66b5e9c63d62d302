/** Reads the column values of a written record by the table's definition. */

import { parseValue } from '../schema/column-type.ts';
import { adviceOn } from '../schema/former.ts';
import type { Column, ColumnSlot, StoredValue, Table } from '../schema/model.ts';
import { ValueError } from '../schema/values.ts';
import type { DataContext } from './context.ts';
import { type Item, ItemFault } from './item.ts';

/** System columns that a client sends and the service stores as sent. */
const ofClient: ReadonlySet<string> = new Set(['createtime', 'updatetime']);

/** True for a system column that the service sets itself; a value from a client is ignored. */
export function isKeptByService(column: Column): boolean {
  return column.system && !ofClient.has(column.name.toLowerCase());
}

/** System columns that are read elsewhere, again if the tables have changed meanwhile. */
const read: ReadonlySet<string> = new Set(['objectid', 'scopetype', 'groupids', 'serverupdatetime']);

/**
 * Removes values for columns that the service sets; otherwise they would stay in memory for as long as the batch waits.
 */
export function passOver(item: Item, name: string): void {
  if (!read.has(name.toLowerCase())) (item as Record<string, unknown>)[name] = null;
}

/** @throws ItemFault naming the column */
export function slotOf(table: Table, name: string): ColumnSlot {
  const slot = table.slots.get(name);
  if (slot !== undefined) return slot;
  const advice = adviceOn(name, table.former, table.slots.keys());
  throw new ItemFault(name.slice(0, 63), `table "${table.name}" has no such column.${advice}`);
}

/** @throws ItemFault naming the column */
export function readValue(context: DataContext, column: Column, input: unknown): StoredValue {
  if (input === null && column.required) throw new ItemFault(column.name, 'expected a value, got null.');
  try {
    const { valueBytesMax, depthMax, itemValuesMax } = context.settings;
    return parseValue(column.type, input, { zone: context.zone, valueBytesMax, depthMax, itemValuesMax });
  } catch (error) {
    if (error instanceof ValueError) throw new ItemFault(column.name, error.message);
    throw error;
  }
}
