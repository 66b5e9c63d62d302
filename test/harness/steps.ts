/** Runs work that others may come in between (`src/turns.ts`) in one go. */
import type { Steps } from '../../src/time-slices.ts';

export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value as Result;
  }
}
