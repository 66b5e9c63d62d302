/** Derives what requests need of a table again and again, once for each version of its definition. */
import { indexEntries, indexedTexts } from './index-entry.ts';
import type { FormerName, NumberedTable, Table } from './model.ts';

const noNames: ReadonlyMap<string, FormerName> = new Map();

/** Plain data: it may be sent to another thread. */
export function tableFrom(definition: NumberedTable, former = noNames): Table {
  const slots = new Map(definition.columns.map((column, index) => [column.name, { column, index }]));
  return { ...definition, slots, entries: indexEntries(definition), texts: indexedTexts(definition), former };
}
