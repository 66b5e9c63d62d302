/**
 * Which job a reader thread may begin: a number in memory shared with the main thread. Jobs are numbered as they are
 * sent. The thread claims a job by incrementing the number; the main thread takes back jobs that have not begun by
 * jumping over them. The number only grows (and wraps), so that neither side can mistake an old job for a new one.
 */
export class Claims {
  readonly memory: SharedArrayBuffer;
  readonly #next: Int32Array;

  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    this.#next = new Int32Array(memory);
  }

  /** In the thread: true when the job with this number may now run there; otherwise it must not. */
  claim(number: number): boolean {
    return Atomics.compareExchange(this.#next, 0, number | 0, (number + 1) | 0) === (number | 0);
  }

  /** The number of the job that can be claimed next. */
  get next(): number {
    return Atomics.load(this.#next, 0);
  }

  /**
   * On the main thread: no job sent so far can be claimed any more; the next job sent has the number `to`.
   * @returns the number of the first job that had not been claimed
   */
  jump(to: number): number {
    return Atomics.exchange(this.#next, 0, to | 0);
  }
}
