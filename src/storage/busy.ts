/** The errors for a full queue and for work that the storage can't take now. */
import { ServiceError } from '../errors.ts';

/** @param message what happened and what to do, as a sentence; the answer has `Retry-After: 1` */
export function busyError(message: string, cause?: unknown): ServiceError {
  return new ServiceError('busy', message, { status: 503, retryAfterSeconds: 1, cause });
}

/** For requests while the storage is closing or closed. */
export function stopping(): ServiceError {
  return busyError('The service is stopping.');
}

/** The error for a query that waited for its whole time limit. */
export function lateQuery(queryTimeMs: number): ServiceError {
  const message = `The query waited for its turn for ${queryTimeMs} ms (setting queryTimeMs); try again in a second.`;
  return busyError(message);
}

/** The limit on waiting or running requests of all data spaces together. */
export interface QueueLimit {
  readonly what: 'queries' | 'writes';
  readonly max: number;
}

/** The setting that limits the queue of all data spaces together. */
const settingOf = { queries: 'readsQueuedMax', writes: 'writesQueuedMax' } as const;

/**
 * A data space may fill at most half of the queue slots that the others leave free: alone, it gets half of all, and a
 * newcomer still finds some.
 * @param all waiting requests of all data spaces
 * @param own those of this data space
 * @throws ServiceError `busy` when one more may not wait
 */
export function assertFreeSlot({ what, max }: QueueLimit, all: number, own: number): void {
  if (own < (max - (all - own)) / 2) return;
  throw busyError(
    `${own} ${what} of this data space are waiting, and ${all} in all; it may have half of what the others leave of ${max} (setting ${settingOf[what]}). Try again in a second.`,
  );
}
