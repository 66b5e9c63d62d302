/**
 * Whose turn it is to make a large result: one reader thread at a time, in memory that all of them share. Several at once would
 * take all cores from the main thread, and hold as many results in memory.
 */

/** Nobody's. */
const free = 0;

/** How long a thread that waits sleeps between two looks at its time limit, milliseconds. */
const lookMs = 20;

export function newLargeTurn(): SharedArrayBuffer {
  return new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
}

export class LargeTurn {
  readonly #owner: Int32Array;
  readonly #own: number;

  /** @param own number of the thread, from 1 */
  constructor(memory: SharedArrayBuffer, own: number) {
    this.#owner = new Int32Array(memory);
    this.#own = own;
  }

  /** Waits until it is the thread's turn; it may have it already. @param look throws to stop waiting */
  take(look: () => void): void {
    for (;;) {
      const owner = Atomics.compareExchange(this.#owner, 0, free, this.#own);
      if (owner === free || owner === this.#own) return;
      look();
      Atomics.wait(this.#owner, 0, owner, lookMs);
    }
  }

  /** Does nothing when it is another thread's; also to be called for a thread that crashed. */
  leave(): void {
    if (Atomics.compareExchange(this.#owner, 0, this.#own, free) === this.#own) Atomics.notify(this.#owner, 0, 1);
  }
}
