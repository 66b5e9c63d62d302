/**
 * How a page is found: by sorting all rows that meet its condition, or by a walk through an index in the page's order
 * (`Statement.inOrder`). Which is faster depends on how many rows meet the condition, which SQLite's planner doesn't
 * know. So plans are tried: first sorting, briefly, which suffices if few rows meet the condition; then a walk, for
 * about as long as sorting took the last time; finally sorting, for as long as a query may take. A try that failed is
 * skipped for some runs of the statement, twice as many each time.
 */

/** Milliseconds after which the first try, by sorting, is stopped. */
const sortingMs = 1;
/** Milliseconds after which a walk is stopped: at least, at most, and while the duration of sorting is unknown. */
const walkMs = { min: 2, max: 100, first: 10 } as const;
/** After how many failures in a row a try is skipped, and for how many runs: the first time, and at most. */
const sortingOmitted: Omitted = { after: 4, first: 4, max: 16 };
/** Two failures, because on a busy machine a single walk may be stopped although it is fast. */
const walkOmitted: Omitted = { after: 2, first: 4, max: 256 };

interface Omitted {
  readonly after: number;
  readonly first: number;
  readonly max: number;
}

export type Way = 'sorted' | 'in order';

export interface Try {
  readonly way: Way;
  /** Null for the time limit of queries. */
  readonly timeMs: number | null;
}

/** A try that may be skipped. */
class Chance {
  readonly #rule: Omitted;
  #failures = 0;
  #omitted = 0;
  #next: number;

  constructor(rule: Omitted) {
    this.#rule = rule;
    this.#next = rule.first;
  }

  /** Whether to try it this time. */
  take(): boolean {
    if (this.#omitted === 0) return true;
    this.#omitted--;
    return false;
  }

  failed(): void {
    if (++this.#failures < this.#rule.after) return;
    this.#omitted = this.#next;
    this.#next = Math.min(2 * this.#next, this.#rule.max);
  }

  succeeded(): void {
    this.#failures = 0;
    this.#omitted = 0;
    this.#next = this.#rule.first;
  }
}

/** What a thread has learnt about one statement. */
export class PageTries {
  readonly #briefly = new Chance(sortingOmitted);
  readonly #walk = new Chance(walkOmitted);
  #sortedMs: number = walkMs.first;
  /** Whether the walk of the present run was stopped. */
  #isStopped = false;

  /** The tries for one run, in order; the last one has no limit of its own. */
  *tries(): Generator<Try, void, void> {
    this.#isStopped = false;
    if (this.#briefly.take()) yield { way: 'sorted', timeMs: sortingMs };
    if (this.#walk.take()) {
      yield { way: 'in order', timeMs: Math.min(Math.max(this.#sortedMs, walkMs.min), walkMs.max) };
    }
    yield { way: 'sorted', timeMs: null };
  }

  /** @param tookMs duration of a try that found the page; null for one that was stopped */
  note({ way }: Try, tookMs: number | null): void {
    if (way === 'in order') {
      if (tookMs === null) this.#isStopped = true;
      else this.#walk.succeeded();
    } else if (tookMs === null) this.#briefly.failed();
    else {
      const isBrief = tookMs <= sortingMs;
      // With few rows to sort, a walk is slow; this says nothing about pages with many.
      if (isBrief) this.#briefly.succeeded();
      else this.#sortedMs = tookMs;
      if (this.#isStopped && !isBrief) this.#walk.failed();
    }
  }
}
