/** Runs work in steps (`src/time-slices.ts`) without a pause. */
import type { Steps } from '../../src/time-slices.ts';

export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value as Result;
  }
}
