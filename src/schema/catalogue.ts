/** From what the database says of its tables to the definition that requests are checked against. */
import type { Catalogue, FormerName, NamedBefore, SpaceDefinition } from './model.ts';
import { isHidden, isInBin } from './names.ts';
import { tableFrom } from './table.ts';

/** The catalogue of a new data space. */
export const emptyCatalogue: Catalogue = { version: 1, nextId: 1, tables: [], bin: [], former: [] };

/** The tables that requests find, with the columns that they find. Plain data, as `tableFrom`. */
export function definitionFrom(catalogue: Catalogue): SpaceDefinition {
  const live = catalogue.tables.filter(({ name }) => !isInBin(name));
  const tables = live.map((table) => {
    const hidden = table.columns.filter(({ name }) => isHidden(name));
    const columns = hidden.length === 0 ? table.columns : table.columns.filter(({ name }) => !isHidden(name));
    const names = new Map(columns.map(({ number, name }) => [number ?? null, name]));
    const before = catalogue.former.filter(({ tableId, column }) => tableId === table.id && column !== null);
    return tableFrom(
      { ...table, columns },
      formerNames(before, ({ column }) => names.get(column)),
      hidden,
    );
  });
  const names = new Map(live.map(({ id, name }) => [id, name]));
  const before = catalogue.former.filter(({ column }) => column === null);
  return {
    version: catalogue.version,
    tables: new Map(tables.map((table) => [table.name, table])),
    former: formerNames(before, ({ tableId }) => names.get(tableId)),
    catalogue,
  };
}

/** The last one to have had a name counts. @param present the name now, undefined for what was dropped */
function formerNames(
  before: readonly NamedBefore[],
  present: (named: NamedBefore) => string | undefined,
): ReadonlyMap<string, FormerName> {
  const inOrder = before.toSorted((one, other) => one.time - other.time);
  return new Map(inOrder.map((named) => [named.name, { became: present(named) ?? null, time: named.time }]));
}
