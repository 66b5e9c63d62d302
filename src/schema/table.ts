/** Derives, once for each version of a table's definition, what requests need repeatedly. */

import { fullTextOf } from './full-text.ts';
import { indexEntries, indexedTexts } from './index-entry.ts';
import type { Column, FormerName, NumberedTable, Table } from './model.ts';

const noNames: ReadonlyMap<string, FormerName> = new Map();

/** Plain data: it may be sent to another thread. @param hidden columns of the table besides those of the definition */
export function tableFrom(definition: NumberedTable, former = noNames, hidden: readonly Column[] = []): Table {
  const slots = new Map(definition.columns.map((column, index) => [column.name, { column, index }]));
  const fullText = fullTextOf(slots.values(), hidden);
  return {
    ...definition,
    slots,
    entries: indexEntries(definition),
    texts: indexedTexts(definition),
    former,
    fullText,
    written: [...definition.columns, ...fullText.map(({ terms }) => terms)],
  };
}
