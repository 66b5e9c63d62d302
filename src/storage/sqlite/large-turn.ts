/**
 * The turn for making a large result: one reader thread at a time, coordinated in shared memory. Several at once would
 * leave the main thread no core, and hold as many results in memory.
 */
import { largeTurnIdleMs } from '../answer-arrays.ts';

/** Nobody's. */
const free = 0;

/** How long a waiting thread sleeps between two checks of its time limit, milliseconds. */
const lookMs = 20;

export function newLargeTurn(): SharedArrayBuffer {
  return new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT);
}

export class LargeTurn {
  /** The owner's number, and when it last renewed the turn. */
  readonly #memory: Int32Array;
  readonly #own: number;
  readonly #now: () => number;

  /**
   * @param own number of the thread, from 1
   * @param now milliseconds, from the same clock in all threads
   */
  constructor(memory: SharedArrayBuffer, own: number, now: () => number = uptimeMs) {
    this.#memory = new Int32Array(memory);
    this.#own = own;
    this.#now = now;
  }

  /**
   * Waits for the thread's turn, or renews it. A turn that its owner has not renewed for a while is passed on. @param
   * look throws to stop waiting
   */
  take(look: () => void): void {
    for (;;) {
      const owner = Atomics.load(this.#memory, 0);
      if (owner === free || owner === this.#own || this.#idleMs() >= largeTurnIdleMs) {
        // Stored before the turn is taken; otherwise a new owner could seem idle.
        Atomics.store(this.#memory, 1, this.#now());
        if (Atomics.compareExchange(this.#memory, 0, owner, this.#own) === owner) return;
      }
      look();
      Atomics.wait(this.#memory, 0, owner, lookMs);
    }
  }

  /** Ends the thread's turn, if it has it; also called for a crashed thread. */
  leave(): void {
    if (Atomics.compareExchange(this.#memory, 0, this.#own, free) === this.#own) Atomics.notify(this.#memory, 0, 1);
  }

  /** 32-bit integers wrap around, and so do their differences. */
  #idleMs(): number {
    return (this.#now() - Atomics.load(this.#memory, 1)) | 0;
  }
}

/** Milliseconds since the machine started. */
function uptimeMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n) | 0;
}
