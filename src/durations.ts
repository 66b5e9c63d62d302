/**
 * How long things took, counted by steps of their logarithm: any number of durations takes the same memory, and counts of
 * several processes and times can be added up.
 */

/** Step `n` holds durations up to `2^(n/2) / 32` milliseconds, and the last one all longer ones: from five minutes on. */
const steps = 48;
const stepOf = (ms: number) => Math.min(steps - 1, Math.max(0, Math.ceil(2 * Math.log2(ms * 32))));

export class Durations {
  readonly #counts = new Float64Array(steps);

  /** @param counts as `counts` gave them */
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

  /** By step, without the empty ones at the end. */
  get counts(): number[] {
    return [...this.#counts.subarray(0, 1 + this.#counts.findLastIndex((count) => count > 0))];
  }

  /** What this share of the durations took at most, in milliseconds, rounded up to a step; null where there are none. */
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
