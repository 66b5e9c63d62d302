/** The end of the time that a statement may take; SQLite asks for it at every row through `within_deadline`. */

/** Reading the clock costs more than the rest of a row, so it is read at every sixteenth. */
const callsPerReading = 16;

export class Deadline {
  #end = Number.POSITIVE_INFINITY;
  #calls = 0;
  #hasPassed = false;

  start(timeMs: number): void {
    this.#end = performance.now() + timeMs;
    this.#calls = 0;
    this.#hasPassed = false;
  }

  passed(): boolean {
    return ++this.#calls % callsPerReading === 0 ? this.hasPassedNow() : this.#hasPassed;
  }

  hasPassedNow(): boolean {
    if (performance.now() > this.#end) this.#hasPassed = true;
    return this.#hasPassed;
  }

  /** Whether a statement was stopped since the start: tells that stop from every other error. */
  get hasPassed(): boolean {
    return this.#hasPassed;
  }
}
