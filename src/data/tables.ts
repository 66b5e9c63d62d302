/** Looks a table up in the definition of the caller's data space. */
import { quoted, ServiceError } from '../errors.ts';
import { adviceOn } from '../schema/former.ts';
import type { SpaceDefinition, Table } from '../schema/model.ts';

/** @throws ServiceError `noTable` */
export function tableOf(definition: SpaceDefinition, name: string): Table {
  const table = definition.tables.get(name);
  if (table !== undefined) return table;
  const advice = adviceOn(name, definition.former, definition.tables.keys());
  throw new ServiceError('noTable', `The table ${quoted(name)} is not defined in this data space.${advice}`);
}
