/** Bounds on requests that wait for the database, so that no data space fills the whole queue. */
import { ServiceError } from '../errors.ts';

const retryAfterSeconds = 1;

/** The setting that bounds the queue of all data spaces together. */
const settingOf = { queries: 'readsQueuedMax', writes: 'writesQueuedMax' } as const;

/**
 * The error for one more waiting request; null where it may wait. A data space may fill at most half of the queue slots
 * that the others leave free, so that alone it gets half of all and a newcomer still finds some.
 * @param max value of the setting
 * @param all waiting requests of all data spaces
 * @param own those of this data space
 */
export function waitingRefusal(
  what: keyof typeof settingOf,
  max: number,
  all: number,
  own: number,
): ServiceError | null {
  if (own < (max - (all - own)) / 2) return null;
  return new ServiceError(
    'busy',
    `${own} ${what} of this data space are waiting, and ${all} in all; it may have half of what the others leave of ${max} (setting ${settingOf[what]}). Try again in a second.`,
    { status: 503, retryAfterSeconds },
  );
}
