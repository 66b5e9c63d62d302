/**
 * Group commit on PostgreSQL. Batches that arrive during a commit go out together (`write-scheduler.ts`), merged into one
 * statement (`merge.ts`); a batch that the statement leaves out runs in a transaction of its own (`batch.ts`). When a lost
 * connection leaves a commit uncertain, the batch runs again: its history row says whether it was committed. While the
 * database is unreachable or a lock is held, writes are retried for `writeTimeMs`, then refused, wherever they wait.
 */
import type { Logger } from 'pino';
import type { Settings } from '../../config.ts';
import type { Environment } from '../../environment.ts';
import type { SpaceDefinition, Table } from '../../schema/model.ts';
import { TimeSlice } from '../../time-slices.ts';
import type { WriteBatch, WriteOutcome, WrittenItem } from '../contract.ts';
import { waitingRefusal } from '../waiting.ts';
import { Audiences } from './audiences.ts';
import { Backoff } from './backoff.ts';
import { Conflict, execute } from './batch.ts';
import type { Connections } from './connections.ts';
import {
  busyError,
  ConnectionLost,
  isAway,
  isRetryable,
  isTimeout,
  OutOfTime,
  serviceError,
  sqlState,
} from './failure.ts';
import { type Attempt, attemptOf, lookUp, prune } from './history.ts';
import { keysOf, type Mergeable, mergeable } from './merge.ts';
import type { SeenIds } from './seen-ids.ts';
import { type Row, TableWrites } from './table-writes.ts';
import type { Waiting } from './write-queue.ts';
import { type Space, WriteScheduler } from './write-scheduler.ts';

export interface WritersOptions {
  /** So many commits are under way at a time. */
  readonly connections: Connections;
  /** The definition of a data space as it is known here; the same one is the same object. */
  readonly definition: (spaceId: number) => Promise<SpaceDefinition>;
  readonly seen: Pick<SeenIds, 'note'>;
  readonly settings: Pick<Settings, 'writesQueuedMax' | 'writeTimeMs'>;
  readonly environment: Environment;
  readonly log: Pick<Logger, 'warn'>;
}

export interface Writers {
  /**
   * Resolves after the commit.
   * @throws ServiceError `busy` when too many requests wait, or its time is over, `internal`
   */
  write(spaceId: number, batch: WriteBatch): Promise<WriteOutcome>;
  /** Forgets the oldest history entries from before that time, at most `rowsMax`. @returns how many are gone */
  prune(spaceId: number, before: number, rowsMax: number): Promise<number>;
  /** Resolves when everything is answered. */
  close(): Promise<void>;
}

/** Planner settings for writes: always look items up by an index, whatever the statistics say of the table's size. */
export const writePlanner: Readonly<Record<string, string>> = {
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  plan_cache_mode: 'force_generic_plan',
};

interface Entry extends Waiting {
  readonly attempt: Attempt;
  readonly definition: SpaceDefinition;
  readonly writes: TableWrites;
  readonly merge: Mergeable | null;
  /** True once a commit was sent whose outcome is not known yet. */
  isUncertain: boolean;
  readonly resolve: (outcome: WriteOutcome) => void;
  readonly reject: (error: unknown) => void;
}

type WriteSpace = Space<Entry>;

export function openWriters(options: WritersOptions): Writers {
  const executor = new WriteExecutor(options);
  const { connections, definition, environment } = options;
  return {
    async write(spaceId, batch) {
      executor.enter(spaceId);
      try {
        const present = await definition(spaceId);
        const attempt = attemptOf(batch, environment);
        if (batch.refused) return await executor.asked(spaceId, attempt, { kind: 'refused' });
        if (present.version !== batch.definitionVersion)
          return await executor.asked(spaceId, attempt, { kind: 'stale' });
        return await executor.execute(spaceId, present, attempt);
      } catch (error) {
        throw serviceError(error, `writing to data space ${spaceId}`);
      } finally {
        executor.leave(spaceId);
      }
    },
    async prune(spaceId, before, rowsMax) {
      try {
        return await prune(connections, spaceId, before, rowsMax);
      } catch (error) {
        throw serviceError(error, `forgetting old history of data space ${spaceId}`);
      }
    },
    close: () => executor.close(),
  };
}

class WriteExecutor {
  readonly #options: WritersOptions;
  readonly #scheduler: WriteScheduler<Entry>;
  readonly #writes = new WeakMap<Table, TableWrites>();
  readonly #audiences = new Audiences();
  #requests = 0;
  /** By data space, where there are any. */
  readonly #requestsOf = new Map<number, number>();
  #closing: { readonly promise: Promise<void>; readonly resolve: () => void } | null = null;

  constructor(options: WritersOptions) {
    this.#options = options;
    this.#scheduler = new WriteScheduler({
      max: options.connections.max,
      merged: (space, group) => this.#merge(space, group),
      alone: (space, entry) => this.#executeAlone(space, entry),
      late: (space, entries) => this.#giveUp(space, entries),
      lateCheckMs: options.settings.writeTimeMs / 4,
    });
  }

  enter(spaceId: number): void {
    if (this.#closing !== null) throw busyError('The service is stopping.');
    const own = this.#requestsOf.get(spaceId) ?? 0;
    const refusal = waitingRefusal('writes', this.#options.settings.writesQueuedMax, this.#requests, own);
    if (refusal !== null) throw refusal;
    this.#requests++;
    this.#requestsOf.set(spaceId, own + 1);
  }

  leave(spaceId: number): void {
    const own = this.#requestsOf.get(spaceId) as number;
    if (own > 1) this.#requestsOf.set(spaceId, own - 1);
    else this.#requestsOf.delete(spaceId);
    this.#requests--;
    if (this.#requests === 0) this.#closing?.resolve();
  }

  close(): Promise<void> {
    this.#closing ??= Promise.withResolvers<void>();
    if (this.#requests === 0) this.#closing.resolve();
    return this.#closing.promise;
  }

  /** The outcome that the history holds for the transaction, or else `otherwise`. */
  async asked(spaceId: number, attempt: Attempt, otherwise: WriteOutcome): Promise<WriteOutcome> {
    if (attempt.batch.transactionId === null) return otherwise;
    const { connections, settings } = this.#options;
    const deadline = performance.now() + settings.writeTimeMs;
    const backoff = new Backoff(deadline);
    for (;;) {
      try {
        return (await lookUp(connections.until(deadline), spaceId, attempt)) ?? otherwise;
      } catch (error) {
        if (!isAway(error) || !(await backoff.wait())) throw error;
      }
    }
  }

  /** @throws Error when there is no such table: the batch was checked against this very definition */
  execute(spaceId: number, definition: SpaceDefinition, attempt: Attempt): Promise<WriteOutcome> {
    const { batch } = attempt;
    const table = definition.tables.get(batch.table);
    if (table === undefined) {
      throw new Error(`The batch names a table that its definition does not have: ${batch.table}.`);
    }
    const writes = this.#writesOf(spaceId, table);
    const merge = mergeable(writes, batch);
    const { promise, resolve, reject } = Promise.withResolvers<WriteOutcome>();
    this.#scheduler.push(spaceId, {
      attempt,
      definition,
      writes,
      merge,
      keys: keysOf(writes, attempt),
      kind: merge === null ? null : `${definition.version} ${table.id} ${merge.kind}`,
      items: batch.change.items.length,
      bytes: bytesOf(batch),
      deadline: performance.now() + this.#options.settings.writeTimeMs,
      isUncertain: false,
      resolve,
      reject,
    });
    return promise;
  }

  #writesOf(spaceId: number, table: Table): TableWrites {
    let writes = this.#writes.get(table);
    if (writes === undefined) {
      writes = new TableWrites(spaceId, table);
      this.#writes.set(table, writes);
    }
    return writes;
  }

  #settle(space: WriteSpace, entry: Entry, settle: (entry: Entry) => void): void {
    space.queue.release(entry);
    settle(entry);
  }

  /** Batches that the statement leaves out, or fails for, run in transactions of their own. */
  async #merge(space: WriteSpace, group: readonly Entry[]): Promise<void> {
    const backoff = new Backoff(Math.max(...group.map(({ deadline }) => deadline)));
    let waiting = this.#withoutLate(space, group);
    while (waiting.length > 0) {
      try {
        const done = await this.#runMerged(space, waiting);
        for (const entry of waiting) {
          const items = done.get(entry);
          if (items === undefined) space.alone.push(entry);
          else this.#settle(space, entry, ({ resolve }) => resolve({ kind: 'done', items }));
        }
        return;
      } catch (error) {
        const isUncertain = error instanceof ConnectionLost && error.mayHaveRun;
        for (const entry of waiting) entry.isUncertain ||= isUncertain;
        if (isUncertain || !isAway(error)) {
          space.alone.push(...this.#withoutLate(space, waiting, error));
          return;
        }
        await backoff.wait();
        waiting = this.#withoutLate(space, waiting, error);
      }
    }
  }

  async #runMerged(space: WriteSpace, group: readonly Entry[]): Promise<Map<Entry, readonly WrittenItem[]>> {
    const connections = this.#options.connections.until(Math.min(...group.map(({ deadline }) => deadline)));
    const first = group[0] as Entry;
    const audiences = group.flatMap(({ merge }) => (merge as Mergeable).audiences);
    await this.#audiences.note(connections, space.id, first.definition, audiences);
    await this.#options.seen.note(
      connections,
      space.id,
      group.map(({ attempt }) => attempt.batch),
    );
    const statement = await (first.merge as Mergeable).statement(await rowsOf(group));
    const result = await connections.query(statement);
    const answers = new Map(result.rows.map(([transactionId, answer]) => [transactionId as string, answer]));
    const done = new Map<Entry, readonly WrittenItem[]>();
    for (const entry of group) {
      const { transactionId } = entry.attempt;
      if (!answers.has(transactionId)) continue;
      done.set(entry, (entry.merge as Mergeable).items(answers.get(transactionId)));
    }
    return done;
  }

  async #executeAlone(space: WriteSpace, entry: Entry): Promise<void> {
    if (this.#withoutLate(space, [entry]).length === 0) return;
    const connections = this.#options.connections.until(entry.deadline);
    const { definition, writes, attempt } = entry;
    const backoff = new Backoff(entry.deadline);
    for (;;) {
      try {
        await this.#options.seen.note(connections, space.id, [attempt.batch]);
        const outcome = await execute({ connections, spaceId: space.id, definition, writes }, attempt);
        return this.#settle(space, entry, ({ resolve }) => resolve(outcome));
      } catch (error) {
        if (error instanceof ConnectionLost && error.mayHaveRun) entry.isUncertain = true;
        if (!mayPass(error)) return this.#settle(space, entry, ({ reject }) => reject(failed(space, error)));
        if (!(await backoff.wait())) return this.#giveUp(space, [entry], error);
      }
    }
  }

  #withoutLate(space: WriteSpace, entries: readonly Entry[], error?: unknown): readonly Entry[] {
    const now = performance.now();
    const late = entries.filter(({ deadline }) => deadline <= now);
    if (late.length === 0) return entries;
    this.#giveUp(space, late, error);
    return entries.filter(({ deadline }) => deadline > now);
  }

  /** @param error why the last attempt failed; without one, they never started */
  #giveUp(space: WriteSpace, entries: readonly Entry[], error: unknown = new OutOfTime()): void {
    const { log, settings } = this.#options;
    log.warn(
      { err: error, writes: entries.length, dataSpace: space.id },
      `Writes were given up after ${settings.writeTimeMs} ms (setting writeTimeMs).`,
    );
    for (const entry of entries) {
      const told = entry.isUncertain ? uncertain(error) : this.#late(space, error);
      this.#settle(space, entry, ({ reject }) => reject(told));
    }
  }

  /** The error for a batch that was certainly not written. */
  #late(space: WriteSpace, error: unknown): Error {
    if (isAway(error) || error instanceof Conflict) return failed(space, error);
    const { writeTimeMs } = this.#options.settings;
    const cause = serviceError(error, `writing to data space ${space.id}`);
    const told = `The database did not get to the write within ${writeTimeMs} ms (setting writeTimeMs); try again in a second.`;
    return busyError(told, cause);
  }
}

/** The inputs of all items, built in time slices. */
async function rowsOf(group: readonly Entry[]): Promise<Row[]> {
  const rows: Row[] = [];
  const slice = new TimeSlice();
  for (const { merge, attempt, items } of group) {
    for (let index = 0; index < items; index++) {
      if (slice.isOver) await slice.next();
      rows.push((merge as Mergeable).row(attempt, index));
    }
  }
  return rows;
}

/** Whether the same batch may succeed a moment later. */
function mayPass(error: unknown): boolean {
  const isInTheWay = isTimeout(error) || sqlState(error) === '55P03';
  return error instanceof Conflict || error instanceof OutOfTime || isAway(error) || isRetryable(error) || isInTheWay;
}

function failed(space: WriteSpace, error: unknown): Error {
  if (error instanceof Conflict) return busyError('The records are being changed by others; try again.', error);
  return serviceError(error, `writing to data space ${space.id}`);
}

function uncertain(cause: unknown): Error {
  const advice = 'send the batch again with its transactionId, and it is written once at most';
  return busyError(`The database went away while it was being written to: ${advice}.`, cause);
}

function bytesOf({ change }: WriteBatch): number {
  let bytes = 0;
  for (const item of change.items) {
    bytes += 200;
    if (!('values' in item)) continue;
    for (const value of item.values) bytes += typeof value === 'string' ? value.length : 10;
  }
  return bytes;
}
