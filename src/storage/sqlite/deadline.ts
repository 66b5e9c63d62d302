/** The end of the time that a statement may take; SQLite asks for it at every row through `within_deadline`. */

/** A statement that runs longer than this, milliseconds, is a long one. */
const longMs = 10;

/** How often a long statement stands back, milliseconds: shorter than the slice of time that a thread gets from the system. */
const turnMs = 1;

/** Reading the clock costs more than the rest of a row, so it is read at every sixteenth. */
const callsPerReading = 16;

export class Deadline {
  readonly #lowerPriority: () => void;
  #end = Number.POSITIVE_INFINITY;
  #lowerPriorityAt = Number.POSITIVE_INFINITY;
  #calls = 0;
  #hasPassed = false;

  /** @param lowerPriority called by a statement that takes long, again and again */
  constructor(lowerPriority: () => void = () => {}) {
    this.#lowerPriority = lowerPriority;
  }

  start(timeMs: number): void {
    const now = performance.now();
    this.#end = now + timeMs;
    this.#lowerPriorityAt = now + longMs;
    this.#calls = 0;
    this.#hasPassed = false;
  }

  passed(): boolean {
    return ++this.#calls % callsPerReading === 0 ? this.hasPassedNow() : this.#hasPassed;
  }

  hasPassedNow(): boolean {
    const now = performance.now();
    if (now > this.#end) this.#hasPassed = true;
    if (now > this.#lowerPriorityAt) {
      this.#lowerPriority();
      this.#lowerPriorityAt = performance.now() + turnMs;
    }
    return this.#hasPassed;
  }

  /** Whether a statement was stopped since the start: tells that stop from every other error. */
  get hasPassed(): boolean {
    return this.#hasPassed;
  }
}
