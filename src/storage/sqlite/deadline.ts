/**
 * The time limit of a statement, and which of its rows check it. A call into JavaScript costs three times as much as
 * the rest of a row, so in a statement on one table about one row in sixteen calls. Plain SQL selects it, by a few bits
 * of the row number times a secret factor, which is drawn anew for each process. A tenant who deletes rows can't know
 * which ones call, and can't keep only the others: that would take row numbers 2^20 apart, but they are assigned one by
 * one.
 */
import type { Environment } from '../../environment.ts';

/** Milliseconds after which a statement is a long one. */
const longMs = 10;

/** How often a long statement lowers its priority, milliseconds: shorter than the system's time slice for a thread. */
const turnMs = 1;

/** Reading the clock costs more than the rest of a row, so only every sixteenth call reads it. */
const callsPerReading = 16;

export class Deadline {
  readonly #lowerPriority: () => void;
  #end = Number.POSITIVE_INFINITY;
  #lowerPriorityAt = Number.POSITIVE_INFINITY;
  #calls = 0;
  #hasPassed = false;

  /** @param lowerPriority called repeatedly during a long statement */
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

  /** Whether a statement was stopped since `start`: distinguishes that stop from every other error. */
  get hasPassed(): boolean {
    return this.#hasPassed;
  }
}

/** The bits of the product that are all zero in a row that calls. */
const mask = 0xf_0000;
/** Only the bits up to those of the mask matter. The product of a row number below 2^43 stays an integer. */
const factorBits = 20;

/** With this factor every row checks the time. */
export const everyRow = 0;

/** The most consecutive rows without a check, for row numbers at equal distances up to `strideMax`. */
const silenceMax = 128;
const strideMax = 16;
/** How many rows of each stride are checked. */
const rowsFollowed = 20_000;

/** A factor with which neither adjacent rows, nor rows at a small stride, go long without a check. */
export function drawFactor({ random }: Pick<Environment, 'random'>): number {
  for (;;) {
    const factor = (random(4).readUInt32LE() % 2 ** factorBits) | 1;
    if (isNeverSilentForLong(factor)) return factor;
  }
}

/** False at the first gap that is too long. */
function isNeverSilentForLong(factor: number): boolean {
  for (let stride = 1; stride <= strideMax; stride++) {
    let silence = 0;
    for (
      let row = 0, product = 0;
      row < rowsFollowed;
      row++, product = (product + factor * stride) & (2 ** factorBits - 1)
    ) {
      silence = (product & mask) === 0 ? 0 : silence + 1;
      if (silence > silenceMax) return false;
    }
  }
  return true;
}

/**
 * Condition on a row number. SQLite calls `deadline_factor` once per statement: it has no arguments and is
 * deterministic.
 */
export function gatedDeadline(rowid: string): string {
  return `((${rowid} * deadline_factor() & ${mask}) OR within_deadline_now(${rowid}))`;
}

/** Condition for row numbers that are not consecutive: one row in sixteen, at random, checks the time. */
export function randomDeadline(rowValue: string): string {
  return `(random() & 15 OR within_deadline_now(${rowValue}))`;
}
