/** How a write is tried again: with pauses that grow, until its time is up. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Pauses while the database is away or somebody is in the way: the first one, and the longest. */
const delayMs = { first: 10, longest: 500 };

/** Waits a little longer each time, until there is no time left. */
export class Backoff {
  readonly #deadline: number;
  #delayMs = delayMs.first;

  constructor(deadline: number) {
    this.#deadline = deadline;
  }

  /** @returns whether there is time left */
  async wait(): Promise<boolean> {
    const left = this.#deadline - performance.now();
    if (left <= 0) return false;
    await sleep(Math.min(this.#delayMs, left));
    this.#delayMs = Math.min(this.#delayMs * 2, delayMs.longest);
    return performance.now() < this.#deadline;
  }
}
