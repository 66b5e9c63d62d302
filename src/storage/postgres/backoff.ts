/** Exponential backoff between attempts of a write, until its deadline. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Delay while the database is unreachable or a lock is held: the first one and the longest. */
const delayMs = { first: 10, longest: 500 };

/** Doubles the delay each time; never waits past the deadline. */
export class Backoff {
  readonly #deadline: number;
  #delayMs = delayMs.first;

  constructor(deadline: number) {
    this.#deadline = deadline;
  }

  /** @returns whether time is left for another attempt */
  async wait(): Promise<boolean> {
    const left = this.#deadline - performance.now();
    if (left <= 0) return false;
    await sleep(Math.min(this.#delayMs, left));
    this.#delayMs = Math.min(this.#delayMs * 2, delayMs.longest);
    return performance.now() < this.#deadline;
  }
}
