/** How a write is tried again: with pauses that grow, until its time is up. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Pauses while the database is away or somebody is in the way: the first one, and the longest. */
const pauseMs = { first: 10, longest: 500 };

/** Waits a little longer each time, until there is no time left. */
export class Patience {
  readonly #deadline: number;
  #pauseMs = pauseMs.first;

  constructor(deadline: number) {
    this.#deadline = deadline;
  }

  /** @returns whether there is time left */
  async pause(): Promise<boolean> {
    const left = this.#deadline - performance.now();
    if (left <= 0) return false;
    await sleep(Math.min(this.#pauseMs, left));
    this.#pauseMs = Math.min(this.#pauseMs * 2, pauseMs.longest);
    return performance.now() < this.#deadline;
  }
}
