/** Batches of writes, each sent exactly once, under a transaction id that is fixed before the first attempt. */
import { AlreadyProcessed, NetworkError, RowhouseError } from './errors.ts';
import { plain, type Transport } from './transport.ts';
import type { Operations } from './wire.ts';

/** A record as returned by the service, with the columns of the table. */
export type AnyRecord = Readonly<Record<string, unknown>>;

/** One write of one record. */
export interface Write {
  readonly op: 'add' | 'update' | 'delete' | 'put';
  readonly table: string;
  /** For a put: the columns of a unique index that find the record. */
  readonly by?: readonly string[];
  /** The columns to send, including `objectId` if known. */
  readonly values: AnyRecord;
  /** The record as it was read, whose `serverUpdateTime` is the optimistic lock; null if there is none. */
  readonly base: AnyRecord | null;
}

/** Writes that are carried out exactly once, all or none. */
export interface Batch {
  readonly transactionId: string;
  readonly writes: readonly Write[];
}

/** The stored result of one write. */
export type Stored = Operations['batch']['answer']['results'][number];

/** Someone else changed or deleted the record meanwhile: nothing of the batch was written. */
export interface Conflict<Row = AnyRecord> {
  /** Which write of the batch. */
  readonly index: number;
  readonly table: string;
  /** The record as this client wanted it, as far as known; null for a delete. */
  readonly mine: Partial<Row> | null;
  /** The record as it is now; null if it was deleted or is no longer visible. */
  readonly theirs: Row | null;
  /** The record as this client had read it; null if none was expected. */
  readonly base: Partial<Row> | null;
}

/** The outcome of a batch. */
export type Outcome =
  | {
      readonly ok: true;
      /**
       * Results in order. For a batch that an outbox will send, the locks are placeholders, on which later writes
       * through the outbox may be based.
       */
      readonly results: readonly Stored[];
      /** True if an outbox has the batch and will send it. */
      readonly isQueued: boolean;
    }
  | { readonly ok: false; readonly conflict: Conflict };

/** Carries out a batch, or puts it into an outbox. @throws RowhouseError for any other outcome than success or a
 * conflict */
export type Commit = (batch: Batch) => Promise<Outcome>;

type BatchBody = Operations['batch']['body'];

/**
 * Characters of JSON in an operation, before another one begins. A value takes two at least, so that there are fewer than the service's
 * `itemValuesMax`, which is 20 000 unless set.
 */
const charactersMax = 32_000;

/** The body of the request: adjacent writes of the same kind to one table share an operation, up to its size limit. */
export function bodyOf({ transactionId, writes }: Batch): BatchBody {
  const operations: BatchBody['operations'] = [];
  let characters = 0;
  for (const write of writes) {
    const { op, table, by, values, base } = write;
    let last = operations.at(-1);
    const more = JSON.stringify(values, plain).length;
    characters += more;
    if (characters > charactersMax || last?.op !== op || last.objectName !== table || String(last.by) !== String(by)) {
      last = { op, objectName: table, ...(by && { by: [...by] }), data: [] };
      operations.push(last);
      characters = more;
    }
    last.data.push(base === null ? values : { ...values, serverUpdateTime: base.serverUpdateTime });
  }
  return { transactionId, operations };
}

/**
 * Sends a batch until an answer comes. If it was already carried out and the answer was lost, it gets the first answer.
 * @throws RowhouseError with the `batch`
 */
export async function sendBatch(transport: Transport, batch: Batch): Promise<Outcome> {
  const isWhole = (results: readonly unknown[] | undefined): results is readonly Stored[] =>
    results?.length === batch.writes.length;
  try {
    const { answer } = await transport.send('batch', { body: bodyOf(batch), isRepeatable: true });
    const results = answer?.results;
    if (isWhole(results)) return { ok: true, results, isQueued: false };
    // Something other than the service has answered.
    throw new NetworkError({ message: 'Expected results, got other JSON.' });
  } catch (error) {
    if (!(error instanceof RowhouseError)) throw error;
    const { results } = error;
    if (error instanceof AlreadyProcessed && isWhole(results)) return { ok: true, results, isQueued: false };
    const conflict = error.code === 130 ? await conflictOf(transport, batch, error) : null;
    if (conflict !== null) return { ok: false, conflict };
    // A new error, because several batches may have waited for the failed sign-in.
    const { message, cause } = error;
    throw new (error.constructor as typeof RowhouseError)({ ...error, message, cause, batch });
  }
}

/** Reads the record of the first failed write. */
async function conflictOf(transport: Transport, { writes }: Batch, error: RowhouseError): Promise<Conflict | null> {
  const index = error.results?.findIndex(({ errCode }) => errCode === 130) ?? -1;
  const write = writes[index];
  if (write === undefined) return null;
  const { table, op, values, base, by = ['objectId'] } = write;
  const where = { source: by.map((name) => `#t.${name} = ?`).join(' AND '), params: by.map((name) => values[name]) };
  const body = { from: { phyName: table, alias: 't' }, where: { expression: where } };
  const { answer } = await transport.send('select', { params: { objectName: table }, body });
  const theirs = (answer.rows[0]?.t as AnyRecord | undefined) ?? null;
  return { index, table, mine: op === 'delete' ? null : { ...base, ...values }, theirs, base };
}

/** The record with typed values; null if none is visible to the user. */
export async function readRecord(
  transport: Transport,
  table: string,
  objectId: string,
  signal?: AbortSignal,
): Promise<AnyRecord | null> {
  const params = { objectName: table, objectId };
  try {
    const { answer } = await transport.send('getRecord', { params, query: { values: 'typed' }, signal });
    return answer[table]?.[0] ?? null;
  } catch (error) {
    if ((error as Partial<RowhouseError>).code === 130) return null;
    throw error;
  }
}
