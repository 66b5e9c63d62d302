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

/** A defined table with its number in its data space, never reused (tombstones refer to it). */
export interface NumberedTable extends TableDefinition {
  readonly id: number;
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
}

/** Every table of a data space at one version of its definition. */
export interface SpaceDefinition {
  readonly version: number;
  /** By exact name. */
  readonly tables: ReadonlyMap<string, Table>;
}

/**
 * The step from one definition to the next: planned by `schema/plan.ts`, carried out by an engine in one transaction.
 */
export interface DefinitionChange {
  /** The change is refused as stale unless the definition still has this version. */
  readonly fromVersion: number;
  /** Drop everything first (`isResetDatabase`). */
  readonly reset: boolean;
  readonly newTables: readonly TableDefinition[];
  readonly newColumns: readonly { readonly table: string; readonly columns: readonly Column[] }[];
  readonly newIndexes: readonly { readonly table: string; readonly indexes: readonly Index[] }[];
  /** Tables that become lock-free. */
  readonly newLockFree: readonly string[];
}
