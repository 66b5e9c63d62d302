/** How many requests may wait for the database, so that there is room for others whatever one data space sends. */
import { ServiceError } from '../errors.ts';

const retryAfterSeconds = 1;

export interface WaitingBound {
  readonly what: 'queries' | 'writes';
  /** Of all data spaces together, and the name of the setting that says so. */
  readonly max: number;
  readonly setting: string;
}

/**
 * Why one more may not wait; null where it may. A data space may have half of the places that the others leave: alone it
 * has half of all, and one that comes while a few others take what they can get still finds some.
 * @param all how many wait, of whichever data space
 * @param own how many of them are of the data space that asks
 */
export function waitingRefusal({ what, max, setting }: WaitingBound, all: number, own: number): ServiceError | null {
  if (own < (max - (all - own)) / 2) return null;
  return new ServiceError(
    'busy',
    `${own} ${what} of this data space are waiting, and ${all} in all; it may have half of what the others leave of ${max} (setting ${setting}). Try again in a second.`,
    { status: 503, retryAfterSeconds },
  );
}
