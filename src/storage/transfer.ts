/**
 * What a move of an installation requires from an engine, on either side: rows in an order and a text form that both
 * engines share, and the few data that are not rows. A location is opened for the move alone, without the service's
 * threads and connections. A move writes every table in the order of its key, and nothing else writes there. So the
 * rows in a table of the target are always the first ones of the source's table, and an interrupted move continues
 * after the last row that it finds.
 */
import type { NumberedTable, SpaceDefinition } from '../schema/model.ts';
import type { Filter, TransferTable } from './transfer-tables.ts';

/** What holds tables: the directory, the logs, or a data space by its id. */
export type Store = 'directory' | 'logs' | number;

/** One cell per column: wire text with times in UTC, on either engine (docs/reference/values.md#types), or null. */
export type TransferRow = readonly (string | null)[];

/** Limits on rows read and written together. The first limit reached ends a batch, which has at least one row. */
export const batchRowsMax = 4_000;
/** In UTF-16 units. */
export const batchLengthMax = 4 * 1024 * 1024;

export interface RowsRequest {
  readonly store: Store;
  readonly table: TransferTable;
  /** Which rows to read; all by default. */
  readonly filter?: Filter;
  /** The key of a row, in the order of `table.key`; only rows after it are read. */
  readonly after?: TransferRow | null;
}

/** The last number handed out by each sequence, by table; 0 for none. No number is reused. */
export type Sequences = ReadonlyMap<string, number>;

export interface SpaceState {
  readonly definition: SpaceDefinition;
  /** The number of the last commit (`_seq`); no record or tombstone has a higher one. */
  readonly lastCommit: number;
}

/** A snapshot of the storage, without later changes. */
export interface TransferReader {
  /** Batches in the order of the table's key. */
  rows(request: RowsRequest): AsyncIterable<readonly TransferRow[]>;
  count(request: RowsRequest): Promise<number>;
  sequences(store: 'directory' | 'logs'): Promise<Sequences>;
  /** @throws Error when the data space does not exist */
  space(spaceId: number): Promise<SpaceState>;
}

export interface TransferSource {
  /** The location in readable form, without a password; always the same for the same location. */
  readonly name: string;
  /** @throws Error when the location is in use, or its data can't be read */
  reading<R>(work: (reader: TransferReader) => Promise<R>): Promise<R>;
  close(): Promise<void>;
}

/** Kept in the target from the beginning of a move to its end, so that no service opens it meanwhile. */
export interface MoveMark {
  /** Name of the source. */
  readonly from: string;
  /** What is moved, in words. */
  readonly what: string;
}

/** Everything that a call has written is synced to disk when it resolves. */
export interface TransferTarget extends TransferSource {
  /** The mark of an unfinished move; null for an empty location. @throws Error when the location holds anything else */
  mark(): Promise<MoveMark | null>;
  /** Stores the mark, before anything else is written. */
  begin(mark: MoveMark): Promise<void>;
  /** Creates directory and logs without rows, or a data space without tables; does nothing if they exist. */
  makeStore(store: Store): Promise<void>;
  /** Creates a table of records without indexes and definition. @returns false when it is already complete */
  makeTable(spaceId: number, table: NumberedTable): Promise<boolean>;
  /** The key of the last row in the table. */
  lastKey(store: Store, table: TransferTable): Promise<TransferRow | null>;
  /** One transaction. */
  write(store: Store, table: TransferTable, rows: readonly TransferRow[]): Promise<void>;
  /** Builds the indexes, and adds the table to the definition. */
  completeTable(spaceId: number, table: NumberedTable): Promise<void>;
  completeSpace(spaceId: number, state: SpaceState): Promise<void>;
  setSequences(store: 'directory' | 'logs', sequences: Sequences): Promise<void>;
  /** Removes the mark: from now on services may open the location. */
  finish(): Promise<void>;
}

/** The error for using the target of an unfinished move. */
export const unfinishedMove =
  'A move into this storage location has not ended. Run the same "rowhouse move" again, which continues where it stopped.';
