/** What a data space is made of: tables, columns, indexes, and the values that a column holds. */
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
 * A value inside the service, the same whatever the engine: text and canonical json as string; integer and double as
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
  /** What a record that is added without the column gets, as wire text with times in UTC; absent for none. */
  readonly default?: string;
  /** The id of the table whose records its values name; absent for none. Nothing is enforced (`schema/references.ts`). */
  readonly refersTo?: number;
  /** Its name in the database where that differs: a name there never changes, and is never given to another column. */
  readonly stored?: string;
  /** Its number in its table; absent for a column that is not made yet. */
  readonly number?: number;
}

export interface Index {
  readonly columns: readonly string[];
  readonly unique: boolean;
}

/** A table as it is defined. */
export interface TableDefinition {
  readonly name: string;
  /**
   * System columns first, in the order of docs/reference/values.md#system-columns, then the defined ones in the order
   * of their definition.
   */
  readonly columns: readonly Column[];
  readonly indexes: readonly Index[];
  /** Whether a put may change a record without naming its last serverUpdateTime. */
  readonly lockFree: boolean;
}

/** An index with its number in its table, by which it is named in the database. */
export interface NumberedIndex extends Index {
  readonly number: number;
}

/** A defined table with its number in its data space, never reused (tombstones refer to it). */
export interface NumberedTable extends TableDefinition {
  readonly id: number;
  /** Its name in the database where that differs, as `Column.stored`. */
  readonly stored?: string;
  readonly indexes: readonly NumberedIndex[];
}

/** A dropped table or column, which stays in the database for a time. */
export interface BinEntry {
  /** Never reused in the data space. */
  readonly id: number;
  readonly tableId: number;
  /** The number of the column; null where it is the table that was dropped. */
  readonly column: number | null;
  /** The name that it had. */
  readonly name: string;
  /** Those that went with the column. */
  readonly indexes: readonly Index[];
  /** Who dropped it, as the audit trail names them. */
  readonly by: string;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly until: number;
}

/** A name that a table or a column had. */
export interface NamedBefore {
  readonly tableId: number;
  /** The number of the column; null for a name of the table. */
  readonly column: number | null;
  readonly name: string;
  /** When it lost the name, milliseconds since 1970. */
  readonly time: number;
}

/** All that the database of a data space says of its tables, those in the bin too. */
export interface Catalogue {
  readonly version: number;
  /** The number of the next table or entry of the bin. */
  readonly nextId: number;
  /** In the order of their numbers. Tables and columns that are in the bin have a name of `binName`. */
  readonly tables: readonly NumberedTable[];
  readonly bin: readonly BinEntry[];
  readonly former: readonly NamedBefore[];
}

/** What became of a name that a table or a column no longer has. */
export interface FormerName {
  /** Its present name; null for what was dropped. */
  readonly became: string | null;
  /** When it changed, milliseconds since 1970. */
  readonly time: number;
}

export interface ColumnSlot {
  readonly column: Column;
  /** Position in `TableDefinition.columns`. */
  readonly index: number;
}

/** A table of a data space, with what follows from its definition: made once per version by `schema/table.ts`. */
export interface Table extends NumberedTable {
  /** The columns by exact name. */
  readonly slots: ReadonlyMap<string, ColumnSlot>;
  /** The entries that a record has in the indexes of the table, in their order, the one of its audience first. */
  readonly entries: readonly IndexEntry[];
  /** The columns that are text and can be in an index. */
  readonly texts: ReadonlyMap<string, IndexedText>;
  /** Names that columns of it had. */
  readonly former: ReadonlyMap<string, FormerName>;
  readonly fullText: readonly FullText[];
  /** What a write fills: the columns of the definition, then those of the terms, in the order of `fullText`. */
  readonly written: readonly Column[];
}

/** A column with full text, and the one that holds its terms. */
export interface FullText {
  readonly slot: ColumnSlot;
  readonly terms: Column;
}

/** Every table of a data space at one version of its definition. */
export interface SpaceDefinition {
  readonly version: number;
  /** By exact name. */
  readonly tables: ReadonlyMap<string, Table>;
  /** Names that tables had. */
  readonly former: ReadonlyMap<string, FormerName>;
  /** What all of it was derived from. */
  readonly catalogue: Catalogue;
}

/** Work on the stored records and indexes of one table, which is given as it is before. */
export type ChangeStep = { readonly table: NumberedTable } & (
  | { readonly kind: 'createTable' | 'dropTable' }
  | { readonly kind: 'addColumn'; readonly column: Column }
  | { readonly kind: 'dropColumn'; readonly column: Column }
  /** Gives every record the column's default. */
  | { readonly kind: 'fill'; readonly column: Column }
  /** Lets the database store records without a value. */
  | { readonly kind: 'loosen'; readonly column: Column }
  /** Refuses the change where a record has no value. */
  | { readonly kind: 'requireValues'; readonly column: Column; readonly path: string }
  /** Writes each value as one of another type, and refuses the change where one does not fit. */
  | { readonly kind: 'convert'; readonly from: Column; readonly column: Column; readonly path: string }
  | { readonly kind: 'createIndex'; readonly index: NumberedIndex; readonly path: string; readonly advice: string }
  | { readonly kind: 'dropIndex'; readonly index: NumberedIndex }
  /** Finds records by the terms in a column, from now on. */
  | { readonly kind: 'indexTerms'; readonly column: Column }
);

/** What one of several requested changes comes to. */
export interface ChangePart {
  readonly steps: readonly ChangeStep[];
  /** A table, or a column of it, that requests no longer find afterwards. */
  readonly removed: { readonly table: NumberedTable; readonly column: Column | null } | null;
}

/** The step from one definition to the next: planned in this module, carried out by an engine in one transaction. */
export interface DefinitionChange {
  /** The change is refused as stale unless the definition still has this version. */
  readonly fromVersion: number;
  /** Forget the history of transactions, too (`isResetDatabase`). */
  readonly reset: boolean;
  /** In order. */
  readonly steps: readonly ChangeStep[];
  /** What the catalogue says afterwards; the engine counts the version. */
  readonly after: Omit<Catalogue, 'version'>;
  /** Audiences of the caller, who is told the ids of records that they may see; absent for nobody. */
  readonly members?: readonly string[];
  /** Of times that become text; UTC where it is absent. */
  readonly zone?: string;
  /** Noted as carried out in the change's own transaction: who asks for it afterwards knows. */
  readonly job?: FinishedJob;
  /** One number, 0 until the change is to be given up. */
  readonly cancelled?: SharedArrayBuffer;
}

/** A change of tables that was carried out. */
export interface FinishedJob {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** JSON of what it came to. */
  readonly content: string;
}
