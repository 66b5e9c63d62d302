/**
 * What features may require from an engine. Engines differ in `storage/<engine>/` only. Only storage accesses a
 * database. Promises: a `write` or `directory.write` that resolved is synced to disk. Every method rejects with a
 * ServiceError: `busy` when a queue is full or the database is unavailable, `internal` for unexpected failures (with
 * the cause).
 */
import type { Compilable, Kysely } from 'kysely';
import type { Durations } from '../durations.ts';
import type { BoundValue, Dialect, Inputs, Statement } from '../query/statement.ts';
import type { ChangePart, DefinitionChange, StoredValue } from '../schema/model.ts';
import type { Cluster, NodeFault } from './cluster.ts';
import type { CompiledSpace } from './compiled-space.ts';
import type { JsonText } from './json-text.ts';
import type { PlanStep } from './plan.ts';
import type { DirectoryTables, LogTables } from './tables.ts';

export interface Storage {
  readonly dialect: Dialect;
  readonly directory: Relational<DirectoryTables>;
  readonly logs: Relational<LogTables>;
  readonly spaces: DataSpaces;
  /** Null where the storage is on no cluster. */
  readonly cluster: Cluster | null;
  /**
   * Resolves when every part responds and accepts writes.
   * @param timeMs time limit for each part; none when absent
   * @returns the nodes of a cluster that do not, while the others work
   * @throws ServiceError that names every part that does not
   */
  check(timeMs?: number): Promise<readonly NodeFault[]>;
  /** The activity of the data spaces since the last call. */
  takeActivity(): Activity;
  /** Total size on disk, bytes; a slow call. In a cluster, of the nodes that respond. */
  bytes(): Promise<number>;
  /** Finishes running work, then closes files and threads. */
  close(): Promise<void>;
}

export interface Activity {
  /**
   * Durations of group commits of records: on SQLite of the COMMIT, which syncs; on PostgreSQL of the whole
   * transaction.
   */
  readonly commits: Durations;
  /** The most writes, and the most queries, that waited at once. */
  readonly writesWaiting: number;
  readonly queriesWaiting: number;
}

/** Rows returned by a statement of `write`, and how many rows it changed. */
export interface Written {
  readonly rows: readonly Record<string, unknown>[];
  readonly changed: number;
}

/** One of our own relational databases (directory, logs). Kysely only builds the SQL and never executes it. */
export interface Relational<Tables> {
  readonly build: Kysely<Tables>;
  read<Row>(query: Compilable<Row>): Promise<Row[]>;
  /**
   * Runs the statements in one transaction, synced before it resolves. No engine awaits in between: a statement that
   * depends on an earlier one must express that in SQL (a sub-select, `returning`).
   * @throws UniqueViolation, ForeignKeyViolation, UnmetExpectation: nothing was written.
   */
  write(statements: readonly WriteStatement[]): Promise<Written[]>;
}

export interface WriteStatement extends Compilable<unknown> {
  /** How many rows it must find or change. Any other number rolls the whole transaction back. */
  readonly expect?: { readonly rows: number };
}

export class UniqueViolation extends Error {}
export class ForeignKeyViolation extends Error {}
export class UnmetExpectation extends Error {}

/** Called by the engines after each statement. @throws UnmetExpectation */
export function requireExpected({ expect }: Pick<WriteStatement, 'expect'>, { rows, changed }: Written): void {
  const found = Math.max(rows.length, changed);
  if (expect === undefined || expect.rows === found) return;
  throw new UnmetExpectation(`A statement found or changed ${found} rows instead of ${expect.rows}.`);
}

export interface DataSpaces {
  /**
   * Makes an empty data space; does nothing when it exists and was never used.
   * @throws ServiceError `internal` if it exists and has tables or belongs to another installation
   */
  create(spaceId: number): Promise<void>;
  /** Makes `target` as a copy of `source` in one consistent state, without the transaction history. */
  copy(source: number, target: number): Promise<void>;
  /**
   * The tables, from a cache that is updated after a change of definition: at once, or soon if made by another
   * instance.
   */
  definition(spaceId: number): Promise<CompiledSpace>;
  /** The present tables, for use after a failure with those of `definition`: the same object if unchanged. */
  refresh(spaceId: number): Promise<CompiledSpace>;
  /** Applies the change in one transaction. Resolves to null when `fromVersion` is not the present version. */
  define(spaceId: number, change: DefinitionChange): Promise<CompiledSpace | null>;
  /** The content of a job whose change was made (`DefinitionChange.job`); null for any other id. */
  finishedJob(spaceId: number, id: string): Promise<string | null>;
  /**
   * The effect that each part of a change would have, found by queries: nothing is written or locked. @throws
   * ServiceError `malformed` if the present records contradict the change, as `define`
   */
  rehearse(spaceId: number, change: DefinitionChange, parts: readonly ChangePart[]): Promise<readonly RehearsedPart[]>;

  /** One record, read by a statement on its objectId, as JSON text; null when no such record is visible. */
  record(spaceId: number, statement: Statement, values: readonly BoundValue[]): Promise<JsonText | null>;
  /**
   * A query and an optional count, in one consistent state.
   * @throws ServiceError 212: 413 past `resultRowsMax`/`resultBytesMax`, 503 past `queryTimeMs`.
   */
  select(spaceId: number, request: SelectRequest): Promise<SelectResult>;
  /** What the engine would do to run the statement, in order; it is not run. @throws ServiceError as `select` */
  explain(spaceId: number, bound: BoundStatement): Promise<readonly PlanStep[]>;
  write(spaceId: number, batch: WriteBatch): Promise<WriteOutcome>;
  /** Bytes of its records, indexes and history at present; on PostgreSQL, space freed by deletes may still count. */
  size(spaceId: number): Promise<number>;
  /**
   * The sizes of tables, in bounded time.
   * @param names of tables; missing ones are omitted
   */
  sizes(spaceId: number, names: readonly string[]): Promise<readonly TableSize[]>;
}

/** Estimated, except the number of rows of a small table. */
export interface TableSize {
  readonly table: string;
  readonly rows: number;
  /** With the indexes. */
  readonly bytes: number;
}

export interface RehearsedPart {
  /** Records that are read or written. */
  readonly rows: number;
  /** How many records, or values of the column, requests can no longer read afterwards. */
  readonly lost: number;
  /** Estimated. */
  readonly timeMs: number;
  /** False if the change may still be refused, because of values that only it computes. */
  readonly checked: boolean;
}

export interface BoundStatement {
  readonly statement: Statement;
  readonly values: readonly BoundValue[];
  /** The inputs of the values, for an engine that must run the statement in steps. */
  readonly inputs?: Inputs;
}

export interface SelectRequest {
  readonly rows?: BoundStatement;
  readonly count?: BoundStatement;
}

export interface SelectResult {
  /** JSON text of the array of each output of `rows`, in order; all arrays have the same length. */
  readonly arrays: readonly JsonText[];
  readonly count: number;
  /** If the statement has a cursor: the number of rows, and the JSON text of the last row's keys. */
  readonly page?: { readonly rows: number; readonly keys: JsonText | null };
}

/**
 * A batch: all or nothing, in one transaction, with its history row
 * (docs/reference/writing.md#one-batch-all-or-nothing).
 */
export interface WriteBatch {
  /** The definition that the values were checked against; any other yields `stale`. */
  readonly definitionVersion: number;
  /** Null when the client sent none. */
  readonly transactionId: string | null;
  /** SHA-256, hex, of operation, user and request: tells a replay from another request with the same id. */
  readonly requestHash: string;
  /** Milliseconds; server times are at least this, and always later than the record's last one. */
  readonly now: number;
  readonly userId: number;
  readonly groupIds: readonly number[];
  readonly roleIds: readonly number[];
  /** Audiences the caller sees (`membersOf`): a record outside them counts as missing. */
  readonly members: readonly string[];
  /** In the order in which they take effect: each finds what the ones before it left. No record is named twice. */
  readonly changes: readonly TableChange[];
  /** True when the batch is malformed: the history is still checked, nothing else is done. */
  readonly refused: boolean;
  /** Approximate memory, bytes; absent when small. */
  readonly weightBytes?: number;
}

/** How many items the batch has. */
export function itemsIn({ changes }: Pick<WriteBatch, 'changes'>): number {
  let items = 0;
  for (const change of changes) items += change.items.length;
  return items;
}

export type Change =
  | { readonly operation: 'add'; readonly items: readonly AddItem[] }
  | { readonly operation: 'update'; readonly items: readonly UpdateItem[] }
  | { readonly operation: 'delete'; readonly items: readonly DeleteItem[] }
  | PutChange;

export type TableChange = Change & { readonly table: string };

/** Each item updates the record that it names, or adds it. */
export interface PutChange {
  readonly operation: 'put';
  /** The columns of a unique index by which records are found, of which every item has a value; null for objectId. */
  readonly key: readonly string[] | null;
  readonly items: readonly PutItem[];
}

export interface AddItem {
  readonly objectId: string;
  /** True when the server made the id, random enough to be unused. */
  readonly generated: boolean;
  readonly audience: string;
  /** One value for each column of `Table.written`, in order; objectId and the server times are filled in later. */
  readonly values: readonly StoredValue[];
}

export interface UpdateItem {
  readonly objectId: string;
  /** The last known serverUpdateTime, milliseconds. */
  readonly base: number;
  /** Names of the columns sent, and their values. */
  readonly columns: readonly string[];
  readonly values: readonly StoredValue[];
  /** Group ids sent that the caller is not in: allowed only where the record already has them. */
  readonly foreignGroupIds: readonly number[];
}

export interface PutItem extends Omit<UpdateItem, 'base'> {
  /** The id of the record; with a key, the id to use if it is added. */
  readonly objectId: string;
  /** The last known serverUpdateTime, milliseconds; null when none was sent. */
  readonly base: number | null;
  readonly addition: Addition | Unfit;
}

/** The values of an added record besides the columns sent. */
export interface Addition {
  readonly audience: string;
  readonly columns: readonly string[];
  readonly values: readonly StoredValue[];
}

/** Why an item can't be added. */
export interface Unfit {
  readonly field: string;
  readonly message: string;
}

export interface DeleteItem {
  readonly objectId: string;
  readonly base: number;
}

export interface WrittenItem {
  readonly objectId: string;
  /** Milliseconds. */
  readonly created: number;
  readonly updated: number;
}

export type ItemFailure =
  | { readonly reason: 'noRecord' }
  | { readonly reason: 'changed' }
  /** A put without base, of a record in a table that is not lock-free. */
  | { readonly reason: 'noBase' }
  /** A put that found, by its key, a record that the batch names elsewhere. */
  | { readonly reason: 'repeated' }
  | ({ readonly reason: 'unfit' } & Unfit)
  | { readonly reason: 'duplicateId' }
  | { readonly reason: 'duplicateValue'; readonly columns: readonly string[] }
  | { readonly reason: 'foreignGroup'; readonly groupId: number }
  /** The entry of the index on these columns would be too large; empty: the index on the audience. */
  | { readonly reason: 'indexTooLarge'; readonly columns: readonly string[]; readonly bytes: number };

export type WriteOutcome =
  | { readonly kind: 'done'; readonly items: readonly WrittenItem[] }
  /** The transaction id was processed before; `items` of the first answer if the request is the same. */
  | { readonly kind: 'replay'; readonly items: readonly WrittenItem[] | null }
  /** Nothing was written; one entry per item, null for items that did not fail themselves. */
  | { readonly kind: 'failed'; readonly failures: readonly (ItemFailure | null)[] }
  /** `refused` was set and the transaction id is unknown. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'stale' };
