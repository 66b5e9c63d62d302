/** The parts of a data space: tables, columns, indexes, and the values of columns. */
import type { IndexEntry, IndexedText } from './index-entry.ts';

export type ColumnType =
  | { readonly kind: 'varchar' /** code points */; readonly length: number }
  | { readonly kind: 'text' }
  | { readonly kind: 'integer' }
  | { readonly kind: 'long' }
  | { readonly kind: 'double' }
  | { readonly kind: 'decimal'; readonly precision: number; readonly scale: number }
  | { readonly kind: 'bool' }
  | { readonly kind: 'datetime' }
  | { readonly kind: 'json' };

/**
 * A value inside the service, the same for every engine: text and canonical json as string; integer and double as
 * number; long as bigint; decimal as bigint, unscaled (12.50 with scale 2 is 1250n); bool as boolean; datetime as
 * number, milliseconds since 1970 UTC. An engine maps it to its own storage form.
 */
export type StoredValue = string | number | bigint | boolean | null;

export interface Column {
  /** Exact name on the wire. */
  readonly name: string;
  readonly type: ColumnType;
  readonly required: boolean;
  /** Every table has the system columns (docs/reference/values.md#system-columns); see `schema/system.ts`. */
  readonly system: boolean;
  /** The value for records added without the column, as wire text with times in UTC; absent for none. */
  readonly default?: string;
  /** The id of the table whose records its values name; absent for none. Nothing is enforced (`schema/references.ts`). */
  readonly refersTo?: number;
  /** Its name in the database, if different: that name never changes and is never given to another column. */
  readonly stored?: string;
  /** Its number in its table; absent for a column that does not exist yet. */
  readonly number?: number;
}

export interface Index {
  readonly columns: readonly string[];
  readonly unique: boolean;
}

/** The definition of a table. */
export interface TableDefinition {
  readonly name: string;
  /**
   * System columns first, in the order of docs/reference/values.md#system-columns, then the defined ones in the order
   * of their definition.
   */
  readonly columns: readonly Column[];
  readonly indexes: readonly Index[];
  /** Whether a put may change a record without stating its last serverUpdateTime. */
  readonly lockFree: boolean;
}

/** An index with its number in its table, which is part of its name in the database. */
export interface NumberedIndex extends Index {
  readonly number: number;
}

/** A defined table with its number in its data space, never reused (tombstones refer to it). */
export interface NumberedTable extends TableDefinition {
  readonly id: number;
  /** Its name in the database, if different (see `Column.stored`). */
  readonly stored?: string;
  readonly indexes: readonly NumberedIndex[];
}

/** A dropped table or column, which stays in the database for some time. */
export interface BinEntry {
  /** Never reused in the data space. */
  readonly id: number;
  readonly tableId: number;
  /** The number of the column; null if the table itself was dropped. */
  readonly column: number | null;
  /** Its former name. */
  readonly name: string;
  /** The indexes dropped with the column. */
  readonly indexes: readonly Index[];
  /** Who dropped it, by the name in the audit trail. */
  readonly by: string;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly until: number;
}

/** A former name of a table or column. */
export interface NamedBefore {
  readonly tableId: number;
  /** The number of the column; null for the table's own name. */
  readonly column: number | null;
  readonly name: string;
  /** When it lost the name, milliseconds since 1970. */
  readonly time: number;
}

/** All that the database of a data space records about its tables, including those in the bin. */
export interface Catalogue {
  readonly version: number;
  /** The number of the next table or entry of the bin. */
  readonly nextId: number;
  /** In the order of their numbers. Tables and columns in the bin have a name from `binName`. */
  readonly tables: readonly NumberedTable[];
  readonly bin: readonly BinEntry[];
  readonly former: readonly NamedBefore[];
}

/** What became of a former name of a table or column. */
export interface FormerName {
  /** The present name; null if dropped. */
  readonly became: string | null;
  /** When it changed, milliseconds since 1970. */
  readonly time: number;
}

export interface ColumnSlot {
  readonly column: Column;
  /** Position in `TableDefinition.columns`. */
  readonly index: number;
}

/** A table of a data space with everything derived from its definition, once per version, by `schema/table.ts`. */
export interface Table extends NumberedTable {
  /** The columns by exact name. */
  readonly slots: ReadonlyMap<string, ColumnSlot>;
  /**
   * The entries of a record in the indexes of the table, in the order of the indexes, with that of the audience first.
   */
  readonly entries: readonly IndexEntry[];
  /** The text columns that an index can have. */
  readonly texts: ReadonlyMap<string, IndexedText>;
  /** Former names of its columns. */
  readonly former: ReadonlyMap<string, FormerName>;
  readonly fullText: readonly FullText[];
  /** The columns that a write fills: those of the definition, then those of the terms, in the order of `fullText`. */
  readonly written: readonly Column[];
}

/** A column with full text, and the column of its terms. */
export interface FullText {
  readonly slot: ColumnSlot;
  readonly terms: Column;
}

/** Every table of a data space at one version of its definition. */
export interface SpaceDefinition {
  readonly version: number;
  /** By exact name. */
  readonly tables: ReadonlyMap<string, Table>;
  /** Former names of tables. */
  readonly former: ReadonlyMap<string, FormerName>;
  /** The catalogue from which the definition was derived. */
  readonly catalogue: Catalogue;
}

/** Work on the stored records and indexes of one table, given in its state before the step. */
export type ChangeStep = { readonly table: NumberedTable } & (
  | { readonly kind: 'createTable' | 'dropTable' }
  | { readonly kind: 'addColumn'; readonly column: Column }
  | { readonly kind: 'dropColumn'; readonly column: Column }
  /** Gives every record the column's default. */
  | { readonly kind: 'fill'; readonly column: Column }
  /** Lets the database store records without a value for the column. */
  | { readonly kind: 'loosen'; readonly column: Column }
  /** Refuses the change if a record has no value. */
  | { readonly kind: 'requireValues'; readonly column: Column; readonly path: string }
  /** Converts each value to another type, and refuses the change if one does not fit. */
  | { readonly kind: 'convert'; readonly from: Column; readonly column: Column; readonly path: string }
  | { readonly kind: 'createIndex'; readonly index: NumberedIndex; readonly path: string; readonly advice: string }
  | { readonly kind: 'dropIndex'; readonly index: NumberedIndex }
  /** Makes records findable by the terms in a column. */
  | { readonly kind: 'indexTerms'; readonly column: Column }
);

/** The effect of one of several requested changes. */
export interface ChangePart {
  readonly steps: readonly ChangeStep[];
  /** A table, or a column of it, that requests no longer find afterwards. */
  readonly removed: { readonly table: NumberedTable; readonly column: Column | null } | null;
}

/** The step from one definition to the next: planned in this module, executed by an engine in one transaction. */
export interface DefinitionChange {
  /** The change is stale, and refused, unless the definition still has this version. */
  readonly fromVersion: number;
  /** Whether to delete the history of transactions, too (`isResetDatabase`). */
  readonly reset: boolean;
  /** In order. */
  readonly steps: readonly ChangeStep[];
  /** The catalogue afterwards; the engine increases the version. */
  readonly after: Omit<Catalogue, 'version'>;
  /** The caller's audiences: errors name only records visible to the caller; none if absent. */
  readonly members?: readonly string[];
  /** Time zone for times that become text; UTC if absent. */
  readonly zone?: string;
  /** Recorded as done in the change's own transaction, so that its result can be read later. */
  readonly job?: FinishedJob;
  /** One number, 0 until the change is cancelled. */
  readonly cancelled?: SharedArrayBuffer;
}

/** A completed change of tables. */
export interface FinishedJob {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** JSON of its result. */
  readonly content: string;
}
