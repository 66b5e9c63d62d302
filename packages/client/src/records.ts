/** Records of one table: read by id, added, changed and deleted, each write under a transaction id and its optimistic lock. */
import { Query } from './query.ts';
import type { AnyTables } from './tables.ts';
import type { Transport } from './transport.ts';
import {
  type AnyRecord,
  type Commit,
  type Conflict,
  type Outcome,
  readRecord,
  type Stored,
  type Write,
} from './writes.ts';

/** Identifies a record and the version that was read. Only an outbox can fill in an unknown time. */
export interface Locked {
  readonly objectId: string;
  readonly serverUpdateTime: string | null;
}

/** The columns that the service sets. The times are null while an outbox holds the write. */
export interface StoredColumns extends Locked {
  readonly serverCreateTime: string | null;
}

/** A completed write, or a conflict: then nothing was written, and the app settles it with `mine`, `theirs` and `base`. */
export type Result<Record, Row> =
  | { readonly ok: true; readonly record: Record; readonly isQueued: boolean }
  | { readonly ok: false; readonly conflict: Conflict<Row> };

/** The outcome of a put: added or updated; null while an outbox holds it, when only `Queued` is known. */
export type PutResult<Record, Row, Queued = Record> =
  | { readonly ok: true; readonly record: Record & { readonly outcome: 'added' | 'updated' }; readonly isQueued: false }
  | { readonly ok: true; readonly record: Queued & { readonly outcome: null }; readonly isQueued: true }
  | { readonly ok: false; readonly conflict: Conflict<Row> };

/** How a put finds its record. */
export interface PutOptions<Column> {
  /** The columns of a unique index; `objectId` by default. */
  readonly by?: readonly Column[];
  /** The record as it was read, if it exists; required unless the table is lock-free. */
  readonly base?: Locked;
}

/** The dependencies of the tables of `db`. */
export interface Writer {
  readonly transport: Transport;
  readonly commit: Commit;
  /** A new id at each call. */
  newId(): string;
}

/** A table of `db`. */
export class Table<Tables extends AnyTables<Tables>, Name extends keyof Tables & string> extends Query<
  Tables,
  Name,
  Tables[Name],
  // biome-ignore lint/complexity/noBannedTypes: no aliases.
  {}
> {
  /** Never set; carries the type. */
  declare readonly columnKinds: Tables[Name]['columns'];
  readonly #writer: Writer;
  readonly #writes: ReturnType<typeof writesOf>;

  constructor(writer: Writer, name: Name) {
    super(writer.transport, name);
    this.#writer = writer;
    this.#writes = writesOf(name, writer.newId);
  }

  /** The record; null if none is visible to the user. */
  get(objectId: string, signal?: AbortSignal): Promise<Tables[Name]['row'] | null> {
    return readRecord(this.transport, this.table, objectId, signal) as Promise<Tables[Name]['row'] | null>;
  }

  /**
   * Adds a record under an id that is fixed before it is sent.
   * @throws Invalid also if the id, or a unique value, is taken
   */
  async add(values: Tables[Name]['insert']): Promise<Tables[Name]['insert'] & StoredColumns> {
    // An add has no lock, so it never conflicts.
    const { record } = (await this.#result(this.#writes.add(values))) as { record: unknown };
    return record as never;
  }

  /** Changes the columns of `changes` in the record that was read. */
  update<Record extends Locked>(
    record: Record,
    changes: Tables[Name]['update'],
  ): Promise<Result<Record, Tables[Name]['row']>> {
    return this.#result(this.#writes.update(record, changes));
  }

  /** Deletes the record that was read. */
  delete<Record extends Locked>(record: Record): Promise<Result<Record, Tables[Name]['row']>> {
    return this.#result(this.#writes.delete(record));
  }

  /** Adds the record, or updates the existing one. A record found by other columns has no id while an outbox holds it. */
  put<By extends keyof Tables[Name]['columns'] & string = never>(
    values: Tables[Name]['insert'],
    options?: PutOptions<By>,
  ): Promise<
    PutResult<
      Tables[Name]['insert'] & StoredColumns,
      Tables[Name]['row'],
      Tables[Name]['insert'] & ([By] extends [never] ? StoredColumns : Omit<StoredColumns, 'objectId'>)
    >
  > {
    return this.#result(this.#writes.put(values, options)) as Promise<never>;
  }

  async #result<Record, Row>(write: Write): Promise<Result<Record, Row>> {
    const outcome = await this.#writer.commit({ transactionId: this.#writer.newId(), writes: [write] });
    if (!outcome.ok) return outcome as { ok: false; conflict: Conflict<Row> };
    return { ok: true, record: recordOf(write, outcome.results[0]) as Record, isQueued: outcome.isQueued };
  }
}

/** The record as known after the write: the values read, then those sent, then those set by the service. */
export function recordOf({ op, base, values }: Write, stored?: Stored): AnyRecord {
  const unknown = { serverCreateTime: null, serverUpdateTime: null, ...(op === 'put' && { outcome: null }) };
  return { ...unknown, ...base, ...values, ...stored };
}

/** The writes of a table, for batches. */
function writesOf(table: string, newId: () => string) {
  const changed = (op: 'update' | 'delete', record: Locked, changes?: object): Write => {
    return { op, table, values: { ...changes, objectId: record.objectId }, base: { ...record } };
  };
  const named = (values: Partial<Locked>, known?: string) => {
    return { ...values, objectId: values.objectId ?? known ?? `${table}_${newId()}` };
  };
  return {
    add: (values: object): Write => ({ op: 'add', table, values: named(values), base: null }),
    update: (record: Locked, changes: object) => changed('update', record, changes),
    delete: (record: Locked) => changed('delete', record),
    put: (values: object, { by, base }: PutOptions<string> = {}): Write => {
      const found = by ? { by, values: { ...values } } : { values: named(values, base?.objectId) };
      return { op: 'put', table, ...found, base: base ? { ...base } : null };
    },
  };
}

/** A table within a batch: its writes are sent with the others. */
export interface BatchTable<Tables extends AnyTables<Tables>, Name extends keyof Tables> {
  /** @returns the id of the record */
  add(values: Tables[Name]['insert']): string;
  update(record: Locked, changes: Tables[Name]['update']): string;
  delete(record: Locked): string;
  /** @returns the id; undefined for a put by other columns, whose id is in the results */
  put(values: Tables[Name]['insert'], options?: PutOptions<keyof Tables[Name]['columns'] & string>): string | undefined;
}

export type BatchTables<Tables extends AnyTables<Tables>> = {
  readonly [Name in keyof Tables]: BatchTable<Tables, Name>;
};

/** Makes all writes that `collect` names, on any tables, or none of them. They take effect in order. */
export async function commitAll<Tables extends AnyTables<Tables>>(
  writer: Writer,
  collect: (tables: BatchTables<Tables>) => void,
): Promise<Outcome> {
  const writes: Write[] = [];
  const tables = new Proxy({}, { get: (_, name) => batchTable(writer, String(name), writes) });
  collect(tables as BatchTables<Tables>);
  if (writes.length === 0) return { ok: true, results: [], isQueued: false };
  return writer.commit({ transactionId: writer.newId(), writes });
}

function batchTable({ newId }: Writer, table: string, writes: Write[]): object {
  const kept = Object.entries(writesOf(table, newId)).map(([op, make]) => [
    op,
    (...input: [never, never]) => {
      const write = make(...input);
      writes.push(write);
      return write.values.objectId;
    },
  ]);
  return Object.fromEntries(kept);
}
