/**
 * The SQL functions that our statements call on SQLite; every connection that runs them has to register them. They are the
 * exception: `node:sqlite` keeps the arguments and the result of every call until the statement yields its next row
 * (docs/explanation/memory-of-queries.md), so what they keep is counted.
 */
import type { DatabaseSync } from 'node:sqlite';
import { type Folds, foldBy } from '../../schema/fold.ts';
import { matchesGlob } from './long-glob.ts';

/** Thrown out of a statement that runs past its time limit. */
export class DeadlinePassed extends Error {
  constructor() {
    super('The statement ran past its time limit.');
    this.name = 'DeadlinePassed';
  }
}

/** Thrown out of a statement whose functions were given more text than may be kept; see `CallMemory`. */
class CallMemoryFull extends Error {
  constructor() {
    super('The functions of the statement were given more text than may be kept in memory.');
    this.name = 'CallMemoryFull';
  }
}

/** Characters from which work on a single text takes longer than a look at the clock. */
const longText = 2_000;

/** Of one call, besides its texts. */
const keptPerCall = 64;

/** Bytes of a character, in the text that comes and in the one that goes. */
const bytesPerCharacter = 2;

/** What the calls of the statement that a thread runs keep in memory, since its last row. */
export class CallMemory {
  /** With what V8 has not freed yet, 20 MiB stay below 64 MiB. */
  readonly bytesMax: number;
  #bytes = 0;
  #isFull = false;

  /** @param bytesMax what is kept until the next row, at most (setting functionBytesMax) */
  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  start(): void {
    this.#bytes = 0;
    this.#isFull = false;
  }

  /** To be called after each row, which frees it. */
  freed(): void {
    this.#bytes = 0;
  }

  /** Whether a statement was stopped since the start: tells that stop from every other error. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** @throws CallMemoryFull */
  keep(characters: number): void {
    this.#bytes += keptPerCall + characters * bytesPerCharacter;
    if (this.#bytes <= this.bytesMax) return;
    this.#isFull = true;
    throw new CallMemoryFull();
  }
}

export interface DeadlineChecks {
  /** Asked for some of the rows that a statement visits. */
  passed(): boolean;
  /** Asked in the middle of long work on one row, and for a row in sixteen (`deadline.ts`). */
  hasPassedNow(): boolean;
}

/** Those of the dialect's `fold`, by the name of their function. */
const foldFunctions: Readonly<Record<string, Folds>> = {
  fold_lower: ['lower'],
  fold_upper: ['upper'],
  fold_lower_upper: ['lower', 'upper'],
  fold_upper_lower: ['upper', 'lower'],
};

/** @param deadlineFactor tells which rows of the statement that begins ask for the time (`deadline.ts`) */
export function registerFunctions(
  db: DatabaseSync,
  deadline: DeadlineChecks,
  deadlineFactor: () => number,
  memory: CallMemory,
): void {
  const look = () => {
    if (deadline.hasPassedNow()) throw new DeadlinePassed();
  };
  // Of a row number, which it ignores: see `withinDeadline` of the dialect.
  db.function('within_deadline', (_rowid: unknown) => {
    if (deadline.passed()) throw new DeadlinePassed();
    return 1;
  });
  db.function('within_deadline_now', (_rowid: unknown) => {
    look();
    return 1;
  });
  db.function('deadline_factor', { deterministic: true }, deadlineFactor);
  for (const [name, folds] of Object.entries(foldFunctions)) {
    db.function(name, { deterministic: true }, (text: unknown) => {
      if (typeof text !== 'string') return null;
      memory.keep(2 * text.length);
      if (text.length > longText) look();
      return foldBy(text, folds);
    });
  }
  db.function('long_glob', (pattern: unknown, text: unknown) => {
    if (typeof text !== 'string' || typeof pattern !== 'string') return null;
    memory.keep(pattern.length + text.length);
    return Number(matchesGlob(text, pattern, look));
  });
}
