/** How many requests may wait for the database, so that there is room for others whatever one data space sends. */
import { ServiceError } from '../errors.ts';

const retryAfterSeconds = 1;

/** The setting that bounds how many wait, of all data spaces together. */
const settingOf = { queries: 'readsQueuedMax', writes: 'writesQueuedMax' } as const;

/**
 * Why one more may not wait; null where it may. A data space may have half of the places that the others leave: alone it
 * has half of all, and one that comes while a few others take what they can get still finds some.
 * @param max what the setting says
 * @param all how many wait, of whichever data space
 * @param own how many of them are of the data space that asks
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
