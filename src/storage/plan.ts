/** How an engine finds the rows of a query, in the few terms that the plans of both engines share. */
import type { NumberedTable, SpaceDefinition } from '../schema/model.ts';
import { isHidden, isOfTerms, storedName, termsName } from '../schema/names.ts';
import { audienceIndexName, indexName, termsIndexName } from './layout.ts';

/**
 * `walk` reads the table from end to end · `walkIndex` reads it in the order of an index, to the end of the page at
 * most · `find` looks records up by an index · `findByTerms` by their full text · `indexOnce` builds an index for this
 * query alone · `sort` and `group` hold and process all rows found before.
 */
export type PlanAction = 'walk' | 'walkIndex' | 'find' | 'findByTerms' | 'indexOnce' | 'sort' | 'group';

export interface PlanStep {
  readonly action: PlanAction;
  /** Null for `sort` and `group`. */
  readonly table: string | null;
  /** Columns of the index: those in the condition, or all if it is walked. */
  readonly columns: readonly string[];
}

/**
 * Translates names of tables, indexes and columns in the database to those of requests. Hidden and internal ones are
 * not found.
 */
export class PlanNames {
  readonly #tables = new Map<string, NumberedTable>();
  readonly #indexes = new Map<string, readonly string[]>();
  readonly #terms = new Map<string, { readonly table: string; readonly column: string }>();
  readonly #physical: (name: string) => string;

  /** @param physical converts a stored name to the name in the database */
  constructor({ catalogue }: Pick<SpaceDefinition, 'catalogue'>, physical: (name: string) => string) {
    this.#physical = physical;
    for (const table of catalogue.tables) {
      if (isHidden(table.name)) continue;
      this.#tables.set(physical(storedName(table)), table);
      for (const index of table.indexes) {
        for (const name of [indexName(table, index), audienceIndexName(table, index)]) {
          this.#indexes.set(name, index.columns);
        }
      }
      for (const terms of table.columns.filter(({ name }) => isOfTerms(name))) {
        const column = table.columns.find(({ number = 0 }) => termsName(number) === terms.name)?.name ?? '';
        this.#terms.set(termsIndexName(table, terms), { table: table.name, column });
      }
    }
  }

  table(physicalName: string): NumberedTable | undefined {
    return this.#tables.get(physicalName);
  }

  /** The declared columns of an index. */
  indexColumns(indexName: string): readonly string[] | undefined {
    return this.#indexes.get(indexName);
  }

  /** The table and column of a full-text index. */
  termsOf(indexName: string): { readonly table: string; readonly column: string } | undefined {
    return this.#terms.get(indexName);
  }

  /** The columns, without repeats, among names in the database that requests can name. */
  columns(table: NumberedTable, physicalNames: Iterable<string>): readonly string[] {
    const byName = new Map(table.columns.map((column) => [this.#physical(storedName(column)), column.name]));
    const names = [...physicalNames].flatMap((name) => byName.get(name) ?? []);
    return [...new Set(names)].filter((name) => !isHidden(name));
  }
}
