/**
 * Whose turn it is to make a large result: one reader thread at a time, in memory that all of them share. Several at once would
 * take all cores from the main thread, and hold as many results in memory.
 */
import { largeTurnIdleMs } from '../answer-arrays.ts';

/** Nobody's. */
const free = 0;

/** How long a thread that waits sleeps between two looks at its time limit, milliseconds. */
const lookMs = 20;

export function newLargeTurn(): SharedArrayBuffer {
  return new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT);
}

export class LargeTurn {
  /** The owner's number, and when it took the turn last. */
  readonly #memory: Int32Array;
  readonly #own: number;
  readonly #now: () => number;

  /**
   * @param own number of the thread, from 1
   * @param now milliseconds, of the same clock in all threads
   */
  constructor(memory: SharedArrayBuffer, own: number, now: () => number = uptimeMs) {
    this.#memory = new Int32Array(memory);
    this.#own = own;
    this.#now = now;
  }

  /**
   * Waits until it is the thread's turn; it may have it already. A turn that its owner did not take for a while passes on.
   * @param look throws to stop waiting
   */
  take(look: () => void): void {
    for (;;) {
      const owner = Atomics.load(this.#memory, 0);
      if (owner === free || owner === this.#own || this.#idleMs() >= largeTurnIdleMs) {
        // Before the turn is taken: nobody may take a new owner for one that is idle.
        Atomics.store(this.#memory, 1, this.#now());
        if (Atomics.compareExchange(this.#memory, 0, owner, this.#own) === owner) return;
      }
      look();
      Atomics.wait(this.#memory, 0, owner, lookMs);
    }
  }

  /** Does nothing when it is another thread's; also to be called for a thread that crashed. */
  leave(): void {
    if (Atomics.compareExchange(this.#memory, 0, this.#own, free) === this.#own) Atomics.notify(this.#memory, 0, 1);
  }

  /** Whole numbers of 32 bits go round, and so do their differences. */
  #idleMs(): number {
    return (this.#now() - Atomics.load(this.#memory, 1)) | 0;
  }
}

/** Since the machine started. */
function uptimeMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n) | 0;
}
