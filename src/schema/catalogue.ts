/** Converts the catalogue of a data space to the definition that requests are checked against. */
import type { Catalogue, FormerName, NamedBefore, SpaceDefinition } from './model.ts';
import { isHidden, isInBin } from './names.ts';
import { tableFrom } from './table.ts';

/** The catalogue of a new data space. */
export const emptyCatalogue: Catalogue = { version: 1, nextId: 1, tables: [], bin: [], former: [] };

/** The tables and columns that requests can name. Plain data, as `tableFrom`. */
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

/** The latest owner of a name wins. @param present the present name, undefined if dropped */
function formerNames(
  before: readonly NamedBefore[],
  present: (named: NamedBefore) => string | undefined,
): ReadonlyMap<string, FormerName> {
  const inOrder = before.toSorted((one, other) => one.time - other.time);
  return new Map(inOrder.map((named) => [named.name, { became: present(named) ?? null, time: named.time }]));
}

/** The present name of a table; the last name of a dropped table, and null if the catalogue no longer has it. */
export function tableNameOf({ tables, bin, former }: Catalogue, tableId: number): string | null {
  const present = tables.find(({ id }) => id === tableId)?.name;
  if (present !== undefined && !isInBin(present)) return present;
  const isIts = (each: { readonly tableId: number; readonly column: number | null }) =>
    each.tableId === tableId && each.column === null;
  return bin.find(isIts)?.name ?? former.findLast(isIts)?.name ?? null;
}
