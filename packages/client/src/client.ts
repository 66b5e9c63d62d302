/** The client of one application version, where an app begins. */
import { type Change, type Changed, type Changes, createChanges } from './changes.ts';
import { timeOrderedId } from './ids.ts';
import { createLog, type Log } from './log.ts';
import { type BatchTables, commitAll, recordOf, Table, type Writer } from './records.ts';
import { type Session, tokenSession } from './session.ts';
import type { AnyTables } from './tables.ts';
import { createTransport, type Transport, type TransportOptions } from './transport.ts';
import { type Batch, type Commit, type Outcome, type Stored, sendBatch } from './writes.ts';

/** The parts from which an outbox is made. */
export interface Parts {
  readonly transport: Transport;
  readonly changes: Changes;
}

/** The address of the application, and the caller. */
export interface ClientOptions extends TransportOptions {
  /** The session; or a token that the app manages itself. */
  readonly session: string | Session;
  /**
   * Makes ids of records and transactions, 100 characters at most; by default, 32 hexadecimal digits that increase with
   * time.
   */
  readonly newId?: (() => string) | undefined;
  /** Takes batches instead of sending them at once: an outbox. */
  readonly commit?: ((parts: Parts) => Commit) | undefined;
}

/** The tables of an application, each under its name. */
export type Db<Tables extends AnyTables<Tables>> = { readonly [Name in keyof Tables & string]: Table<Tables, Name> };

export interface Client<Tables extends AnyTables<Tables>> extends Parts {
  readonly db: Db<Tables>;
  readonly session: Session;
  /** Carries out writes of any tables, all or none. @throws RowhouseError for any other outcome than success or a
   * conflict */
  batch(collect: (tables: BatchTables<Tables>) => void): Promise<Outcome>;
  readonly commit: Commit;
  /** Queues a log message, to be sent with others. */
  readonly log: Log;
  /** Any other operation. */
  readonly request: Transport['send'];
  /** Calls the listener when records may have changed. @returns a function that ends the calls */
  onChange(listener: (changed: Changed) => void): () => void;
}

/** `Tables` is the type that `rowhouse-client types` generated. */
export function createClient<Tables extends AnyTables<Tables>>(options: ClientOptions): Client<Tables> {
  const changes = createChanges();
  const transport = createTransport(options, () => session);
  const parts: Parts = { transport, changes };
  // In plain JavaScript the token may be missing (undefined). The service then refuses the request, with advice.
  const session = typeof options.session === 'object' ? options.session : tokenSession(options.session);
  const carryOut = options.commit?.(parts) ?? ((batch) => sendBatch(transport, batch));
  const commit: Commit = async (batch) => {
    const outcome = await carryOut(batch);
    if (outcome.ok) changes.apply(changesOf(batch, outcome.results, outcome.isQueued));
    return outcome;
  };
  const writer: Writer = { transport, commit, newId: options.newId ?? timeOrderedId };
  return {
    ...parts,
    db: tablesOf<Tables>(writer),
    session,
    batch: (collect) => commitAll(writer, collect),
    commit,
    log: createLog(transport),
    request: transport.send,
    onChange: changes.listen,
  };
}

/** Accepts any name as a table; the service refuses unknown ones. */
function tablesOf<Tables extends AnyTables<Tables>>(writer: Writer): Db<Tables> {
  const known = new Map<string, Table<Tables, keyof Tables & string>>();
  const tableOf = (name: keyof Tables & string) => {
    const table = known.get(name) ?? new Table<Tables, keyof Tables & string>(writer, name);
    known.set(name, table);
    return table;
  };
  return new Proxy({} as Db<Tables>, { get: (_, name) => tableOf(name as keyof Tables & string) });
}

/** The changes that a batch makes, or will make once an outbox has sent it. */
export function changesOf(
  { writes }: Pick<Batch, 'writes'>,
  results: readonly Stored[],
  isPending: boolean = false,
): Change[] {
  return writes.map((write, index) => {
    const record = recordOf(write, results[index]);
    const { op, table } = write;
    return { table, objectId: String(record.objectId), record: op === 'delete' ? null : record, isPending };
  });
}
