/** Derives what requests need of a table again and again, once for each version of its definition. */
import { indexEntries, indexedTexts } from './index-entry.ts';
import type { NumberedTable, Table } from './model.ts';

/** Plain data: it may be sent to another thread. */
export function tableFrom(definition: NumberedTable): Table {
  const slots = new Map(definition.columns.map((column, index) => [column.name, { column, index }]));
  return { ...definition, slots, entries: indexEntries(definition), texts: indexedTexts(definition) };
}
