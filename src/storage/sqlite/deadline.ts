/** The end of the time that a statement may take; SQLite asks for it at every row through `within_deadline`. */

/** A statement that runs longer than this, milliseconds, is a long one. */
const longMs = 40;

/** Reading the clock costs more than the rest of a row, so it is read at every sixteenth. */
const callsPerReading = 16;

export class Deadline {
  readonly #isLong: () => void;
  #end = Number.POSITIVE_INFINITY;
  #longAt = Number.POSITIVE_INFINITY;
  #calls = 0;
  #hasPassed = false;

  /** @param isLong told once of each statement that takes long */
  constructor(isLong: () => void = () => {}) {
    this.#isLong = isLong;
  }

  start(timeMs: number): void {
    const now = performance.now();
    this.#end = now + timeMs;
    this.#longAt = now + longMs;
    this.#calls = 0;
    this.#hasPassed = false;
  }

  passed(): boolean {
    return ++this.#calls % callsPerReading === 0 ? this.hasPassedNow() : this.#hasPassed;
  }

  hasPassedNow(): boolean {
    const now = performance.now();
    if (now > this.#end) this.#hasPassed = true;
    if (now > this.#longAt) {
      this.#longAt = Number.POSITIVE_INFINITY;
      this.#isLong();
    }
    return this.#hasPassed;
  }

  /** Whether a statement was stopped since the start: tells that stop from every other error. */
  get hasPassed(): boolean {
    return this.#hasPassed;
  }
}
