/** Looks a table up in the definition of the caller's data space. */
import { quoted, ServiceError } from '../errors.ts';
import { nearest } from '../nearest.ts';
import type { Column, SpaceDefinition, Table } from '../schema/model.ts';

/** @throws ServiceError `noTable` */
export function tableOf(definition: SpaceDefinition, name: string): Table {
  const table = definition.tables.get(name);
  if (table !== undefined) return table;
  const near = nearest(name, definition.tables.keys());
  const advice = near === undefined ? '' : ` Did you mean "${near}"?`;
  throw new ServiceError('noTable', `The table ${quoted(name)} is not defined in this data space.${advice}`);
}

export interface ColumnSlot {
  readonly column: Column;
  /** Position in `Table.columns`. */
  readonly index: number;
}

const slots = new WeakMap<Table, ReadonlyMap<string, ColumnSlot>>();

/** The columns of a table by exact name. */
export function columnSlots(table: Table): ReadonlyMap<string, ColumnSlot> {
  let byName = slots.get(table);
  if (byName === undefined) {
    byName = new Map(table.columns.map((column, index) => [column.name, { column, index }]));
    slots.set(table, byName);
  }
  return byName;
}
