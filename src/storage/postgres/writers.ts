/**
 * Group commit on PostgreSQL. Batches that arrive during a commit are sent together (`fair-queue.ts`), merged into one
 * statement (`merge.ts`); a batch that the statement leaves out runs in a transaction of its own (`batch.ts`). When a
 * lost connection leaves a commit uncertain, the batch runs again; its history row shows whether it was committed.
 * While the database is unreachable or a lock is held, writes are retried for `writeTimeMs` and then refused.
 */
import type { Logger } from 'pino';
import type { Settings } from '../../config.ts';
import { Durations } from '../../durations.ts';
import type { Environment } from '../../environment.ts';
import { TimeSlice } from '../../time-slices.ts';
import { busyError } from '../busy.ts';
import { type Activity, itemsIn, type WriteBatch, type WriteOutcome, type WrittenItem } from '../contract.ts';
import { FairQueue, sharedSlots } from '../fair-queue.ts';
import type { GroupBounds, Queued } from '../queue-line.ts';
import { noteAudiences, type SeenIds } from './audiences.ts';
import { execute } from './batch.ts';
import { Conflict } from './batch-work.ts';
import type { Deployment } from './citus.ts';
import type { PostgresSpace } from './compiled-space.ts';
import type { Connections } from './connections.ts';
import {
  Backoff,
  ConnectionLost,
  isAway,
  isRetryable,
  isTimeout,
  isUndefined,
  OutOfTime,
  serviceError,
  sqlState,
} from './failure.ts';
import { type Attempt, attemptOf, lookUp, prune } from './history.ts';
import { keysOf, type Mergeable, mergeable } from './merge.ts';
import type { Row, TableWrites } from './table-writes.ts';

export interface WritersOptions {
  readonly deployment: Pick<Deployment, 'route' | 'mayHaveCommitted'>;
  /** Their number limits concurrent commits. */
  readonly connections: Connections;
  /** The data space at its cached definition. */
  readonly definition: (spaceId: number) => PostgresSpace | Promise<PostgresSpace>;
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
  /** Deletes the oldest history entries from before that time, at most `rowsMax`. @returns how many were deleted */
  prune(spaceId: number, before: number, rowsMax: number): Promise<number>;
  takeActivity(): Pick<Activity, 'commits' | 'writesWaiting'>;
  /** Resolves when all writes have ended. */
  close(): Promise<void>;
}

/** Planner settings for writes: always look items up by an index, whatever the statistics on the table's size. */
export const writePlanner: Readonly<Record<string, string>> = {
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  plan_cache_mode: 'force_generic_plan',
};

/** Bounds on one merged statement, so that it stays short. */
const groupBounds: GroupBounds = { requests: 256, items: 1_000, bytes: 4 * 1024 * 1024 };

/** The most commits of one data space under way at a time. */
const perSpaceMax = 3;

/**
 * Writes that arrive during a commit of many are sent together after it, which gives a third more throughput. If the
 * commit takes longer than this, because of a slow disk or a lock, they are sent before it ends.
 */
const overtake = { requests: 8, afterMs: 5 };

/** The most conflicts of a batch, about 2 seconds of attempts: one that never passes must not hold up other writes. */
const conflictsMax = 10;

interface Entry extends Queued {
  readonly attempt: Attempt;
  readonly space: PostgresSpace;
  /** One for each change of the batch. */
  readonly writes: readonly TableWrites[];
  /** Null for a batch that runs alone. */
  merge: Mergeable | null;
  /** True once a commit with a still unknown outcome was sent. */
  isUncertain: boolean;
  readonly resolve: (outcome: WriteOutcome) => void;
  readonly reject: (error: unknown) => void;
}

export function openWriters(options: WritersOptions): Writers {
  const executor = new WriteExecutor(options);
  const { connections, definition, environment } = options;
  return {
    async write(spaceId, batch) {
      try {
        const known = definition(spaceId);
        // Writes that arrived before closing are queued by now.
        const present = known instanceof Promise ? await known : known;
        const attempt = attemptOf(batch, environment);
        if (batch.refused) return await executor.asked(spaceId, attempt, { kind: 'refused' });
        if (present.version !== batch.definitionVersion)
          return await executor.asked(spaceId, attempt, { kind: 'stale' });
        return await executor.execute(present, attempt);
      } catch (error) {
        throw serviceError(error, `writing to data space ${spaceId}`);
      }
    },
    async prune(spaceId, before, rowsMax) {
      try {
        return await prune(connections, spaceId, before, rowsMax);
      } catch (error) {
        throw serviceError(error, `forgetting old history of data space ${spaceId}`);
      }
    },
    takeActivity: () => executor.takeActivity(),
    close: () => executor.close(),
  };
}

class WriteExecutor {
  readonly #options: WritersOptions;
  readonly #queue: FairQueue<Entry>;
  #commits = new Durations();

  constructor(options: WritersOptions) {
    this.#options = options;
    this.#queue = new FairQueue<Entry>({
      slots: sharedSlots(options.connections.max),
      perOwnerMax: perSpaceMax,
      group: groupBounds,
      overtake,
      limit: { what: 'writes', max: options.settings.writesQueuedMax },
      start: (spaceId, group) => void this.#executeGroup(spaceId, group),
      late: (spaceId, entries) => this.#giveUp(spaceId, entries),
    });
  }

  takeActivity(): Pick<Activity, 'commits' | 'writesWaiting'> {
    const commits = this.#commits;
    this.#commits = new Durations();
    return { commits, writesWaiting: this.#queue.takeMostWaiting() };
  }

  close(): Promise<void> {
    return this.#queue.close();
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

  /** @throws Error for an unknown table, because the batch was checked against this definition */
  execute(space: PostgresSpace, attempt: Attempt): Promise<WriteOutcome> {
    const { batch } = attempt;
    const writes = batch.changes.map(({ table }) => space.writes(table));
    const [first] = writes as [TableWrites];
    const merge = mergeable(first, batch);
    const { promise, resolve, reject } = Promise.withResolvers<WriteOutcome>();
    this.#queue.push(space.id, {
      attempt,
      space,
      writes,
      merge,
      keys: keysOf(writes, attempt),
      kind: merge === null ? null : `${space.version} ${first.table.id} ${merge.kind}`,
      items: itemsIn(batch),
      bytes: bytesOf(batch),
      deadline: performance.now() + this.#options.settings.writeTimeMs,
      isUncertain: false,
      resolve,
      reject,
    });
    return promise;
  }

  async #executeGroup(spaceId: number, group: readonly Entry[]): Promise<void> {
    let again: readonly Entry[] = [];
    try {
      const [first] = group as [Entry];
      if (first.merge === null) await this.#executeAlone(spaceId, first);
      else again = await this.#merge(spaceId, group);
      for (const entry of again) entry.merge = null;
    } finally {
      this.#queue.done(spaceId, group, again);
    }
  }

  /** @returns batches that the statement leaves out, or fails for; each then runs alone */
  async #merge(spaceId: number, group: readonly Entry[]): Promise<readonly Entry[]> {
    const backoff = new Backoff(Math.max(...group.map(({ deadline }) => deadline)));
    let waiting = this.#withoutLate(spaceId, group);
    while (waiting.length > 0) {
      try {
        const done = await this.#runMerged(spaceId, waiting);
        for (const [{ resolve }, items] of done) resolve({ kind: 'done', items });
        return waiting.filter((entry) => !done.has(entry));
      } catch (error) {
        const isUncertain = this.#options.deployment.mayHaveCommitted(error);
        for (const entry of waiting) entry.isUncertain ||= isUncertain;
        if (isUndefined(error)) (group[0] as Entry).space.route = null;
        if (isUncertain || !isAway(error)) return this.#withoutLate(spaceId, waiting, error);
        await backoff.wait();
        waiting = this.#withoutLate(spaceId, waiting, error);
      }
    }
    return [];
  }

  async #runMerged(spaceId: number, group: readonly Entry[]): Promise<Map<Entry, readonly WrittenItem[]>> {
    const connections = this.#options.connections.until(Math.min(...group.map(({ deadline }) => deadline)));
    const first = group[0] as Entry;
    const audiences = group.flatMap(({ merge }) => (merge as Mergeable).audiences);
    await noteAudiences(connections, first.space, audiences);
    await this.#options.seen.note(
      connections,
      spaceId,
      group.map(({ attempt }) => attempt.batch),
    );
    first.space.route ??= await this.#options.deployment.route(connections, spaceId);
    const rows = await rowsOf(group);
    const statement = await (first.merge as Mergeable).statement(first.space.route, rows, group.length);
    const begun = performance.now();
    const result = await connections.query(statement);
    this.#commits.count(performance.now() - begun);
    const answers = new Map(result.rows.map(([transactionId, answer]) => [transactionId as string, answer]));
    const done = new Map<Entry, readonly WrittenItem[]>();
    for (const entry of group) {
      const { transactionId } = entry.attempt;
      if (!answers.has(transactionId)) continue;
      done.set(entry, (entry.merge as Mergeable).items(answers.get(transactionId)));
    }
    return done;
  }

  async #executeAlone(spaceId: number, entry: Entry): Promise<void> {
    if (this.#withoutLate(spaceId, [entry]).length === 0) return;
    const connections = this.#options.connections.until(entry.deadline);
    const { writes, attempt } = entry;
    const backoff = new Backoff(entry.deadline);
    for (let conflicts = 0; ; ) {
      try {
        await this.#options.seen.note(connections, spaceId, [attempt.batch]);
        const begun = performance.now();
        const outcome = await execute({ connections, spaceId, writes }, attempt);
        if (outcome.kind === 'done') this.#commits.count(performance.now() - begun);
        return entry.resolve(outcome);
      } catch (error) {
        if (error instanceof ConnectionLost && error.mayHaveRun) entry.isUncertain = true;
        if (!mayPass(error)) return entry.reject(failed(spaceId, error));
        if (error instanceof Conflict && ++conflicts === conflictsMax) {
          return this.#giveUp(spaceId, [entry], error, `${conflicts} conflicts`);
        }
        if (!(await backoff.wait())) return this.#giveUp(spaceId, [entry], error);
      }
    }
  }

  #withoutLate(spaceId: number, entries: readonly Entry[], error?: unknown): readonly Entry[] {
    const now = performance.now();
    const late = entries.filter(({ deadline }) => deadline <= now);
    if (late.length === 0) return entries;
    this.#giveUp(spaceId, late, error);
    return entries.filter(({ deadline }) => deadline > now);
  }

  /** @param error why the last attempt failed; absent when they never started */
  #giveUp(spaceId: number, entries: readonly Entry[], error: unknown = new OutOfTime(), after?: string): void {
    const { log, settings } = this.#options;
    const limit = after ?? `${settings.writeTimeMs} ms (setting writeTimeMs)`;
    log.warn({ err: error, writes: entries.length, dataSpace: spaceId }, `Writes were abandoned after ${limit}.`);
    for (const entry of entries) {
      entry.reject(entry.isUncertain ? uncertain(error) : this.#late(spaceId, error));
    }
  }

  /** The error for a batch that was certainly not written. */
  #late(spaceId: number, error: unknown): Error {
    if (isAway(error) || error instanceof Conflict) return failed(spaceId, error);
    const { writeTimeMs } = this.#options.settings;
    const cause = serviceError(error, `writing to data space ${spaceId}`);
    const told = `The database did not begin the write within ${writeTimeMs} ms (setting writeTimeMs); try again in a second.`;
    return busyError(told, cause);
  }
}

/** The inputs of all items, built in time slices. */
async function rowsOf(group: readonly Entry[]): Promise<Row[]> {
  const rows: Row[] = [];
  const slice = new TimeSlice();
  for (const [position, { merge, attempt, items }] of group.entries()) {
    const after = group.length - 1 - position;
    for (let index = 0; index < items; index++) {
      if (slice.isOver) await slice.next();
      rows.push((merge as Mergeable).row(attempt, index, after));
    }
  }
  return rows;
}

/** Whether the same batch may succeed a moment later. */
function mayPass(error: unknown): boolean {
  const isInTheWay = isTimeout(error) || sqlState(error) === '55P03';
  return error instanceof Conflict || error instanceof OutOfTime || isAway(error) || isRetryable(error) || isInTheWay;
}

function failed(spaceId: number, error: unknown): Error {
  if (error instanceof Conflict) return busyError('The records are being changed by others; try again.', error);
  return serviceError(error, `writing to data space ${spaceId}`);
}

function uncertain(cause: unknown): Error {
  const advice = 'send the batch again with its transactionId, and it is written at most once';
  return busyError(`The connection to the database was lost during the write: ${advice}.`, cause);
}

function bytesOf({ changes }: WriteBatch): number {
  let bytes = 0;
  for (const { items } of changes) {
    for (const item of items) {
      bytes += 200;
      if (!('values' in item)) continue;
      for (const value of item.values) bytes += typeof value === 'string' ? value.length : 10;
    }
  }
  return bytes;
}
