/**
 * Deletes in the background what has been kept long enough: log entries, and the transaction history and the bin of data
 * spaces that were written to. Old rows are deleted in small pieces, so that no request waits for long.
 */
import { sql } from 'kysely';
import type { Logger } from 'pino';
import type { Settings } from '../config.ts';
import type { Environment } from '../environment.ts';
import { dayMs, hourMs } from '../setting.ts';
import type { Relational } from './contract.ts';
import type { LogTables } from './tables.ts';

const sweepEveryMs = hourMs;
const rowsPerPiece = 500;

export interface Retention {
  /** Called for every write and change of tables, so that a sweep opens no other data spaces. */
  wrote(spaceId: number): void;
  sweep(): Promise<void>;
  /** Ends the timer, and resolves when a sweep that is under way has stopped. */
  close(): Promise<void>;
}

export interface RetentionOptions {
  /** Deletes at most `rowsMax` rows of a data space's history from before the time, and returns their number. */
  prune(spaceId: number, before: number, rowsMax: number): Promise<number>;
  /** Removes what has been in the data space's bin long enough, and returns whether something stays in it. */
  emptyBin(spaceId: number, now: number): Promise<boolean>;
  readonly logs: Relational<LogTables>;
  readonly settings: Pick<Settings, 'historyDays' | 'logDays'>;
  readonly environment: Environment;
  readonly log: Pick<Logger, 'warn'>;
}

export function openRetention({ prune, emptyBin, logs, settings, environment, log }: RetentionOptions): Retention {
  const written = new Set<number>();
  let isClosed = false;
  let sweeping = Promise.resolve();

  /** Deletes piece after piece until nothing old is left. */
  async function pieces(forgetPiece: () => Promise<number>): Promise<void> {
    while (!isClosed && (await forgetPiece()) === rowsPerPiece);
  }

  async function sweepAll(): Promise<void> {
    const now = environment.now();
    try {
      for (const spaceId of [...written]) await pruneSpace(spaceId, now);
    } finally {
      await pieces(() => forgetLogs(logs, now - settings.logDays * dayMs));
    }
  }

  /** A data space that fails goes to the end of the queue, so that the next sweep begins with those it delayed. */
  async function pruneSpace(spaceId: number, now: number): Promise<void> {
    // Before the work, so that a write meanwhile adds the data space again.
    written.delete(spaceId);
    try {
      await pieces(() => prune(spaceId, now - settings.historyDays * dayMs, rowsPerPiece));
      if (isClosed || (await emptyBin(spaceId, now))) written.add(spaceId);
    } catch (error) {
      written.add(spaceId);
      throw error;
    }
  }

  function sweep(): Promise<void> {
    sweeping = sweeping.then(sweepAll).catch((error: unknown) => {
      log.warn(
        { err: error },
        'Old history and log entries could not be deleted; the service will try again in an hour.',
      );
    });
    return sweeping;
  }

  const timer = setInterval(() => void sweep(), sweepEveryMs).unref();
  return {
    wrote: (spaceId) => void written.add(spaceId),
    sweep,
    close() {
      clearInterval(timer);
      isClosed = true;
      return sweeping;
    },
  };
}

/** Entries are stored in the order of writing, so the oldest come first. */
async function forgetLogs(logs: Relational<LogTables>, before: number): Promise<number> {
  const oldest = logs.build.selectFrom('entry').select(['id', 'time']).orderBy('id').limit(rowsPerPiece).as('oldest');
  const ids = logs.build.selectFrom(oldest).select('oldest.id').where('oldest.time', '<', before);
  const [written] = await logs.write([logs.build.deleteFrom('entry').where(sql`id`, 'in', ids)]);
  return written?.changed ?? 0;
}
