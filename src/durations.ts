/**
 * A histogram of durations with logarithmic steps: it takes the same memory for any number of durations, and counts of
 * several processes and periods can be added.
 */

/**
 * Step `n` holds durations up to `2^(n/2) / 32` milliseconds; the last one holds all longer ones, from five minutes on.
 */
const steps = 48;
const stepOf = (ms: number) => Math.min(steps - 1, Math.max(0, Math.ceil(2 * Math.log2(ms * 32))));

export class Durations {
  readonly #counts = new Float64Array(steps);

  /** @param counts as returned by `counts` */
  static from(counts: readonly number[]): Durations {
    const durations = new Durations();
    durations.#counts.set(counts.slice(0, steps));
    return durations;
  }

  count(ms: number): void {
    this.#counts[stepOf(ms)]! += 1;
  }

  add(other: Durations): void {
    for (let step = 0; step < steps; step++) this.#counts[step]! += other.#counts[step]!;
  }

  /** By step, without empty steps at the end. */
  get counts(): number[] {
    return [...this.#counts.subarray(0, 1 + this.#counts.findLastIndex((count) => count > 0))];
  }

  /**
   * The quantile: the most that this share of the durations took, milliseconds, rounded up to a step; null without
   * durations.
   */
  atMost(share: number): number | null {
    const all = this.#counts.reduce((sum, count) => sum + count, 0);
    if (all === 0) return null;
    let left = Math.ceil(all * share);
    const found = this.#counts.findIndex((count) => {
      left -= count;
      return left <= 0;
    });
    return 2 ** (found / 2) / 32;
  }
}
